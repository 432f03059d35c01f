//! From a history of states to how long each lasted: pure.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::calendar::{Day, Zone};
use super::super::control;
use crate::api::control::{HistoryEvent, HistoryRecord};
use crate::api::records::AgentStatus;

/// What an agent did for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// The pane, for good.
    pub(super) pane: u64,
    /// The pane's id at the beginning.
    pub(super) pane_id: String,
    pub(super) agent: String,
    pub(super) name: Option<String>,
    pub(super) doing: Doing,
    /// When it began and ended, in milliseconds since 1970; within the time that was asked for.
    pub(super) from: i64,
    pub(super) to: i64,
    /// It began before that time.
    pub(super) cut: bool,
}

/// What an agent can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doing {
    Working,
    /// Waiting for a person's decision.
    Blocked,
    /// Waiting for the next task, whether or not somebody has seen the last one done.
    Idle,
}

impl Doing {
    fn of(status: AgentStatus) -> Option<Doing> {
        match status {
            AgentStatus::Working => Some(Doing::Working),
            AgentStatus::Blocked => Some(Doing::Blocked),
            AgentStatus::Idle | AgentStatus::Done => Some(Doing::Idle),
            AgentStatus::Unknown => None,
        }
    }
}

/// What every agent did between two times. `records` are in the order in which they were kept, and go
/// on to `until`, at which the daemon still runs.
pub(super) fn spans(records: &[HistoryRecord], since: i64, until: i64) -> Vec<Span> {
    let mut open: BTreeMap<u64, Span> = BTreeMap::new();
    let mut found = Vec::new();
    let mut end = |span: Span, at: i64| {
        let cut = span.from < since;
        let span = Span {
            from: span.from.max(since),
            to: at.min(until),
            cut,
            ..span
        };
        // A prompt that was answered within a millisecond was one all the same.
        let prompt = span.doing == Doing::Blocked && !cut && span.from == span.to;
        if span.from < span.to || prompt {
            found.push(span);
        }
    };
    let mut last = i64::MIN;
    for record in records {
        match record.event {
            HistoryEvent::State => {
                let doing = record.status.and_then(Doing::of);
                let agent = record.agent.as_deref().unwrap_or_default();
                let same = |span: &Span| Some(span.doing) == doing && span.agent == agent;
                if !open.get(&record.pane).is_some_and(same) {
                    if let Some(span) = open.remove(&record.pane) {
                        end(span, record.at_ms);
                    }
                    if let Some(doing) = doing {
                        open.insert(record.pane, opened(record, doing));
                    }
                }
            }
            HistoryEvent::Left => {
                if let Some(span) = open.remove(&record.pane) {
                    end(span, record.at_ms);
                }
            }
            HistoryEvent::Stopped => {
                for span in std::mem::take(&mut open).into_values() {
                    end(span, record.at_ms);
                }
            }
            // Without a stop before it: how long agents went on after the last word is not known.
            HistoryEvent::Started => {
                for span in std::mem::take(&mut open).into_values() {
                    end(span, last);
                }
            }
        }
        last = record.at_ms;
    }
    for span in open.into_values() {
        end(span, until);
    }
    found.sort_by_key(|span| (span.from, span.pane));
    found
}

fn opened(record: &HistoryRecord, doing: Doing) -> Span {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Span {
        pane: record.pane,
        pane_id: text(&record.pane_id),
        agent: text(&record.agent),
        name: record.name.clone(),
        doing,
        from: record.at_ms,
        to: record.at_ms,
        cut: false,
    }
}

/// Splits spans where a local day ends, so that each lies on one day.
pub(super) fn by_day(spans: &[Span], zone: Zone<'_>) -> Vec<(Day, Span)> {
    let mut split = Vec::new();
    for span in spans {
        let mut from = span.from;
        while from < span.to {
            let day = Day::of(from, zone);
            // A change of the clocks must not make it stand still.
            let to = day.next().start(zone).max(from + 1).min(span.to);
            let part = Span {
                from,
                to,
                cut: span.cut || from > span.from,
                ..span.clone()
            };
            split.push((day, part));
            from = to;
        }
    }
    split
}

/// What one agent did on one day, in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) day: Day,
    pub(super) agent: String,
    pub(super) working: i64,
    pub(super) blocked: i64,
    pub(super) idle: i64,
    /// Times that it was blocked from a moment of this day on.
    pub(super) prompts: i64,
    /// How long they waited in all, over midnight too.
    pub(super) waited: i64,
    pub(super) longest: i64,
}

impl Row {
    pub(super) fn total(&self) -> i64 {
        self.working + self.blocked + self.idle
    }

    pub(super) fn average_wait(&self) -> i64 {
        self.waited / self.prompts.max(1)
    }

    pub(super) fn line(&self) -> String {
        let agent = control::text(&json!(self.agent));
        let seconds = [self.working, self.blocked, self.idle].map(|time| (time / 1000).to_string());
        format!(
            "{}\t{agent}\t{}\t{}\t{}\t{}\n",
            self.day,
            seconds.join("\t"),
            self.prompts,
            self.average_wait() / 1000,
            self.longest / 1000
        )
    }

    pub(super) fn record(&self) -> Value {
        json!({
            "day": self.day.to_string(),
            "agent": self.agent,
            "working_ms": self.working,
            "blocked_ms": self.blocked,
            "idle_ms": self.idle,
            "prompts": self.prompts,
            "average_wait_ms": self.average_wait(),
            "longest_wait_ms": self.longest,
        })
    }
}

/// One row for each agent and day, the days in order.
pub(super) fn rows(spans: &[Span], zone: Zone<'_>) -> Vec<Row> {
    let mut rows: BTreeMap<(Day, String), Row> = BTreeMap::new();
    let mut row = |day: Day, agent: &str, change: &dyn Fn(&mut Row)| {
        let row = rows.entry((day, agent.to_owned())).or_insert_with(|| Row {
            day,
            agent: agent.to_owned(),
            working: 0,
            blocked: 0,
            idle: 0,
            prompts: 0,
            waited: 0,
            longest: 0,
        });
        change(row);
    };
    for (day, part) in by_day(spans, zone) {
        let time = part.to - part.from;
        row(day, &part.agent, &|row| match part.doing {
            Doing::Working => row.working += time,
            Doing::Blocked => row.blocked += time,
            Doing::Idle => row.idle += time,
        });
    }
    for span in spans {
        if span.doing == Doing::Blocked && !span.cut {
            let time = span.to - span.from;
            row(Day::of(span.from, zone), &span.agent, &|row| {
                row.prompts += 1;
                row.waited += time;
                row.longest = row.longest.max(time);
            });
        }
    }
    rows.into_values().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::calendar::DAY;
    use super::*;
    use AgentStatus::{Blocked, Done, Idle, Working};

    fn utc(_: i64) -> i64 {
        0
    }

    pub(in super::super) fn state(at: i64, pane: u64, status: AgentStatus) -> HistoryRecord {
        HistoryRecord {
            at_ms: at,
            event: HistoryEvent::State,
            pane_id: Some(format!("w1:p{pane}")),
            pane,
            agent: Some("claude".to_owned()),
            status: Some(status),
            ..HistoryRecord::default()
        }
    }

    fn event(at: i64, pane: u64, event: HistoryEvent) -> HistoryRecord {
        HistoryRecord {
            at_ms: at,
            event,
            pane,
            ..HistoryRecord::default()
        }
    }

    fn times(records: &[HistoryRecord], since: i64, until: i64) -> Vec<(Doing, i64, i64)> {
        let spans = spans(records, since, until);
        spans.iter().map(|s| (s.doing, s.from, s.to)).collect()
    }

    #[test]
    fn each_state_lasts_until_the_next_of_its_pane_or_until_now() {
        let records = [
            state(10, 1, Working),
            state(20, 2, Idle),
            state(30, 1, Working),
            state(40, 1, Blocked),
            state(60, 1, Done),
            event(70, 2, HistoryEvent::Left),
            state(80, 1, Idle),
        ];
        assert_eq!(
            times(&records, 0, 100),
            [
                (Doing::Working, 10, 40),
                (Doing::Idle, 20, 70),
                (Doing::Blocked, 40, 60),
                (Doing::Idle, 60, 100),
            ]
        );
        assert_eq!(
            times(&records, 50, 55),
            [(Doing::Blocked, 50, 55), (Doing::Idle, 50, 55)]
        );
    }

    #[test]
    fn nobody_works_while_the_daemon_is_down() {
        let stopped = [
            state(10, 1, Working),
            event(20, 0, HistoryEvent::Stopped),
            event(90, 0, HistoryEvent::Started),
            state(95, 1, Idle),
        ];
        let killed = [
            state(10, 1, Working),
            state(15, 2, Idle),
            event(90, 0, HistoryEvent::Started),
        ];
        assert_eq!(
            times(&stopped, 0, 100),
            [(Doing::Working, 10, 20), (Doing::Idle, 95, 100)]
        );
        assert_eq!(times(&killed, 0, 100), [(Doing::Working, 10, 15)]);
    }

    #[test]
    fn a_prompt_over_midnight_counts_once_and_its_time_on_both_days() {
        let records = [
            state(DAY - 1_000, 1, Blocked),
            state(DAY + 3_000, 1, Working),
        ];
        let found = rows(&spans(&records, 0, DAY + 10_000), &utc);
        let shown: Vec<_> = found
            .iter()
            .map(|row| (row.blocked, row.prompts, row.longest, row.working))
            .collect();
        assert_eq!(shown, [(1_000, 1, 4_000, 0), (3_000, 0, 0, 7_000)]);
        assert_eq!(found[0].line(), "1970-01-01\tclaude\t0\t1\t0\t1\t4\t4\n");
        // One that began before the time that is asked for is no prompt of it.
        let later = rows(&spans(&records, DAY, DAY + 10_000), &utc);
        assert_eq!((later[0].prompts, later[0].blocked), (0, 3_000));
    }

    proptest::proptest! {
        #[test]
        fn a_pane_does_one_thing_at_a_time_and_a_day_has_no_more_than_its_hours(
            steps in proptest::collection::vec((0_i64..DAY, 0_usize..6), 1..60)
        ) {
            let mut at = 0;
            let mut records = Vec::new();
            for (gap, what) in steps {
                at += gap;
                records.push(match what {
                    0 => state(at, 1, Working),
                    1 => state(at, 1, Blocked),
                    2 => state(at, 1, Idle),
                    3 => event(at, 1, HistoryEvent::Left),
                    4 => event(at, 0, HistoryEvent::Stopped),
                    _ => event(at, 0, HistoryEvent::Started),
                });
            }
            let spans = spans(&records, 0, at + 1);
            for pair in spans.windows(2) {
                proptest::prop_assert!(pair[0].to <= pair[1].from);
            }
            for row in rows(&spans, &utc) {
                proptest::prop_assert!(row.total() <= DAY);
            }
        }
    }
}
