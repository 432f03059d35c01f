//! What is kept of refused calls and of acts on other panes: who, what, which pane, when, and what
//! came of it. Never what was typed, nor any other parameter.
//!
//! The latest records are here; each also goes to where it outlives the daemon. One that counts is
//! written again whenever its count has doubled, and when another follows it: so a call that is
//! refused a million times costs twenty rows.

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
    /// The number of the last one.
    count: u64,
    /// How often the last one had happened when it was given away to be written.
    written: u64,
}

impl Audit {
    /// One whose records follow those that were written before, the last of which has this number.
    pub fn continuing(number: u64) -> Audit {
        Audit {
            count: number,
            ..Audit::default()
        }
    }

    /// Keeps an event of `now`, in milliseconds since 1970. Whether it is a record of its own, and
    /// what is to be written now, in this order.
    pub fn keep(&mut self, mut event: Event, now: u64) -> (bool, Vec<Record>) {
        event.target = event.target.map(|target| cleaned(&target));
        event.program = cleaned(&event.program);
        if let Some(last) = self.records.back_mut()
            && last.event == event
        {
            last.last = now;
            last.count += 1;
            let rows = match last.count.is_power_of_two() {
                true => self.unwritten().into_iter().collect(),
                false => Vec::new(),
            };
            return (false, rows);
        }
        let mut rows: Vec<Record> = self.unwritten().into_iter().collect();
        self.count += 1;
        if self.records.len() == RECORDS_LIMIT {
            self.records.pop_front();
        }
        let record = Record {
            number: self.count,
            first: now,
            last: now,
            count: 1,
            event,
        };
        rows.push(record.clone());
        self.records.push_back(record);
        self.written = 1;
        (true, rows)
    }

    /// The last record, if it has happened again since it was written; it counts as written then.
    pub fn unwritten(&mut self) -> Option<Record> {
        let last = self.records.back()?;
        if last.count == self.written {
            return None;
        }
        self.written = last.count;
        Some(last.clone())
    }

    /// The number of the oldest record that is here; while there is none, that of the next.
    pub fn oldest(&self) -> u64 {
        let oldest = self.records.front().map(|record| record.number);
        oldest.unwrap_or(self.count + 1)
    }

    /// Records that follow the one with this number, oldest first.
    pub fn following(&self, number: u64) -> impl Iterator<Item = &Record> {
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
        audit.following(after).map(row).collect()
    }

    #[test]
    fn what_repeats_is_one_record_that_counts() {
        let mut audit = Audit::default();
        assert!(audit.keep(event("w1:p2"), 10).0);
        assert!(!audit.keep(event("w1:p2"), 20).0);
        assert!(audit.keep(event("w1:p3"), 30).0);
        assert!(audit.keep(event("w1:p2"), 40).0);
        let all: Vec<_> = [(1, 2, "w1:p2"), (2, 1, "w1:p3"), (3, 1, "w1:p2")]
            .map(|(number, count, target)| (number, count, target.to_owned()))
            .to_vec();
        assert_eq!(targets(&audit, 0), all);
        assert_eq!(targets(&audit, 1), all[1..]);
        assert_eq!(targets(&audit, 9), []);
        let first = audit.following(0).next().unwrap();
        assert_eq!((first.first, first.last), (10, 20));
    }

    #[test]
    fn what_is_written_tells_how_often_it_happened_within_a_factor_of_two() {
        let mut audit = Audit::continuing(7);
        let mut rows = Vec::new();
        let mut happens = |target: &str, times: u64, rows: &mut Vec<(u64, u64)>| {
            for _ in 0..times {
                let (_, written) = audit.keep(event(target), 0);
                rows.extend(written.iter().map(|record| (record.number, record.count)));
                let (number, count) = *rows.last().unwrap();
                let now = audit.records.back().unwrap();
                assert!(number == now.number && count <= now.count && now.count < 2 * count);
            }
        };
        happens("a", 1000, &mut rows);
        assert_eq!(rows.len(), 10);
        rows.clear();
        happens("b", 1, &mut rows);
        assert_eq!(rows, [(8, 1000), (9, 1)], "the end of the one before, too");
        happens("b", 2, &mut rows);
        let last = audit
            .unwritten()
            .map(|record| (record.number, record.count));
        assert_eq!(last, Some((9, 3)));
        assert_eq!(audit.unwritten(), None, "it counts as written");
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
