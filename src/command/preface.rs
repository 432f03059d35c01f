//! What is taken from a call's words before a command is looked for.

use std::ffi::OsString;

use crate::paths::Session;

/// The words as text: the protocol has no place for anything else.
///
/// # Errors
/// A word is not UTF-8; the error says which, the program's name being argument 0.
pub fn utf8(words: impl Iterator<Item = OsString>) -> Result<Vec<String>, String> {
    words
        .enumerate()
        .map(|(index, word)| {
            word.into_string()
                .map_err(|_| format!("argument {} is not valid UTF-8", index + 1))
        })
        .collect()
}

/// Takes every `--session NAME` and `--session=NAME` before the first bare `--` out, wherever it stands, even inside the
/// text of `pane run` (herdr 0.9.3). The last one counts.
///
/// # Errors
/// The name is missing or is no session name.
pub fn take_session(words: Vec<String>) -> Result<(Option<Session>, Vec<String>), String> {
    let mut session = None;
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let name = match (word.as_str(), word.strip_prefix("--session=")) {
            ("--", _) => {
                kept.push(word);
                kept.extend(words);
                break;
            }
            ("--session", _) => words.next().ok_or("missing value for --session")?,
            (_, Some(name)) => name.to_owned(),
            _ => {
                kept.push(word);
                continue;
            }
        };
        session = Some(Session::parse(&name).map_err(|error| error.to_string())?);
    }
    Ok((session, kept))
}
