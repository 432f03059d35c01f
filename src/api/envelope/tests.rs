//! The wording of refusals, the ids they carry, and the exact bytes of answers, events and requests.

use serde_json::{Value, json};

use super::*;
use crate::api::events::{EventData, EventEnvelope};
use crate::api::method::*;
use crate::api::params::*;
use crate::api::records::*;
use crate::api::subscription::*;

mod hostile;

/// The parts of the answer to a line that is refused, whether by the envelope or the parameters.
fn refusal(line: &str) -> (String, String, String) {
    let (id, error) = match decode(line.as_bytes()) {
        Err(refused) => (refused.id, refused.error),
        Ok(request) => {
            let error = rewritten(&request).expect_err("the line is a sound request");
            (request.id.into_owned(), error)
        }
    };
    (id, error.code.into_owned(), error.message)
}

fn assert_refused(line: &str, id: &str, words: &str) {
    let (answered, code, message) = refusal(line);
    assert_eq!(answered, id, "id of {line}");
    assert_eq!(code, "invalid_request", "code of {line}");
    assert_eq!(
        message,
        format!("invalid request: {words}"),
        "message of {line}"
    );
}

fn accepted<M: Method>(line: &str) -> (String, M::Params) {
    let request = decode(line.as_bytes()).unwrap();
    assert_eq!(request.method.name, M::NAME);
    let params = request.decode_params::<M::Params>().unwrap();
    (request.id.into_owned(), params)
}

#[test]
fn refuses_with_the_words_clients_know() {
    // Each row: line, id of the answer, words after `invalid request: `.
    let rows = [
        ("{not json}", "", "key must be a string at line 1 column 2"),
        ("hello", "", "expected value at line 1 column 1"),
        ("\0", "", "expected value at line 1 column 1"),
        ("\u{feff}{}", "", "expected value at line 1 column 1"),
        (
            r#"{"id":"1","method":"ping","params":{"#,
            "",
            "EOF while parsing an object at line 1 column 36",
        ),
        (
            "[1,2]",
            "",
            "invalid type: sequence, expected struct Request at line 1 column 1",
        ),
        (
            r#"["1","ping",{}]"#,
            "",
            "invalid type: sequence, expected struct Request at line 1 column 1",
        ),
        (
            "null",
            "",
            "invalid type: null, expected struct Request at line 1 column 4",
        ),
        (
            r#""ping""#,
            "",
            r#"invalid type: string "ping", expected struct Request at line 1 column 6"#,
        ),
        (
            "42",
            "",
            "invalid type: integer `42`, expected struct Request at line 1 column 2",
        ),
        ("{}", "", "missing field `id` at line 1 column 2"),
        (
            r#"{"id":1,"method":"ping","params":{}}"#,
            "",
            "invalid type: integer `1`, expected a string at line 1 column 7",
        ),
        (
            r#"{"id":null,"method":"ping","params":{}}"#,
            "",
            "invalid type: null, expected a string at line 1 column 10",
        ),
        (
            r#"{"method":"ping","params":{}}"#,
            "",
            "missing field `id` at line 1 column 29",
        ),
        (
            r#"{"id":"1","params":{}}"#,
            "1",
            "missing field `method` at line 1 column 22",
        ),
        (
            r#"{"id":"1","method":"ping"}"#,
            "1",
            "missing field `params` at line 1 column 26",
        ),
        (
            r#"{"id":"1","method":"ping","params":null}"#,
            "1",
            "invalid type: null, expected struct PingParams at line 1 column 39",
        ),
        (
            r#"{"id":"1","method":"ping","params":"x"}"#,
            "1",
            r#"invalid type: string "x", expected struct PingParams at line 1 column 38"#,
        ),
        (
            r#"{"id":"1","method":"pane.get","params":{}}"#,
            "1",
            "missing field `pane_id` at line 1 column 41",
        ),
        (
            r#"{"id":"1","method":"pane.get","params":{"pane_id":7}}"#,
            "1",
            "invalid type: integer `7`, expected a string at line 1 column 51",
        ),
        (
            r#"{"id":"1","method":"pane.get","params":{"pane_id":null}}"#,
            "1",
            "invalid type: null, expected a string at line 1 column 54",
        ),
        (
            r#"{"id":"1","method":"pane.get","params":{"pane_id":"a","pane_id":"b"}}"#,
            "1",
            "duplicate field `pane_id` at line 1 column 63",
        ),
        (
            r#"{"id":"1","id":"2","method":"ping","params":{}}"#,
            "",
            "duplicate field `id` at line 1 column 14",
        ),
        (
            r#"{"id":"1","method":"ping","method":"ping","params":{}}"#,
            "1",
            "duplicate field `method` at line 1 column 34",
        ),
        (
            r#"{"id":"1","method":"ping","params":{},"params":{}}"#,
            "1",
            "duplicate field `params` at line 1 column 46",
        ),
        (
            r#"{"id":"1","method":"ping","params":{}} xyz"#,
            "",
            "trailing characters at line 1 column 40",
        ),
        (
            r#"{"id":"1","method":"ping","params":{}}{"id":"1"}"#,
            "",
            "trailing characters at line 1 column 39",
        ),
        (
            r#"{"id":"\ud83d","method":"ping","params":{}}"#,
            "",
            "unexpected end of hex escape at line 1 column 14",
        ),
        (
            r#"{"id":"1","method":"workspace.move","params":{"workspace_id":"w1","insert_index":-1}}"#,
            "1",
            "invalid value: integer `-1`, expected usize at line 1 column 83",
        ),
        (
            r#"{"id":"1","method":"workspace.move","params":{"workspace_id":"w1","insert_index":1.0}}"#,
            "1",
            "invalid type: floating point `1.0`, expected usize at line 1 column 84",
        ),
        (
            r#"{"id":"1","method":"pane.zoom","params":{"mode":"full"}}"#,
            "1",
            "unknown variant `full`, expected one of `toggle`, `on`, `off` at line 1 column 54",
        ),
        (
            r#"{"id":"1","method":"pane.split","params":{"direction":"up"}}"#,
            "1",
            "unknown variant `up`, expected `right` or `down` at line 1 column 58",
        ),
        (
            r#"{"id":"1","method":"agent.view.set","params":{"source":"s","sort":[{"field":"age"}]}}"#,
            "1",
            "data did not match any variant of untagged enum AgentViewSortField at line 1 column 82",
        ),
        (
            r#"{"id":"1","method":"events.subscribe","params":{"subscriptions":[{"type":"x.y"}]}}"#,
            "1",
            "unknown variant `x.y`, expected one of ",
        ),
    ];
    for (line, id, words) in rows {
        if words.ends_with("one of ") {
            let (answered, _, message) = refusal(line);
            assert_eq!(answered, id);
            assert!(message.starts_with(&format!("invalid request: {words}")));
        } else {
            assert_refused(line, id, words);
        }
    }
}

#[test]
fn an_unknown_method_is_answered_with_every_known_one_in_order() {
    for name in ["no.such", "", "Ping", "pane.graphics.INFO"] {
        let line = json!({ "id": "a", "method": name, "params": {} }).to_string();
        let (id, code, message) = refusal(&line);
        assert_eq!((id.as_str(), code.as_str()), ("a", "invalid_request"));
        let known: Vec<String> = ALL.iter().map(|m| format!("`{}`", m.name)).collect();
        assert_eq!(
            message,
            format!(
                "invalid request: unknown variant `{name}`, expected one of {} at line 1 column {}",
                known.join(", "),
                line.len(),
            )
        );
    }
}

#[test]
fn an_unknown_method_is_the_complaint_even_without_parameters() {
    let (_, _, message) = refusal(r#"{"id":"1","method":"x"}"#);
    assert!(message.starts_with("invalid request: unknown variant `x`"));
}

#[test]
fn retired_methods_have_a_code_of_their_own() {
    for name in RETIRED {
        let line = format!(r#"{{"id":"g","method":"{name}","params":{{"pane_id":"w1:p1"}}}}"#);
        assert_eq!(
            refusal(&line),
            (
                "g".to_owned(),
                "unknown_method".to_owned(),
                format!("unknown method: {name}"),
            )
        );
        assert!(find(name).is_none(), "{name} is both retired and alive");
    }
}

#[test]
fn a_retired_method_in_a_broken_request_is_an_invalid_request() {
    let name = RETIRED[0];
    for rest in ["", r#","params":null"#, r#","params":[]"#] {
        let line = format!(r#"{{"id":"g","method":"{name}"{rest}}}"#);
        let (id, code, _) = refusal(&line);
        assert_eq!((id.as_str(), code.as_str()), ("g", "invalid_request"));
    }
}

#[test]
fn parameters_in_an_array_are_refused() {
    assert_refused(
        r#"{"id":"1","method":"pane.get","params":["w1:p1"]}"#,
        "1",
        "invalid type: sequence, expected struct PaneTarget at line 1 column 39",
    );
    assert_refused(
        r#"{"id":"1","method":"ping","params": [] }"#,
        "1",
        "invalid type: sequence, expected struct PingParams at line 1 column 36",
    );
}

#[test]
fn a_refused_line_keeps_its_id_only_if_that_is_certain() {
    let rows = [
        (r#"{"id":"x","method":"no"}"#, "x"),
        (r#"{"method":"no","other":[{"id":"y"}],"id":"x"}"#, "x"),
        (r#"{"id":"\u2603","method":"no"}"#, "\u{2603}"),
        (r#"{"\u0069d":"x","method":"no"}"#, "x"),
        (r#"{"id":"","method":"no"}"#, ""),
        (r#"{"id":"x","id":"x","method":"no"}"#, ""),
        (r#"{"id":["x"],"method":"no"}"#, ""),
        (r#"{"id":"x","method":"no"} trailing"#, ""),
        (r#"{"id":"x","method":"no""#, ""),
        (r#"["x","no",{}]"#, ""),
    ];
    for (line, id) in rows {
        assert_eq!(refusal(line).0, id, "{line}");
    }
}

#[test]
fn members_may_come_in_any_order_and_unknown_ones_are_ignored() {
    let line = r#" { "jsonrpc" : "2.0" , "params" : { "pane_id" : "w1:p1", "z" : [1, {}] } ,
        "method" : "pane.get" , "x" : null , "id" : "" } "#
        .replace('\n', " ");
    let (id, params) = accepted::<PaneGet>(&format!("{line}\r\n"));
    assert_eq!((id.as_str(), params.pane_id.as_str()), ("", "w1:p1"));
}

#[test]
fn ids_and_texts_survive_as_they_are() {
    let text = "a\u{0}\u{7}\u{2028}\u{1f40e} \"\\";
    let line = request_line::<PaneSendText>(
        text,
        &PaneSendTextParams {
            pane_id: "w1:p1".to_owned(),
            text: text.to_owned(),
        },
    );
    let (id, params) = accepted::<PaneSendText>(&line);
    assert_eq!((id.as_str(), params.text.as_str()), (text, text));
}

#[test]
fn the_envelope_borrows_from_the_line() {
    let line = br#"{"id":"cli:ping","method":"ping","params":{}}"#;
    let request = decode(line).unwrap();
    assert!(matches!(request.id, Cow::Borrowed("cli:ping")));
    assert!(line.as_ptr_range().contains(&request.params.get().as_ptr()));
}

#[test]
fn a_line_that_is_not_utf8_is_refused() {
    let refused = decode(b"{\"id\":\"\xff\xfe\",\"method\":\"ping\",\"params\":{}}").unwrap_err();
    assert_eq!(refused.id, "");
    assert_eq!(refused.error.code, "invalid_request");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    for index in ["99999999999999999999999", "1e3", "\"1\"", "true"] {
        let line = format!(
            r#"{{"id":"1","method":"tab.move","params":{{"tab_id":"t","insert_index":{index}}}}}"#
        );
        assert_eq!(refusal(&line).1, "invalid_request", "{index}");
    }
    let line = r#"{"id":"1","method":"pane.scroll","params":
        {"pane_id":"p","offset_from_bottom":18446744073709551615}}"#;
    assert_eq!(accepted::<PaneScroll>(line).1.offset_from_bottom, u64::MAX);
}

#[test]
fn a_report_of_done_is_refused() {
    let line = r#"{"id":"1","method":"pane.report_agent","params":
        {"pane_id":"w1:p1","source":"s","agent":"a","state":"done"}}"#;
    let (_, _, message) = refusal(line);
    assert!(message.contains(
        "unknown variant `done`, expected one of `idle`, `working`, `blocked`, `unknown`"
    ));
}

#[test]
fn answers_are_one_compact_line_of_two_members() {
    assert_eq!(
        success_line("r1", &ResponseResult::Ok),
        "{\"id\":\"r1\",\"result\":{\"type\":\"ok\"}}\n"
    );
    assert_eq!(
        error_line(
            "",
            &ApiError::new("pane_not_found", "pane w9:p9\nnot found")
        ),
        "{\"id\":\"\",\"error\":{\"code\":\"pane_not_found\",\"message\":\"pane w9:p9\\nnot found\"}}\n"
    );
}

#[test]
fn an_answer_that_cannot_be_written_becomes_an_internal_error() {
    let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
    let answer: ErrorResponse = serde_json::from_str(&success_line("r1", &unwritable)).unwrap();
    assert_eq!(answer.id, "r1");
    assert_eq!(answer.error.code, "internal_error");
}

#[test]
fn lifecycle_events_say_their_name_twice_and_pane_events_once() {
    let focused = EventEnvelope::from(EventData::PaneFocused {
        pane_id: "w1:p1".to_owned(),
        workspace_id: "w1".to_owned(),
    });
    assert_eq!(
        focused.line(),
        "{\"event\":\"pane_focused\",\"data\":{\"type\":\"pane_focused\",\
         \"pane_id\":\"w1:p1\",\"workspace_id\":\"w1\"}}\n"
    );
    let changed = SubscriptionEventEnvelope::from(SubscriptionEventData::AgentStatusChanged(
        PaneAgentStatusChangedEvent {
            pane_id: "w1:p1".to_owned(),
            workspace_id: "w1".to_owned(),
            agent_status: AgentStatus::Working,
            agent: Some("pi".to_owned()),
            title: None,
            display_agent: None,
            state_labels: Default::default(),
        },
    ));
    assert_eq!(
        changed.line(),
        "{\"event\":\"pane.agent_status_changed\",\"data\":{\"pane_id\":\"w1:p1\",\
         \"workspace_id\":\"w1\",\"agent_status\":\"working\",\"agent\":\"pi\"}}\n"
    );
}

#[test]
fn requests_leave_out_what_was_not_given_and_write_every_default() {
    let split = PaneSplitParams {
        grants: None,
        direction: SplitDirection::Right,
        target_pane_id: None,
        workspace_id: None,
        ratio: None,
        cwd: None,
        env: Default::default(),
        focus: false,
        right_click: PaneRightClickTarget::Herdr,
    };
    let read = PaneReadParams {
        pane_id: "w1:p1".to_owned(),
        source: ReadSource::Recent,
        lines: None,
        format: ReadFormat::Text,
        strip_ansi: true,
    };
    let metadata = PaneReportMetadataParams {
        pane_id: "w1:p1".to_owned(),
        source: "s".to_owned(),
        ..Default::default()
    };
    let rows: [(String, Value); 5] = [
        (
            request_line::<PaneSplit>("1", &split),
            json!({ "direction": "right", "focus": false, "right_click": "herdr" }),
        ),
        (
            request_line::<PaneRead>("1", &read),
            json!({ "pane_id": "w1:p1", "source": "recent", "format": "text", "strip_ansi": true }),
        ),
        (
            request_line::<PaneReportMetadata>("1", &metadata),
            json!({
                "pane_id": "w1:p1", "source": "s", "clear_title": false,
                "clear_display_agent": false, "clear_state_labels": false,
            }),
        ),
        (
            request_line::<PaneZoom>("1", &PaneZoomParams::default()),
            json!({ "mode": "toggle" }),
        ),
        (
            request_line::<WorkspaceCreate>("1", &WorkspaceCreateParams::default()),
            json!({ "focus": false }),
        ),
    ];
    for (line, params) in rows {
        let written: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(written["params"], params);
        assert!(line.ends_with("}\n") && !line.trim_end().contains('\n'));
    }
}
