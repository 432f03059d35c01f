//! A report of a turn's event, checked as far as it can be on its own.

use serde::Serialize;

use crate::api::ApiError;
use crate::api::params::AgentTurnReportParams;
use crate::api::records::{AgentTurnRecord, AgentTurnState};
use crate::api::text::Secret;

use super::digest::{hex_sha256, sha256};
use super::journal::Key;

/// The most bytes of a result, as xcsh cuts it.
const RESULT_BYTES: usize = 8_000;

/// The most bytes of a reason. xcsh has ten fixed ones of less than a hundred.
const REASON_BYTES: usize = 8_000;

/// The most bytes of each of the five ids.
const ID_BYTES: usize = 256;

/// An event as its producer tells it, without the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub execution_id: String,
    pub pane_id: String,
    pub key: Key,
    pub event_revision: u64,
    pub state: AgentTurnState,
    pub result: Option<String>,
    pub result_digest: Option<String>,
    pub reason: Option<String>,
}

impl Report {
    /// Takes a report apart: what it says, and the secret that it is proven with.
    ///
    /// # Errors
    /// `invalid_agent_turn`, or `agent_turn_payload_too_large`.
    pub fn check(params: AgentTurnReportParams) -> Result<(Report, Option<Secret>), ApiError> {
        let p = params;
        for (name, id) in [
            ("execution_id", &p.execution_id),
            ("pane_id", &p.pane_id),
            ("producer", &p.producer),
            ("session_id", &p.session_id),
            ("turn_id", &p.turn_id),
        ] {
            check_id(name, id)?;
        }
        if p.event_revision == 0 {
            return Err(invalid("event_revision counts from 1"));
        }
        let result = p.result.map(|text| text.0);
        let reason = p.reason.map(|text| text.0);
        check_text("result", result.as_deref(), RESULT_BYTES)?;
        check_text("reason", reason.as_deref(), REASON_BYTES)?;
        check_state(p.state, reason.as_deref())?;
        check_result(p.state, result.as_deref(), p.result_digest.as_deref())?;
        let report = Report {
            execution_id: p.execution_id,
            pane_id: p.pane_id,
            key: Key {
                producer: p.producer,
                session_id: p.session_id,
                turn_id: p.turn_id,
                generation: p.generation,
            },
            event_revision: p.event_revision,
            state: p.state,
            result,
            result_digest: p.result_digest,
            reason,
        };
        Ok((report, p.native_capability))
    }

    /// The report of a stored event.
    pub fn of_record(record: &AgentTurnRecord) -> Report {
        Report {
            execution_id: record.execution_id.clone(),
            pane_id: record.pane_id.clone(),
            key: Key::of(record),
            event_revision: record.event_revision,
            state: record.state,
            result: record.result.clone(),
            result_digest: record.result_digest.clone(),
            reason: record.reason.clone(),
        }
    }

    /// The event in the journal that this report made, or would make.
    pub fn record(&self, revision: u64, now: u64) -> AgentTurnRecord {
        AgentTurnRecord {
            execution_id: self.execution_id.clone(),
            pane_id: self.pane_id.clone(),
            producer: self.key.producer.clone(),
            session_id: self.key.session_id.clone(),
            turn_id: self.key.turn_id.clone(),
            generation: self.key.generation,
            event_revision: self.event_revision,
            state: self.state,
            result: self.result.clone(),
            result_digest: self.result_digest.clone(),
            reason: self.reason.clone(),
            revision,
            reported_at_unix_ms: now,
        }
    }

    /// Two reports have the same one when every member is equal.
    pub(super) fn fingerprint(&self) -> String {
        super::digest::hex(&sha256(super::rows::json(self).as_bytes()))
    }
}

/// Whether a text can be one of the ids.
pub(super) fn check_id(name: &str, id: &str) -> Result<(), ApiError> {
    if id.is_empty() || id.len() > ID_BYTES || id.chars().any(char::is_control) {
        return Err(invalid(format!(
            "{name} takes 1 to {ID_BYTES} bytes without control characters"
        )));
    }
    Ok(())
}

fn check_text(name: &str, text: Option<&str>, limit: usize) -> Result<(), ApiError> {
    match text {
        Some(text) if text.len() > limit => Err(ApiError::new(
            "agent_turn_payload_too_large",
            format!(
                "{name} takes at most {limit} bytes of UTF-8, not {}",
                text.len()
            ),
        )),
        _ => Ok(()),
    }
}

/// States in which a turn has something to explain. Elsewhere a reason could only be what does not belong into the
/// journal: commentary, or a tool's words.
fn check_state(state: AgentTurnState, reason: Option<&str>) -> Result<(), ApiError> {
    use AgentTurnState::*;
    match state {
        Lost => Err(invalid("lost is said by the server only")),
        Starting | Working | Completed if reason.is_some() => {
            Err(invalid(format!("a turn that is {state} has no reason")))
        }
        _ => Ok(()),
    }
}

fn check_result(
    state: AgentTurnState,
    result: Option<&str>,
    digest: Option<&str>,
) -> Result<(), ApiError> {
    match (state, result, digest) {
        (AgentTurnState::Completed, Some(result), Some(digest)) => {
            if hex_sha256(result.as_bytes()) == digest {
                Ok(())
            } else {
                Err(invalid("result_digest is not the SHA-256 of the result"))
            }
        }
        (AgentTurnState::Completed, _, _) => Err(invalid(
            "a completed turn has a result, which may be empty, and its result_digest",
        )),
        (_, None, None) => Ok(()),
        (_, _, _) => Err(invalid(
            "only a completed turn has a result and a result_digest",
        )),
    }
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new("invalid_agent_turn", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(change: Value) -> Result<Report, String> {
        let mut params = json!({
            "execution_id": "task-42", "pane_id": "w1:p2", "producer": "xcsh",
            "session_id": "0123abcd4567ef89", "turn_id": "t", "generation": 3, "event_revision": 4,
            "state": "working", "native_capability": "c",
        });
        for (name, value) in change.as_object().unwrap() {
            params[name] = value.clone();
        }
        let params = serde_json::from_str(&params.to_string()).map_err(|error| error.to_string());
        Report::check(params?)
            .map(|(report, _)| report)
            .map_err(|error| error.code.into_owned())
    }

    fn completed(result: &str) -> Value {
        json!({ "state": "completed", "result": result, "result_digest": hex_sha256(result.as_bytes()) })
    }

    #[test]
    fn results_are_bounded_in_bytes_and_go_with_their_digest() {
        let long = "a".repeat(8_000);
        let report = check(completed(&long)).unwrap();
        assert_eq!(
            report.result_digest.as_deref(),
            Some("e3aee1725476321f727ad8a07ce53efb5653d09730abccb8f190093c4eb550df")
        );
        let too_long = check(completed(&"a".repeat(8_001)));
        assert_eq!(too_long.unwrap_err(), "agent_turn_payload_too_large");
        let wide = check(completed(&"ü".repeat(4_001)));
        assert_eq!(wide.unwrap_err(), "agent_turn_payload_too_large");
        assert_eq!(check(completed("")).unwrap().result.as_deref(), Some(""));
        for wrong in [
            json!({ "state": "completed" }),
            json!({ "state": "completed", "result": "x" }),
            json!({ "state": "completed", "result_digest": hex_sha256(b"") }),
            json!({ "state": "completed", "result": "x", "result_digest": hex_sha256(b"y") }),
            json!({ "state": "completed", "result": "x", "result_digest": hex_sha256(b"x").to_uppercase() }),
            json!({ "state": "failed", "result": "x", "result_digest": hex_sha256(b"x") }),
            json!({ "state": "working", "result_digest": hex_sha256(b"") }),
        ] {
            assert_eq!(
                check(wrong.clone()).unwrap_err(),
                "invalid_agent_turn",
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_result_that_was_cut_through_a_character_has_the_digest_that_xcsh_sent() {
        let line = format!(
            r#"{{"execution_id":"e","pane_id":"p","producer":"xcsh","session_id":"s","turn_id":"t",
                "event_revision":2,"state":"completed","result":"{}\ud83d","result_digest":"{}"}}"#,
            "a".repeat(7_997),
            "ac62702b84684876e62934abca7a56ea971765474c927348f74d8d6c50eb667d",
        );
        let params: AgentTurnReportParams = serde_json::from_str(&line).unwrap();
        let (report, capability) = Report::check(params).unwrap();
        let result = report.result.unwrap();
        assert!(result.ends_with("a\u{fffd}") && result.len() == 8_000);
        assert!(capability.is_none() && report.key.generation == 0);
    }

    #[test]
    fn ids_are_short_and_plain_and_null_is_absent() {
        for id in ["", "a\nb", "\u{7f}", &"x".repeat(257)] {
            for name in [
                "execution_id",
                "pane_id",
                "producer",
                "session_id",
                "turn_id",
            ] {
                assert_eq!(
                    check(json!({ name: id })).unwrap_err(),
                    "invalid_agent_turn"
                );
            }
        }
        assert!(check(json!({ "turn_id": "x".repeat(256), "more": {} })).is_ok());
        let nulls = json!({ "result": null, "result_digest": null, "reason": null, "native_capability": null });
        assert!(check(nulls).is_ok());
        assert_eq!(
            check(json!({ "event_revision": 0 })).unwrap_err(),
            "invalid_agent_turn"
        );
    }

    #[test]
    fn a_reason_is_taken_where_there_is_something_to_explain_and_nowhere_else() {
        for state in ["waiting_input", "failed", "cancelled", "interrupted"] {
            assert!(check(json!({ "state": state, "reason": "xcsh turn failed" })).is_ok());
        }
        for state in ["starting", "working"] {
            let private = check(json!({ "state": state, "reason": "ran `cat ~/.ssh/id`" }));
            assert_eq!(private.unwrap_err(), "invalid_agent_turn");
        }
        let mut with_reason = completed("x");
        with_reason["reason"] = json!("commentary");
        assert_eq!(check(with_reason).unwrap_err(), "invalid_agent_turn");
        let long = check(json!({ "state": "failed", "reason": "a".repeat(8_001) }));
        assert_eq!(long.unwrap_err(), "agent_turn_payload_too_large");
        assert_eq!(
            check(json!({ "state": "lost" })).unwrap_err(),
            "invalid_agent_turn"
        );
    }
}
