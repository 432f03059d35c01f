//! Every method of the protocol is either used by a test here or known not to be offered yet.

use drover::method::ENTRIES;
use serde_json::json;

use super::common::Daemon;

/// All tests over the wire but this file.
const TESTS: &[&str] = &[
    include_str!("acting.rs"),
    include_str!("absent.rs"),
    include_str!("agents.rs"),
    include_str!("arrange.rs"),
    include_str!("attach.rs"),
    include_str!("authority.rs"),
    include_str!("copying.rs"),
    include_str!("detection.rs"),
    include_str!("environment.rs"),
    include_str!("events.rs"),
    include_str!("inside.rs"),
    include_str!("integration.rs"),
    include_str!("layout.rs"),
    include_str!("lifecycle.rs"),
    include_str!("output.rs"),
    include_str!("processes.rs"),
    include_str!("keeper.rs"),
    include_str!("reports.rs"),
    include_str!("traps.rs"),
    include_str!("turns/actions.rs"),
    include_str!("ssh_agents.rs"),
    include_str!("turns/executions.rs"),
    include_str!("turns/interactions.rs"),
    include_str!("turns/journal.rs"),
    include_str!("turns/losses.rs"),
    include_str!("turns/mod.rs"),
    include_str!("turns/panes.rs"),
    include_str!("turns/people.rs"),
    include_str!("turns/producer.rs"),
    include_str!("turns/proof.rs"),
    include_str!("transport.rs"),
    include_str!("typing.rs"),
    include_str!("views.rs"),
    include_str!("world.rs"),
    include_str!("worktrees.rs"),
    include_str!("../common/pane.rs"),
    include_str!("../common/stream.rs"),
];

/// Methods that are refused as `unsupported`. Whoever makes one work takes its line away and adds a test.
const UNSUPPORTED: &[&str] = &[
    "popup.close",
    "plugin.link",
    "plugin.list",
    "plugin.unlink",
    "plugin.enable",
    "plugin.disable",
    "plugin.action.list",
    "plugin.action.invoke",
    "plugin.log.list",
    "plugin.pane.open",
    "plugin.pane.focus",
    "plugin.pane.close",
];

#[test]
fn every_method_that_answers_has_a_test() {
    for entry in &ENTRIES {
        let quoted = format!("\"{}\"", entry.name);
        let used = TESTS.iter().any(|test| test.contains(&quoted));
        let unsupported = UNSUPPORTED.contains(&entry.name);
        assert!(used || unsupported, "{} has no test", entry.name);
        assert!(
            !(used && unsupported),
            "{} is used, so it is offered",
            entry.name
        );
    }
    for name in UNSUPPORTED {
        assert!(
            ENTRIES.iter().any(|entry| entry.name == *name),
            "{name} is no method"
        );
    }
}

#[test]
fn what_is_not_offered_yet_says_so() {
    let daemon = Daemon::start();
    for name in UNSUPPORTED {
        let (code, message) = daemon.refusal(name, json!({}));
        // Parameters are checked all the same, and some methods need some.
        let missing = code == "invalid_request" && message.contains("missing field");
        assert!(
            missing || code == "unsupported",
            "{name}: {code}: {message}"
        );
    }
}
