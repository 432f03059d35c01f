//! A subscription to events.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::{Connection, Daemon};

/// Every kind of lifecycle event, in the order of the protocol's list.
pub const EVERYTHING: &[&str] = &[
    "workspace.created",
    "workspace.updated",
    "workspace.metadata_updated",
    "workspace.renamed",
    "workspace.moved",
    "workspace.reordered",
    "workspace.closed",
    "workspace.focused",
    "worktree.created",
    "worktree.opened",
    "worktree.removed",
    "tab.created",
    "tab.closed",
    "tab.focused",
    "tab.renamed",
    "tab.moved",
    "pane.created",
    "pane.closed",
    "pane.updated",
    "pane.focused",
    "pane.moved",
    "pane.exited",
    "pane.agent_detected",
    "layout.updated",
];

pub struct Stream {
    connection: Connection,
}

impl Stream {
    /// Subscribes, and checks that it is acknowledged before anything else is said.
    pub fn open(daemon: &Daemon, entries: Value) -> Stream {
        let mut connection = daemon.connect();
        connection.request(
            "stream",
            "events.subscribe",
            json!({ "subscriptions": entries }),
        );
        let started = json!({ "id": "stream", "result": { "type": "subscription_started" } });
        assert_eq!(connection.line(), Some(started));
        Stream { connection }
    }

    /// The next event.
    pub fn next(&mut self) -> Value {
        self.connection.line().expect("a stream that goes on")
    }

    /// The next so many events.
    pub fn take(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| self.next()).collect()
    }

    /// Passes events by until one has this name.
    pub fn skip_to(&mut self, name: &str) -> Value {
        loop {
            let event = self.next();
            if event["event"] == name {
                return event;
            }
        }
    }

    /// Everything up to now: up to an event that is caused for the purpose. The stream must be
    /// subscribed to `workspace.renamed` and `workspace.created`.
    pub fn so_far(&mut self, daemon: &Daemon) -> Vec<Value> {
        let workspaces = daemon.result("workspace.list", json!({}));
        let first = &workspaces["workspaces"][0]["workspace_id"];
        assert!(first.is_string(), "a workspace to make a mark with");
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let mark = format!("mark {}", COUNT.fetch_add(1, Ordering::Relaxed));
        let params = json!({ "workspace_id": first, "label": mark });
        daemon.result("workspace.rename", params);
        let mut events = Vec::new();
        loop {
            let event = self.next();
            if event["event"] == "workspace_renamed" && event["data"]["label"] == mark.as_str() {
                return events;
            }
            events.push(event);
        }
    }

    /// Checks that the stream has ended, with nothing more said.
    pub fn ended(&mut self) {
        assert_eq!(self.connection.line(), None);
    }

    /// The connection below.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// The names of events.
pub fn names(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["event"].as_str().expect("an event"))
        .collect()
}
