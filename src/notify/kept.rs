//! A message that waits, as a row of the store: what another worker needs to send it in place of one
//! that was killed.
//!
//! The row is gone before an attempt is made. So a worker that dies during an attempt, or before it has
//! noted how it ended, takes the message along: nothing is sent twice, rather than nothing is lost.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::store::Key;

use super::note::Note;
use super::outbox::STALE;

/// The word of this room's rows.
pub(super) const KIND: &str = "notification";

/// One message for one sink.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) sink: String,
    note: Note,
    /// What [`Note`] does not tell receivers.
    #[serde(default)]
    sound: bool,
    #[serde(default)]
    pane: Option<u64>,
    #[serde(with = "crate::timeline")]
    pub(super) due: Instant,
    #[serde(with = "crate::timeline")]
    pub(super) made: Instant,
    /// Attempts that have failed.
    #[serde(default)]
    pub(super) attempts: u64,
}

impl Kept {
    pub(super) fn new(sink: &str, note: &Note, due: Instant, made: Instant, attempts: u64) -> Kept {
        Kept {
            sink: sink.to_owned(),
            sound: note.sound,
            pane: note.pane,
            note: note.clone(),
            due,
            made,
            attempts,
        }
    }

    /// What names the row of a message for a sink.
    pub(super) fn key(sink: &str, note: &Note) -> Key {
        Key::Record(KIND, format!("{} {sink}", note.id))
    }

    pub(super) fn row(&self) -> String {
        // It holds nothing that JSON has no form for.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a row; none if it is damaged, too old by now, or says what cannot be. `same_agents`: the
    /// agents are still the ones that it may be about.
    pub(super) fn read(row: &str, same_agents: bool, now: Instant) -> Option<Kept> {
        let kept: Kept = serde_json::from_str(row).ok()?;
        let age = now.saturating_duration_since(kept.made);
        let ahead = kept.due.saturating_duration_since(now);
        let is_news = age < STALE && ahead <= LONGEST && kept.made <= now;
        (is_news && (same_agents || kept.pane.is_none())).then_some(kept)
    }

    /// The message.
    pub(super) fn note(self) -> Note {
        Note {
            sound: self.sound,
            pane: self.pane,
            ..self.note
        }
    }
}

/// How far ahead a message can be due: a rule's delay or a pause between attempts, at most.
const LONGEST: Duration = STALE;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::records::AgentStatus::{Blocked, Working};
    use crate::notify::tests::change;

    #[test]
    fn a_row_is_the_whole_message_until_it_is_no_news() {
        let note = Note::of_agent(&change(Working, Blocked));
        let now = Instant::now();
        let due = now + Duration::from_secs(2);
        let row = Kept::new("hook", &note, due, now, 3).row();
        let kept = Kept::read(&row, true, now + Duration::from_secs(1)).unwrap();
        assert_eq!((kept.sink.as_str(), kept.attempts), ("hook", 3));
        assert_eq!(kept.note(), note);
        // Rows have milliseconds.
        let later = now + STALE + Duration::from_millis(2);
        assert_eq!(Kept::read(&row, true, later), None, "too old");
        assert_eq!(Kept::read(&row, false, now), None, "its agent is gone");
        assert_eq!(Kept::read(&row[1..], true, now), None, "damaged");
    }
}
