//! The access log of the session: the latest records in memory, all that are kept in the store.

use std::sync::{Arc, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::api::control::AccessRecord;
use crate::authority::{Audit, Event, Record};
use crate::store::{Entry, Log, Range};
use crate::sync::lock;
use crate::sys::Wake;

use super::Shared;

impl Shared {
    /// Goes on with the numbers of the records that were kept before. To be called once, before
    /// anybody is served.
    pub fn continue_access_log(&self) {
        let newest = Range {
            limit: 1,
            ..Range::default()
        };
        let number = self.rows(&newest).first().map(|(_, record)| record.number);
        *lock(&self.authority.audit) = Audit::continuing(number.unwrap_or(0));
    }

    /// Keeps what a caller did or was refused, and tells who follows.
    pub fn keep_access(&self, event: Event) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let is_new = {
            let mut audit = lock(&self.authority.audit);
            let (is_new, rows) = audit.keep(event, now);
            // Under the lock, so that rows stand in the order of their numbers.
            for record in rows {
                self.write_access(record);
            }
            is_new
        };
        if !is_new {
            return;
        }
        let mut followers = lock(&self.authority.followers);
        followers.retain(|follower| follower.strong_count() > 0);
        let wakes: Vec<Arc<Wake>> = followers.iter().filter_map(Weak::upgrade).collect();
        drop(followers);
        for wake in wakes {
            wake.notify();
        }
    }

    /// Writes how often the last record has happened by now.
    pub(super) fn save_access(&self) {
        let mut audit = lock(&self.authority.audit);
        if let Some(record) = audit.unwritten() {
            self.write_access(record);
        }
    }

    fn write_access(&self, record: Record) {
        let at = i64::try_from(record.last).unwrap_or(i64::MAX);
        let record = shown(record);
        match serde_json::to_string(&record) {
            Ok(body) => {
                let subject = record.caller;
                self.store.append(Log::Access, Entry { at, subject, body });
            }
            // Texts and numbers: there is nothing in it that JSON cannot say.
            Err(error) => log::error!("an access record cannot be saved: {error}"),
        }
    }

    /// Kept records that follow the one with this number, oldest first, at most `limit` of the latest.
    /// May read the disk: never under a lock.
    pub fn access_records(&self, after: u64, limit: usize) -> Vec<AccessRecord> {
        let (recent, oldest) = {
            let audit = lock(&self.authority.audit);
            let count = audit.following(after).count();
            let skipped = count.saturating_sub(limit);
            let recent: Vec<Record> = audit.following(after).skip(skipped).cloned().collect();
            (recent, audit.oldest())
        };
        let mut records = Vec::new();
        if after + 1 < oldest && recent.len() < limit {
            records = self.older_records(after, oldest, limit - recent.len());
        }
        records.extend(recent.into_iter().map(shown));
        records
    }

    /// Records with numbers between the two, from the store, oldest first, at most `limit` of the latest.
    fn older_records(&self, after: u64, before: u64, limit: usize) -> Vec<AccessRecord> {
        let mut records: Vec<AccessRecord> = Vec::new();
        let mut range = Range::default();
        'pages: loop {
            let rows = self.rows(&range);
            let Some((last, _)) = rows.last() else {
                break;
            };
            range.below = Some(*last);
            for (_, record) in rows {
                if record.number <= after || records.len() == limit {
                    break 'pages;
                }
                // Of the rows of one record the newest counts, which comes first.
                let is_known = records
                    .last()
                    .is_some_and(|known| known.number == record.number);
                if record.number < before && !is_known {
                    records.push(record);
                }
            }
        }
        records.reverse();
        records
    }

    /// Rows of the store, the newest first; those that this version can read.
    fn rows(&self, range: &Range) -> Vec<(i64, AccessRecord)> {
        let rows = self.store.read(Log::Access, range).unwrap_or_else(|error| {
            log::warn!("earlier records of the access log cannot be read: {error}");
            Vec::new()
        });
        rows.into_iter()
            .filter_map(|(id, entry)| Some((id, serde_json::from_str(&entry.body).ok()?)))
            .collect()
    }

    /// Notifies `wake` at every new record for as long as somebody else holds it.
    pub fn follow_access(&self, wake: &Arc<Wake>) {
        lock(&self.authority.followers).push(Arc::downgrade(wake));
    }
}

fn shown(record: Record) -> AccessRecord {
    let event = record.event;
    AccessRecord {
        number: record.number,
        first_ms: record.first,
        last_ms: record.last,
        count: record.count,
        caller: event.caller,
        pid: event.pid,
        program: event.program,
        method: event.method.to_owned(),
        target: event.target,
        outcome: event.outcome.into_owned(),
    }
}
