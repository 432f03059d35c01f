//! What a question and an answer may look like: the shapes that xcsh sends and takes, and nothing besides, so that
//! nothing private travels along.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::api::ApiError;
use crate::api::records::{InteractionKind, InteractionReport};

/// The most bytes of a payload (the fork's).
const PAYLOAD_BYTES: usize = 262_144;

/// The most bytes of an answer (the fork's).
const ANSWER_BYTES: usize = 65_536;

/// The most bytes of an id (the fork's).
const ID_BYTES: usize = 256;

/// The most questions that a turn waits for, and that it asks while it goes on (xcsh's).
const WAITING_QUESTIONS: usize = 3;
const ASYNC_QUESTIONS: usize = 32;

/// The most characters of a waiting question's header (xcsh's).
const HEADER_CHARACTERS: usize = 12;

/// What a note that a person adds to a choice begins with (xcsh's).
const NOTE: &str = "user_note: ";

pub(super) fn check_id(name: &str, id: &str) -> Result<(), ApiError> {
    if id.is_empty() || id.len() > ID_BYTES || id.chars().any(char::is_control) {
        return Err(invalid_report(format!(
            "{name} takes 1 to {ID_BYTES} bytes without control characters"
        )));
    }
    Ok(())
}

/// Whether a report may be kept.
pub(super) fn check_report(report: &InteractionReport) -> Result<(), ApiError> {
    let owner = &report.target.owner;
    for (name, id) in [
        ("execution_id", &owner.execution_id),
        ("pane_id", &owner.pane_id),
        ("producer", &owner.producer),
        ("session_id", &owner.session_id),
        ("request_id", &report.target.request_id),
        ("thread_id", &report.thread_id),
        ("turn_id", &report.turn_id),
        ("item_id", &report.item_id),
    ] {
        check_id(name, id)?;
    }
    for id in &report.question_ids {
        check_id("question_ids", id)?;
    }
    let different: HashSet<&String> = report.question_ids.iter().collect();
    if different.len() != report.question_ids.len() {
        return Err(invalid_report("question_ids are all different"));
    }
    if report.event_revision == 0 {
        return Err(invalid_report("event_revision counts from 1"));
    }
    if super::json(&report.payload).len() > PAYLOAD_BYTES {
        return Err(invalid_report(format!(
            "payload takes at most {PAYLOAD_BYTES} bytes"
        )));
    }
    let payload = report
        .payload
        .as_object()
        .ok_or_else(|| invalid_report("payload is an object"))?;
    let count = report.question_ids.len();
    let right = match report.kind {
        InteractionKind::Waiting => is_waiting(payload, count),
        InteractionKind::Async => is_async(payload, count),
        InteractionKind::PlanDecision => count == 0 && is_plan(payload, &report.target.request_id),
    };
    if right {
        return Ok(());
    }
    Err(invalid_report(format!(
        "payload and question_ids are not those of a {} question",
        report.kind
    )))
}

fn only(object: &Map<String, Value>, names: &[&str]) -> bool {
    object.keys().all(|name| names.contains(&name.as_str()))
}

fn is_text(value: &Value) -> bool {
    value.is_string()
}

fn questions(payload: &Map<String, Value>) -> Option<Vec<&Map<String, Value>>> {
    let list = payload.get("questions")?.as_array()?;
    list.iter().map(Value::as_object).collect()
}

/// An absent or null member counts as not said.
fn said<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

fn is_waiting(payload: &Map<String, Value>, count: usize) -> bool {
    let Some(questions) = questions(payload) else {
        return false;
    };
    only(payload, &["questions", "isBlocking", "autoResolutionMs"])
        && payload.get("isBlocking") == Some(&Value::Bool(true))
        && said(payload, "autoResolutionMs").is_none()
        && (1..=WAITING_QUESTIONS).contains(&questions.len())
        && questions.len() == count
        && questions.into_iter().all(is_waiting_question)
}

fn is_waiting_question(question: &Map<String, Value>) -> bool {
    let names = ["id", "header", "question", "options", "isOther", "isSecret"];
    let short = |header: &str| header.chars().count() <= HEADER_CHARACTERS;
    let flag = |name| said(question, name).is_none_or(Value::is_boolean);
    only(question, &names)
        && question.get("id").is_some_and(is_text)
        && question.get("question").is_some_and(is_text)
        && said(question, "header").is_none_or(|header| header.as_str().is_some_and(short))
        && flag("isOther")
        && flag("isSecret")
        // Without options any text is an answer.
        && said(question, "options").is_none_or(are_options)
}

fn are_options(options: &Value) -> bool {
    let is_option = |option: &Value| {
        option.as_object().is_some_and(|option| {
            only(option, &["label", "description"])
                && option.get("label").is_some_and(is_text)
                && said(option, "description").is_none_or(is_text)
        })
    };
    options
        .as_array()
        .is_some_and(|options| (2..=3).contains(&options.len()) && options.iter().all(is_option))
}

fn is_async(payload: &Map<String, Value>, count: usize) -> bool {
    let names = ["id", "type", "text", "phase", "delivery", "questions"];
    let Some(questions) = questions(payload) else {
        return false;
    };
    let texts: Option<Vec<String>> = questions.iter().map(|one| async_question(one)).collect();
    let texts = texts.map(|texts| texts.join("\n\n"));
    let labels = ["id", "type", "phase", "delivery"];
    only(payload, &names)
        && labels
            .iter()
            .all(|name| said(payload, name).is_none_or(is_text))
        && (1..=ASYNC_QUESTIONS).contains(&questions.len())
        && questions.len() == count
        && texts.is_some()
        && payload.get("text").and_then(Value::as_str) == texts.as_deref()
}

/// How a question is written in the message that asks it; none if it is none.
fn async_question(question: &Map<String, Value>) -> Option<String> {
    if !only(question, &["title", "options"]) {
        return None;
    }
    let mut text = question.get("title")?.as_str()?.to_owned();
    for option in said(question, "options").map_or(Some(&[][..]), |options| {
        options.as_array().map(Vec::as_slice)
    })? {
        text.push_str("\n- ");
        text.push_str(option.as_str()?);
    }
    Some(text)
}

fn is_plan(payload: &Map<String, Value>, request_id: &str) -> bool {
    only(payload, &["id", "itemId", "revision", "markdown", "status"])
        && payload.get("id").and_then(Value::as_str) == Some(request_id)
        && said(payload, "itemId").is_none_or(is_text)
        && payload.get("markdown").is_some_and(is_text)
        && payload.get("status").and_then(Value::as_str) == Some("pending")
        && payload
            .get("revision")
            .and_then(Value::as_u64)
            .is_some_and(|revision| revision >= 1)
}

/// Whether this is an answer to that question.
pub(super) fn check_answer(report: &InteractionReport, answer: &Value) -> Result<(), ApiError> {
    if super::json(answer).len() > ANSWER_BYTES {
        return Err(invalid_answer(format!(
            "an answer takes at most {ANSWER_BYTES} bytes"
        )));
    }
    let right = match report.kind {
        InteractionKind::Async => answers_async(report, answer),
        InteractionKind::Waiting => answers_waiting(report, answer),
        InteractionKind::PlanDecision => {
            matches!(answer.as_str(), Some("implement" | "fresh" | "stay"))
        }
    };
    if right {
        return Ok(());
    }
    Err(invalid_answer(match report.kind {
        InteractionKind::Async => {
            "an answer is {\"questionId\": one of question_ids, \"answer\": text}"
        }
        InteractionKind::Waiting => {
            "an answer is {\"answers\": {id: {\"answers\": [one text, and a second that begins with \"user_note: \"]}}}, \
             with every question's id"
        }
        InteractionKind::PlanDecision => "an answer is \"implement\", \"fresh\" or \"stay\"",
    }))
}

fn answers_async(report: &InteractionReport, answer: &Value) -> bool {
    answer.as_object().is_some_and(|answer| {
        let asked = |id: &str| report.question_ids.iter().any(|asked| asked == id);
        only(answer, &["questionId", "answer"])
            && answer.get("answer").is_some_and(is_text)
            && answer
                .get("questionId")
                .and_then(Value::as_str)
                .is_some_and(asked)
    })
}

fn answers_waiting(report: &InteractionReport, answer: &Value) -> bool {
    let Some(questions) = report.payload.as_object().and_then(questions) else {
        return false;
    };
    let given = answer
        .as_object()
        .filter(|answer| only(answer, &["answers"]))
        .and_then(|answer| answer.get("answers")?.as_object());
    given.is_some_and(|given| {
        given.len() == questions.len()
            && questions.iter().all(|question| {
                let id = question.get("id").and_then(Value::as_str);
                id.and_then(|id| given.get(id))
                    .is_some_and(|given| answers_question(question, given))
            })
    })
}

fn answers_question(question: &Map<String, Value>, given: &Value) -> bool {
    let texts: Option<Vec<&str>> = given
        .as_object()
        .filter(|given| only(given, &["answers"]))
        .and_then(|given| given.get("answers")?.as_array())
        .and_then(|texts| texts.iter().map(Value::as_str).collect());
    let Some(texts) = texts else {
        return false;
    };
    let offered = said(question, "options").and_then(Value::as_array);
    let free = offered.is_none() || question.get("isOther") == Some(&Value::Bool(true));
    let is_offered = |text: &str| {
        offered.is_some_and(|options| options.iter().any(|option| option["label"] == text))
    };
    match texts[..] {
        // Nobody has to answer everything.
        [] => true,
        [text] => free || is_offered(text),
        [text, note] => (free || is_offered(text)) && note.starts_with(NOTE),
        _ => false,
    }
}

fn invalid_report(message: impl Into<String>) -> ApiError {
    ApiError::new("interaction_invalid_report", message)
}

fn invalid_answer(message: impl Into<String>) -> ApiError {
    ApiError::new("interaction_invalid_answer", message)
}
