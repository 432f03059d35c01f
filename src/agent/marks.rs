//! The sequence marks of one pane: the highest number each source has used.
//!
//! State, session, heartbeat, clear and release reports share a source's mark. It outlives a
//! release, so a report that comes late cannot bring the agent back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::integration::is_native;

/// The most sources with a mark in one pane. A pane has one or two reporters; the least recently
/// used mark goes first.
const MAX_SOURCES: usize = 64;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Mark {
    seq: u64,
    /// The label of the report that raised it last.
    label: String,
    /// Whether that report was a release.
    released: bool,
    /// When it was raised, as a count of raises.
    raised: u64,
}

/// The marks of one pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Marks {
    by_source: BTreeMap<String, Mark>,
    raises: u64,
}

impl Marks {
    /// Whether a report with this number counts. A source that once used a number must always use
    /// a greater one; a source that never did need not.
    pub(super) fn is_fresh(&self, source: &str, seq: Option<u64>) -> bool {
        match (self.by_source.get(source), seq) {
            (None, _) => true,
            (Some(mark), Some(seq)) => mark.seq < seq,
            (Some(_), None) => false,
        }
    }

    /// Takes the number of an accepted report. False, and no change, if it is not fresh.
    pub(super) fn accept(
        &mut self,
        source: &str,
        label: &str,
        seq: Option<u64>,
        released: bool,
    ) -> bool {
        if !self.is_fresh(source, seq) {
            return false;
        }
        let Some(seq) = seq else {
            return true;
        };
        self.raises += 1;
        let mark = Mark {
            seq,
            label: label.to_owned(),
            released,
            raised: self.raises,
        };
        self.by_source.insert(source.to_owned(), mark);
        if self.by_source.len() > MAX_SOURCES {
            self.drop_oldest();
        }
        true
    }

    /// Whether a metadata report with this number was overtaken by the source's state reports. A
    /// native reporter counts both with one counter. Others may count metadata on its own, as in
    /// herdr; for them only a release counts, so that metadata queued before it cannot come back.
    pub(super) fn overtakes_metadata(&self, source: &str, seq: u64) -> bool {
        self.by_source
            .get(source)
            .is_some_and(|mark| seq <= mark.seq && (mark.released || is_native(source)))
    }

    /// Forgets the marks of an agent whose process is gone. Native reporters keep theirs: their
    /// numbers follow the clock, so the next process is above them and only a late report is not.
    pub(super) fn forget_label(&mut self, label: &str) {
        self.by_source
            .retain(|source, mark| mark.label != label || is_native(source));
    }

    fn drop_oldest(&mut self) {
        let oldest = self
            .by_source
            .iter()
            .filter(|(source, _)| !is_native(source))
            .min_by_key(|(_, mark)| mark.raised)
            .map(|(source, _)| source.clone());
        if let Some(source) = oldest {
            self.by_source.remove(&source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(marks: &mut Marks, source: &str, seq: Option<u64>) -> bool {
        marks.accept(source, "my-bot", seq, false)
    }

    #[test]
    fn the_table_of_fresh_and_stale_numbers() {
        let mut marks = Marks::default();
        assert!(accept(&mut marks, "s", None), "no number, no mark");
        assert!(accept(&mut marks, "s", None), "still no mark");
        assert!(accept(&mut marks, "s", Some(5)), "a number, no mark");
        assert!(!accept(&mut marks, "s", Some(5)), "equal to the mark");
        assert!(!accept(&mut marks, "s", Some(4)), "below the mark");
        assert!(!accept(&mut marks, "s", None), "no number, but a mark");
        assert!(accept(&mut marks, "s", Some(6)), "above the mark");
        assert!(accept(&mut marks, "other", Some(1)), "another source");
    }

    #[test]
    fn marks_of_an_ended_agent_go_except_a_native_reporters() {
        let mut marks = Marks::default();
        marks.accept("s", "claude", Some(5), false);
        marks.accept("t", "codex", Some(5), false);
        marks.accept("crush", "crush", Some(5), false);
        marks.forget_label("claude");
        marks.forget_label("crush");
        assert!(marks.is_fresh("s", Some(1)));
        assert!(!marks.is_fresh("t", Some(1)));
        assert!(!marks.is_fresh("crush", Some(5)));
    }

    #[test]
    fn a_flood_of_sources_is_bounded_and_spares_native_reporters() {
        let mut marks = Marks::default();
        marks.accept("crush", "crush", Some(9), false);
        for number in 0..1000 {
            accept(&mut marks, &format!("s{number}"), Some(1));
        }
        assert_eq!(marks.by_source.len(), MAX_SOURCES);
        assert!(!marks.is_fresh("crush", Some(9)));
        assert!(!marks.is_fresh("s999", Some(1)));
        assert!(marks.is_fresh("s0", Some(1)));
    }
}
