//! An argument vector as a line that a shell reads back as the same vector.

/// How a shell quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// sh and its descendants: nothing is special in single quotes.
    Posix,
    /// In single quotes a backslash escapes itself and the quote.
    Fish,
    /// Not known well enough: only words that need no quotes.
    Plain,
}

impl Dialect {
    /// The dialect of the shell with this name.
    pub fn of(shell: &str) -> Dialect {
        match shell.trim_start_matches('-') {
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "mksh" | "ash" | "busybox" => Dialect::Posix,
            "fish" => Dialect::Fish,
            _ => Dialect::Plain,
        }
    }
}

/// The line; none if the shell's dialect cannot carry one of the words. Words have no control
/// characters, so the line is one line.
pub fn command_line(argv: &[String], dialect: Dialect) -> Option<String> {
    let words: Option<Vec<String>> = argv.iter().map(|word| quoted(word, dialect)).collect();
    Some(words?.join(" "))
}

fn quoted(word: &str, dialect: Dialect) -> Option<String> {
    if is_plain(word) {
        return Some(word.to_owned());
    }
    match dialect {
        Dialect::Posix => Some(format!("'{}'", word.replace('\'', "'\\''"))),
        Dialect::Fish => {
            let escaped = word.replace('\\', "\\\\").replace('\'', "\\'");
            Some(format!("'{escaped}'"))
        }
        Dialect::Plain => None,
    }
}

/// A word that means itself in every shell. `%` is a job or a variable in some, and zsh replaces
/// a leading `=`.
fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:,+@=".contains(&byte);
    !word.is_empty() && word.bytes().all(plain) && !word.starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    fn line(words: &[&str], dialect: Dialect) -> Option<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        command_line(&words, dialect)
    }

    #[test]
    fn plain_words_stay_and_others_are_quoted() {
        let words = ["codex", "-m", "gpt-5.4", "a b", "it's", "", "=x", "50%"];
        assert_eq!(
            line(&words, Dialect::Posix).unwrap(),
            r"codex -m gpt-5.4 'a b' 'it'\''s' '' '=x' '50%'"
        );
        assert_eq!(
            line(&["a", r"it's \n"], Dialect::Fish).unwrap(),
            r"a 'it\'s \\n'"
        );
    }

    #[test]
    fn a_shell_that_is_not_known_gets_plain_words_or_nothing() {
        assert_eq!(
            line(&["pi", "--x=1"], Dialect::of("nu")).unwrap(),
            "pi --x=1"
        );
        assert_eq!(line(&["pi", "a b"], Dialect::of("nu")), None);
        assert_eq!(Dialect::of("-zsh"), Dialect::Posix);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_shell_reads_back_what_was_meant(words in prop::collection::vec("[^\\p{Cc}]{0,12}", 1..5)) {
            let line = command_line(&words, Dialect::Posix).unwrap();
            let script = format!("printf '%s\\n' {line}");
            let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            prop_assert_eq!(said, words.iter().map(|word| format!("{word}\n")).collect::<String>());
        }
    }
}
