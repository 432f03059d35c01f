//! Edits by example, and by chance.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn document(text: &str) -> Document {
    Document::parse(text).unwrap()
}

fn broken(text: &str) -> (usize, usize) {
    let broken = Document::parse(text).unwrap_err();
    (broken.line, broken.column)
}

use Step::{At, Key};

#[test]
fn comments_and_commas_before_brackets_are_taken_as_agents_take_them() {
    let text =
        "\u{feff}// mine\n{\n  /* a */ \"a\": [1, 2.5e3, true, null, \"x\\n\\u00e9\",],\n}\n";
    let document = document(text);
    assert_eq!(document.text(), text);
    let expected = json!({ "a": [1, 2.5e3, true, null, "x\né"] });
    assert_eq!(document.root().plain(), expected);
    assert_eq!(Document::parse("").unwrap().text(), "{}\n");
}

#[test]
fn what_is_broken_is_named_by_line_and_column() {
    assert_eq!(broken("{\n  \"a\": 1\n  \"b\": 2\n}"), (3, 3));
    assert_eq!(broken("{\n  \"é\" 1\n}"), (2, 7));
    assert_eq!(broken("{\"a\": \"x\n\"}"), (1, 7));
    assert_eq!(broken("{\"a\": tru}"), (1, 7));
    assert_eq!(broken("{\"a\": 1} x"), (1, 10));
    assert_eq!(broken("{a: 1}"), (1, 2));
    assert_eq!(broken("{\"a\": /* x"), (1, 7));
    assert_eq!(broken("["), (1, 2));
    assert_eq!(broken(&"[".repeat(100_000)), (1, MAX_DEPTH + 2));
    assert_eq!(
        broken(&" ".repeat(MAX_BYTES - 1).replacen(' ', "[1]", 1).repeat(2)),
        (1, 1)
    );
}

#[test]
fn a_member_goes_behind_the_last_with_the_layout_of_the_file() {
    let mut document =
        document("{\n    // first\n    \"a\": 1, // one\n    \"b\": [2] // two\n}\n");
    assert!(document.set(&[], "c", &json!({ "d": [] })));
    let expected = "{\n    // first\n    \"a\": 1, // one\n    \"b\": [2], // two\n    \"c\": {\n        \"d\": []\n    }\n}\n";
    assert_eq!(document.text(), expected);
    assert!(document.push(&[Key("b")], &json!("x")));
    assert!(document.text().contains("\"b\": [2, \"x\"], // two\n"));
    assert!(document.push(&[Key("c"), Key("d")], &json!(3)));
    assert!(
        document
            .text()
            .contains("        \"d\": [\n            3\n        ]\n")
    );
    assert!(!document.push(&[Key("a")], &json!(1)) && !document.set(&[Key("b")], "x", &json!(1)));
}

#[test]
fn layouts_of_all_kinds_are_kept() {
    let set = |text: &str| {
        let mut document = document(text);
        document.set(&[], "z", &json!({ "y": 1 }));
        document.text().to_owned()
    };
    assert_eq!(set("{}"), "{\n  \"z\": {\n    \"y\": 1\n  }\n}");
    assert_eq!(set("{\n}\n"), "{\n  \"z\": {\n    \"y\": 1\n  }\n}\n");
    assert_eq!(set("{\"a\":1}"), "{\"a\":1, \"z\": { \"y\": 1 }}");
    assert_eq!(set("{ // c\n}"), "{ // c\n  \"z\": {\n    \"y\": 1\n  }\n}");
    assert_eq!(
        set("{\n\t\"a\": 1,\n}\n"),
        "{\n\t\"a\": 1,\n\t\"z\": {\n\t\t\"y\": 1\n\t},\n}\n"
    );
    assert_eq!(
        set("{\r\n  \"a\": 1\r\n}\r\n"),
        "{\r\n  \"a\": 1,\r\n  \"z\": {\r\n    \"y\": 1\r\n  }\r\n}\r\n"
    );
    assert_eq!(
        set("{\"z\": [0], \"b\": 2}"),
        "{\"z\": { \"y\": 1 }, \"b\": 2}"
    );
}

#[test]
fn what_is_taken_out_goes_with_its_line_and_its_comma() {
    let remove = |text: &str, path: &[Step<'_>]| {
        let mut document = document(text);
        assert!(document.remove(path), "{text}");
        document.text().to_owned()
    };
    let text = "{\n  \"a\": 1,\n  // about b\n  \"b\": 2,\n  \"c\": 3\n}\n";
    assert_eq!(
        remove(text, &[Key("a")]),
        "{\n  // about b\n  \"b\": 2,\n  \"c\": 3\n}\n"
    );
    assert_eq!(
        remove(text, &[Key("c")]),
        "{\n  \"a\": 1,\n  // about b\n  \"b\": 2\n}\n"
    );
    assert_eq!(remove("{\"a\": 1, \"b\": 2}", &[Key("a")]), "{\"b\": 2}");
    assert_eq!(remove("{\"a\": 1, \"b\": 2}", &[Key("b")]), "{\"a\": 1}");
    assert_eq!(remove("{\n  \"a\": 1,\n}\n", &[Key("a")]), "{}\n");
    assert_eq!(remove("[\r\n  1,\r\n  2\r\n]", &[At(1)]), "[\r\n  1\r\n]");
    assert_eq!(remove("[1, // note\n  2]", &[At(1)]), "[1 // note\n]");
    assert_eq!(remove("[1]", &[At(0)]), "[]");
    assert_eq!(remove("{\"a\": [1] // x\n}", &[Key("a")]), "{ // x\n}");
    assert!(!document(text).remove(&[Key("z")]) && !document("[1]").remove(&[At(1)]));
    assert!(!document("[1]").remove(&[]));
}

#[test]
fn of_a_name_that_stands_twice_the_last_counts() {
    let mut document = document("{\"a\": 1, \"a\": {}}");
    assert!(document.set(&[Key("a")], "b", &json!(1)));
    assert_eq!(document.root().plain(), json!({ "a": { "b": 1 } }));
    assert!(document.remove(&[Key("a")]));
    assert_eq!(document.text(), "{\"a\": 1}");
}

/// A value as text, in one of many layouts, with comments.
fn written() -> impl Strategy<Value = String> {
    let gap = prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\n  ",
        "\r\n\t",
        " // note\n",
        "/* { */",
        " \n // [\n\n",
    ]);
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5",
        "true",
        "null",
        "\"\"",
        "\"a // b\"",
        "\"\\\"]\"",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let gap = gap.clone();
        let items = prop::collection::vec((gap.clone(), inner, gap.clone()), 0..4);
        (items, any::<bool>(), any::<bool>(), gap).prop_map(|(items, object, trailing, end)| {
            let count = items.len();
            let mut text = String::from(if object { "{" } else { "[" });
            for (at, (before, item, behind)) in items.into_iter().enumerate() {
                text += before;
                if object {
                    text += &format!("\"k{at}\":");
                }
                text += &item;
                text += behind;
                if at + 1 < count || trailing {
                    text.push(',');
                }
            }
            text += end;
            text.push(if object { '}' } else { ']' });
            text
        })
    })
}

/// A place in a document, by chance.
fn place(value: &Value, choices: &[usize]) -> Vec<(Option<String>, usize)> {
    let Some((choice, rest)) = choices.split_first() else {
        return Vec::new();
    };
    let count = value.items().len();
    if count == 0 {
        return Vec::new();
    }
    let at = choice % count;
    let (key, inner) = match &value.kind {
        Kind::Object(members) => (Some(members[at].key.clone()), &members[at].value),
        Kind::Array(elements) => (None, &elements[at]),
        _ => return Vec::new(),
    };
    let mut path = vec![(key, at)];
    path.extend(place(inner, rest));
    path
}

fn steps(path: &[(Option<String>, usize)]) -> Vec<Step<'_>> {
    path.iter()
        .map(|(key, at)| key.as_deref().map_or(At(*at), Key))
        .collect()
}

proptest! {
    /// An edit does to the text what it says, whatever the layout, and comments stay.
    #[test]
    fn an_edit_changes_what_it_says_and_nothing_else(
        text in written(), choices in prop::collection::vec(0_usize..4, 0..4),
    ) {
        let original = document(&text);
        let path = place(original.root(), &choices);
        let path = steps(&path);
        let comments = |text: &str| text.matches("note").count();
        let pointer: String = path.iter().map(|step| match step {
            Key(key) => format!("/{key}"),
            At(at) => format!("/{at}"),
        }).collect();

        let mut pushed = original.clone();
        let mut expected = original.root().plain();
        let target = expected.pointer_mut(&pointer).unwrap();
        let value = json!({ "new": [1, "x"] });
        match target {
            Plain::Array(elements) => {
                elements.push(value.clone());
                prop_assert!(pushed.push(&path, &value));
            }
            Plain::Object(members) => {
                members.insert("new".to_owned(), value.clone());
                prop_assert!(pushed.set(&path, "new", &value));
                let once = pushed.text().to_owned();
                prop_assert!(pushed.set(&path, "new", &value));
                prop_assert_eq!(document(&once).root().plain(), pushed.root().plain());
            }
            _ => prop_assert!(!pushed.push(&path, &value)),
        }
        prop_assert_eq!(document(pushed.text()).root().plain(), expected);
        prop_assert_eq!(comments(pushed.text()), comments(&text));

        if let Some((last, parent)) = path.split_last() {
            let mut removed = original.clone();
            prop_assert!(removed.remove(&path));
            let mut expected = original.root().plain();
            let parent: String = parent.iter().map(|step| match step {
                Key(key) => format!("/{key}"),
                At(at) => format!("/{at}"),
            }).collect();
            match (expected.pointer_mut(&parent).unwrap(), last) {
                (Plain::Array(elements), At(at)) => { elements.remove(*at); }
                (Plain::Object(members), Key(key)) => { members.remove(*key); }
                _ => unreachable!(),
            }
            prop_assert_eq!(document(removed.text()).root().plain(), expected);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"/*\\\\ \n\ra1é-]{0,40}") {
        let _ = Document::parse(&text);
    }
}

/// Requests are served on small stacks, and settings are whatever somebody wrote.
#[test]
fn values_as_deep_as_can_be_fit_the_stack_of_a_request() {
    let half = 128 * 1024;
    let read = || {
        let arrays = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        let objects = format!("{}1{}", "{\"a\":".repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH));
        for text in [
            arrays,
            objects,
            "{\"hooks\":".repeat(100_000),
            "[{\"a\":".repeat(100_000),
        ] {
            let _ = Document::parse(&text);
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 * half);
    thread.spawn(read).unwrap().join().unwrap();
}
