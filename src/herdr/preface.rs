//! What herdr takes out of its words before it looks for a command: the session, wherever it is named.
//!
//! The rules are herdr 0.9.3's, to the letter where scripts can notice: `--session` is found anywhere before the first
//! bare `--`, even inside the text of `pane run`.

use crate::command::take_session;
use crate::paths::{Environment, Session};

/// The words of a call with the session taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Preface {
    /// The session that `--session` names.
    pub session: Option<Session>,
    /// Whether the call is `herdr session attach NAME`, which starts the full-screen client as `--session NAME` does.
    pub attach: bool,
    /// The words that remain.
    pub words: Vec<String>,
}

/// Reads the preface. The error is the line that herdr prints after `error: `.
pub(super) fn read(words: Vec<String>, environment: &Environment) -> Result<Preface, String> {
    let (session, words) = take_session(words)?;
    let mut preface = Preface {
        session,
        attach: false,
        words,
    };
    if let [group, command, rest @ ..] = preface.words.as_slice()
        && group == "session"
        && command == "attach"
    {
        match rest {
            [word] if matches!(word.as_str(), "help" | "--help" | "-h") => return Ok(preface),
            [name] => {
                preface.session = Some(Session::parse(name).map_err(|error| error.to_string())?);
                preface.attach = true;
                preface.words = Vec::new();
            }
            _ => return Err("usage: herdr session attach <name>".to_owned()),
        }
    }
    let by_variable = preface.session.is_none() && environment.herdr_socket_path.is_none();
    if let Some(name) = environment.herdr_session.as_deref().filter(|_| by_variable) {
        // Checked before anything runs, also for commands that never connect.
        Session::parse(name).map_err(|error| error.to_string())?;
    }
    Ok(preface)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_in(line: &str, environment: &Environment) -> Result<(String, String), String> {
        let words = line.split_whitespace().map(str::to_owned).collect();
        let preface = read(words, environment)?;
        let session = preface
            .session
            .map_or_else(|| "-".to_owned(), |session| session.to_string());
        let attach = if preface.attach { "attach " } else { "" };
        Ok((format!("{attach}{session}"), preface.words.join(" ")))
    }

    fn read_line(line: &str) -> Result<(String, String), String> {
        read_in(line, &Environment::default())
    }

    fn of(session: &str, words: &str) -> Result<(String, String), String> {
        Ok((session.to_owned(), words.to_owned()))
    }

    #[test]
    fn the_session_is_taken_out_wherever_it_stands() {
        assert_eq!(read_line("pane list"), of("-", "pane list"));
        assert_eq!(
            read_line("--session work pane list"),
            of("work", "pane list")
        );
        assert_eq!(
            read_line("pane list --session=work"),
            of("work", "pane list")
        );
        assert_eq!(
            read_line("pane run w1:p1 ls --session x -l"),
            of("x", "pane run w1:p1 ls -l")
        );
        assert_eq!(
            read_line("--session a --session default status"),
            of("default", "status")
        );
    }

    #[test]
    fn nothing_is_taken_out_after_two_dashes() {
        assert_eq!(
            read_line("pane report-agent p -- a --session x"),
            of("-", "pane report-agent p -- a --session x")
        );
    }

    #[test]
    fn a_bad_session_is_refused_before_anything_runs() {
        assert_eq!(
            read_line("pane list --session"),
            Err("missing value for --session".into())
        );
        assert_eq!(
            read_line("--session= status"),
            Err("session name cannot be empty".into())
        );
        assert_eq!(
            read_line("--session .. x"),
            Err("session name cannot be . or ..".into())
        );
    }

    #[test]
    fn attaching_is_a_launch_into_a_session() {
        assert_eq!(read_line("session attach work"), of("attach work", ""));
        assert_eq!(
            read_line("session attach --help"),
            of("-", "session attach --help")
        );
        let usage = Err("usage: herdr session attach <name>".to_owned());
        assert_eq!(read_line("session attach"), usage);
        assert_eq!(read_line("session attach a b"), usage);
    }

    #[test]
    fn the_session_variable_is_checked_only_when_it_decides() {
        let mut environment = Environment {
            herdr_session: Some("a b".into()),
            ..Environment::default()
        };
        assert!(read_in("api schema", &environment).is_err());
        assert!(read_in("api schema --session x", &environment).is_ok());
        environment.herdr_socket_path = Some("/x".into());
        assert!(read_in("api schema", &environment).is_ok());
    }
}
