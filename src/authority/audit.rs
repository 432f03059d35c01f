//! What is kept of refused calls and of acts on other panes: who, what, which pane, when, and what
//! came of it. Never what was typed, nor any other parameter.

use std::borrow::Cow;
use std::collections::VecDeque;

/// Records kept. At a few hundred bytes each they are the last mebibyte of a busy day.
const RECORDS_LIMIT: usize = 4096;

/// Characters of a name that a caller gave to its target. The longest id has 18; an agent's name
/// has 32.
const TARGET_LIMIT: usize = 64;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The calling process, if the kernel named it.
    pub pid: Option<i32>,
    /// Its short name, as the kernel has it.
    pub program: String,
    /// The pane it is in: an id, or what else there is to say.
    pub caller: String,
    /// The method.
    pub method: &'static str,
    /// What the caller named, if it named something.
    pub target: Option<String>,
    /// `ok`, or the code of the refusal.
    pub outcome: Cow<'static, str>,
}

/// A kept event. The same thing again and again is one record that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Grows from record to record, from 1.
    pub number: u64,
    /// When it happened first, in milliseconds since 1970.
    pub first: u64,
    /// When it happened last.
    pub last: u64,
    /// How often.
    pub count: u64,
    /// What happened.
    pub event: Event,
}

/// The latest records.
#[derive(Debug, Default)]
pub struct Audit {
    records: VecDeque<Record>,
    count: u64,
}

impl Audit {
    /// Keeps an event of `now`, in milliseconds since 1970. True if it is a record of its own.
    pub fn keep(&mut self, mut event: Event, now: u64) -> bool {
        event.target = event.target.map(|target| cleaned(&target));
        event.program = cleaned(&event.program);
        if let Some(last) = self.records.back_mut()
            && last.event == event
        {
            last.last = now;
            last.count += 1;
            return false;
        }
        self.count += 1;
        if self.records.len() == RECORDS_LIMIT {
            self.records.pop_front();
        }
        self.records.push_back(Record {
            number: self.count,
            first: now,
            last: now,
            count: 1,
            event,
        });
        true
    }

    /// Records after the one with this number, oldest first.
    pub fn after(&self, number: u64) -> impl Iterator<Item = &Record> {
        let start = self
            .records
            .partition_point(|record| record.number <= number);
        self.records.range(start..)
    }
}

/// A name as it can be shown: on one line, bounded, without anything that drives a terminal.
fn cleaned(text: &str) -> String {
    let printable = |character: char| {
        if character.is_control() || !(' '..='~').contains(&character) {
            '?'
        } else {
            character
        }
    };
    text.chars().take(TARGET_LIMIT).map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(target: &str) -> Event {
        Event {
            pid: Some(7),
            program: "herdr".to_owned(),
            caller: "w1:p1".to_owned(),
            method: "pane.read",
            target: Some(target.to_owned()),
            outcome: "forbidden".into(),
        }
    }

    fn targets(audit: &Audit, after: u64) -> Vec<(u64, u64, String)> {
        let row = |record: &Record| {
            let target = record.event.target.clone().unwrap_or_default();
            (record.number, record.count, target)
        };
        audit.after(after).map(row).collect()
    }

    #[test]
    fn what_repeats_is_one_record_that_counts() {
        let mut audit = Audit::default();
        assert!(audit.keep(event("w1:p2"), 10));
        assert!(!audit.keep(event("w1:p2"), 20));
        assert!(audit.keep(event("w1:p3"), 30));
        assert!(audit.keep(event("w1:p2"), 40));
        let all: Vec<_> = [(1, 2, "w1:p2"), (2, 1, "w1:p3"), (3, 1, "w1:p2")]
            .map(|(number, count, target)| (number, count, target.to_owned()))
            .to_vec();
        assert_eq!(targets(&audit, 0), all);
        assert_eq!(targets(&audit, 1), all[1..]);
        assert_eq!(targets(&audit, 9), []);
        let first = audit.after(0).next().unwrap();
        assert_eq!((first.first, first.last), (10, 20));
    }

    #[test]
    fn the_oldest_records_make_room() {
        let mut audit = Audit::default();
        for number in 0..RECORDS_LIMIT + 10 {
            audit.keep(event(&number.to_string()), 0);
        }
        let kept = targets(&audit, 0);
        assert_eq!(kept.len(), RECORDS_LIMIT);
        assert_eq!(kept[0], (11, 1, "10".to_owned()));
    }

    #[test]
    fn a_name_cannot_drive_a_terminal_or_grow() {
        let mut audit = Audit::default();
        audit.keep(event("a\u{1b}[2J\nb\u{202e}é"), 0);
        audit.keep(event(&"x".repeat(1000)), 0);
        let kept = targets(&audit, 0);
        assert_eq!(kept[0].2, "a?[2J?b??");
        assert_eq!(kept[1].2.len(), TARGET_LIMIT);
    }
}
