//! What is made from the table of keys: the default file and the reference page.

use std::fmt::Write as _;

use super::keys::{KEYS, Key, Kind, Literal};
use super::lists::LISTS;

/// The text of a file that says nothing but what holds anyway (`herdr --default-config`).
#[must_use]
pub fn default_file() -> String {
    let mut text = String::from(
        "# drover's configuration. Every key is shown with its default; take the # away to change one.\n",
    );
    let mut section = "";
    for key in KEYS {
        if key.section() != section {
            section = key.section();
            line(&mut text, &format!("\n[{section}]"));
        }
        line(&mut text, &format!("# {}", key.doc));
        if let Some(values) = values(key) {
            line(&mut text, &format!("# {values}"));
        }
        line(
            &mut text,
            &format!("# {} = {}", key.leaf(), literal(key.default)),
        );
    }
    for list in LISTS {
        line(&mut text, &format!("\n# [[{}]]\n# {}", list.name, list.doc));
        line(
            &mut text,
            "# Its keys, and examples: docs/configuration.md.",
        );
    }
    text
}

/// The reference page, in Markdown (`docs/configuration.md`).
#[must_use]
pub fn reference_page() -> String {
    let mut text = String::from(PAGE_HEAD);
    let mut section = "";
    for key in KEYS {
        if key.section() != section {
            section = key.section();
            line(&mut text, &format!("\n## `[{section}]`\n"));
            line(&mut text, "| key | default | takes | |\n|---|---|---|---|");
        }
        line(
            &mut text,
            &format!(
                "| `{}` | `{}` | {} | {} |",
                key.leaf(),
                literal(key.default),
                takes(&key.kind, key.words()),
                key.doc
            ),
        );
    }
    text.push_str(LISTS_HEAD);
    for list in LISTS {
        line(
            &mut text,
            &format!("\n## `[[{}]]`\n\n{}\n", list.name, list.doc),
        );
        line(&mut text, "| key | default | takes | |\n|---|---|---|---|");
        for row in (list.rows)() {
            let (default, takes) = (literal(row.default), takes(row.kind, row.words));
            line(
                &mut text,
                &format!("| `{}` | `{default}` | {takes} | {} |", row.name, row.doc),
            );
        }
    }
    text
}

const PAGE_HEAD: &str = "\
# Configuration

`$XDG_CONFIG_HOME/drover/config.toml`, else `~/.config/drover/config.toml`; `HERDR_CONFIG_PATH` names another file. No
file is needed: every key has a default. `herdr --default-config` prints a file with all of them, and `herdr config
check` looks for mistakes. A mistake costs only the key it is in, and is named with its line and column, there and in
the log. `herdr server reload-config`, or SIGHUP, reads the file again; what panes already run with stays.

Where the meaning is the same, the names are herdr's. Keys of herdr that mean nothing here are no mistake, so one file
can serve both.

<!-- Made from the table in src/config/keys.rs; a test keeps it current and says how to write it anew. -->
";

/// Stands before the lists of the reference page.
const LISTS_HEAD: &str = "
# Lists

A list is written as one table for each entry. An entry with a mistake in it is left out whole. Two rules and their sinks,
for a person who wants to know at once on the phone when an agent waits, and on the desktop when one is done elsewhere:

```toml
[[notify.rule]]
on = [\"blocked\", \"message\"]
delay_ms = 2000
quiet_hours = \"22:00-07:00\"
sinks = [\"phone\"]

[[notify.rule]]
on = \"done\"
when = \"unfocused\"
sinks = [\"desktop\"]

[[notify.sink]]
name = \"phone\"
kind = \"ntfy\"
url = \"https://ntfy.sh/some-topic-that-nobody-guesses\"
secret_file = \"~/.config/drover/ntfy-token\"
```

`drover notify test` sends a message through each sink and says what became of it.

What waits for a sink, because of a delay or of an attempt that failed, outlives the daemon's worker and an upgrade. A
message whose attempt is under way when the worker is killed is not sent again, since the receiver may have it: nothing
is sent twice, rather than nothing is lost.
";

/// What a key takes, for a cell of the reference page.
fn takes(kind: &Kind, words: &[&str]) -> String {
    let quoted = || {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        words.join(", ")
    };
    match kind {
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Text => "a string".to_owned(),
        Kind::Number(range) => format!("{} to {}", range.start(), range.end()),
        Kind::Choice => quoted(),
        Kind::Words => format!("`none`, or some of {} in one string", quoted()),
        Kind::List => "a list of strings".to_owned(),
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

/// What the key takes, where its default does not show it.
fn values(key: &Key) -> Option<String> {
    match &key.kind {
        Kind::Number(range) => Some(format!("From {} to {}.", range.start(), range.end())),
        Kind::Choice => Some(format!("One of: {}.", key.words().join(", "))),
        Kind::Words => Some(format!("none, or some of: {}.", key.words().join(", "))),
        Kind::Flag | Kind::Text | Kind::List => None,
    }
}

fn literal(literal: Literal) -> String {
    match literal {
        Literal::Flag(value) => value.to_string(),
        Literal::Number(value) => value.to_string(),
        // The defaults are plain words: nothing in them needs escaping, and the test below would notice.
        Literal::Text(value) => format!("\"{value}\""),
        Literal::List(values) => {
            let values: Vec<String> = values.iter().map(|text| format!("\"{text}\"")).collect();
            format!("[{}]", values.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Status, read};
    use super::*;

    #[test]
    fn the_default_file_with_its_keys_taken_in_is_the_defaults() {
        let live: String = default_file()
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(setting)
                    if KEYS
                        .iter()
                        .any(|key| setting.starts_with(&format!("{} = ", key.leaf()))) =>
                {
                    format!("{setting}\n")
                }
                _ => format!("{line}\n"),
            })
            .collect();
        assert!(live.contains("\nscrollback_rows = 10000\n"), "{live}");
        // From values that differ, so that a key left out of the file would show.
        let mut other = Config::default();
        other.terminal.scrollback_rows = 1;
        let loaded = read(&live, &other);
        assert_eq!(loaded.status, Status::Applied, "{:?}", loaded.diagnostics);
        assert_eq!(loaded.config, Config::default());
    }
}
