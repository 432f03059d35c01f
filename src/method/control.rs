//! The requests of the control socket: which handler answers which name, and what a caller must be.
//!
//! A row here and a row in [`crate::api::control`] are all that a new request takes.

use crate::api::Method;
use crate::api::control::*;
use crate::authority::rules::*;

use super::table::{answers, streams};
use super::{
    Entry, access_log, agents_watch, grants, history, notification, respond, server, terminal,
    turns_list,
};

/// Every request, at its [`Method::INDEX`].
pub static ENTRIES: [Entry; ALL.len()] = [
    answers!(Ping, ANYONE, server::ping),
    answers!(GrantsList, PERSON, grants::list),
    answers!(GrantsSet, person(PANE), grants::set),
    answers!(GrantsExplain, person(PANE), grants::explain),
    answers!(LogRead, PERSON, access_log::read),
    answers!(TurnsList, PERSON, turns_list::list),
    answers!(TurnsCancel, PERSON, turns_list::cancel),
    answers!(HistoryRead, PERSON, history::read),
    answers!(AgentsWatch, PERSON, agents_watch::watch),
    answers!(NotifyTest, PERSON, notification::test),
    answers!(NotifyMute, person(PANE), notification::mute),
    streams!(TerminalObserve, read(AGENT), terminal::observe),
    streams!(TerminalControl, type_into(AGENT), terminal::control),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::Needs;

    #[test]
    fn every_request_stands_at_its_place_and_is_for_the_person_or_has_a_rule() {
        let names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        assert_eq!(names, NAMES);
        for entry in &ENTRIES[1..] {
            let needs = match entry.name {
                "terminal.observe" => Needs::Read,
                "terminal.control" => Needs::Type,
                _ => Needs::Person,
            };
            assert_eq!(entry.access.needs, needs, "{}", entry.name);
        }
    }
}
