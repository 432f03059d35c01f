//! Questions, answers and receipts, from the first report to the last.

use serde_json::{Value, json};

use super::*;

fn owner(generation: u64) -> InteractionOwner {
    InteractionOwner {
        execution_id: "task-42".to_owned(),
        pane_id: "w1:p2".to_owned(),
        producer: "xcsh".to_owned(),
        session_id: "0123abcd4567ef89".to_owned(),
        generation,
    }
}

fn report(request: &str, change: Value) -> InteractionReport {
    let mut report = json!({
        "target": { "owner": owner(3), "request_id": request },
        "thread_id": "t1", "turn_id": "u1", "item_id": request,
        "question_ids": [format!("{request}:0"), format!("{request}:1")],
        "event_revision": 1, "kind": "async", "state": "pending",
        "payload": {
            "id": request, "type": "agentMessage", "text": "Region?\n- Canada\n- US\n\nWhy?",
            "phase": "final_answer", "delivery": "async",
            "questions": [{ "title": "Region?", "options": ["Canada", "US"] }, { "title": "Why?" }],
        },
    });
    for (name, value) in change.as_object().unwrap() {
        report[name] = value.clone();
    }
    serde_json::from_value(report).unwrap()
}

fn waiting(request: &str) -> InteractionReport {
    report(
        request,
        json!({
            "kind": "waiting", "question_ids": ["q"],
            "payload": { "isBlocking": true, "autoResolutionMs": null, "questions": [
                { "id": "q", "header": "Region", "question": "Which?", "isOther": false, "isSecret": false,
                  "options": [{ "label": "Canada", "description": "" }, { "label": "US", "description": "" }] },
            ]},
        }),
    )
}

#[derive(Default)]
struct House {
    interactions: Interactions,
    stored: BTreeMap<(String, String), String>,
}

impl House {
    fn keep(&mut self, rows: Rows) {
        for (key, body) in rows {
            let crate::store::Key::Record(kind, key) = key else {
                panic!("{key:?}");
            };
            match body {
                Some(body) => self.stored.insert((kind.to_owned(), key), body),
                None => self.stored.remove(&(kind.to_owned(), key)),
            };
        }
    }

    fn report(&mut self, report: InteractionReport) -> Result<InteractionRecord, String> {
        let mut rows = Rows::new();
        let outcome = self.interactions.report(report, &mut rows);
        self.keep(rows);
        outcome.map_err(|error| error.code.into_owned())
    }

    fn respond(
        &mut self,
        request: &str,
        id: &str,
        answer: Value,
    ) -> Result<InteractionReceipt, String> {
        let mut rows = Rows::new();
        let outcome = self
            .interactions
            .respond(&target(request), id, answer, &mut rows);
        self.keep(rows);
        outcome.map_err(|error| error.code.into_owned())
    }

    fn acknowledge(
        &mut self,
        request: &str,
        id: &str,
        accepted: bool,
    ) -> Result<InteractionReceipt, String> {
        let mut rows = Rows::new();
        let outcome = self
            .interactions
            .acknowledge(&target(request), id, accepted, &mut rows);
        self.keep(rows);
        outcome.map_err(|error| error.code.into_owned())
    }

    fn state(&self, request: &str) -> InteractionState {
        self.interactions
            .read(&target(request))
            .unwrap()
            .report
            .state
    }

    fn restarted(&mut self, runs: bool) {
        let of = |kind: &str| -> Vec<(String, String)> {
            let rows = self.stored.iter().filter(|((row, _), _)| row == kind);
            rows.map(|((_, key), body)| (key.clone(), body.clone()))
                .collect()
        };
        let (loaded, rows) = Interactions::load(Interactions::KINDS.map(of), |_| runs).unwrap();
        self.interactions = loaded;
        self.keep(rows);
    }
}

fn target(request: &str) -> InteractionTarget {
    report(request, json!({})).target
}

fn answer(request: &str) -> Value {
    json!({ "questionId": format!("{request}:0"), "answer": "Canada" })
}

#[test]
fn a_question_is_asked_answered_fetched_and_taken() {
    let mut house = House::default();
    let asked = house.report(report("call-9", json!({}))).unwrap();
    assert_eq!(
        (
            asked.revision,
            house.report(report("call-9", json!({}))).unwrap()
        ),
        (1, asked.clone())
    );
    let queued = house.respond("call-9", "r-1", answer("call-9")).unwrap();
    assert_eq!(queued.state, InteractionReceiptState::Queued);
    assert_eq!(
        house.respond("call-9", "r-1", json!("ignored")).unwrap(),
        queued
    );
    assert_eq!(
        house.respond("call-9", "r-2", answer("call-9")),
        Err("interaction_answer_queued".to_owned())
    );
    let deliveries = house.interactions.deliveries(&owner(3));
    assert_eq!(
        (deliveries.len(), &deliveries[0].answer),
        (1, &answer("call-9"))
    );
    assert_eq!(deliveries[0].receipt.target, asked.report.target);
    assert!(house.interactions.deliveries(&owner(4)).is_empty());
    let taken = house.acknowledge("call-9", "r-1", true).unwrap();
    assert_eq!(taken.state, InteractionReceiptState::Accepted);
    // A lost acknowledgement comes again.
    assert_eq!(house.acknowledge("call-9", "r-1", true).unwrap(), taken);
    assert_eq!(
        house.acknowledge("call-9", "r-1", false),
        Err("interaction_delivery_already_resolved".to_owned())
    );
    assert_eq!(house.state("call-9"), InteractionState::Answered);
    assert!(house.interactions.deliveries(&owner(3)).is_empty());
    // The report that began it comes again, too.
    assert!(house.report(report("call-9", json!({}))).is_ok());
    assert!(
        house
            .report(report(
                "call-9",
                json!({ "event_revision": 2, "state": "answered" })
            ))
            .is_ok()
    );
}

#[test]
fn a_rejected_answer_leaves_the_question_open_and_a_closed_question_rejects_answers() {
    let mut house = House::default();
    house.report(report("a", json!({}))).unwrap();
    house.respond("a", "r-1", answer("a")).unwrap();
    house.acknowledge("a", "r-1", false).unwrap();
    assert_eq!(house.state("a"), InteractionState::Pending);
    house.respond("a", "r-2", answer("a")).unwrap();
    house
        .report(report(
            "a",
            json!({ "event_revision": 3, "state": "cancelled" }),
        ))
        .unwrap();
    assert!(house.interactions.deliveries(&owner(3)).is_empty());
    assert_eq!(
        house.acknowledge("a", "r-2", true),
        Err("interaction_delivery_already_resolved".to_owned())
    );
    assert_eq!(
        house.respond("a", "r-3", answer("a")),
        Err("interaction_not_pending".to_owned())
    );
    assert_eq!(
        house.respond("b", "r-4", answer("b")),
        Err("interaction_not_found".to_owned())
    );
    house.report(report("b", json!({}))).unwrap();
    assert_eq!(
        house.respond("b", "r-1", answer("b")),
        Err("interaction_response_id_conflict".to_owned())
    );
    let reopened = house.report(report("a", json!({ "event_revision": 4 })));
    assert_eq!(reopened, Err("interaction_stale_report".to_owned()));
}

#[test]
fn only_state_and_number_of_a_question_may_change() {
    let mut house = House::default();
    let first = house.report(report("a", json!({ "state": "answered" })));
    assert_eq!(
        first,
        Err("interaction_initial_state_or_capacity".to_owned())
    );
    house
        .report(report("a", json!({ "event_revision": 2 })))
        .unwrap();
    let stale = house.report(report("a", json!({ "state": "cancelled" })));
    assert_eq!(stale, Err("interaction_stale_report".to_owned()));
    for change in [
        json!({ "turn_id": "other" }),
        json!({ "thread_id": "other" }),
        json!({ "item_id": "x" }),
    ] {
        let mut change = change;
        change["event_revision"] = json!(3);
        let changed = house.report(report("a", change));
        assert_eq!(
            changed,
            Err("interaction_identity_or_payload_changed".to_owned())
        );
    }
}

#[test]
fn payloads_have_the_shape_of_their_kind_and_nothing_else() {
    let mut house = House::default();
    house.report(waiting("w")).unwrap();
    let plan = |status: &str| {
        json!({ "kind": "plan_decision", "question_ids": [],
                "payload": { "id": "p", "itemId": "p", "revision": 1, "markdown": "# Plan", "status": status } })
    };
    house.report(report("p", plan("pending"))).unwrap();
    let mut free = waiting("free");
    free.payload["questions"][0]["options"] = Value::Null;
    house.report(free).unwrap();
    let edits: [fn(&mut InteractionReport); 12] = [
        |one| one.payload["questions"][0]["command"] = json!("rm -rf ~"),
        |one| one.payload["tool"] = json!({}),
        |one| one.payload["isBlocking"] = json!(false),
        |one| one.payload["autoResolutionMs"] = json!(5),
        |one| one.payload["questions"][0]["header"] = json!("thirteen char"),
        |one| one.payload["questions"][0]["options"] = json!([{ "label": "one" }]),
        |one| one.payload["questions"] = json!([]),
        |one| one.payload = json!("text"),
        |one| one.question_ids = vec!["q".to_owned(), "q".to_owned()],
        |one| one.question_ids = vec!["a\nb".to_owned()],
        |one| one.event_revision = 0,
        |one| one.payload["questions"][0]["question"] = json!("x".repeat(262_144)),
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let mut wrong = waiting("wrong");
        edit(&mut wrong);
        let refused = house.report(wrong);
        assert_eq!(
            refused,
            Err("interaction_invalid_report".to_owned()),
            "{number}"
        );
    }
    for wrong in [
        report(
            "x",
            json!({ "payload": { "text": "Region?", "questions": [{ "title": "Other?" }] }, "question_ids": ["x"] }),
        ),
        report("x", json!({ "question_ids": ["only one"] })),
        report("p", plan("implemented")),
        report("q", plan("pending")),
    ] {
        assert_eq!(
            house.report(wrong),
            Err("interaction_invalid_report".to_owned())
        );
    }
}

#[test]
fn answers_have_the_form_that_their_question_asks_for() {
    let mut house = House::default();
    house.report(report("a", json!({}))).unwrap();
    house.report(waiting("w")).unwrap();
    let given = |texts: Value| json!({ "answers": { "q": { "answers": texts } } });
    for (request, wrong) in [
        ("a", json!("Canada")),
        ("a", json!({ "questionId": "other", "answer": "Canada" })),
        ("a", json!({ "questionId": "a:0", "answer": 7 })),
        (
            "a",
            json!({ "questionId": "a:0", "answer": "x".repeat(65_536) }),
        ),
        ("w", given(json!(["Mexico"]))),
        ("w", given(json!(["US", "no note"]))),
        ("w", given(json!(["US", "user_note: a", "user_note: b"]))),
        ("w", json!({ "answers": {} })),
        (
            "w",
            json!({ "answers": { "q": { "answers": ["US"] }, "other": { "answers": [] } } }),
        ),
    ] {
        let refused = house.respond(request, "r", wrong.clone());
        assert_eq!(
            refused,
            Err("interaction_invalid_answer".to_owned()),
            "{wrong}"
        );
    }
    assert!(
        house
            .respond("w", "r-1", given(json!(["US", "user_note: cheap"])))
            .is_ok()
    );
}

#[test]
fn no_answer_is_ever_stored() {
    let mut house = House::default();
    house.report(report("a", json!({}))).unwrap();
    let secret = json!({ "questionId": "a:1", "answer": "hunter2" });
    house.respond("a", "r-1", secret).unwrap();
    house.acknowledge("a", "r-1", true).unwrap();
    assert!(house.stored.values().all(|body| !body.contains("hunter2")));
    assert!(house.interactions.answers.is_empty());
}

#[test]
fn a_restart_loses_questions_whose_owner_is_gone_and_only_answers_of_the_others() {
    let mut house = House::default();
    house.report(report("a", json!({}))).unwrap();
    house.respond("a", "r-1", answer("a")).unwrap();
    house.restarted(true);
    assert_eq!(house.state("a"), InteractionState::Pending);
    assert_eq!(
        house.acknowledge("a", "r-1", true),
        Err("interaction_delivery_already_resolved".to_owned())
    );
    house.respond("a", "r-2", answer("a")).unwrap();
    let cursor = house.interactions.revision();
    house.restarted(false);
    assert_eq!(house.state("a"), InteractionState::OwnerLost);
    let changes = house.interactions.changes(cursor);
    assert_eq!(
        changes.receipts[0].state,
        InteractionReceiptState::OwnerLost
    );
    assert!(!changes.reset && changes.interactions.len() == 1);
}

#[test]
fn what_is_damaged_is_refused_rather_than_begun_anew() {
    let broken = vec![("key".to_owned(), "{".to_owned())];
    assert!(Interactions::load([broken, vec![], vec![]], |_| true).is_err());
}

#[test]
fn room_is_bounded_and_open_questions_are_never_let_go() {
    let mut house = House::default();
    let large = |request: &str| {
        report(
            request,
            json!({ "kind": "plan_decision", "question_ids": [], "payload": {
            "id": request, "revision": 1, "markdown": "x".repeat(250_000), "status": "pending" } }),
        )
    };
    let mut asked = 0;
    while house.report(large(&format!("p{asked}"))).is_ok() {
        asked += 1;
    }
    assert_eq!(asked, BYTES / 250_100);
    let mut closed = large("p0");
    (closed.event_revision, closed.state) = (2, InteractionState::Dismissed);
    house.report(closed).unwrap();
    let cursor = house.interactions.revision();
    house.report(large("next")).unwrap();
    assert!(house.interactions.read(&target("p0")).is_err());
    assert!(house.interactions.read(&target("p1")).is_ok());
    assert!(
        house.interactions.changes(1).reset,
        "what it missed is gone"
    );
    assert!(!house.interactions.changes(cursor).reset);
    let before = house.interactions.changes(0);
    house.restarted(true);
    assert_eq!(house.interactions.changes(0), before);
}
