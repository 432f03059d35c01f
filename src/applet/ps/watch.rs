//! `drover ps --watch`: a line each time an agent comes, changes its status or goes.
//!
//! A pane's status is subscribed to once for every status there is. The daemon tells a subscriber at once when the
//! status it asked for holds already, so the stream itself begins with where every agent stands, as of the very moment
//! from which changes follow: nothing is missed between a look and a listen, and nothing is seen twice.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use serde_json::Value;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Row, failure, rows, snapshot, text};
use crate::api::records::AgentStatus;
use crate::api::subscription::Subscription;
use crate::client::{CallError, EventStream};
use crate::command::{Answer, Caller, Failure, Outcome, print_now};

/// Every status that a pane can have.
const STATUSES: [AgentStatus; 5] = [
    AgentStatus::Idle,
    AgentStatus::Working,
    AgentStatus::Blocked,
    AgentStatus::Done,
    AgentStatus::Unknown,
];

/// Panes whose status one subscription covers, at most: the daemon takes 1,024 entries, and each pane needs five. Those
/// with an agent come first; another is covered from when an agent comes to it.
const COVERED: usize = 200;

/// The word for an agent that left its pane, where others have their status.
const GONE: &str = "gone";

/// Watches until the daemon stops or the person has seen enough. `show` makes the text for a line.
pub(super) fn watch(caller: &Caller, show: impl Fn(&Row) -> String) -> Outcome {
    let socket = caller.socket()?;
    end_on_signals()?;
    let mut seen = Seen::default();
    let mut subscribed = false;
    loop {
        let ended = follow(&mut seen, &mut subscribed, &socket, &show);
        match ended {
            Ok(End::Again) => {}
            Ok(End::Unprintable(failure)) => return Err(failure),
            // A daemon that stops lets go of its subscribers first; that is an end and no failure.
            Ok(End::Stopped) => break,
            Err(
                CallError::NotRunning { .. }
                | CallError::NoAnswer { .. }
                | CallError::Transport { .. },
            ) if subscribed => break,
            Err(error) if subscribed && error.code() == Some("server_unavailable") => break,
            Err(error) => return Err(failure(error, caller)),
        }
    }
    crate::herdr::tell("drover has stopped.\n");
    Ok(Answer::Nothing)
}

/// Why one subscription is over.
enum End {
    /// There are panes that it does not know, or it was lost: subscribe again.
    Again,
    /// The daemon closed it.
    Stopped,
    /// A line could not be printed.
    Unprintable(Failure),
}

/// Subscribes to all there is and prints until something is there that the subscription does not cover.
fn follow(
    seen: &mut Seen,
    subscribed: &mut bool,
    socket: &std::path::Path,
    show: &impl Fn(&Row) -> String,
) -> Result<End, CallError> {
    let print = |row: &Row| print_now(&show(row));
    let first = snapshot(socket)?;
    let (panes, covered) = (pane_ids(&first), covered(rows(&first)));
    let stream = match EventStream::open(socket, "drover:ps", subscriptions(&covered)) {
        Ok(stream) => stream,
        // It was closed since the snapshot.
        Err(error) if error.code() == Some("pane_not_found") => return Ok(End::Again),
        Err(error) => return Err(error),
    };
    *subscribed = true;
    let now = pane_ids(&snapshot(socket)?);
    for row in seen.without(&now) {
        if let Err(failure) = print(&row) {
            return Ok(End::Unprintable(failure));
        }
    }
    if !now.is_subset(&panes) {
        return Ok(End::Again);
    }
    for event in stream {
        let event = match event {
            Ok(event) => event,
            Err(error) if error.code() == Some("events_lost") => return Ok(End::Again),
            Err(error) => return Err(error),
        };
        if changes_the_panes(&event) || !covered.contains(&text(&event["data"]["pane_id"])) {
            return Ok(End::Again);
        }
        let row = seen.take(&event, || snapshot(socket).map(|found| rows(&found)))?;
        if let Some(Err(failure)) = row.as_ref().map(print) {
            return Ok(End::Unprintable(failure));
        }
    }
    Ok(End::Stopped)
}

/// Everything that can change which agents there are, and every status of every pane.
fn subscriptions(panes: &BTreeSet<String>) -> Vec<Subscription> {
    let mut entries = vec![
        Subscription::PaneCreated,
        Subscription::PaneAgentDetected,
        Subscription::PaneExited,
        Subscription::PaneClosed,
        Subscription::PaneMoved,
        Subscription::TabClosed,
        Subscription::WorkspaceClosed,
    ];
    for pane in panes {
        entries.extend(STATUSES.map(|status| Subscription::PaneAgentStatusChanged {
            pane_id: pane.clone(),
            agent_status: Some(status),
        }));
    }
    entries
}

fn changes_the_panes(event: &Value) -> bool {
    let name = event["event"].as_str().unwrap_or_default();
    [
        "pane_created",
        "pane_exited",
        "pane_closed",
        "pane_moved",
        "tab_closed",
        "workspace_closed",
    ]
    .contains(&name)
}

/// The panes to cover.
fn covered(mut rows: Vec<Row>) -> BTreeSet<String> {
    rows.sort_by_key(|row| row.agent.is_empty());
    rows.into_iter().take(COVERED).map(|row| row.pane).collect()
}

fn pane_ids(snapshot: &Value) -> BTreeSet<String> {
    rows(snapshot).into_iter().map(|row| row.pane).collect()
}

/// The agents as they were last printed, by pane.
#[derive(Debug, Default)]
struct Seen(BTreeMap<String, Row>);

impl Seen {
    /// The line that an event is worth, if it is worth one. `rows` looks at the panes as they are now, which may be
    /// later than the event: only what the event does not say is taken from there.
    fn take<E>(
        &mut self,
        event: &Value,
        rows: impl FnOnce() -> Result<Vec<Row>, E>,
    ) -> Result<Option<Row>, E> {
        let data = &event["data"];
        let pane = text(&data["pane_id"]);
        let label = text(&data["agent"]);
        if data["released"] == true || label.is_empty() {
            return Ok(self.gone(&pane));
        }
        let status = text(&data["agent_status"]);
        let before = self.0.get(&pane);
        if before.is_some_and(|row| row.status == status) {
            return Ok(None);
        }
        let found = rows()?.into_iter().find(|row| row.pane == pane);
        let mut row = found.unwrap_or_else(|| Row {
            pane: pane.clone(),
            agent: label,
            status: status.clone(),
            ..Row::default()
        });
        if status.is_empty() {
            // The agent came, or took another's place. Its status follows by itself unless it is as before.
            let as_before = before.map_or("unknown", |row| row.status.as_str());
            if row.status != as_before || before.is_some_and(|before| before.agent == row.agent) {
                return Ok(None);
            }
        } else if row.status != status {
            row.status = status;
            row.blocked_kind.clear();
            row.phase.clear();
        }
        self.0.insert(pane, row.clone());
        Ok(Some(row))
    }

    /// The lines for agents whose panes are not there any more.
    fn without(&mut self, panes: &BTreeSet<String>) -> Vec<Row> {
        let lost: Vec<String> = self
            .0
            .keys()
            .filter(|pane| !panes.contains(*pane))
            .cloned()
            .collect();
        lost.iter().filter_map(|pane| self.gone(pane)).collect()
    }

    fn gone(&mut self, pane: &str) -> Option<Row> {
        let row = self.0.remove(pane)?;
        Some(Row {
            status: GONE.to_owned(),
            blocked_kind: String::new(),
            phase: String::new(),
            ..row
        })
    }
}

/// Lets Ctrl-C be the ordinary end that it is here: exit code 0, and no line cut in half.
fn end_on_signals() -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::Failed(format!("error: catching Ctrl-C: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if signals.forever().next().is_some() {
                // A line is printed under this lock.
                let _printed = std::io::stdout().lock();
                std::process::exit(0);
            }
        })
        .map(drop)
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::json;

    use super::*;

    fn status(pane: &str, agent: &str, status: &str) -> Value {
        let agent = (!agent.is_empty()).then_some(agent);
        json!({
            "event": "pane.agent_status_changed",
            "data": { "pane_id": pane, "agent": agent, "agent_status": status },
        })
    }

    fn detected(pane: &str, agent: &str, released: bool) -> Value {
        json!({
            "event": "pane_agent_detected",
            "data": { "pane_id": pane, "agent": agent, "released": released },
        })
    }

    /// What is printed for an event while the panes are `now`: agent and status of pane w1:p1.
    fn printed(seen: &mut Seen, event: &Value, now: (&str, &str, &str)) -> Option<String> {
        let row = Row {
            pane: "w1:p1".into(),
            agent: now.0.into(),
            status: now.1.into(),
            blocked_kind: now.2.into(),
            ..Row::default()
        };
        let taken = seen.take(event, || Ok::<_, Infallible>(vec![row]));
        let Ok(row) = taken;
        row.map(|row| format!("{} {} {}", row.agent, row.status, row.blocked_kind))
    }

    #[test]
    fn each_change_of_status_is_a_line_and_the_same_status_is_not() {
        let mut seen = Seen::default();
        let mut at = |event: Value, now| printed(&mut seen, &event, now);
        let idle = at(status("w1:p1", "a", "idle"), ("a", "idle", ""));
        assert_eq!(idle.as_deref(), Some("a idle "));
        assert_eq!(at(status("w1:p1", "a", "idle"), ("a", "idle", "")), None);
        let blocked = at(
            status("w1:p1", "a", "blocked"),
            ("a", "blocked", "approval"),
        );
        assert_eq!(blocked.as_deref(), Some("a blocked approval"));
        let gone = at(detected("w1:p1", "a", true), ("", "unknown", ""));
        assert_eq!(gone.as_deref(), Some("a gone "));
        assert_eq!(
            at(status("w1:p1", "", "unknown"), ("", "unknown", "")),
            None
        );
    }

    #[test]
    fn an_event_speaks_for_its_own_moment_not_for_the_look_after_it() {
        let mut seen = Seen::default();
        let line = printed(
            &mut seen,
            &status("w1:p1", "a", "working"),
            ("a", "blocked", "approval"),
        );
        assert_eq!(line.as_deref(), Some("a working "));
    }

    #[test]
    fn an_agent_that_comes_is_shown_with_its_first_status_once() {
        let mut seen = Seen::default();
        let came = detected("w1:p1", "a", false);
        assert_eq!(
            printed(&mut seen, &came, ("a", "idle", "")),
            None,
            "its status follows"
        );
        let silent = printed(&mut seen, &came, ("a", "unknown", ""));
        assert_eq!(silent.as_deref(), Some("a unknown "), "nothing follows");
        let other = printed(
            &mut seen,
            &detected("w1:p1", "b", false),
            ("b", "unknown", ""),
        );
        assert_eq!(
            other.as_deref(),
            Some("b unknown "),
            "it took the place of another"
        );
    }

    #[test]
    fn an_agent_goes_with_its_pane() {
        let mut seen = Seen::default();
        printed(&mut seen, &status("w1:p1", "a", "idle"), ("a", "idle", ""));
        assert!(
            seen.without(&BTreeSet::from(["w1:p1".to_owned()]))
                .is_empty()
        );
        let gone = seen.without(&BTreeSet::new());
        assert_eq!(gone[0].status, GONE);
        assert!(seen.without(&BTreeSet::new()).is_empty(), "it goes once");
    }

    #[test]
    fn of_many_panes_those_with_agents_are_covered() {
        let many = COVERED + 10;
        let rows = (0..many).map(|number| Row {
            pane: format!("w1:p{number}"),
            agent: if number < many - 5 { "" } else { "a" }.to_owned(),
            ..Row::default()
        });
        let covered = covered(rows.collect());
        assert_eq!(covered.len(), COVERED);
        assert!((many - 5..many).all(|number| covered.contains(&format!("w1:p{number}"))));
        assert!(subscriptions(&covered).len() <= 1_024);
    }

    #[test]
    fn odd_events_are_worth_nothing() {
        let mut seen = Seen::default();
        for odd in [Value::Null, json!([1]), json!({ "data": { "pane_id": 1 } })] {
            assert_eq!(printed(&mut seen, &odd, ("a", "idle", "")), None, "{odd}");
        }
    }
}
