//! `--machine` and `--remote`: what a command does to a daemon here, done to one there.

use std::cell::OnceCell;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::client::ssh::{Link, Target, Terms};
use crate::command::{Caller, Exit, Failure, Far};
use crate::config::{self, Config};
use crate::paths::{self, Environment, Session};

use super::book::{Book, Machine, select};

/// Groups of which every command is one request to the daemon.
const WHOLE: [&str; 5] = ["workspace", "worktree", "tab", "pane", "notification"];

/// Single commands that are (herdr 0.9.3, `--machine`).
const SINGLE: [[&str; 2]; 13] = [
    ["api", "snapshot"],
    ["status", "server"],
    ["server", "stop"],
    ["server", "reload-config"],
    ["server", "agent-manifests"],
    ["server", "reload-agent-manifests"],
    ["plugin", "link"],
    ["plugin", "unlink"],
    ["plugin", "enable"],
    ["plugin", "disable"],
    ["plugin", "list"],
    ["plugin", "action"],
    ["plugin", "pane"],
];

/// Whether a command is a matter of requests alone, so that it can be sent to another machine. Nothing else can: it
/// would look at files, processes or a terminal of this one.
pub(super) fn goes_there(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    match (word(0), word(1)) {
        (group, _) if WHOLE.contains(&group) => true,
        ("agent", "attach") => false,
        ("agent", "explain") => !words
            .iter()
            .any(|word| word == "--file" || word.starts_with("--file=")),
        ("agent", _) | ("plugin", "log" | "logs") => true,
        (group, command) => SINGLE.contains(&[group, command]),
    }
}

/// A connection that is made when it is first needed.
pub(in crate::herdr) struct Reach {
    target: Target,
    terms: Terms,
    /// `ID/SESSION` of a saved machine; the target of one that is not saved.
    name: String,
    link: OnceCell<Link>,
}

impl fmt::Debug for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Reach({})", self.name)
    }
}

impl Reach {
    pub(super) fn new(target: Target, terms: Terms, name: String) -> Self {
        Self {
            target,
            terms,
            name,
            link: OnceCell::new(),
        }
    }

    /// For `--remote`: a person is there, who may be asked, and the daemon is started as it would be here.
    pub(in crate::herdr) fn remote(target: Target, session: Session) -> Self {
        let name = target.as_str().to_owned();
        Self::new(target, Terms::login(session).and_start(), name)
    }

    fn link(&self) -> Result<&Link, Failure> {
        if let Some(link) = self.link.get() {
            return Ok(link);
        }
        let link = Link::open(&self.target, &self.terms)
            .map_err(|error| Failure::Failed(format!("error: {error}")))?;
        Ok(self.link.get_or_init(|| link))
    }
}

impl Far for Reach {
    fn protocol_socket(&self) -> Result<PathBuf, Failure> {
        Ok(self.link()?.protocol_socket().to_owned())
    }

    fn home(&self) -> Result<PathBuf, Failure> {
        Ok(self.link()?.home().to_owned())
    }

    fn address(&self) -> String {
        format!("machine:{}", self.name)
    }

    fn session(&self) -> &str {
        self.terms.session.name()
    }
}

/// A saved machine that a call is for.
pub(in crate::herdr) struct Chosen {
    machine: Machine,
    target: Target,
    session: Session,
    limit: Duration,
}

impl Chosen {
    /// Finds the machine that `--machine` names, and sees that the command can be sent there.
    ///
    /// # Errors
    /// The line that stands after `error: `; the call is written wrongly then.
    pub(in crate::herdr) fn find(
        word: &str,
        words: &[String],
        environment: &Environment,
    ) -> Result<Self, String> {
        let book = Book::open(environment)?;
        let machine = select(&book.machines, word)?;
        if !goes_there(words) {
            let command = words.iter().take(2).map(String::as_str).collect::<Vec<_>>();
            return Err(format!(
                "'{}' is no command that can be sent to another machine",
                command.join(" ")
            ));
        }
        let (target, session) = machine
            .place()
            .map_err(|error| format!("machine '{}': {error}", machine.label))?;
        Ok(Self {
            machine: machine.clone(),
            target,
            session,
            limit: limit(environment),
        })
    }

    pub(in crate::herdr) fn reach(&self) -> Reach {
        Reach::new(
            self.target.clone(),
            Terms::batch(self.session.clone(), self.limit),
            format!("{}/{}", self.machine.id, self.session),
        )
    }

    /// The same end with the machine named in what went wrong.
    pub(in crate::herdr) fn named(&self, exit: Exit) -> Exit {
        named(exit, &self.machine.label, self.session.name())
    }
}

/// How long reaching a machine may take (`[limits] ssh_ms`).
pub(super) fn limit(environment: &Environment) -> Duration {
    let file = paths::config_file(environment);
    let config = config::load(&file, &Config::default()).config;
    Duration::from_millis(config.limits.ssh_ms)
}

/// Puts `machine 'LABEL' (session NAME): ` before what went wrong (herdr 0.9.3). Mistakes in the words are the
/// caller's own and have no machine.
fn named(exit: Exit, label: &str, session: &str) -> Exit {
    if exit.code != 1 || exit.stderr.is_empty() {
        return exit;
    }
    let prefix = format!("machine '{label}' (session {session}): ");
    let mut answer = serde_json::from_str::<Value>(&exit.stderr).ok();
    let message = answer
        .as_mut()
        .and_then(|answer| answer.pointer_mut("/error/message"));
    let stderr = match message {
        Some(Value::String(message)) => {
            message.insert_str(0, &prefix);
            answer.map_or_else(String::new, |answer| format!("{answer}\n"))
        }
        _ => {
            let text = exit.stderr.strip_prefix("error: ").unwrap_or(&exit.stderr);
            format!("error: {prefix}{text}")
        }
    };
    // A label is the person's own, but may have been written by hand.
    Exit {
        stdout: exit.stdout,
        ..Exit::complaint(1, stderr)
    }
}

/// A caller whose commands go to another machine. Whatever the surroundings say of a daemon is about this one.
pub(in crate::herdr) fn caller_there(environment: &Environment, reach: Reach) -> Caller {
    Caller {
        environment: environment.without_herdr(),
        session: None,
        far: Some(std::rc::Rc::new(reach)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_there_and_what_is_of_this_machine_does_not() {
        let goes = |line: &str| goes_there(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for line in [
            "pane list",
            "worktree create --branch x",
            "agent wait a",
            "agent explain a",
            "api snapshot",
            "status server --json",
            "server stop",
            "plugin action list",
            "plugin log",
        ] {
            assert!(goes(line), "{line}");
        }
        for line in [
            "",
            "status",
            "agent attach a",
            "agent explain --file x --agent pi",
            "agent explain --file=x",
            "api schema",
            "server",
            "server live-handoff",
            "plugin install a/b",
            "session list",
            "machine list",
            "integration status",
            "terminal attach t",
            "config check",
        ] {
            assert!(!goes(line), "{line}");
        }
    }

    #[test]
    fn what_went_wrong_names_the_machine() {
        let end = |code, text: &str| named(Exit::complaint(code, text), "box", "default");
        assert_eq!(
            end(
                1,
                r#"{"error":{"code":"pane_not_found","message":"no"},"id":"x"}"#
            )
            .stderr,
            "{\"error\":{\"code\":\"pane_not_found\",\"message\":\"machine 'box' (session default): no\"},\"id\":\"x\"}\n"
        );
        assert_eq!(
            end(1, "error: no route").stderr,
            "error: machine 'box' (session default): no route\n"
        );
        assert_eq!(end(2, "usage: x").stderr, "usage: x\n");
    }
}
