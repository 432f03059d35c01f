//! What herdr takes out of its words before it looks for a command: the machine in front of them, and the session and
//! the remote target wherever they are named.
//!
//! The rules are herdr 0.9.3's, to the letter where scripts can notice: `--session` and `--remote` are found anywhere
//! before the first bare `--`, even inside the text of `pane run`; `--machine` only before the command.

use crate::client::ssh::Target;
use crate::command::take_session;
use crate::paths::{Environment, Session};

/// The words of a call with the session taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Preface {
    /// The session that `--session` names.
    pub session: Option<Session>,
    /// The label or id that `--machine` names.
    pub machine: Option<String>,
    /// Where `--remote` goes.
    pub remote: Option<Target>,
    /// Whether the call is `herdr session attach NAME`, which starts the full-screen client as `--session NAME` does.
    pub attach: bool,
    /// The words that remain.
    pub words: Vec<String>,
}

/// Reads the preface. The error is the line that herdr prints after `error: `.
pub(super) fn read(words: Vec<String>, environment: &Environment) -> Result<Preface, String> {
    let (machine, words) = take_machine(words)?;
    let (session, words) = take_session(words)?;
    let (remote, words) = take_remote(words)?;
    let mut preface = Preface {
        session,
        machine,
        remote,
        attach: false,
        words,
    };
    if preface.machine.is_some() {
        if preface.session.is_some() || preface.remote.is_some() {
            return Err("--machine cannot be combined with --session or --remote".to_owned());
        }
        return Ok(preface);
    }
    let asks = |word: &String| TOP_FLAGS.contains(&word.as_str());
    if preface.remote.is_some() && !preface.words.is_empty() && !preface.words.iter().any(asks) {
        return Err("--remote can only be used with the default launch command".to_owned());
    }
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

/// Flags that are answered whatever else is there.
const TOP_FLAGS: [&str; 6] = [
    "--help",
    "-h",
    "--version",
    "-V",
    "--default-config",
    "--skill",
];

/// Takes `--machine NAME` or `--machine=NAME` off the front.
fn take_machine(mut words: Vec<String>) -> Result<(Option<String>, Vec<String>), String> {
    let taken = match words.first().map(String::as_str) {
        Some("--machine") if words.len() > 1 => words.drain(..2).next_back(),
        Some("--machine") => None,
        Some(word) => match word.strip_prefix("--machine=").map(str::to_owned) {
            Some(name) => {
                words.remove(0);
                Some(name)
            }
            None => return Ok((None, words)),
        },
        None => return Ok((None, words)),
    };
    match taken {
        Some(name) if !name.is_empty() => Ok((Some(name), words)),
        _ => Err("missing value for --machine".to_owned()),
    }
}

/// Takes `--remote` and what belongs to it out, up to the first bare `--`.
fn take_remote(words: Vec<String>) -> Result<(Option<Target>, Vec<String>), String> {
    let (mut remote, mut bindings, mut handoff) = (None, None, false);
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let slot = match name {
            "--remote" => &mut remote,
            "--remote-keybindings" => &mut bindings,
            "--handoff" if value.is_none() => {
                handoff = true;
                continue;
            }
            "--" if value.is_none() => {
                kept.push(word);
                kept.extend(words);
                break;
            }
            _ => {
                kept.push(word);
                continue;
            }
        };
        let missing = || format!("missing value for {name}");
        let value = value
            .or_else(|| words.next())
            .filter(|value| !value.is_empty());
        if slot.replace(value.ok_or_else(missing)?).is_some() {
            return Err(format!("{name} can only be specified once"));
        }
    }
    match (&remote, bindings.as_deref()) {
        (None, Some(_)) => return Err("--remote-keybindings requires --remote".to_owned()),
        (_, None | Some("local" | "server")) => {}
        (_, Some(other)) => {
            return Err(format!(
                "invalid value for --remote-keybindings: {other} (expected local or server)"
            ));
        }
    }
    let remote = match remote {
        Some(target) if target.starts_with('-') => {
            return Err("--remote target must not start with '-'".to_owned());
        }
        Some(_) if handoff => {
            return Err(
                "--handoff does not go with --remote: run 'drover upgrade' on that machine"
                    .to_owned(),
            );
        }
        Some(target) => Some(Target::parse(&target).map_err(|error| error.to_string())?),
        // It belongs to `update` then.
        None if handoff => {
            let at = kept
                .iter()
                .position(|word| word == "--")
                .unwrap_or(kept.len());
            kept.insert(at, "--handoff".to_owned());
            None
        }
        None => None,
    };
    Ok((remote, kept))
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
    fn a_machine_stands_before_the_command_and_alone() {
        let machine = |line: &str| {
            let words = line.split_whitespace().map(str::to_owned).collect();
            let preface = read(words, &Environment::default())?;
            Ok((preface.machine.unwrap_or_default(), preface.words.join(" ")))
        };
        let missing = Err("missing value for --machine".to_owned());
        assert_eq!(machine("--machine box pane list"), of("box", "pane list"));
        assert_eq!(machine("--machine=box pane list"), of("box", "pane list"));
        assert_eq!(
            machine("pane run p --machine box"),
            of("", "pane run p --machine box")
        );
        assert_eq!(machine("--machine"), missing);
        assert_eq!(machine("--machine="), missing);
        for line in [
            "--machine box --session x pane list",
            "--machine box --remote h",
        ] {
            assert!(
                machine(line).unwrap_err().contains("cannot be combined"),
                "{line}"
            );
        }
    }

    #[test]
    fn a_remote_target_is_for_the_launch_alone() {
        let remote = |line: &str| {
            let words = line.split_whitespace().map(str::to_owned).collect();
            let preface = read(words, &Environment::default())?;
            let target = preface
                .remote
                .map_or("-".to_owned(), |remote| remote.as_str().to_owned());
            Ok((target, preface.words.join(" ")))
        };
        assert_eq!(remote("--remote ann@box"), of("ann@box", ""));
        assert_eq!(
            remote("--remote=box --remote-keybindings server"),
            of("box", "")
        );
        assert_eq!(remote("--remote box --help"), of("box", "--help"));
        assert_eq!(
            remote("pane run p -- --remote x"),
            of("-", "pane run p -- --remote x")
        );
        assert_eq!(remote("update --handoff"), of("-", "update --handoff"));
        for (line, why) in [
            ("--remote", "missing value for --remote"),
            ("--remote=", "missing value for --remote"),
            (
                "--remote a --remote b",
                "--remote can only be specified once",
            ),
            ("--remote -oX", "--remote target must not start with '-'"),
            (
                "--remote-keybindings local",
                "--remote-keybindings requires --remote",
            ),
            (
                "--remote a --remote-keybindings local --remote-keybindings=local",
                "--remote-keybindings can only be specified once",
            ),
            (
                "--remote h pane list",
                "--remote can only be used with the default launch command",
            ),
        ] {
            assert_eq!(remote(line), Err(why.to_owned()), "{line}");
        }
        assert!(remote("--remote-keybindings zzz --remote h").is_err());
        assert!(
            remote("--remote h --handoff")
                .unwrap_err()
                .contains("drover upgrade")
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
