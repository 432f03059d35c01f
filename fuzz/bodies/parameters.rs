//! Parameters made from a method's own schema: nearly always of the right shape, so that they get past the decoder,
//! and now and then of a wrong one.

use drover::api::method::Spec;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::entropy::Entropy;

/// How deep a tree gets before it ends.
const DEPTH: usize = 12;

/// What a string is likely to have to be: ids that are there, that were there, that never were; keys; states.
const WORDS: [&str; 48] = [
    "w1",
    "w1:t1",
    "w1:p1",
    "w1:p2",
    "w1:p3",
    "w1:t2",
    "w2",
    "w2:t1",
    "w2:p1",
    "w9:p9",
    "1",
    "1-1",
    "p_1",
    "",
    "claude",
    "codex",
    "pi",
    "my-bot",
    "herdr:claude",
    "herdr:pi",
    "custom:x",
    "working",
    "idle",
    "blocked",
    "done",
    "unknown",
    "enter",
    "ctrl+c",
    "alt+shift+f5",
    "a",
    "esc",
    "[",
    "(",
    ".*",
    "^\\s*$",
    "x{1000}{1000}",
    "/",
    "/tmp",
    "~",
    "..",
    "\u{0}",
    "\u{1b}[31m\u{7}",
    "\u{202e}abc\u{200b}",
    "é\u{301}👩‍👩‍👧",
    "a b\nc",
    "startup",
    "clear",
    "100%",
];

/// Numbers at the edges that there are.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    3,
    10,
    80,
    255,
    1000,
    1001,
    65_535,
    65_536,
    86_400_000,
    86_400_001,
    1 << 31,
    1 << 53,
    u64::MAX,
];

/// The schema of one method's parameters.
pub struct Parameters {
    schema: Value,
    definitions: Map<String, Value>,
}

impl Parameters {
    pub fn of(method: &Spec) -> Parameters {
        let mut generator = SchemaGenerator::default();
        let schema = (method.params_schema)(&mut generator).to_value();
        Parameters {
            schema,
            definitions: generator.take_definitions(true),
        }
    }

    pub fn make(&self, entropy: &mut Entropy<'_>) -> Value {
        let made = self.value(&self.schema, entropy, DEPTH);
        match made {
            Value::Object(_) => made,
            _ => json!({}),
        }
    }

    fn value(&self, schema: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Value {
        if depth == 0 {
            return Value::Null;
        }
        if entropy.once_in(64) {
            return anything(entropy);
        }
        if let Some(name) = schema["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next())
        {
            return self.value(&self.definitions[name], entropy, depth - 1);
        }
        for several in ["oneOf", "anyOf"] {
            if let Some(of) = schema[several].as_array().filter(|of| !of.is_empty()) {
                return self.value(entropy.pick(of), entropy, depth - 1);
            }
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(words) = schema["enum"].as_array().filter(|words| !words.is_empty()) {
            return entropy.pick(words).clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) if !kinds.is_empty() => entropy.pick(kinds).as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") => self.object(schema, entropy, depth),
            Some("array") => {
                let count = entropy.below(5);
                let item = |entropy: &mut _| self.value(&schema["items"], entropy, depth - 1);
                Value::Array((0..count).map(|_| item(entropy)).collect())
            }
            Some("string") => Value::String(string(entropy)),
            Some("integer") => number(entropy).into(),
            Some("number") => json!(*entropy.pick(&[0.5, 0.1, 0.9, 0.0, 1.0, -1.0, 1e-30, 1e300])),
            Some("boolean") => entropy.once_in(2).into(),
            Some("null") => Value::Null,
            _ => anything(entropy),
        }
    }

    fn object(&self, schema: &Value, entropy: &mut Entropy<'_>, depth: usize) -> Value {
        let mut made = Map::new();
        let required = |name: &str| {
            let names = schema["required"].as_array();
            names.is_some_and(|names| names.iter().any(|required| required == name))
        };
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            // A program to run: never one that the fuzzer thought of.
            if matches!(name.as_str(), "command" | "argv" | "args") {
                continue;
            }
            if required(name) || entropy.once_in(2) {
                made.insert(name.clone(), self.value(member, entropy, depth - 1));
            }
        }
        let free = &schema["additionalProperties"];
        if free.is_object() {
            for _ in 0..entropy.below(4) {
                made.insert(string(entropy), self.value(free, entropy, depth - 1));
            }
        }
        Value::Object(made)
    }
}

fn string(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(8) {
        0..=5 => (*entropy.pick(&WORDS)).to_owned(),
        6 => {
            let length = usize::from(entropy.byte());
            String::from_utf8_lossy(entropy.take(length)).into_owned()
        }
        // Longer than anything may be.
        _ => (*entropy.pick(&WORDS)).repeat(entropy.below(5000)),
    }
}

fn number(entropy: &mut Entropy<'_>) -> u64 {
    match entropy.below(4) {
        0..=2 => *entropy.pick(&NUMBERS),
        _ => entropy.number(),
    }
}

/// A value of any kind, whatever was asked for.
fn anything(entropy: &mut Entropy<'_>) -> Value {
    match entropy.below(7) {
        0 => Value::Null,
        1 => true.into(),
        2 => number(entropy).into(),
        3 => json!(-1),
        4 => json!([]),
        5 => json!({}),
        _ => string(entropy).into(),
    }
}
