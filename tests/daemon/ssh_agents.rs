//! SSH agents that clients lend to panes: which one the panes' path leads to, and when it stops leading there.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::common::{Connection, Daemon, Half, Home, Person, Setup, until_true};

/// A socket where an agent would listen.
struct Agent {
    path: PathBuf,
    _listener: UnixListener,
}

impl Agent {
    fn new(home: &Home, name: &str) -> Agent {
        let path = home.path("tmp").join(name);
        Agent {
            _listener: UnixListener::bind(&path).expect("a socket"),
            path,
        }
    }

    fn text(&self) -> &str {
        self.path.to_str().expect("text")
    }
}

fn link(home: &Home) -> PathBuf {
    home.path("run/drover/ssh-agent")
}

/// Where the panes' path leads now; nowhere if there is nothing that listens.
fn leads(home: &Home) -> Option<PathBuf> {
    UnixStream::connect(link(home)).ok()?;
    std::fs::canonicalize(link(home)).ok()
}

fn lend(daemon: &Daemon, agent: &Agent) -> Connection {
    let mut connection = daemon.connect();
    let params = json!({ "socket_path": agent.text() });
    connection.request("lend", "server.ssh_agent.register", params);
    let answer = connection.line();
    let expected = json!({ "id": "lend", "result": { "type": "ok" } });
    assert_eq!(answer, Some(expected));
    connection
}

/// What the shell of a pane has in its variable, and where that leads.
fn in_pane(daemon: &Daemon, pane: &str) -> (String, String) {
    let said = daemon.shell(
        pane,
        "echo \"$SSH_AUTH_SOCK\"; readlink -f \"$SSH_AUTH_SOCK\"",
    );
    let mut lines = said.lines().map(str::to_owned);
    let mut next = || lines.next().unwrap_or_default();
    (next(), next())
}

#[test]
fn panes_use_the_agent_of_the_latest_client_that_is_still_there() {
    let daemon = Daemon::start();
    let home = &daemon.home;
    let before = daemon.workspace();
    // A shell that finds none may start its own.
    assert_eq!(in_pane(&daemon, &before).0, "");
    assert_eq!(
        daemon.result("ping", json!({}))["capabilities"]["ssh_agent_registration"],
        true
    );

    let (first, second) = (Agent::new(home, "first"), Agent::new(home, "second"));
    let from_first = lend(&daemon, &first);
    let pane = daemon.tab();
    let path = link(home).display().to_string();
    assert_eq!(
        in_pane(&daemon, &pane),
        (path.clone(), first.text().to_owned())
    );

    let mut from_second = lend(&daemon, &second);
    assert_eq!(
        in_pane(&daemon, &pane),
        (path.clone(), second.text().to_owned())
    );
    drop(from_first);
    // Nothing tells that the first has gone, so the second goes by a byte, which ends it as well.
    from_second.send(b"\n");
    assert_eq!(from_second.rest(), b"");
    until_true("nobody's agent", || !link(home).is_symlink());

    let _again = lend(&daemon, &first);
    assert_eq!(in_pane(&daemon, &pane), (path, first.text().to_owned()));
}

#[test]
fn a_pane_that_names_an_agent_keeps_its_own() {
    let daemon = Daemon::start();
    let agent = Agent::new(&daemon.home, "agent");
    let _lent = lend(&daemon, &agent);
    let params = json!({ "env": { "SSH_AUTH_SOCK": "/of/the/caller" } });
    let pane = daemon.pane_of("workspace.create", params);
    assert_eq!(in_pane(&daemon, &pane).0, "/of/the/caller");
}

#[test]
fn only_an_agent_of_ones_own_is_taken_and_only_from_outside_of_panes() {
    let daemon = Daemon::start();
    let home = &daemon.home;
    let file = home.path("tmp/file");
    std::fs::write(&file, "").expect("a file");
    // The socket of one that has ended.
    let stale = Agent::new(home, "stale").text().to_owned();
    for (path, message) in [
        ("agent.sock", "must be a whole path"),
        ("", "must be a whole path"),
        (file.to_str().expect("text"), "is not a socket"),
        (stale.as_str(), "no SSH agent answers"),
        ("/nowhere/at/all", "no SSH agent answers"),
        ("/\u{1b}]0;x\u{7}", "no SSH agent answers"),
    ] {
        let params = json!({ "socket_path": path });
        let (code, said) = daemon.refusal("server.ssh_agent.register", params);
        assert_eq!(code, "invalid_ssh_agent", "{path}");
        assert!(said.contains(message) && !said.contains('\u{1b}'), "{said}");
    }
    assert!(!link(home).is_symlink());

    let pane = daemon.workspace();
    let agent = Agent::new(home, "agent");
    // By the executable itself: a lease that it got would end with it, so its answer is what counts.
    let said = daemon.shell(
        &pane,
        &format!(
            "SSH_AUTH_SOCK={} {} lend-agent </dev/null; echo code $?",
            agent.text(),
            home.path("drover").display(),
        ),
    );
    assert!(said.contains("code 1"), "{said}");
    assert!(!link(home).is_symlink());
}

#[test]
fn the_daemons_own_agent_counts_where_nobody_lends_one() {
    let home = Home::new();
    let own = Agent::new(&home, "own");
    let mut daemon = Setup::at(home)
        .variable("SSH_AUTH_SOCK", own.text())
        .start();
    let home = daemon.home.clone();
    assert_eq!(leads(&home).as_ref(), Some(&own.path));
    let pane = daemon.workspace();
    let lent = Agent::new(&home, "lent");
    let mut lease = lend(&daemon, &lent);
    let path = link(&home).display().to_string();
    assert_eq!(
        in_pane(&daemon, &pane),
        (path.clone(), lent.text().to_owned())
    );

    // Whoever lent it to the worker that dies is told by the end of the connection.
    daemon.kill(Half::Worker);
    assert_eq!(lease.rest(), b"");
    daemon.result("ping", json!({}));
    assert_eq!(in_pane(&daemon, &pane), (path, own.text().to_owned()));

    let _again = lend(&daemon, &lent);
    assert_eq!(leads(&home), Some(lent.path.clone()));
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.wait(), 0);
    assert!(!link(&home).is_symlink(), "a stopped daemon leaves nothing");
}

#[test]
fn an_upgrade_leaves_no_agent_of_a_client_that_has_gone() {
    let daemon = Daemon::start();
    let agent = Agent::new(&daemon.home, "agent");
    let mut lease = lend(&daemon, &agent);
    daemon.result("server.live_handoff", json!({}));
    assert_eq!(lease.rest(), b"");
    until_true("nobody's agent", || !link(&daemon.home).is_symlink());
    let _again = lend(&daemon, &agent);
    assert_eq!(leads(&daemon.home), Some(agent.path.clone()));
}

#[test]
fn whoever_attaches_lends_an_agent_until_the_terminal_is_left() {
    let mut daemon = Daemon::start();
    let home = daemon.home.clone();
    let pane = daemon.workspace();
    let agent = Agent::new(&home, "agent");
    let mut command = home.command(&home.path("drover"));
    command
        .args(["attach", &pane])
        .env("TERM", "xterm-256color")
        .env("SSH_AUTH_SOCK", agent.text());
    let mut person = Person::start(command, (80, 24));
    until_true("the person's agent", || {
        leads(&home).as_ref() == Some(&agent.path)
    });

    // And again, when the daemon is there again.
    daemon.kill(Half::Worker);
    until_true("another worker", || {
        daemon.rpc("ping", json!({}))["result"] != Value::Null
    });
    until_true("the person's agent", || {
        leads(&home).as_ref() == Some(&agent.path)
    });
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    until_true("nobody's agent", || !link(&home).is_symlink());
}
