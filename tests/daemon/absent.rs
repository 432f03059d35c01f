//! Things of which there are none are refused as what is not current, never as unknown methods.

use serde_json::json;

use super::common::Daemon;

#[test]
fn what_is_not_shown_cannot_be_dismissed() {
    let daemon = Daemon::start();
    let words = "the release notes are no longer current";
    let notes = json!({ "version": "0.9.3" });
    daemon.refuses("release_notes.dismiss", notes, "stale_release_notes", words);
    let words = "the product announcement is no longer current";
    let news = json!({ "version": "0.9.3", "id": "news" });
    daemon.refuses(
        "product_announcement.dismiss",
        news,
        "stale_announcement",
        words,
    );
    let missing = daemon.refusal("product_announcement.dismiss", json!({ "id": "news" }));
    assert_eq!(missing.0, "invalid_request");
}

#[test]
fn no_command_has_an_id() {
    let daemon = Daemon::start();
    let words = "custom command manifest is stale; reload configuration";
    for params in [
        json!({ "command_id": "build" }),
        json!({ "command_id": "build", "pane_id": "w9:p9" }),
    ] {
        daemon.refuses("command.invoke", params, "command_not_found", words);
    }
}
