//! The tests of the wire and of the command lines as source text: which there are, and what each of them uses.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A function or a constant of a test's sources.
struct Item {
    /// The path of its module, such as `daemon::turns::journal`.
    module: String,
    name: String,
    /// Its whole text, each run of blanks and line ends as one blank.
    text: String,
    is_test: bool,
}

/// Everything below `tests/`.
pub struct Sources {
    items: Vec<Item>,
}

impl Sources {
    pub fn read() -> Sources {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let mut items = Vec::new();
        for file in files(&root) {
            let text = std::fs::read_to_string(&file).expect("a source");
            let module = module(file.strip_prefix(&root).expect("a file below it"));
            items.extend(items_of(&module, &text));
        }
        Sources { items }
    }

    /// What is wrong with a test that a row names: nothing if there is exactly one, it is run, and it uses one of these
    /// texts, be it through functions and constants of its own module or of those that tests share.
    pub fn complaint(&self, test: &str, used: &[String]) -> Option<String> {
        let path = |item: &Item| format!("{}::{}", item.module, item.name);
        let found: Vec<_> = self
            .items
            .iter()
            .filter(|item| path(item) == test)
            .collect();
        match found[..] {
            [item] if item.is_test => {
                let uses = self
                    .reached(item)
                    .iter()
                    .any(|item| used.iter().any(|text| item.text.contains(text.as_str())));
                (!uses).then(|| format!("{test} uses none of {used:?}"))
            }
            [_] => Some(format!("{test} is no test that is always run")),
            _ => Some(format!("there are {} tests {test}", found.len())),
        }
    }

    /// The item, and all that it calls or names, over any number of steps.
    fn reached<'a>(&'a self, from: &'a Item) -> Vec<&'a Item> {
        let mut reached = vec![from];
        let mut seen = BTreeSet::new();
        let mut next = 0;
        while let Some(item) = reached.get(next).copied() {
            next += 1;
            for name in mentioned(&item.text) {
                if !seen.insert((item.module.as_str(), name)) {
                    continue;
                }
                let named = self.items.iter().filter(|other| {
                    other.name == name && !other.is_test && visible(&item.module, &other.module)
                });
                reached.extend(named);
            }
        }
        reached
    }
}

/// Whether tests in one module may use what stands in another: their own, those above and beside it, and
/// the common ones.
fn visible(from: &str, other: &str) -> bool {
    let above = from.rsplit_once("::").map_or("", |(above, _)| above);
    let shared = ["common", "cli::support"];
    other == from
        || other == above
        || (other.starts_with(above) && above.contains("::"))
        || shared.iter().any(|shared| other.starts_with(shared))
}

/// Names that stand where something is called, and those of constants.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_name)?;
            let end = rest[start..]
                .find(|letter| !is_name(letter))
                .map_or(rest.len(), |length| start + length);
            let (name, after) = (&rest[start..end], &rest[end..]);
            rest = after;
            let constant = name.len() > 1 && !name.contains(|letter: char| letter.is_lowercase());
            if constant || after.starts_with('(') {
                return Some(name);
            }
        }
    })
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// `daemon/turns/mod.rs` is `daemon::turns`, and `cli/main.rs` is `cli`.
fn module(file: &Path) -> String {
    let name = file.with_extension("");
    let words: Vec<_> = name
        .iter()
        .map(|word| word.to_str().expect("text"))
        .filter(|word| !["mod", "main"].contains(word))
        .collect();
    words.join("::")
}

/// Functions and constants of a source as rustfmt writes it: the end of each stands where its beginning does.
fn items_of(module: &str, text: &str) -> Vec<Item> {
    let lines: Vec<&str> = text.lines().collect();
    let mut items = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let Some(name) = name_of(body) else { continue };
        let ends = |line: &&str| {
            let same = line.len() - line.trim_start().len() == indent;
            same && (line.ends_with('}') || line.ends_with(';'))
        };
        let length = lines[start..].iter().position(ends).unwrap_or_default();
        let whole = lines[start..=start + length].join(" ");
        let attributes = lines[..start].iter().rev();
        let attributes: Vec<_> = attributes
            .take_while(|line| line.trim_start().starts_with("#["))
            .map(|line| line.trim())
            .collect();
        let ignored = attributes.iter().any(|line| line.contains("ignore"));
        items.push(Item {
            module: module.to_owned(),
            name: name.to_owned(),
            text: whole.split_whitespace().collect::<Vec<_>>().join(" "),
            is_test: attributes.contains(&"#[test]") && !ignored,
        });
    }
    items
}

/// The name, if a function or a constant begins with this line.
fn name_of(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let rest = ["fn ", "const ", "static "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[test]
fn a_row_that_names_what_is_not_there_or_fits_not_is_complained_of() {
    let sources = Sources {
        items: items_of(
            "daemon::x",
            "const ALL: &[&str] = &[\n    \"pane get\",\n];\n#[test]\nfn one() {\n    helper(1);\n}\nfn helper(_: u8) {\n    \
             ask(ALL);\n}\n#[test]\n#[ignore]\nfn two() {}\n#[test]\nfn three() {\n    say(\"pane get\");\n}\n",
        ),
    };
    let used = ["\"pane get\"".to_owned()];
    let complaint = |test: &str| sources.complaint(&format!("daemon::x::{test}"), &used);
    assert_eq!(
        complaint("one"),
        None,
        "by a function that names a constant"
    );
    assert_eq!(complaint("three"), None);
    for test in ["none", "two", "helper"] {
        assert!(complaint(test).is_some(), "{test}");
    }
    let other = ["\"pane list\"".to_owned()];
    assert!(sources.complaint("daemon::x::one", &other).is_some());
}
