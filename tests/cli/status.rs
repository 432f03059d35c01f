//! `herdr status`: an answer whether a daemon runs or not.

use serde_json::{Value, json};

use super::support::{Daemon, Home};

fn pong() -> Value {
    json!({
        "type": "pong", "version": drover::api::VERSION, "protocol": 22,
        "capabilities": { "live_handoff": false, "detached_server_daemon": true },
    })
}

fn status(home: &Home, words: &[&str]) -> Value {
    let end = home.herdr(words);
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)), "{words:?}");
    serde_json::from_str(&end.stdout).expect("JSON")
}

#[test]
fn without_a_daemon_the_status_says_so_with_code_zero() {
    let home = Home::new();
    let socket = home.socket(None);
    let answer = status(&home, &["status", "--json"]);
    assert_eq!(answer["server"]["status"], "not_running");
    assert_eq!(answer["server"]["running"], false);
    assert_eq!(answer["server"]["version"], Value::Null);
    assert_eq!(
        answer["update"],
        json!({ "restart_needed": false, "server_binary_stale": false })
    );
    let text = home.herdr(&["status", "server"]).stdout;
    assert_eq!(
        text,
        format!("status: not running\nsocket: {}\n", socket.display())
    );
}

#[test]
fn with_a_daemon_client_and_server_agree() {
    let home = Home::new();
    let daemon = Daemon::answering(&home.socket(None), pong());
    let answer = status(&home, &["status", "--json"]);
    assert_eq!(
        daemon.lines(),
        ["{\"id\":\"api-client:status\",\"method\":\"ping\",\"params\":{}}\n"]
    );
    assert_eq!(answer["server"]["version"], answer["client"]["version"]);
    assert_eq!(answer["server"]["protocol"], answer["client"]["protocol"]);
    assert_eq!(answer["server"]["compatible"], true);
    assert_eq!(answer["server"]["server_binary_stale"], false);
    assert_eq!(
        answer["server"]["capabilities"]["detached_server_daemon"],
        true
    );
    assert_eq!(
        answer["server"],
        status(&home, &["status", "server", "--json"])
    );
    assert_eq!(
        answer["client"],
        status(&home, &["status", "client", "--json"])
    );
}

#[test]
fn the_text_has_three_blocks() {
    let home = Home::new();
    let socket = home.socket(Some("w"));
    let _daemon = Daemon::answering(&socket, pong());
    let version = drover::api::VERSION;
    assert_eq!(
        home.herdr(&["status", "--session", "w"]).stdout,
        format!(
            "client:\n  version: {version}\n  channel: stable\n  protocol: 22\n\n\
             server:\n  status: running\n  version: {version}\n  endpoint_compatible: unknown\n  \
             private_protocol: 22\n  private_protocol_compatible: yes\n  socket: {}\n\n\
             update:\n  restart_needed: no\n  server_binary_stale: no\n",
            socket.display()
        )
    );
    assert_eq!(
        status(&home, &["status", "server", "--json", "--session", "w"])["session"],
        "w"
    );
}

#[test]
fn a_daemon_of_another_version_is_named_stale() {
    let home = Home::new();
    let _daemon = Daemon::answering(
        &home.socket(None),
        json!({ "type": "pong", "version": "0.8.2", "protocol": 20 }),
    );
    let server = status(&home, &["status", "server", "--json"]);
    assert_eq!(
        (&server["compatible"], &server["server_binary_stale"]),
        (&json!(false), &json!(true))
    );
}
