//! What a test does with panes, over the wire like any other client.

use serde_json::{Value, json};

use super::{Daemon, PATIENCE};

impl Daemon {
    /// A new workspace; its pane.
    pub fn workspace(&self) -> String {
        self.pane_of("workspace.create", json!({}))
    }

    /// A new tab in the first workspace; its pane.
    pub fn tab(&self) -> String {
        self.pane_of("tab.create", json!({ "workspace_id": "1" }))
    }

    /// A new pane beside another.
    pub fn split(&self, pane: &str) -> String {
        let params = json!({ "target_pane_id": pane, "direction": "right" });
        let result = self.result("pane.split", params);
        result["pane"]["pane_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }

    /// Creates something; its root pane.
    pub fn pane_of(&self, method: &str, params: Value) -> String {
        let result = self.result(method, params);
        let pane = result["root_pane"]["pane_id"].as_str();
        pane.expect("an id").to_owned()
    }

    /// Puts a program into the foreground of a pane: an agent that is only reported does not last
    /// where a shell waits at its prompt.
    pub fn busy(&self, pane: String) -> String {
        self.enter(&pane, "echo 'bu''sy'; cat");
        self.wait_for_line(&pane, "busy$");
        pane
    }

    pub fn pane(&self, pane: &str) -> Value {
        self.result("pane.get", json!({ "pane_id": pane }))["pane"].clone()
    }

    /// Types a line and Enter.
    pub fn enter(&self, pane: &str, text: &str) {
        let params = json!({ "pane_id": pane, "text": text, "keys": ["enter"] });
        self.result("pane.send_input", params);
    }

    /// Waits for a line that matches; that line. What is typed is echoed as a line too, and what is
    /// typed early is answered on the line of the prompt. So what is typed should be quoted
    /// otherwise than what it prints, and a pattern be anchored at its end only.
    pub fn wait_for_line(&self, pane: &str, pattern: &str) -> String {
        // Shorter than this side's own patience, so that the answer says what was there instead.
        let timeout: u64 = (PATIENCE / 2).as_millis().try_into().expect("a number");
        let params = json!({
            "pane_id": pane, "source": "recent", "lines": 1000, "timeout_ms": timeout,
            "match": { "type": "regex", "value": pattern },
        });
        let answer = self.rpc("pane.wait_for_output", params);
        let line = answer["result"]["matched_line"].as_str();
        line.unwrap_or_else(|| panic!("{answer}: {}", self.text(pane)))
            .to_owned()
    }

    /// The pane's text with wrapped lines joined.
    pub fn text(&self, pane: &str) -> String {
        let params = json!({ "pane_id": pane, "source": "recent_unwrapped", "lines": 1000 });
        let read = self.result("pane.read", params);
        read["read"]["text"].as_str().expect("text").to_owned()
    }

    /// Runs a script in the shell of a pane; what it printed, not through the terminal.
    pub fn shell(&self, pane: &str, script: &str) -> String {
        let file = tempfile::NamedTempFile::new_in(self.home.path("tmp")).expect("a file");
        let path = file.path().display();
        let end = file.path().file_name().expect("a name").to_string_lossy();
        // The echoed line has a quote in it where the printed one does not.
        self.enter(
            pane,
            &format!("( {script} ) >{path} 2>&1; echo 'end of '{end}"),
        );
        self.wait_for_line(pane, &format!("end of {}$", end.replace('.', "\\.")));
        std::fs::read_to_string(file.path()).expect("text")
    }
}
