//! Lines that mean harm: deep, long, or anything at all.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::super::*;
use super::{accepted, refusal};
use crate::api::method::*;
use crate::api::params::PingParams;

/// Runs on the smallest stack that a request is ever decoded on.
fn on_a_connection_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap()
}

fn layout_of_depth(depth: usize) -> String {
    let open =
        r#"{"type":"split","direction":"down","ratio":0.5,"second":{"type":"pane"},"first":"#;
    format!(
        r#"{{"id":"1","method":"layout.apply","params":{{"root":{}{{"type":"pane"}}{}}}}}"#,
        open.repeat(depth),
        "}".repeat(depth)
    )
}

fn filter_of_depth(depth: usize) -> String {
    format!(
        r#"{{"id":"1","method":"agent.view.set","params":{{"source":"s","filter":{}{}{}}}}}"#,
        r#"{"op":"all","filters":["#.repeat(depth),
        r#"{"op":"eq","field":"agent","value":{"context":"current_tab_id"}}"#,
        "]}".repeat(depth)
    )
}

#[test]
fn trees_beyond_what_the_methods_allow_still_reach_the_methods() {
    // A layout may have 16 levels and a filter 8; what is a little deeper gets a better message
    // than the decoder's. These two are the deepest that the decoder lets pass.
    for line in [layout_of_depth(38), filter_of_depth(18)] {
        let refused = on_a_connection_stack(move || {
            let request = decode(line.as_bytes()).unwrap();
            rewritten(&request).err()
        });
        assert_eq!(refused, None);
    }
}

#[test]
fn depth_bombs_are_refused_on_a_small_stack() {
    let brackets = |count: usize| "[".repeat(count) + &"]".repeat(count);
    let deep = brackets(200_000);
    let lines = [
        layout_of_depth(39),
        layout_of_depth(10_000),
        filter_of_depth(19),
        filter_of_depth(20_000),
        format!(r#"{{"id":"1","method":"ping","params":{{"x":{deep}}}}}"#),
        format!(r#"{{"id":"1","method":"ping","params":{deep}}}"#),
    ];
    for line in lines {
        let (id, _, message) = on_a_connection_stack(move || refusal(&line));
        assert_eq!(id, "1");
        assert!(message.contains("recursion limit exceeded"), "{message}");
    }
    // Outside the parameters there is nothing to decode, so depth does no harm there.
    let line = format!(r#"{{"id":"1","x":{deep},"method":"ping","params":{{}}}}"#);
    assert!(on_a_connection_stack(
        move || decode(line.as_bytes()).is_ok()
    ));
    let open = "[".repeat(1_000_000);
    assert_eq!(on_a_connection_stack(move || refusal(&open)).0, "");
}

#[test]
fn brackets_in_text_are_not_nesting() {
    let text = "[{".repeat(100) + "\\\" [ \\\\";
    let line = format!(
        r#"{{"id":"1","method":"pane.send_text","params":{{"pane_id":"p","text":"{text}"}}}}"#
    );
    accepted::<PaneSendText>(&line);
}

#[test]
fn the_longest_line_is_decoded_in_no_time() {
    let text = "x\\n".repeat(349_000);
    let line = format!(
        r#"{{"id":"1","method":"pane.send_text","params":{{"pane_id":"w1:p1","text":"{text}"}}}}"#
    );
    let many_members = format!(
        r#"{{"id":"1","method":"ping","params":{{{}"z":0}}}}"#,
        r#""k":0,"#.repeat(170_000)
    );
    let started = Instant::now();
    assert_eq!(accepted::<PaneSendText>(&line).1.text.len(), 698_000);
    accepted::<Ping>(&many_members);
    // Milliseconds even unoptimised; the limit only catches work that grows with the square.
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// Text that looks like a request in most places, so that errors deep inside are reached.
fn nearly_requests() -> impl Strategy<Value = String> {
    let member = prop_oneof![
        Just(r#""id":"1""#.to_owned()),
        Just(r#""id":7"#.to_owned()),
        (0..ALL.len()).prop_map(|at| format!(r#""method":"{}""#, ALL[at].name)),
        Just(r#""method":"no""#.to_owned()),
        Just(r#""params":{}"#.to_owned()),
        Just(r#""params":{"pane_id":"w1:p1","source":"visible","lines":-1}"#.to_owned()),
        Just(r#""params":[[{"#.to_owned()),
        r#""[a-z]{0,3}":[0-9"{}\[\]]{0,4}"#,
    ];
    (
        proptest::collection::vec(member, 0..6),
        proptest::option::of(any::<proptest::sample::Index>()),
    )
        .prop_map(|(members, cut)| {
            let line = format!("{{{}}}", members.join(","));
            match cut {
                Some(cut) => line[..cut.index(line.len())].to_owned(),
                None => line,
            }
        })
}

fn assert_answerable(line: &[u8]) -> Result<(), TestCaseError> {
    let (id, error) = match decode(line) {
        Err(refused) => (refused.id, refused.error),
        Ok(request) => match rewritten(&request) {
            Err(error) => (request.id.into_owned(), error),
            Ok(_) => return Ok(()),
        },
    };
    let answer = error_line(&id, &error);
    prop_assert!(answer.ends_with('\n'));
    prop_assert_eq!(answer.matches('\n').count(), 1);
    let read: ErrorResponse = serde_json::from_str(&answer).unwrap();
    prop_assert_eq!(read.id, id);
    prop_assert_eq!(read.error, error);
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_get_a_well_formed_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        assert_answerable(&bytes)?;
    }

    #[test]
    fn any_text_like_a_request_gets_a_well_formed_answer(line in nearly_requests()) {
        assert_answerable(line.as_bytes())?;
    }

    #[test]
    fn any_id_comes_back_as_it_was(id in ".*") {
        let line = request_line::<Ping>(&id, &PingParams {});
        let request = decode(line.as_bytes()).unwrap();
        prop_assert_eq!(request.id.as_ref(), &id);
        let refused = json!({ "id": id, "method": "no", "params": {} }).to_string();
        prop_assert_eq!(decode(refused.as_bytes()).unwrap_err().id, id);
    }
}
