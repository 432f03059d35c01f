//! The default file: every key with its default and its meaning, commented out.

use std::fmt::Write as _;

use super::keys::{KEYS, Key, Kind, Literal};

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
    text
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
        Kind::Flag | Kind::Text => None,
    }
}

fn literal(literal: Literal) -> String {
    match literal {
        Literal::Flag(value) => value.to_string(),
        Literal::Number(value) => value.to_string(),
        // The defaults are plain words: nothing in them needs escaping, and the test below would notice.
        Literal::Text(value) => format!("\"{value}\""),
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
