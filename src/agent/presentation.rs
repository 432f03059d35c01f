//! What reporters want shown about an agent: one record per source, the newest on top.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Deserializer, Serialize};

use super::status::Status;

/// The most sources with a record in one pane. herdr has no limit; the oldest record goes first.
const MAX_RECORDS: usize = 32;

/// What the records of a pane add up to (herdr 0.9.3, `title`, `display_agent`, `state_labels`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Presentation {
    /// A title for what the agent does.
    pub title: Option<String>,
    /// A name to show instead of the label.
    pub display_agent: Option<String>,
    /// Words to show instead of statuses, by status.
    #[serde(default, deserialize_with = "known_statuses")]
    pub state_labels: BTreeMap<&'static str, String>,
}

/// Status words that were written down; those of a status that is none are dropped.
fn known_statuses<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<&'static str, String>, D::Error> {
    let saved = BTreeMap::<String, String>::deserialize(from)?;
    Ok(saved
        .into_iter()
        .filter_map(|(status, words)| Some((Status::parse(&status)?.as_str(), words)))
        .collect())
}

/// What a report sets and clears. Texts are clean and not empty.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordUpdate {
    pub(super) set: Presentation,
    pub(super) clear_title: bool,
    pub(super) clear_display_agent: bool,
    pub(super) clear_state_labels: bool,
    pub(super) guard_label: Option<String>,
    pub(super) guard_source: Option<String>,
    pub(super) expires: Option<Instant>,
}

impl RecordUpdate {
    fn clears(&self) -> bool {
        self.clear_title || self.clear_display_agent || self.clear_state_labels
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    source: String,
    shown: Presentation,
    guard_label: Option<String>,
    guard_source: Option<String>,
    #[serde(with = "crate::timeline::optional")]
    expires: Option<Instant>,
}

/// The records of one pane, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Records(Vec<Record>);

impl Records {
    /// Takes a report. Without a clear flag it replaces its source's record; with one it edits it.
    pub(super) fn update(&mut self, source: &str, update: RecordUpdate) {
        let former = self
            .0
            .iter()
            .position(|record| record.source == source)
            .map(|index| self.0.remove(index));
        let sets = update.set != Presentation::default();
        let record = if update.clears() {
            let mut record = former.unwrap_or_else(|| Record {
                source: source.to_owned(),
                ..Record::default()
            });
            if sets || update.expires.is_some() {
                record.expires = update.expires;
            }
            record.edit(update);
            record
        } else {
            Record {
                source: source.to_owned(),
                shown: update.set,
                guard_label: update.guard_label,
                guard_source: update.guard_source,
                expires: update.expires,
            }
        };
        if record.shown != Presentation::default() {
            self.0.push(record);
        }
        if self.0.len() > MAX_RECORDS {
            self.0.remove(0);
        }
    }

    /// What is shown while the pane has this label and its state comes from this source.
    pub(super) fn effective(&self, label: Option<&str>, source: Option<&str>) -> Presentation {
        let mut shown = Presentation::default();
        let fits = |guard: &Option<String>, value: Option<&str>| {
            guard.is_none() || guard.as_deref() == value
        };
        for record in &self.0 {
            if !fits(&record.guard_label, label) || !fits(&record.guard_source, source) {
                continue;
            }
            if let Some(title) = &record.shown.title {
                shown.title = Some(title.clone());
            }
            if let Some(display_agent) = &record.shown.display_agent {
                shown.display_agent = Some(display_agent.clone());
            }
            for (status, word) in &record.shown.state_labels {
                shown.state_labels.insert(status, word.clone());
            }
        }
        shown
    }

    /// Drops the records of a source, and those that only apply to it.
    pub(super) fn forget_source(&mut self, source: &str) {
        self.0.retain(|record| {
            record.source != source && record.guard_source.as_deref() != Some(source)
        });
    }

    /// Drops the records that only apply to a label.
    pub(super) fn forget_label(&mut self, label: &str) {
        self.0
            .retain(|record| record.guard_label.as_deref() != Some(label));
    }

    /// The next time at which a record expires.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.0.iter().filter_map(|record| record.expires).min()
    }

    /// Drops what has expired. True if there was any.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let before = self.0.len();
        self.0
            .retain(|record| record.expires.is_none_or(|expires| expires > now));
        self.0.len() != before
    }
}

impl Record {
    fn edit(&mut self, update: RecordUpdate) {
        let RecordUpdate {
            set,
            clear_title,
            clear_display_agent,
            clear_state_labels,
            guard_label,
            guard_source,
            expires: _,
        } = update;
        if clear_title {
            self.shown.title = None;
        }
        if clear_display_agent {
            self.shown.display_agent = None;
        }
        if clear_state_labels {
            self.shown.state_labels.clear();
        }
        self.shown.title = set.title.or(self.shown.title.take());
        self.shown.display_agent = set.display_agent.or(self.shown.display_agent.take());
        self.shown.state_labels.extend(set.state_labels);
        self.guard_label = guard_label.or(self.guard_label.take());
        self.guard_source = guard_source.or(self.guard_source.take());
    }
}
