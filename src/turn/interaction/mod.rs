//! Questions that turns ask of people, and how the answers find their way back.
//!
//! A producer reports a question; somebody answers it; the producer fetches the answer and says whether it took it.
//! Answers are in memory only, from the answer to that word. What is stored says that there was one, not which.

mod rules;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::ApiError;
use crate::api::records::{
    InteractionDelivery, InteractionOwner, InteractionReceipt, InteractionReceiptState,
    InteractionRecord, InteractionReport, InteractionState, InteractionTarget,
};

use super::digest::{hex, sha256};
use super::rows::{Rows, gone, json, row};

/// Questions that are kept (the fork's number).
const RECORDS: usize = 4_096;

/// Receipts that are kept (the fork's number).
const RECEIPTS: usize = 8_192;

/// Bytes of all questions together: a list of all still fits into what xcsh and the fork's clients take as one answer,
/// which is 4 MiB.
const BYTES: usize = 3 * 1024 * 1024;

const RECORD: &str = "interaction";
const RECEIPT: &str = "interaction_receipt";
const FLOOR: &str = "interaction_floor";

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Question {
    record: InteractionRecord,
    /// As the producer last said it; an answer that was taken changes the record's.
    reported: InteractionState,
}

impl Question {
    fn bytes(&self) -> usize {
        json(&self.record.report.payload).len()
    }

    fn is_pending(&self) -> bool {
        self.record.report.state == InteractionState::Pending
    }
}

/// What retention took away, and the count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Floor {
    /// The greatest revision that was given.
    revision: u64,
    /// A cursor below this has missed something.
    reset_before: u64,
}

/// All of it that changed after a cursor.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    pub revision: u64,
    /// The cursor predates what is kept: this is everything.
    pub reset: bool,
    pub interactions: Vec<InteractionRecord>,
    pub receipts: Vec<InteractionReceipt>,
}

/// Every question and receipt that is kept.
#[derive(Debug, Default)]
pub struct Interactions {
    floor: Floor,
    questions: BTreeMap<InteractionTarget, Question>,
    /// By the id of the answer.
    receipts: BTreeMap<String, InteractionReceipt>,
    /// Answers that wait to be fetched, by their ids. Never stored.
    answers: HashMap<String, Value>,
    bytes: usize,
}

impl Interactions {
    /// The kinds of its rows in the store.
    pub const KINDS: [&'static str; 3] = [RECORD, RECEIPT, FLOOR];

    /// Takes in what was stored, by kind in the order of [`Interactions::KINDS`]. Questions whose owner does not run
    /// any more are lost. An answer that waited is gone either way; where the owner runs, its question is open for
    /// another.
    ///
    /// # Errors
    /// It is not what was written: to begin anew would be to say that nobody ever asked.
    pub fn load(
        [records, receipts, floor]: [Vec<(String, String)>; 3],
        runs: impl Fn(&InteractionOwner) -> bool,
    ) -> Result<(Interactions, Rows), String> {
        let mut loaded = Interactions::default();
        for (_, body) in floor {
            loaded.floor = parsed(&body)?;
        }
        for (_, body) in records {
            let question: Question = parsed(&body)?;
            loaded.floor.revision = loaded.floor.revision.max(question.record.revision);
            loaded.bytes += question.bytes();
            loaded
                .questions
                .insert(question.record.report.target.clone(), question);
        }
        for (_, body) in receipts {
            let receipt: InteractionReceipt = parsed(&body)?;
            loaded.floor.revision = loaded.floor.revision.max(receipt.revision);
            loaded.receipts.insert(receipt.response_id.clone(), receipt);
        }
        let mut rows = Rows::new();
        loaded.drop_answers(&runs, &mut rows);
        loaded.lose(|owner| !runs(owner), &mut rows);
        Ok((loaded, rows))
    }

    fn drop_answers(&mut self, runs: impl Fn(&InteractionOwner) -> bool, rows: &mut Rows) {
        for id in self.queued(|target| runs(&target.owner)) {
            self.resolve(&id, InteractionReceiptState::Rejected, rows);
        }
    }

    /// The greatest revision that was given.
    pub fn revision(&self) -> u64 {
        self.floor.revision
    }

    /// Takes a report of a question.
    ///
    /// # Errors
    /// The contract's; then nothing has changed.
    pub fn report(
        &mut self,
        report: InteractionReport,
        rows: &mut Rows,
    ) -> Result<InteractionRecord, ApiError> {
        rules::check_report(&report)?;
        match self.questions.get(&report.target) {
            None => self.begin(report, rows),
            Some(known) => {
                let mut said = known.record.report.clone();
                said.state = known.reported;
                if said == report {
                    return Ok(known.record.clone());
                }
                if report.event_revision <= said.event_revision {
                    return Err(refused(
                        "interaction_stale_report",
                        "a later report of this question came before",
                    ));
                }
                (said.state, said.event_revision) = (report.state, report.event_revision);
                if said != report {
                    return Err(refused(
                        "interaction_identity_or_payload_changed",
                        "only state and event_revision of a question may change",
                    ));
                }
                if report.state == InteractionState::Pending && !known.is_pending() {
                    return Err(refused(
                        "interaction_stale_report",
                        "this question is closed and does not open again",
                    ));
                }
                Ok(self.follow(&report, rows))
            }
        }
    }

    fn begin(
        &mut self,
        report: InteractionReport,
        rows: &mut Rows,
    ) -> Result<InteractionRecord, ApiError> {
        let target = report.target.clone();
        let question = Question {
            reported: report.state,
            record: InteractionRecord {
                report,
                revision: 0,
            },
        };
        let bytes = question.bytes();
        if !question.is_pending() || !self.make_room(bytes, rows) {
            return Err(refused(
                "interaction_initial_state_or_capacity",
                "the first report of a question is pending, and there must be room for it",
            ));
        }
        self.bytes += bytes;
        self.questions.insert(target.clone(), question);
        Ok(self.changed(&target, rows))
    }

    /// The next report of a question that is known.
    fn follow(&mut self, report: &InteractionReport, rows: &mut Rows) -> InteractionRecord {
        if report.state != InteractionState::Pending {
            for id in self.queued(|target| *target == report.target) {
                self.resolve(&id, InteractionReceiptState::Rejected, rows);
            }
        }
        if let Some(question) = self.questions.get_mut(&report.target) {
            question.reported = report.state;
            question.record.report.state = report.state;
            question.record.report.event_revision = report.event_revision;
        }
        self.changed(&report.target, rows)
    }

    /// Numbers a change of a question that is there.
    fn changed(&mut self, target: &InteractionTarget, rows: &mut Rows) -> InteractionRecord {
        self.floor.revision += 1;
        let question = self
            .questions
            .get_mut(target)
            // Every caller has found or inserted it.
            .expect("a question that is kept");
        question.record.revision = self.floor.revision;
        rows.push(row(RECORD, &short(target), question));
        question.record.clone()
    }

    /// Answers a question. The same answer's id again gives its receipt.
    ///
    /// # Errors
    /// There is no such question, it is not open, another answer waits, or this is none.
    pub fn respond(
        &mut self,
        target: &InteractionTarget,
        response_id: &str,
        answer: Value,
        rows: &mut Rows,
    ) -> Result<InteractionReceipt, ApiError> {
        rules::check_id("response_id", response_id)?;
        if let Some(receipt) = self.receipts.get(response_id) {
            if receipt.target == *target {
                return Ok(receipt.clone());
            }
            return Err(refused(
                "interaction_response_id_conflict",
                "this response_id answered another question; choose another",
            ));
        }
        let question = self.questions.get(target).ok_or_else(not_found)?;
        if !question.is_pending() {
            let state = question.record.report.state;
            return Err(refused(
                "interaction_not_pending",
                format!("this question is {state}"),
            ));
        }
        rules::check_answer(&question.record.report, &answer)?;
        if !self.queued(|queued| queued == target).is_empty() {
            return Err(refused(
                "interaction_answer_queued",
                "another answer to this question waits to be fetched",
            ));
        }
        self.make_room_for_receipt(rows);
        self.floor.revision += 1;
        let receipt = InteractionReceipt {
            target: target.clone(),
            response_id: response_id.to_owned(),
            state: InteractionReceiptState::Queued,
            revision: self.floor.revision,
        };
        rows.push(row(RECEIPT, &short(&response_id), &receipt));
        self.answers.insert(response_id.to_owned(), answer);
        self.receipts
            .insert(response_id.to_owned(), receipt.clone());
        Ok(receipt)
    }

    /// The answers that wait for this owner.
    pub fn deliveries(&self, owner: &InteractionOwner) -> Vec<InteractionDelivery> {
        let queued = self.queued(|target| target.owner == *owner);
        queued
            .iter()
            .filter_map(|id| {
                Some(InteractionDelivery {
                    receipt: self.receipts.get(id)?.clone(),
                    answer: self.answers.get(id)?.clone(),
                })
            })
            .collect()
    }

    /// The owner took an answer, or did not.
    ///
    /// # Errors
    /// There is no such answer, or the other was said before.
    pub fn acknowledge(
        &mut self,
        target: &InteractionTarget,
        response_id: &str,
        accepted: bool,
        rows: &mut Rows,
    ) -> Result<InteractionReceipt, ApiError> {
        let verdict = match accepted {
            true => InteractionReceiptState::Accepted,
            false => InteractionReceiptState::Rejected,
        };
        let receipt = self.receipts.get(response_id);
        let receipt = receipt.filter(|receipt| receipt.target == *target);
        match receipt.map(|receipt| receipt.state) {
            None => Err(refused(
                "interaction_delivery_not_found",
                "no such answer was given to this question",
            )),
            Some(InteractionReceiptState::Queued) => {
                self.resolve(response_id, verdict, rows);
                if accepted && let Some(question) = self.questions.get_mut(target) {
                    question.record.report.state = InteractionState::Answered;
                    self.changed(target, rows);
                }
                self.receipts
                    .get(response_id)
                    .cloned()
                    .ok_or_else(not_found)
            }
            Some(state) if state == verdict => receipt.cloned().ok_or_else(not_found),
            Some(_) => Err(refused(
                "interaction_delivery_already_resolved",
                "the opposite was said of this answer before",
            )),
        }
    }

    /// Ends the way of an answer, and forgets it.
    fn resolve(&mut self, response_id: &str, state: InteractionReceiptState, rows: &mut Rows) {
        self.answers.remove(response_id);
        if let Some(receipt) = self.receipts.get_mut(response_id) {
            self.floor.revision += 1;
            receipt.state = state;
            receipt.revision = self.floor.revision;
            rows.push(row(RECEIPT, &short(&response_id), receipt));
        }
    }

    /// Ids of answers that wait, to questions that are meant.
    fn queued(&self, meant: impl Fn(&InteractionTarget) -> bool) -> Vec<String> {
        self.receipts
            .values()
            .filter(|one| one.state == InteractionReceiptState::Queued && meant(&one.target))
            .map(|one| one.response_id.clone())
            .collect()
    }

    /// Owners are gone: their open questions are lost, and so are answers to them. True if there were any.
    pub fn lose(&mut self, is_gone: impl Fn(&InteractionOwner) -> bool, rows: &mut Rows) -> bool {
        let before = self.floor.revision;
        for id in self.queued(|target| is_gone(&target.owner)) {
            self.resolve(&id, InteractionReceiptState::OwnerLost, rows);
        }
        let lost: Vec<InteractionTarget> = self
            .questions
            .iter()
            .filter(|(target, question)| question.is_pending() && is_gone(&target.owner))
            .map(|(target, _)| target.clone())
            .collect();
        for target in lost {
            if let Some(question) = self.questions.get_mut(&target) {
                question.record.report.state = InteractionState::OwnerLost;
                self.changed(&target, rows);
            }
        }
        self.floor.revision > before
    }

    /// How many questions of an execution wait for an answer.
    pub fn pending(&self, execution_id: &str, generation: u64) -> usize {
        let of = |owner: &InteractionOwner| {
            owner.execution_id == execution_id && owner.generation == generation
        };
        self.questions
            .iter()
            .filter(|(target, question)| question.is_pending() && of(&target.owner))
            .count()
    }

    /// One question.
    ///
    /// # Errors
    /// `interaction_not_found`.
    pub fn read(&self, target: &InteractionTarget) -> Result<InteractionRecord, ApiError> {
        let question = self.questions.get(target).ok_or_else(not_found)?;
        Ok(question.record.clone())
    }

    /// What changed after a cursor.
    pub fn changes(&self, after: u64) -> Changes {
        let reset = after < self.floor.reset_before;
        let after = if reset { 0 } else { after };
        let records = self.questions.values().map(|question| &question.record);
        let mut interactions: Vec<_> = records
            .filter(|one| one.revision > after)
            .cloned()
            .collect();
        interactions.sort_by_key(|one| one.revision);
        let receipts = self.receipts.values();
        let mut receipts: Vec<_> = receipts
            .filter(|one| one.revision > after)
            .cloned()
            .collect();
        receipts.sort_by_key(|one| one.revision);
        Changes {
            revision: self.floor.revision,
            reset,
            interactions,
            receipts,
        }
    }

    /// Lets closed questions go, the oldest first, until there is room; false if that does not make enough.
    fn make_room(&mut self, bytes: usize, rows: &mut Rows) -> bool {
        while self.questions.len() >= RECORDS || self.bytes + bytes > BYTES {
            let closed = self.questions.iter().filter(|(_, one)| !one.is_pending());
            let Some((target, one)) = closed.min_by_key(|(_, one)| one.record.revision) else {
                return false;
            };
            let (target, revision, freed) = (target.clone(), one.record.revision, one.bytes());
            self.questions.remove(&target);
            self.bytes -= freed;
            rows.push(gone(RECORD, &short(&target)));
            self.raise_floor(revision, rows);
        }
        true
    }

    fn make_room_for_receipt(&mut self, rows: &mut Rows) {
        let resolved = |one: &&InteractionReceipt| one.state != InteractionReceiptState::Queued;
        while self.receipts.len() >= RECEIPTS {
            let resolved = self.receipts.values().filter(resolved);
            let Some(oldest) = resolved.min_by_key(|one| one.revision) else {
                // No more answers wait than there are questions, and there may be more receipts than those.
                return;
            };
            let (id, revision) = (oldest.response_id.clone(), oldest.revision);
            self.receipts.remove(&id);
            rows.push(gone(RECEIPT, &short(&id)));
            self.raise_floor(revision, rows);
        }
    }

    fn raise_floor(&mut self, revision: u64, rows: &mut Rows) {
        self.floor.reset_before = self.floor.reset_before.max(revision);
        rows.push(row(FLOOR, "", &self.floor));
    }
}

fn parsed<T: for<'a> Deserialize<'a>>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| format!("a question or a receipt: {error}"))
}

/// A short key that no other has.
fn short(value: &impl Serialize) -> String {
    hex(&sha256(json(value).as_bytes())[..16])
}

fn not_found() -> ApiError {
    refused("interaction_not_found", "there is no such question")
}

fn refused(code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::new(code, message)
}
