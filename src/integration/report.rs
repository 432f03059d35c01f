//! What an agent's hook tells, made of the JSON that the agent gives it.

use std::ffi::OsString;

use serde_json::Value;

use super::target::{Target, Word};
use crate::api::params::{PaneReportAgentParams, PaneReportAgentSessionParams};
use crate::api::records::PaneAgentState;

/// Bytes of a hook's input; the ids in it are short, and come early.
pub const MAX_PAYLOAD: u64 = 1024 * 1024;

/// A report to be made.
#[derive(Debug, Clone, PartialEq)]
pub enum Hooked {
    Session(PaneReportAgentSessionParams),
    State(PaneReportAgentParams),
}

/// Names that agents have for the id of a session.
const SESSION_IDS: &[&str] = &[
    "session_id",
    "sessionId",
    "conversationId",
    "conversation_id",
];

/// What is to be reported for `pane_id` of an event of `target`; none if it says nothing about the
/// session that a person has open. `now` is the time in nanoseconds since 1970, by which reports are
/// ordered.
pub fn hooked(
    target: &Target,
    word: Word,
    payload: &Value,
    pane_id: &str,
    now: u64,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Option<Hooked> {
    let text = |key: &str| payload[key].as_str().filter(|text| !text.is_empty());
    if is_anothers(target, payload, variable) {
        return None;
    }
    let id = match target.name {
        "grok" => variable("GROK_SESSION_ID").and_then(|id| id.into_string().ok()),
        "letta" => letta_session(payload),
        _ => None,
    };
    let id = id.filter(|id| !id.is_empty()).or_else(|| {
        SESSION_IDS
            .iter()
            .find_map(|key| text(key))
            .map(str::to_owned)
    });
    let state = match word {
        Word::Session => None,
        Word::Working => Some(PaneAgentState::Working),
        Word::Blocked => Some(PaneAgentState::Blocked),
        Word::Idle => Some(PaneAgentState::Idle),
    };
    let (source, agent) = (target.source(), target.agent.to_owned());
    if let Some(state) = state {
        return Some(Hooked::State(PaneReportAgentParams {
            pane_id: pane_id.to_owned(),
            source,
            agent,
            state,
            message: None,
            seq: Some(now),
            agent_session_id: id,
            agent_session_path: None,
            resume_argv: None,
        }));
    }
    let start = match target.name {
        // It never says why a session starts, and one without a reason takes the place of another.
        "antigravity-cli" => None,
        "kimi" | "mastracode" => Some("startup"),
        "letta" => payload["is_new_session"]
            .as_bool()
            .map(|new| if new { "new" } else { "resume" }),
        _ => text("source"),
    };
    Some(Hooked::Session(PaneReportAgentSessionParams {
        pane_id: pane_id.to_owned(),
        source,
        agent,
        seq: Some(now),
        agent_session_id: Some(id?),
        session_start_source: start.map(str::to_owned),
        ..PaneReportAgentSessionParams::default()
    }))
}

/// Whether an event is about something else than the session in front of the person: a subagent, a run
/// within a run, a tool.
fn is_anothers(
    target: &Target,
    payload: &Value,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> bool {
    let has = |key: &str| !payload[key].is_null();
    match target.name {
        "claude" => has("agent_id"),
        "codex" => {
            let nested = variable("CODEX_THREAD_ID").is_some_and(|thread| {
                !thread.is_empty() && thread.to_str() != payload["session_id"].as_str()
            });
            let kept = payload["transcript_path"].as_str();
            nested || kept.is_none_or(str::is_empty)
        }
        "copilot" => ["prompt", "toolName", "tool_name", "toolArgs", "tool_input"]
            .into_iter()
            .any(has),
        "cursor" => payload["hook_event_name"] != "sessionStart",
        _ => false,
    }
}

/// Letta's conversation; the one that an agent has by default is named by the agent.
fn letta_session(payload: &Value) -> Option<String> {
    let conversation = payload["conversation_id"].as_str()?;
    match (conversation, payload["agent_id"].as_str()) {
        ("default", Some(agent)) => Some(format!("default:{agent}")),
        ("default", None) => None,
        (conversation, _) => Some(conversation.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told_with(
        target: &str,
        word: Word,
        payload: Value,
        variables: &[(&str, &str)],
    ) -> Option<Hooked> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let target = Target::find(target).unwrap();
        hooked(target, word, &payload, "w1:p1", 7, &variable)
    }

    fn session(target: &str, payload: Value) -> Option<(String, Option<String>)> {
        match told_with(target, Word::Session, payload, &[])? {
            Hooked::Session(params) => {
                assert_eq!((params.pane_id.as_str(), params.seq), ("w1:p1", Some(7)));
                assert!(params.source.starts_with("herdr:"));
                Some((params.agent_session_id?, params.session_start_source))
            }
            Hooked::State(_) => panic!("a state"),
        }
    }

    fn some(id: &str, start: Option<&str>) -> Option<(String, Option<String>)> {
        Some((id.to_owned(), start.map(str::to_owned)))
    }

    #[test]
    fn a_session_is_told_with_the_reason_of_its_start() {
        let payload = json!({ "session_id": "a", "source": "clear" });
        assert_eq!(session("claude", payload.clone()), some("a", Some("clear")));
        assert_eq!(session("droid", payload), some("a", Some("clear")));
        assert_eq!(
            session(
                "antigravity-cli",
                json!({ "conversationId": "c", "source": "x" })
            ),
            some("c", None)
        );
        assert_eq!(
            session("kimi", json!({ "session_id": "k" })),
            some("k", Some("startup"))
        );
        let letta =
            json!({ "conversation_id": "default", "agent_id": "ag", "is_new_session": false });
        assert_eq!(session("letta", letta), some("default:ag", Some("resume")));
        let payload = json!({ "session_id": "a" });
        let grok = told_with("grok", Word::Session, payload, &[("GROK_SESSION_ID", "g")]);
        let Some(Hooked::Session(params)) = grok else {
            panic!("no session")
        };
        assert_eq!(params.agent_session_id.as_deref(), Some("g"));
    }

    #[test]
    fn what_is_about_something_else_is_not_told() {
        let subagent = json!({ "session_id": "a", "agent_id": "sub" });
        assert_eq!(session("claude", subagent), None);
        let unkept = json!({ "session_id": "a", "transcript_path": "" });
        assert_eq!(session("codex", unkept), None);
        let kept = json!({ "session_id": "a", "transcript_path": "/t" });
        assert_eq!(session("codex", kept.clone()), some("a", None));
        let nested = told_with("codex", Word::Session, kept, &[("CODEX_THREAD_ID", "b")]);
        assert_eq!(nested, None);
        let tool = json!({ "session_id": "a", "toolName": "bash" });
        assert_eq!(session("copilot", tool), None);
        let stop = json!({ "conversation_id": "a", "hook_event_name": "stop" });
        assert_eq!(session("cursor", stop), None);
        let start = json!({ "conversation_id": "a", "hook_event_name": "sessionStart" });
        assert_eq!(session("cursor", start), some("a", None));
    }

    #[test]
    fn input_without_a_session_says_nothing() {
        for payload in [
            json!(null),
            json!([1]),
            json!({ "session_id": 7 }),
            json!({}),
        ] {
            assert_eq!(session("claude", payload), None);
        }
    }

    #[test]
    fn a_state_is_told_also_without_a_session() {
        let told = told_with("kimi", Word::Blocked, json!({}), &[]);
        let Some(Hooked::State(params)) = told else {
            panic!("no state")
        };
        assert_eq!(params.state, PaneAgentState::Blocked);
        assert_eq!(
            (params.source.as_str(), params.agent.as_str()),
            ("herdr:kimi", "kimi")
        );
        let told = told_with("mastracode", Word::Idle, json!({ "session_id": "m" }), &[]);
        let Some(Hooked::State(params)) = told else {
            panic!("no state")
        };
        assert_eq!(params.agent_session_id.as_deref(), Some("m"));
    }
}
