//! The types against the schema made from them: every form is read and written again.
//!
//! The schema in turn is pinned and compared with herdr's own, so what holds for its forms here
//! holds on the wire: nothing optional is needed, nothing empty is written, null counts as absent.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::envelope::{self, ErrorResponse, SuccessResponse};
use super::events::{EventData, EventEnvelope};
use super::method;
use super::params::*;
use super::records::*;
use super::results::ResponseResult;
use super::schema;
use super::subscription::{Subscription, SubscriptionEventData, SubscriptionEventEnvelope};

/// Which members an example has.
#[derive(Clone, Copy, PartialEq)]
enum Members {
    /// All of them, each with a value that is not its default.
    All,
    /// The required ones.
    Required,
    /// The required ones, and null for each other one that may be null.
    RequiredAndNull,
}

/// Makes examples of what a schema describes.
struct Examples {
    document: Value,
    members: Members,
}

impl Examples {
    fn new(members: Members) -> Examples {
        Examples {
            document: schema::document(),
            members,
        }
    }

    fn definition(&self, section: &str, name: &str) -> &Value {
        &self.document["schemas"][section]["$defs"][name]
    }

    /// One example for each form of a definition.
    fn of_definition(&self, section: &str, name: &str) -> Vec<Value> {
        let schema = self.definition(section, name);
        assert!(!schema.is_null(), "no definition {name} in {section}");
        forms(schema)
            .map(|form| self.of(form, self.members, 0))
            .collect()
    }

    fn of(&self, schema: &Value, members: Members, depth: usize) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let definition = self.document.pointer(&reference[1..]).unwrap();
            return self.of(definition, members, depth + 1);
        }
        // One with a description that was taken away is an object without members.
        if *schema == true || *schema == json!({}) {
            return json!({ "anything": null });
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(words) = schema["enum"].as_array() {
            // The default, where there is one, is the first word; this is another if it can be.
            return words.last().unwrap().clone();
        }
        if has_forms(schema) {
            // The last form of a tree is a leaf in one definition and the first in the other.
            let mut all = forms(schema).filter(|form| form["type"] != "null");
            let first = all.next().unwrap();
            let form = if depth > 4 {
                all.last().unwrap_or(first)
            } else {
                first
            };
            return self.of(form, members, depth + 1);
        }
        match type_of(schema) {
            // Only the share of a popup's area has a pattern.
            "string" if schema.get("pattern").is_some() => json!("80%"),
            "string" => json!("text"),
            "integer" => json!(7),
            "number" => json!(0.25),
            "boolean" => json!(schema["default"] != true),
            "array" => json!([self.of(&schema["items"], members, depth + 1)]),
            "object"
                if schema
                    .get("additionalProperties")
                    .is_some_and(|more| *more != false) =>
            {
                json!({ "key": self.of(&schema["additionalProperties"], members, depth + 1) })
            }
            "object" => self.object(schema, members, depth),
            other => panic!("an example of {other}"),
        }
    }

    fn object(&self, schema: &Value, members: Members, depth: usize) -> Value {
        let mut example = Map::new();
        let none = Map::new();
        for (name, member) in schema["properties"].as_object().unwrap_or(&none) {
            let value = if is_required(schema, name) || members == Members::All {
                self.of(member, members, depth + 1)
            } else if members == Members::RequiredAndNull && is_nullable(member) {
                Value::Null
            } else {
                continue;
            };
            example.insert(name.clone(), value);
        }
        Value::Object(example)
    }

    /// An example as it is written again: with every default filled in.
    fn completed(&self, schema: &Value, example: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let definition = self.document.pointer(&reference[1..]).unwrap();
            return self.completed(definition, example);
        }
        if has_forms(schema) {
            let mut fitting = forms(schema).filter(|form| self.describes(form, example));
            return match fitting.next() {
                Some(form) => self.completed(form, example),
                None => example.clone(),
            };
        }
        match example {
            Value::Array(items) => items
                .iter()
                .map(|item| self.completed(&schema["items"], item))
                .collect(),
            Value::Object(members) if schema.get("properties").is_some() => {
                let mut completed = Map::new();
                for (name, member) in schema["properties"].as_object().unwrap() {
                    let value = match members.get(name) {
                        Some(Value::Null) | None => member.get("default").cloned(),
                        Some(value) => Some(self.completed(member, value)),
                    };
                    completed.extend(value.map(|value| (name.clone(), value)));
                }
                Value::Object(completed)
            }
            _ => example.clone(),
        }
    }

    fn describes(&self, form: &Value, example: &Value) -> bool {
        if let Some(reference) = form["$ref"].as_str() {
            return self.describes(self.document.pointer(&reference[1..]).unwrap(), example);
        }
        match (form["properties"].as_object(), example.as_object()) {
            (Some(properties), Some(members)) => {
                let required = form["required"].as_array().into_iter().flatten();
                required
                    .map(|name| name.as_str().unwrap())
                    .all(|name| members.contains_key(name))
                    && properties.iter().all(|(name, member)| {
                        let constant = member.get("const");
                        constant.is_none_or(|constant| members.get(name) == Some(constant))
                    })
            }
            (None, Some(_)) => form["type"] == "object",
            _ => false,
        }
    }
}

fn forms(schema: &Value) -> impl Iterator<Item = &Value> {
    let forms = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    match forms {
        Some(forms) => forms.iter(),
        None => std::slice::from_ref(schema).iter(),
    }
}

fn has_forms(schema: &Value) -> bool {
    schema.get("oneOf").is_some() || schema.get("anyOf").is_some()
}

fn type_of(schema: &Value) -> &str {
    match &schema["type"] {
        Value::Array(types) => types[0].as_str().unwrap(),
        single => single.as_str().unwrap(),
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"]
        .as_array()
        .is_some_and(|names| names.iter().any(|required| required == name))
}

fn is_nullable(schema: &Value) -> bool {
    let listed = |types: &Vec<Value>| types.iter().any(|one| one == "null");
    schema["type"].as_array().is_some_and(listed)
        || forms(schema).any(|form| form["type"] == "null")
}

/// Reads every form of a definition and checks what is written again.
fn assert_forms_survive<T: Serialize + DeserializeOwned + JsonSchema>(section: &str) -> usize {
    let name = T::schema_name();
    let mut count = 0;
    for members in [Members::All, Members::Required, Members::RequiredAndNull] {
        let examples = Examples::new(members);
        let schema = examples.definition(section, &name);
        for example in examples.of_definition(section, &name) {
            let read: T = serde_json::from_value(example.clone())
                .unwrap_or_else(|error| panic!("{name}: {error}: {example}"));
            let written = serde_json::to_value(read).unwrap();
            assert_eq!(written, examples.completed(schema, &example), "{name}");
            count += 1;
        }
    }
    count
}

#[test]
fn every_answer_survives_reading_and_writing() {
    assert_eq!(
        assert_forms_survive::<ResponseResult>("success_response"),
        3 * 73
    );
}

#[test]
fn every_event_survives_reading_and_writing() {
    assert_eq!(assert_forms_survive::<EventData>("event"), 3 * 26);
    assert_eq!(
        assert_forms_survive::<SubscriptionEventData>("subscription_event"),
        3 * 3
    );
}

#[test]
fn every_kind_of_parameter_survives_reading_and_writing() {
    assert_eq!(assert_forms_survive::<Subscription>("request"), 3 * 27);
    assert_eq!(assert_forms_survive::<EventMatch>("request"), 3 * 19);
    assert_eq!(assert_forms_survive::<AgentViewFilter>("request"), 3 * 6);
    assert_forms_survive::<LayoutNode>("request");
    assert_forms_survive::<OutputMatch>("request");
    assert_forms_survive::<PaneMoveDestination>("request");
}

#[test]
fn every_method_takes_what_the_schema_says_and_writes_it_again() {
    for members in [Members::All, Members::Required, Members::RequiredAndNull] {
        let examples = Examples::new(members);
        let request = &examples.document["schemas"]["request"];
        for form in forms(request) {
            let mut example = examples.of(form, members, 0);
            example["id"] = json!("1");
            let line = example.to_string();
            let decoded = envelope::decode(line.as_bytes()).unwrap();
            let written =
                method::rewritten(&decoded).unwrap_or_else(|error| panic!("{error}: {line}"));
            let completed = examples.completed(form, &example);
            assert_eq!(written, completed["params"], "{}", decoded.method.name);
        }
    }
}

#[test]
fn every_required_parameter_is_missed_by_name() {
    let examples = Examples::new(Members::Required);
    let mut missed = 0;
    for form in forms(&examples.document["schemas"]["request"]) {
        let example = examples.of(form, Members::Required, 0);
        for name in example["params"].as_object().unwrap().keys() {
            let mut broken = example.clone();
            broken["id"] = json!("1");
            broken["params"].as_object_mut().unwrap().remove(name);
            let line = broken.to_string();
            let decoded = envelope::decode(line.as_bytes()).unwrap();
            let error = method::rewritten(&decoded).unwrap_err();
            let words = format!("invalid request: missing field `{name}` at line 1 column ");
            assert!(error.message.starts_with(&words), "{error}: {line}");
            missed += 1;
        }
    }
    assert!(missed > 100, "only {missed} parameters are required");
}

#[test]
fn the_table_has_every_method_once_and_finds_each() {
    assert_eq!(method::ALL.len(), 122);
    for (index, spec) in method::ALL.iter().enumerate() {
        let found = method::find(spec.name).unwrap();
        assert_eq!((found.index, spec.index), (index, index), "{}", spec.name);
        assert_eq!(method::NAMES[index], spec.name);
        assert!(
            spec.doc.ends_with('.') && !spec.doc.starts_with(' '),
            "{}",
            spec.doc
        );
    }
    assert!(method::find("").is_none());
    assert!(method::find("PING").is_none());
    assert!(method::find("ping ").is_none());
}

#[test]
fn answers_can_be_told_apart_by_the_client() {
    let success = envelope::success_line("1", &ResponseResult::Ok);
    let refusal = envelope::error_line("1", &super::ApiError::new("timeout", "too late"));
    assert!(serde_json::from_str::<SuccessResponse>(&success).is_ok());
    assert!(serde_json::from_str::<ErrorResponse>(&success).is_err());
    assert!(serde_json::from_str::<ErrorResponse>(&refusal).is_ok());
    assert!(serde_json::from_str::<SuccessResponse>(&refusal).is_err());
}

#[test]
fn the_name_of_an_event_is_the_type_of_its_data() {
    let examples = Examples::new(Members::Required);
    for example in examples.of_definition("event", "EventData") {
        let data: EventData = serde_json::from_value(example.clone()).unwrap();
        let line: Value = serde_json::from_str(&EventEnvelope::from(data).line()).unwrap();
        assert_eq!(line["event"], example["type"]);
        assert_eq!(line["data"]["type"], example["type"]);
    }
    for example in examples.of_definition("subscription_event", "SubscriptionEventData") {
        let data: SubscriptionEventData = serde_json::from_value(example).unwrap();
        let line = SubscriptionEventEnvelope::from(data).line();
        let read: SubscriptionEventEnvelope = serde_json::from_str(&line).unwrap();
        assert_eq!(read.data.kind(), read.event);
        assert!(!line.contains("\"type\""));
    }
}

#[test]
fn a_pane_without_agent_has_only_what_every_pane_has() {
    let bare = json!({
        "pane_id": "w1:p1", "terminal_id": "term_1", "workspace_id": "w1", "tab_id": "w1:t1",
        "focused": true, "agent_status": "unknown", "revision": 0,
    });
    let pane: PaneInfo = serde_json::from_value(bare.clone()).unwrap();
    assert_eq!(serde_json::to_value(pane).unwrap(), bare);
}

#[test]
fn popup_sizes_have_one_spelling_each() {
    let size = |value: Value| serde_json::from_value::<PopupSize>(value).ok();
    assert_eq!(size(json!(0)), Some(PopupSize::Cells(0)));
    assert_eq!(size(json!(65_535)), Some(PopupSize::Cells(65_535)));
    assert_eq!(size(json!("1%")), Some(PopupSize::Percent(1)));
    assert_eq!(size(json!("100%")), Some(PopupSize::Percent(100)));
    for wrong in [
        json!(-1),
        json!(65_536),
        json!(1.5),
        json!("0%"),
        json!("101%"),
        json!("+5%"),
        json!("05%"),
        json!("50"),
        json!("%"),
        json!("5 %"),
        json!("\u{0665}%"),
        json!(null),
    ] {
        assert_eq!(size(wrong.clone()), None, "{wrong}");
    }
    for text in ["7", "\"80%\""] {
        let size: PopupSize = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&size).unwrap(), text);
    }
}

#[test]
fn words_of_the_wire_read_as_they_are_written() {
    for target in IntegrationTarget::ALL {
        assert_eq!(target.as_str().parse(), Ok(*target));
        assert_eq!(serde_json::to_value(target).unwrap(), target.as_str());
        assert_eq!(target.to_string(), target.as_str());
    }
    assert!("Claude".parse::<IntegrationTarget>().is_err());
    assert_eq!(format!("{:>8}", AgentStatus::Done), "    done");
}
