//! The words of a refusal: what it needs, what the caller has, and what to do. They say nothing
//! about the target, not even the name that the caller gave it.

use super::{Grants, Lack, Place};

/// The message for a caller that lacks something. `pane` is the caller's own pane as it should name
/// it, with what it holds and whether that was given to it, if it is in one.
pub fn refusal(
    method: &str,
    lack: Lack,
    place: Place,
    pane: Option<(&str, Grants, bool)>,
) -> String {
    if place == Place::Plugin {
        return plugin(method, lack);
    }
    match lack {
        Lack::OwnPane => report(method, place, pane.map(|(id, _, _)| id)),
        Lack::Person => format!("{method} is for the person; call it outside every pane"),
        Lack::Respond => needs(
            "typing into a pane that waits for a person",
            super::Grant::Respond,
            pane,
        ),
        Lack::Wider => format!(
            "the pane holds a grant that {} lacks, and what is typed there runs with it; {}",
            pane.map_or("this process".to_owned(), |(id, held, _)| format!(
                "pane {id} ({held})"
            )),
            give(pane.map(|(id, held, _)| (id, held)), super::Grant::Admin),
        ),
        Lack::Grant(grant) => needs(method, grant, pane),
    }
}

/// For a command of a plugin: it holds admin and nothing else.
fn plugin(method: &str, lack: Lack) -> String {
    match lack {
        Lack::OwnPane => {
            format!(
                "{method} speaks only for the pane it is called in, and a plugin's command is in none"
            )
        }
        Lack::Person => format!("{method} is for the person; a plugin's command may not call it"),
        Lack::Respond => format!(
            "a plugin's command holds admin, and {method} into a pane that waits for a person needs respond as well"
        ),
        Lack::Wider | Lack::Grant(_) => {
            format!("a plugin's command holds admin, and that is not enough for {method}")
        }
    }
}

fn needs(what: &str, grant: super::Grant, pane: Option<(&str, Grants, bool)>) -> String {
    let grant_word = grant.word();
    match pane {
        Some((id, held, given)) => format!(
            "{what} needs the grant {grant_word}; pane {id} holds {held}{}; {}",
            if given { "" } else { " by default" },
            give(Some((id, held)), grant),
        ),
        None => format!(
            "{what} needs the grant {grant_word}, and this process holds none: drover cannot tell which pane it \
             is in; call it from a process of the pane"
        ),
    }
}

/// How the person gives a grant.
fn give(pane: Option<(&str, Grants)>, grant: super::Grant) -> String {
    let Some((id, held)) = pane else {
        return "call it from a process of the pane".to_owned();
    };
    let held = if held == Grants::NONE {
        String::new()
    } else {
        format!("{held} ")
    };
    format!(
        "the person can give it outside every pane: drover grants set {id} {held}{}",
        grant.word()
    )
}

fn report(method: &str, place: Place, pane: Option<&str>) -> String {
    let rule = format!("{method} speaks only for the pane it is called in");
    match (place, pane) {
        (Place::Pane(_), Some(id)) => {
            format!("{rule}, which is {id}; name that pane, as HERDR_PANE_ID does")
        }
        (Place::Pane(_), None) => format!("{rule}, and that pane is closed"),
        (Place::Outside, _) => format!(
            "{rule}, and this process is in none; call it in the pane, or, for hooks that run elsewhere, set \
             reports = \"same-user\" under [authority] in the configuration and restart drover"
        ),
        (Place::Plugin | Place::Unplaced, _) => format!(
            "{rule}, and drover cannot tell which pane this process is in; call it from a process of the pane that \
             is still there when the request arrives"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grant;
    use super::*;
    use crate::world::PaneKey;

    #[test]
    fn a_refusal_says_what_is_missing_what_there_is_and_what_to_do() {
        let inside = Place::Pane(PaneKey::new(1));
        let read = Grants::of(&[Grant::Read]);
        assert_eq!(
            refusal(
                "pane.send_text",
                Lack::Grant(Grant::Write),
                inside,
                Some(("w1:p1", read, true))
            ),
            "pane.send_text needs the grant write; pane w1:p1 holds read; the person can give it outside every \
             pane: drover grants set w1:p1 read write"
        );
        assert_eq!(
            refusal(
                "pane.read",
                Lack::Grant(Grant::Read),
                inside,
                Some(("w1:p1", Grants::NONE, false))
            ),
            "pane.read needs the grant read; pane w1:p1 holds none by default; the person can give it outside \
             every pane: drover grants set w1:p1 read"
        );
        let outside = refusal("pane.report_agent", Lack::OwnPane, Place::Outside, None);
        assert!(outside.contains("same-user"), "{outside}");
    }
}
