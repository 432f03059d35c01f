//! The workspaces that xcsh makes for a conversation, and the terminals that it opens in them: made from outside by six
//! calls of `herdr`, worked from inside by its controller, which leaves alone what others have there.

use std::cell::Cell;

use serde_json::{Value, json};

use super::super::common::{Daemon, Person, Setup};
use super::producer::{outcome, script};

const OWNER: &str = "11111111-2222-4333-8444-555555555555";

fn id(value: &Value) -> String {
    value.as_str().expect("an id").to_owned()
}

#[test]
fn the_six_calls_of_xcsh_herdr_make_a_workspace_and_show_it() {
    let daemon = Setup::new().word("--session").word("talk").start();
    let herdr = |words: &[&str]| {
        let mut command = daemon.home.command(&daemon.home.path("drover"));
        command.arg("herdr").args(["--session", "talk"]).args(words);
        let end = super::super::common::run(&mut command);
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{words:?}");
        serde_json::from_str::<Value>(&end.stdout).unwrap_or(Value::Null)
    };
    let owner = format!("XCSH_HERDR_OWNER={OWNER}");
    let binding = "XCSH_HERDR_BINDING_PATH=/nonexistent/binding.json";
    let created = herdr(&[
        "workspace",
        "create",
        "--cwd",
        "/",
        "--label",
        "xcsh-1",
        "--env",
        &owner,
        "--env",
        binding,
        "--focus",
    ]);
    let workspace = id(&created["result"]["workspace"]["workspace_id"]);
    let pane = id(&created["result"]["root_pane"]["pane_id"]);
    let token = format!("xcsh_owner={OWNER}");
    for place in [["workspace", &workspace], ["pane", &pane]] {
        herdr(&[
            place[0],
            "report-metadata",
            place[1],
            "--source",
            "xcsh:terminal",
            "--token",
            &token,
        ]);
    }
    let says = "echo \"owner is $XCSH_HERDR_OWNER, session is $HERDR_SESSION, binding is $XCSH_HERDR_BINDING_PATH\"";
    herdr(&["pane", "run", &pane, says]);
    let listed = herdr(&["pane", "list", "--workspace", &workspace]);
    let panes = listed["result"]["panes"].as_array().expect("a list");
    assert_eq!(panes.len(), 1);
    assert_eq!(panes[0]["tokens"]["xcsh_owner"], OWNER);
    // The last of them takes over the terminal that xcsh was called in.
    let mut person = Person::run(
        &daemon.home,
        &["herdr", "session", "attach", "talk"],
        (120, 30),
    );
    person.see(&format!(
        "owner is {OWNER}, session is talk, binding is /nonexistent/binding.json"
    ));
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    person.has_its_terminal_back();
}

/// xcsh's controller of terminals: a program in the first pane of the workspace, with what its environment says.
struct Controller<'a> {
    daemon: &'a Daemon,
    pane: String,
    workspace: String,
    calls: Cell<u64>,
}

impl Controller<'_> {
    /// A call out of the pane; the code of a refusal.
    fn call(&self, method: &str, params: Value) -> Result<Value, String> {
        let number = self.calls.replace(self.calls.get() + 1);
        let path = self.daemon.home.path("tmp").join(format!("call-{number}"));
        self.daemon
            .shell(&self.pane, &script(method, &params.to_string(), &path));
        let text = outcome(&path);
        serde_json::from_str(&text).map_err(|_| text)
    }

    fn done(&self, method: &str, params: Value) -> Value {
        let outcome = self.call(method, params);
        outcome.unwrap_or_else(|code| panic!("{method}: {code}"))
    }

    fn claim(&self, pane: &str) {
        let seq = 1_789_000_000_000_000 + self.calls.get();
        let token = json!({ "xcsh_owner": OWNER });
        let params =
            json!({ "pane_id": pane, "source": "xcsh:terminal", "tokens": token, "seq": seq });
        self.done("pane.report_metadata", params);
    }

    fn all(&self) -> Vec<Value> {
        let list = self.done("pane.list", json!({ "workspace_id": self.workspace }));
        list["panes"].as_array().expect("a list").clone()
    }

    /// Its own terminals.
    fn list(&self) -> Vec<String> {
        let own = self.all().into_iter().filter(is_owned);
        own.map(|pane| id(&pane["pane_id"])).collect()
    }

    fn create(&self) -> String {
        let params = json!({
            "workspace_id": self.workspace, "label": "terminal", "cwd": "/", "focus": false,
            "env": { "XCSH_HERDR_OWNER": OWNER },
        });
        let created = self.done("tab.create", params);
        assert_eq!(created["type"], "tab_created");
        assert!(created["tab"]["tab_id"].is_string());
        let pane = id(&created["root_pane"]["pane_id"]);
        self.claim(&pane);
        pane
    }

    /// Closes a terminal with its tab, unless somebody else has a pane there or something runs in it.
    fn close(&self, pane: &str, force: bool) -> Result<(), &'static str> {
        let got = self.done("pane.get", json!({ "pane_id": pane }))["pane"].clone();
        let mut in_tab = self
            .all()
            .into_iter()
            .filter(|one| one["tab_id"] == got["tab_id"]);
        if got["workspace_id"] != self.workspace.as_str() || !in_tab.all(|one| is_owned(&one)) {
            return Err("not its own");
        }
        let info =
            self.done("pane.process_info", json!({ "pane_id": pane }))["process_info"].clone();
        let mut running = info["foreground_processes"]
            .as_array()
            .expect("a list")
            .iter();
        if running.any(|one| one["pid"] != info["shell_pid"]) && !force {
            return Err("busy");
        }
        self.done("tab.close", json!({ "tab_id": got["tab_id"] }));
        Ok(())
    }
}

fn is_owned(pane: &Value) -> bool {
    pane["tokens"]["xcsh_owner"] == OWNER
}

#[test]
fn the_controller_works_its_own_terminals_and_leaves_those_of_others_alone() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let workspace = id(&daemon.pane(&pane)["workspace_id"]);
    let xcsh = Controller {
        daemon: &daemon,
        pane: pane.clone(),
        workspace,
        calls: Cell::new(0),
    };
    xcsh.claim(&pane);
    let foreign = daemon.tab();
    let own = xcsh.create();
    assert_eq!(xcsh.list(), [pane.clone(), own.clone()]);
    assert_eq!(xcsh.all().len(), 3);

    let text = "echo \"of $XCSH_HERDR_OWNER\"";
    xcsh.done("pane.send_text", json!({ "pane_id": own, "text": text }));
    xcsh.done(
        "pane.send_keys",
        json!({ "pane_id": own, "keys": ["enter"] }),
    );
    let said = format!("of {OWNER}");
    let wait = json!({
        "pane_id": own, "source": "recent_unwrapped", "timeout_ms": 20_000, "strip_ansi": true,
        "match": { "type": "substring", "value": said },
    });
    xcsh.done("pane.wait_for_output", wait);
    let read = json!({
        "pane_id": own, "source": "recent_unwrapped", "format": "text", "lines": 1000, "strip_ansi": true,
    });
    let read = xcsh.done("pane.read", read);
    assert!(
        read["read"]["text"].as_str().expect("text").contains(&said),
        "{read}"
    );

    // Somebody else's pane beside its own.
    let beside = daemon.split(&own);
    assert_eq!(xcsh.list(), [pane.clone(), own.clone()]);
    assert_eq!(xcsh.close(&own, true), Err("not its own"));
    assert_eq!(xcsh.close(&foreign, true), Err("not its own"));
    assert_eq!(xcsh.all().len(), 4);
    daemon.result("pane.close", json!({ "pane_id": beside }));

    let busy = daemon.busy(own.clone());
    assert_eq!(xcsh.close(&busy, false), Err("busy"));
    assert_eq!(xcsh.close(&busy, true), Ok(()));
    let left: Vec<String> = xcsh.all().iter().map(|one| id(&one["pane_id"])).collect();
    assert_eq!(left, [pane.clone(), foreign]);
    let again = xcsh.create();
    assert_eq!(xcsh.close(&again, false), Ok(()));
    assert_eq!(xcsh.list(), [pane]);
}
