//! `herdr machine`: other machines that commands can be sent to over ssh.

mod book;
mod reach;

pub(super) use reach::{Chosen, Reach, caller_there};

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::ssh::{Link, Target, Terms};
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};
use crate::paths::Session;
use crate::printable;

use self::book::{Book, Machine, select};

pub(super) const GROUP: Group = Group::new(
    "machine",
    "Other machines, over ssh",
    &[
        Entry::Command(Command::new::<List>(
            "list",
            "[--json]",
            "List the saved machines",
        )),
        Entry::Command(Command::new::<Status>(
            "status",
            "[<label_or_id>]",
            "See which of them can be reached, without asking anybody for a password",
        )),
        Entry::Command(Command::new::<Reconnect>(
            "reconnect",
            "<label_or_id>",
            "Connect to one from this terminal, where ssh may ask for what it needs",
        )),
        Entry::Command(Command::new::<Add>(
            "add",
            "<ssh_target> [--label TEXT] [--remote-session NAME]",
            "Start the daemon on a machine and save the machine",
        )),
        Entry::Command(Command::new::<Rename>(
            "rename",
            "<id> --label TEXT",
            "Call a machine something else",
        )),
        Entry::Command(Command::new::<Remove>("remove", "<id>", "Forget a machine")),
        Entry::Command(Command::new::<Enable>(
            "enable",
            "<id>",
            "Let commands be sent to a machine",
        )),
        Entry::Command(Command::new::<Disable>(
            "disable",
            "<id>",
            "Have no commands sent to a machine",
        )),
    ],
);

/// How many machines are looked at at once. Each costs two processes for as long as it takes.
const AT_ONCE: usize = 16;

/// Something that went wrong here or there: exit code 1.
fn failed(why: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("error: {why}"))
}

/// A word that selects nothing: exit code 2.
fn misuse(why: impl std::fmt::Display) -> Failure {
    Failure::Misuse(format!("error: {why}"))
}

#[derive(clap::Args)]
struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        let machines = Book::open(&caller.environment).map_err(failed)?.machines;
        if self.json {
            let list: Vec<Value> = machines.iter().map(record).collect();
            // The one list that herdr prints indented (herdr 0.9.3, `machine list --json`).
            return serde_json::to_string_pretty(&list)
                .map(|text| Answer::Text(text + "\n"))
                .map_err(failed);
        }
        if machines.is_empty() {
            return Ok(Answer::Text("No saved SSH machines.\n".to_owned()));
        }
        let mut text = String::new();
        for machine in &machines {
            let Machine {
                id,
                label,
                target,
                session,
                enabled,
            } = machine;
            let enabled = if *enabled { "enabled" } else { "disabled" };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{id}\t{label}\t{target}\t{session}\t{enabled}");
        }
        Ok(Answer::Text(text))
    }
}

/// herdr's record of a saved machine. None is ever selected: that is a matter of its full-screen client.
fn record(machine: &Machine) -> Value {
    json!({
        "id": machine.id,
        "label": machine.label,
        "target": machine.target,
        "session": machine.session,
        "enabled": machine.enabled,
        "selected": false,
    })
}

#[derive(clap::Args)]
struct Status {
    /// A machine; by default all that are enabled
    machine: Option<String>,
}

impl Run for Status {
    fn run(self, caller: &Caller) -> Outcome {
        let machines = Book::open(&caller.environment).map_err(failed)?.machines;
        let looked_at: Vec<&Machine> = match &self.machine {
            Some(word) => vec![select(&machines, word).map_err(misuse)?],
            None => machines.iter().filter(|machine| machine.enabled).collect(),
        };
        if looked_at.is_empty() {
            return Ok(Answer::Text("No saved SSH machines.\n".to_owned()));
        }
        let limit = reach::limit(&caller.environment);
        let mut text = String::new();
        let mut all = true;
        for some in looked_at.chunks(AT_ONCE) {
            let found: Vec<_> = thread::scope(|scope| {
                let looks: Vec<_> = some
                    .iter()
                    .map(|machine| scope.spawn(move || look(machine, limit)))
                    .collect();
                let join = |look: thread::ScopedJoinHandle<'_, _>| {
                    look.join()
                        .unwrap_or_else(|_| Err("looking at it failed".to_owned()))
                };
                looks.into_iter().map(join).collect()
            });
            for (machine, found) in some.iter().zip(found) {
                all &= found.is_ok();
                let state = state(&found);
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{}\t{}\t{state}", machine.id, machine.label);
            }
        }
        Ok(match all {
            true => Answer::Text(text),
            false => Answer::Found(text),
        })
    }
}

/// The end of a machine's row. The words are the other machine's, and make no row, column or sequence of their own.
fn state(found: &Result<String, String>) -> String {
    match found {
        Ok(version) => format!("reachable\t{}", printable::line(version)),
        Err(why) => format!("unreachable\t{}", printable::line(why)),
    }
}

/// The version of the daemon on a machine, or why that is not known.
fn look(machine: &Machine, limit: Duration) -> Result<String, String> {
    let (target, session) = machine.place()?;
    let link =
        Link::open(&target, &Terms::batch(session, limit)).map_err(|error| error.to_string())?;
    Ok(link.version().unwrap_or("version unknown").to_owned())
}

#[derive(clap::Args)]
struct Reconnect {
    /// The machine
    machine: String,
}

impl Run for Reconnect {
    fn run(self, caller: &Caller) -> Outcome {
        let machines = Book::open(&caller.environment).map_err(failed)?.machines;
        let machine = select(&machines, &self.machine).map_err(misuse)?;
        let (target, session) = machine.place().map_err(failed)?;
        let named = |why: &dyn std::fmt::Display| {
            failed(format!(
                "machine '{}' (session {session}): {why}",
                machine.label
            ))
        };
        let terms = asking(session.clone(), caller);
        Link::open(&target, &terms).map_err(|error| named(&error))?;
        Ok(Answer::Text(format!(
            "machine '{}' is reachable\n",
            machine.label
        )))
    }
}

/// Terms under which whoever is at the terminal is asked, if anybody is.
fn asking(session: Session, caller: &Caller) -> Terms {
    match io::stdin().is_terminal() {
        true => Terms::login(session),
        false => Terms::batch(session, reach::limit(&caller.environment)),
    }
}

#[derive(clap::Args)]
struct Add {
    /// A host, user@host, ssh://user@host:port or a name from your ssh configuration
    target: String,
    /// What to call it; by default its host
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// The session there; by default the default session
    #[arg(long, value_name = "NAME")]
    remote_session: Option<String>,
}

impl Run for Add {
    fn run(self, caller: &Caller) -> Outcome {
        let target = Target::parse(&self.target).map_err(misuse)?;
        let label = self.label.as_deref().unwrap_or_else(|| target.host());
        let label = book::label(label).map_err(misuse)?;
        let session = self.remote_session.as_deref().unwrap_or("default");
        let session = Session::parse(session).map_err(misuse)?;
        // Before anybody logs in or a daemon is started there; it is looked at again when the machine is saved.
        let book = Book::open(&caller.environment).map_err(failed)?;
        book.free(&label).map_err(failed)?;
        let machine = Machine::new(label, &target, &session).map_err(failed)?;
        let terms = asking(session, caller).and_start();
        Link::open(&target, &terms)
            .map_err(|error| failed(format!("{}: {error}; nothing was saved", target.as_str())))?;
        let added = format!("added machine '{}' ({})\n", machine.label, machine.id);
        Book::change(&caller.environment, |book| book.add(machine)).map_err(failed)?;
        Ok(Answer::Text(added))
    }
}

#[derive(clap::Args)]
struct Rename {
    /// The machine's id
    id: String,
    /// What to call it (required)
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
}

impl Run for Rename {
    fn run(self, caller: &Caller) -> Outcome {
        let label = self.label.ok_or(Failure::Usage)?;
        let label = book::label(&label).map_err(misuse)?;
        let said = format!("machine {} is called '{label}'\n", self.id);
        Book::change(&caller.environment, |book| book.rename(&self.id, label)).map_err(failed)?;
        Ok(Answer::Text(said))
    }
}

#[derive(clap::Args)]
struct Remove {
    /// The machine's id
    id: String,
}

impl Run for Remove {
    fn run(self, caller: &Caller) -> Outcome {
        let gone =
            Book::change(&caller.environment, |book| book.remove(&self.id)).map_err(failed)?;
        Ok(Answer::Text(format!(
            "removed machine '{}' ({})\n",
            gone.label, gone.id
        )))
    }
}

#[derive(clap::Args)]
struct Enable {
    /// The machine's id
    id: String,
}

impl Run for Enable {
    fn run(self, caller: &Caller) -> Outcome {
        set_enabled(caller, &self.id, true)
    }
}

#[derive(clap::Args)]
struct Disable {
    /// The machine's id
    id: String,
}

impl Run for Disable {
    fn run(self, caller: &Caller) -> Outcome {
        set_enabled(caller, &self.id, false)
    }
}

fn set_enabled(caller: &Caller, id: &str, enabled: bool) -> Outcome {
    Book::change(&caller.environment, |book| book.enable(id, enabled)).map_err(failed)?;
    let word = if enabled { "enabled" } else { "disabled" };
    Ok(Answer::Text(format!("{word} machine {id}\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_cannot_forge_rows_or_columns() {
        let words = "1\n2\t3\u{1b}[2J\r\u{9b}4".to_owned();
        for found in [Ok(words.clone()), Err(words)] {
            let state = state(&found);
            assert_eq!(state.matches('\t').count(), 1, "{state:?}");
            let controls = state.chars().filter(|character| character.is_control());
            assert_eq!(controls.count(), 1, "{state:?}");
        }
    }
}
