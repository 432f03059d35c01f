//! Requests of callers in real panes, without sockets.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Map, Value, json};

use super::*;
use crate::api::envelope;
use crate::authority::{Grant, Needs};
use crate::config::Config;
use crate::method::{CONTROL, Door, Entry, PROTOCOL, dispatch};
use crate::state::{Caller, Identity, Launch, Limits, Slots, Stop};
use crate::sys;
use crate::world;

/// The state of a daemon with nobody but cats in its panes. They end with it.
struct House {
    shared: Arc<Shared>,
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> House {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let identity = Identity {
            session: Default::default(),
            protocol_socket: path.join("socket"),
            herdr_executable: path.join("herdr"),
            link_dir: None,
            config_file: path.join("config.toml"),
            home: Some(path.clone()),
            start_dir: path,
            manifests: Default::default(),
            plugins: Default::default(),
        };
        let mut config = Config::default();
        config.terminal.default_shell = "/bin/cat".to_owned();
        // How often a pane may speak is no matter of rights: 10,000 answers compared must not differ
        // because the first of two took the last token.
        config.limits.metadata_burst = 10_000;
        let slots = Slots::new(Limits::from(&config.limits));
        let stop = Stop::new().unwrap();
        let starter = Arc::new(crate::pane::process::Own);
        let shared = Shared::new(
            identity,
            config,
            slots,
            stop,
            starter,
            crate::store::Store::nowhere(),
        );
        House { shared, folder }
    }

    fn key(&self, id: &str) -> PaneKey {
        self.shared.look().world.find_pane(id).unwrap()
    }

    fn workspace(&self) -> String {
        let launch = Launch::default();
        let made = self.shared.create_workspace(None, true, None, &launch);
        made.unwrap().2.pane_id
    }

    /// A pane beside another, made by a process in `by`.
    fn split(&self, pane: &str, by: Option<&str>) -> String {
        let launch = Launch {
            created_by: by.map(|id| self.key(id)),
            ..Launch::default()
        };
        let axis = world::Axis::Right;
        let made = self.shared.split(self.key(pane), axis, 0.5, false, &launch);
        made.unwrap().pane_id
    }

    fn give(&self, pane: &str, grants: &[Grant]) {
        let key = self.key(pane);
        let given = self.shared.change().give(key, Some(Grants::of(grants)));
        assert!(given);
    }

    /// The shell of a pane as a caller.
    fn caller(&self, pane: &str) -> Caller {
        let live = self.shared.look();
        let key = live.world.find_pane(pane).unwrap();
        let pid = live.pane(key).unwrap().runtime.pane.shell_pid();
        Caller {
            pid: Some(pid),
            facts: Some(sys::process_facts(pid).unwrap()),
            is_roots: false,
        }
    }

    /// This process, which is in no pane.
    fn person(&self) -> Caller {
        let pid = i32::try_from(std::process::id()).unwrap();
        Caller {
            pid: Some(pid),
            facts: sys::process_facts(pid),
            is_roots: false,
        }
    }

    fn line(&self, caller: &Caller, door: &Door, method: &str, params: &Value) -> String {
        self.raw(caller, door, method, &params.to_string())
    }

    fn raw(&self, caller: &Caller, door: &Door, method: &str, params: &str) -> String {
        let request = format!(r#"{{"id":"t","method":"{method}","params":{params}}}"#);
        let request = envelope::decode_as(request.as_bytes(), door.vocabulary).unwrap();
        self.with_call(caller, request.method.name, |call| {
            dispatch(call, &request, door).unwrap_or_default()
        })
    }

    fn with_call<R>(
        &self,
        caller: &Caller,
        method: &'static str,
        work: impl FnOnce(&Call<'_>) -> R,
    ) -> R {
        let (client, _daemon) = UnixStream::pair().unwrap();
        let slot = self.shared.slots.connection(None).unwrap();
        work(&Call {
            shared: &self.shared,
            id: "t",
            client: &client,
            slot: &slot,
            caller,
            method,
        })
    }

    /// `ok`, or the code of the refusal.
    fn outcome(&self, caller: &Caller, method: &str, params: Value) -> String {
        let line = self.line(caller, &PROTOCOL, method, &params);
        let answer: Value = serde_json::from_str(&line).unwrap();
        let code = answer["error"]["code"].as_str().unwrap_or("ok");
        code.to_owned()
    }

    fn kept(&self) -> Vec<(String, String, Option<String>, String)> {
        let records = self.shared.access_records(0, usize::MAX);
        records
            .into_iter()
            .map(|record| (record.caller, record.method, record.target, record.outcome))
            .collect()
    }

    fn blocks(&self, pane: &str) {
        let params = json!({ "pane_id": pane, "source": "x", "agent": "x", "state": "blocked" });
        let caller = self.caller(pane);
        assert_eq!(self.outcome(&caller, "pane.report_agent", params), "ok");
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let runtimes = self.shared.look().runtimes();
        for runtime in &runtimes {
            runtime.pane.close();
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        for runtime in &runtimes {
            runtime.pane.wait_finished(deadline);
        }
    }
}

fn text(pane: &str) -> Value {
    json!({ "pane_id": pane, "text": "x" })
}

fn read(pane: &str) -> Value {
    json!({ "pane_id": pane, "source": "visible" })
}

/// Parameters that fit one method or another. `ID` stands for what is named.
const PARAMETERS: &str = r#"{
    "pane_id": "ID", "caller_pane_id": "ID", "target_pane_id": "ID", "source_pane_id": "ID",
    "tab_id": "ID", "workspace_id": "ID", "source_workspace_id": "ID", "workspace_ids": ["ID"],
    "target": "ID", "plugin_id": "ID",
    "text": "x", "keys": ["a"], "source": "visible", "agent": "x", "state": "idle",
    "label": "x", "name": "x", "kind": "claude", "direction": "right", "title": "x",
    "insert_index": 0, "offset_from_bottom": 1, "ratio": 0.5, "path": [], "cwd": "/",
    "branch": "x", "mode": "on", "right_click": "pane", "timeout_ms": 1, "query": "x",
    "match": { "type": "substring", "value": "x" },
    "match_event": { "event": "pane_agent_status_changed", "pane_id": "ID", "agent_status": "idle" },
    "subscriptions": [{ "type": "pane.agent_status_changed", "pane_id": "ID" }],
    "destination": { "type": "tab", "tab_id": "ID", "split": "right", "target_pane_id": "ID" },
    "root": { "type": "pane", "pane_id": "ID" },
    "anchor": { "row": 0, "col": 0 }, "cursor": { "row": 0, "col": 0 }, "motion": "line_end",
    "viewport_row": 0, "col": 0, "content_revision": 1, "env": {}, "args": [], "focus": true
}"#;

/// Most of the members of [`PARAMETERS`].
fn parameters(whole: &Map<String, Value>, random: &mut TestRng) -> String {
    let mut kept = whole.clone();
    kept.retain(|_, _| !random.next_u32().is_multiple_of(8));
    Value::Object(kept).to_string()
}

#[test]
fn without_rights_what_exists_cannot_be_told_from_what_does_not() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    house.workspace();
    house.give(&own, &[]);
    house.blocks(&other);
    let rename = json!({ "target": other, "name": "ann" });
    assert_eq!(house.outcome(&house.person(), "agent.rename", rename), "ok");
    let terminal = {
        let key = house.key(&other);
        let live = house.shared.look();
        live.pane(key).unwrap().terminal_id.clone()
    };
    let no_terminal = terminal.chars().rev().collect::<String>();
    // As long as each other, because a refusal of broken parameters counts columns.
    let pairs = [
        ("w1:p2", "w9:p9"),
        ("w1-2", "w9-9"),
        ("p_2", "p_9"),
        ("w2", "w9"),
        ("2", "9"),
        ("w1:t1", "w9:t9"),
        ("w2:1", "w9:1"),
        ("w2:p1", "w2:p9"),
        ("ann", "zed"),
        (&terminal, &no_terminal),
    ];
    let caller = house.caller(&own);
    let before = house.line(&house.person(), &PROTOCOL, "session.snapshot", &json!({}));
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let whole: Map<String, Value> = serde_json::from_str(PARAMETERS).unwrap();
    let doors = [&PROTOCOL, &CONTROL];
    let all: Vec<(&Door, &Entry)> = doors
        .into_iter()
        .flat_map(|door| door.entries.iter().map(move |entry| (door, entry)))
        .collect();
    for number in 0..10_000 {
        let (door, entry) = all[number % all.len()];
        let (there, not_there) = pairs[random.next_u32() as usize % pairs.len()];
        let params = parameters(&whole, &mut random);
        let answer = |id: &str| {
            let params = params.replace("\"ID\"", &json!(id).to_string());
            house.raw(&caller, door, entry.name, &params)
        };
        assert_eq!(
            answer(there),
            answer(not_there),
            "{} {there:?} {not_there:?} {params}",
            entry.name
        );
    }
    let after = house.line(&house.person(), &PROTOCOL, "session.snapshot", &json!({}));
    assert_eq!(before, after, "nothing was touched");
}

#[test]
fn a_pane_without_a_grant_reads_itself_in_every_spelling_and_nothing_else() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    house.give(&own, &[]);
    let caller = house.caller(&own);
    for spelling in [
        own.as_str(),
        "1:p1",
        "w_1:p1",
        "w1-1",
        "1-1",
        "p_1",
        "p_w1_1",
    ] {
        assert_eq!(
            house.outcome(&caller, "pane.read", read(spelling)),
            "ok",
            "{spelling}"
        );
    }
    for method in ["pane.get", "pane.layout", "pane.process_info"] {
        assert_eq!(
            house.outcome(&caller, method, json!({ "pane_id": own })),
            "ok",
            "{method}"
        );
        let others = json!({ "pane_id": other });
        assert_eq!(
            house.outcome(&caller, method, others),
            FORBIDDEN,
            "{method}"
        );
        assert_eq!(
            house.outcome(&caller, method, json!({})),
            FORBIDDEN,
            "{method}"
        );
    }
    let current = json!({ "caller_pane_id": own });
    assert_eq!(house.outcome(&caller, "pane.current", current), "ok");
    // Named twice, it is not the one that the check saw.
    let line = format!(
        r#"{{"id":"t","method":"pane.read","params":{{"pane_id":"{own}","pane_id":"{other}","source":"visible"}}}}"#
    );
    let request = envelope::decode(line.as_bytes()).unwrap();
    let answer = house.with_call(&caller, "pane.read", |call| {
        dispatch(call, &request, &PROTOCOL).unwrap()
    });
    assert!(answer.contains(FORBIDDEN), "{answer}");
}

#[test]
fn a_report_speaks_for_the_callers_own_pane_only() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    let report =
        |pane: &str| json!({ "pane_id": pane, "source": "x", "agent": "x", "state": "working" });
    let caller = house.caller(&own);
    let nobody = Caller {
        pid: None,
        facts: None,
        is_roots: false,
    };
    assert_eq!(
        house.outcome(&caller, "pane.report_agent", report(&own)),
        "ok"
    );
    for (caller, pane) in [
        (&caller, other.as_str()),
        (&caller, "w9:p9"),
        (&house.person(), &own),
        (&nobody, &own),
    ] {
        assert_eq!(
            house.outcome(caller, "pane.report_agent", report(pane)),
            FORBIDDEN
        );
    }
    let kept = house.kept();
    let refused = |caller: &str, target: &str| {
        let target = Some(target.to_owned());
        (
            caller.to_owned(),
            "pane.report_agent".to_owned(),
            target,
            FORBIDDEN.to_owned(),
        )
    };
    assert_eq!(
        kept,
        [
            refused(&own, &other),
            refused(&own, "w9:p9"),
            refused("outside", &own),
            refused("unplaced", &own),
        ]
    );
}

#[test]
fn what_a_pane_does_to_another_is_kept_without_what_was_typed() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    let caller = house.caller(&own);
    let secret = json!({ "pane_id": other, "text": "hunter2" });
    assert_eq!(house.outcome(&caller, "pane.send_text", secret), "ok");
    assert_eq!(house.outcome(&caller, "pane.send_text", text(&own)), "ok");
    assert_eq!(house.outcome(&caller, "pane.read", read(&other)), "ok");
    let gone = json!({ "pane_id": "w9:p9", "text": "x" });
    assert_eq!(
        house.outcome(&caller, "pane.send_text", gone),
        "pane_not_found"
    );
    assert_eq!(
        house.outcome(&house.person(), "pane.send_text", text(&own)),
        "ok"
    );
    let act = |target: &str, outcome: &str| {
        let target = Some(target.to_owned());
        (
            own.clone(),
            "pane.send_text".to_owned(),
            target,
            outcome.to_owned(),
        )
    };
    let kept = house.kept();
    assert_eq!(kept, [act(&other, "ok"), act("w9:p9", "pane_not_found")]);
    assert!(!format!("{kept:?}").contains("hunter2"));
}

#[test]
fn rights_that_go_while_bytes_wait_take_the_bytes_along() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    let caller = house.caller(&own);
    let check = || {
        house.with_call(&caller, "pane.send_text", |call| {
            call.typing(house.key(&other)).unwrap().unwrap()
        })
    };
    assert!(check()(), "nothing has changed");
    let mut waiting = check();
    house.blocks(&other);
    assert!(!waiting(), "it waits for a person by now");
    assert_eq!(
        house.outcome(&caller, "pane.send_text", text(&other)),
        FORBIDDEN
    );
    house.give(&own, &[Grant::Admin, Grant::Respond]);
    assert_eq!(house.outcome(&caller, "pane.send_text", text(&other)), "ok");
    let mut waiting = check();
    house.give(&own, &[]);
    assert!(!waiting());
    let records = house.shared.access_records(0, usize::MAX);
    let refused: u64 = records
        .iter()
        .filter(|record| record.outcome == FORBIDDEN)
        .map(|record| record.count)
        .sum();
    assert_eq!(
        refused, 3,
        "those that waited and the one that came too late"
    );
}

#[test]
fn a_pane_types_only_where_that_gives_it_nothing_new() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    house.give(&own, &[Grant::Write]);
    let caller = house.caller(&own);
    assert_eq!(
        house.outcome(&caller, "pane.send_text", text(&other)),
        FORBIDDEN
    );
    house.give(&other, &[Grant::Write]);
    assert_eq!(house.outcome(&caller, "pane.send_text", text(&other)), "ok");
    assert_eq!(house.outcome(&caller, "pane.read", read(&other)), FORBIDDEN);
}

#[test]
fn a_pane_has_what_it_created_and_its_fan_group() {
    let house = House::new();
    let lead = house.workspace();
    let first = house.split(&lead, Some(&lead));
    let second = house.split(&lead, Some(&lead));
    let below = house.split(&second, Some(&second));
    let stranger = house.split(&lead, None);
    house.give(&lead, &[]);
    let caller = house.caller(&lead);
    assert_eq!(house.outcome(&caller, "pane.read", read(&first)), "ok");
    assert_eq!(house.outcome(&caller, "pane.read", read(&below)), FORBIDDEN);
    house.give(&lead, &[Grant::Fan]);
    assert_eq!(house.outcome(&caller, "pane.read", read(&below)), "ok");
    assert_eq!(
        house.outcome(&caller, "pane.read", read(&stranger)),
        FORBIDDEN
    );
    house.give(&first, &[Grant::Fan]);
    let member = house.caller(&first);
    for (pane, outcome) in [
        (&second, "ok"),
        (&below, "ok"),
        (&lead, FORBIDDEN),
        (&stranger, FORBIDDEN),
    ] {
        assert_eq!(
            house.outcome(&member, "pane.read", read(pane)),
            outcome,
            "{pane}"
        );
    }
    house.give(&lead, &[]);
    let close = |pane: &str| json!({ "pane_id": pane });
    assert_eq!(
        house.outcome(&caller, "pane.close", close(&stranger)),
        FORBIDDEN
    );
    assert_eq!(house.outcome(&caller, "pane.close", close(&first)), "ok");
}

#[test]
fn a_fan_group_outlives_those_in_its_middle() {
    let house = House::new();
    let lead = house.workspace();
    let first = house.split(&lead, Some(&lead));
    let middle = house.split(&lead, Some(&lead));
    let lower = house.split(&middle, Some(&middle));
    let lowest = house.split(&lower, Some(&lower));
    let stranger = house.split(&lead, None);
    for pane in [&lead, &first, &stranger] {
        house.give(pane, &[Grant::Fan]);
    }
    let [lead_calls, first_calls, stranger_calls] =
        [&lead, &first, &stranger].map(|pane| house.caller(pane));
    let reaches = |caller: &Caller| house.outcome(caller, "pane.read", read(&lowest)) == "ok";
    let close = |pane: &str| {
        let params = json!({ "pane_id": pane });
        assert_eq!(house.outcome(&house.person(), "pane.close", params), "ok");
    };
    let judged = || [&lead_calls, &first_calls, &stranger_calls].map(reaches);
    assert_eq!(judged(), [true, true, false]);
    close(&lower);
    assert_eq!(judged(), [true, true, false]);
    close(&middle);
    assert_eq!(judged(), [true, true, false]);
    close(&lead);
    assert!(reaches(&first_calls) && !reaches(&stranger_calls));
}

#[test]
fn what_a_pane_makes_holds_no_more_than_it() {
    let house = House::new();
    let own = house.workspace();
    house.give(&own, &[Grant::Admin, Grant::Respond]);
    let made = house.split(&own, Some(&own));
    let in_force = house.shared.in_force();
    let live = house.shared.look();
    let rights = &live
        .pane(live.world.find_pane(&made).unwrap())
        .unwrap()
        .rights;
    assert!(rights.grants(&in_force).holds(Grant::Admin));
    assert!(!rights.grants(&in_force).holds(Grant::Respond));
    assert_eq!(rights.created_by, live.world.find_pane(&own));
}

#[test]
fn what_a_new_pane_is_to_hold_is_said_by_its_creator_who_gives_no_more_than_it_has() {
    let house = House::new();
    let own = house.workspace();
    let made = |caller: &Caller, grants: &str| {
        let params = json!({ "target_pane_id": own, "direction": "right", "grants": grants });
        let line = house.line(caller, &PROTOCOL, "pane.split", &params);
        let answer: Value = serde_json::from_str(&line).unwrap();
        match answer["result"]["pane"]["pane_id"].as_str() {
            Some(pane) => {
                let in_force = house.shared.in_force();
                let key = house.key(pane);
                let held = house
                    .shared
                    .look()
                    .pane(key)
                    .unwrap()
                    .rights
                    .grants(&in_force);
                held.to_string()
            }
            None => answer["error"]["code"].as_str().unwrap().to_owned(),
        }
    };
    let (person, caller) = (house.person(), house.caller(&own));
    assert_eq!(made(&person, "respond read"), "read respond");
    assert_eq!(made(&person, "none"), "none");
    assert_eq!(made(&person, "everything"), "invalid_grants");
    assert_eq!(made(&caller, "read write"), "read write");
    assert_eq!(made(&caller, "read respond"), FORBIDDEN);
    house.give(&own, &[Grant::Admin, Grant::Respond]);
    assert_eq!(made(&caller, "admin respond"), FORBIDDEN);
    assert_eq!(made(&caller, "admin"), "admin");
}

#[test]
fn the_file_takes_at_once_and_gives_only_when_the_person_says_so() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    let caller = house.caller(&own);
    let may_read = || house.outcome(&caller, "pane.read", read(&other)) == "ok";
    let reload = |text: &str| {
        std::fs::write(house.folder.path().join("config.toml"), text).unwrap();
        house.shared.reload_config();
    };
    assert!(may_read());
    reload("[authority]\npanes = \"strict\"\ngrants = \"none\"\n");
    assert!(!may_read());
    reload("[authority]\nreports = \"same-user\"\nroot = true\n");
    assert!(!may_read());
    let in_force = house.shared.in_force();
    assert!(!in_force.reports_of_all && !in_force.root);
    let set = |caller: &Caller| house.line(caller, &CONTROL, "grants.set", &json!({}));
    assert!(
        set(&caller).contains(FORBIDDEN),
        "a pane must not help itself"
    );
    assert!(!may_read());
    assert!(set(&house.person()).contains("grants_default_set"));
    assert!(may_read() && house.shared.in_force().reports_of_all);
}

#[test]
fn watching_and_driving_another_pane_takes_a_grant() {
    let house = House::new();
    let own = house.workspace();
    let other = house.split(&own, None);
    house.give(&own, &[]);
    for request in ["terminal.observe", "terminal.control"] {
        for target in [&other, "w9:p9"] {
            let params = json!({ "target": target, "cols": 80, "rows": 24 });
            let answer = house.line(&house.caller(&own), &CONTROL, request, &params);
            assert!(answer.contains(FORBIDDEN), "{request} {target}: {answer}");
        }
    }
}

#[test]
fn only_the_person_hears_and_changes_what_panes_hold() {
    let house = House::new();
    let own = house.workspace();
    let caller = house.caller(&own);
    let all = json!({
        "pane_id": own, "grants": "admin respond", "kind": "access", "muted": true,
        "execution_id": "none",
    });
    let person_only = |entry: &&Entry| entry.access.needs == Needs::Person;
    for entry in CONTROL.entries.iter().filter(person_only) {
        let answer = house.line(&caller, &CONTROL, entry.name, &all);
        assert!(answer.contains(FORBIDDEN), "{answer}");
        let answer = house.line(&house.person(), &CONTROL, entry.name, &all);
        let found_nothing = answer.contains("execution_not_found");
        assert!(answer.contains("result") || found_nothing, "{answer}");
    }
    let explained = json!({ "pane_id": own, "method": "server.stop" });
    let answer = house.line(&house.person(), &CONTROL, "grants.explain", &explained);
    assert!(answer.contains("\"allowed\":false"), "{answer}");
}
