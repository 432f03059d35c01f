//! Other machines over ssh, with a stand-in for `ssh` on PATH: its hosts are directories of this machine, and what it
//! forwards are links. Four kinds of host: one that works, one that is down, one that hangs, one that refuses the key.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use drover::sys;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::common::{Daemon, End, Home, Person, Setup, until, until_true};

/// Takes the words that OpenSSH takes. Every process of it is written down, and the tether above it.
const SSH: &str = r#"#!/bin/sh
echo $$ $PPID >>"$HOME/processes"
operation= pairs= control=
while [ "$1" != -- ]; do
    case $1 in
    -o) case $2 in ControlPath=*) control=${2#ControlPath=} ;; esac; shift ;;
    -O) operation=$2; shift ;;
    -L) pairs="$pairs $2"; shift ;;
    esac
    shift
done
target=$2
case $target in
down) echo 'ssh: connect to host down port 22: Connection refused' >&2; exit 255 ;;
hangs) sleep 600 & echo $! >>"$HOME/processes"; wait ;;
refuses) echo 'ann@refuses: Permission denied (publickey).' >&2; exit 255 ;;
esac
if [ "$operation" = forward ]; then
    [ -e "$control" ] || { echo "Control socket connect($control): No such file or directory" >&2; exit 255; }
    for pair in $pairs; do ln -s "${pair#*:}" "${pair%%:*}" || exit 255; done
    exit 0
fi
: >"$control"
there=$(cat "$HOME/hosts/$target")
echo 'Welcome to this machine!'
env -i HOME="$there/home" XDG_RUNTIME_DIR="$there/run" XDG_CONFIG_HOME="$there/config" \
    XDG_STATE_HOME="$there/state" TMPDIR="$there/tmp" SHELL=/bin/sh PATH="$there:/usr/bin:/bin" \
    ${AGENT:+"SSH_AUTH_SOCK=$AGENT"} sh -c "$3"
"#;

/// A machine of this test, from which the others are reached.
struct Here {
    home: Home,
}

impl Here {
    fn new() -> Here {
        let home = Home::new();
        home.script("ssh", SSH);
        std::fs::create_dir(home.path("home/hosts")).expect("a directory");
        Here { home }
    }

    /// Makes a machine reachable by a name.
    fn knows(&self, name: &str, there: &Home) {
        let file = self.home.path("home/hosts").join(name);
        std::fs::write(file, there.path("").display().to_string()).expect("a file");
    }

    /// Saves these machines as a person would by hand, each called by its host.
    fn saves(&self, names: &[&str]) {
        let text: String = names
            .iter()
            .map(|name| {
                format!("[[machine]]\nid = \"m-{name}\"\nlabel = \"{name}\"\ntarget = \"{name}\"\nsession = \"default\"\n")
            })
            .collect();
        std::fs::write(self.home.path("config/drover/machines.toml"), text).expect("a file");
    }

    fn herdr(&self, words: &[&str]) -> End {
        self.home.drover(&[&["herdr"], words].concat())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.home.command(&self.home.path("drover"));
        command.arg("herdr").args(words);
        command
    }

    /// The result of a call that must succeed.
    fn result(&self, words: &[&str]) -> Value {
        let end = self.herdr(words);
        assert_eq!(end.code, Some(0), "{words:?}: {end:?}");
        let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
        answer["result"].clone()
    }

    /// How many processes have been written down.
    fn processes(&self) -> Vec<i32> {
        let text = std::fs::read_to_string(self.home.path("home/processes")).unwrap_or_default();
        let own = std::process::id().cast_signed();
        let pids = text
            .split_whitespace()
            .map(|word| word.parse().expect("a pid"));
        pids.filter(|pid| *pid != own).collect()
    }

    /// Waits until no process and no socket of any connection is left.
    fn nothing_is_left(&self) {
        assert!(!self.processes().is_empty(), "ssh was run");
        for pid in self.processes() {
            until_true("the end of ssh and its tether", || {
                sys::process_facts(pid).is_none_or(|facts| facts.zombie)
            });
        }
        let folder = self.home.path("run/drover/ssh");
        until_true("no socket", || entries(&folder) == 0);
    }
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[track_caller]
fn fails(end: &End, message: &str) {
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)), "{end:?}");
    assert!(end.stderr.contains(message), "{}", end.stderr);
}

#[test]
fn a_saved_machine_is_driven_as_this_one_is() {
    let there = Daemon::start();
    let here = Here::new();
    here.knows("ann@box", &there.home);
    let added = here.herdr(&["machine", "add", "ann@box"]);
    assert_eq!((added.stderr.as_str(), added.code), ("", Some(0)));
    assert!(
        added.stdout.starts_with("added machine 'box' (m"),
        "{added:?}"
    );
    let listed = here.herdr(&["machine", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let id = listed[0]["id"].as_str().expect("an id");
    assert_eq!(
        listed,
        json!([{"id": id, "label": "box", "target": "ann@box", "session": "default",
            "enabled": true, "selected": false}])
    );

    let made = here.result(&["--machine", "box", "workspace", "create", "--label", "far"]);
    let pane = made["root_pane"]["pane_id"].as_str().expect("a pane");
    let own = there.result("workspace.list", json!({}));
    assert!(own["workspaces"].to_string().contains("\"far\""), "{own}");
    let run = here.herdr(&[
        "--machine",
        id,
        "pane",
        "run",
        pane,
        "echo",
        "far-$((20+3))",
    ]);
    assert_eq!(
        run,
        End {
            stdout: String::new(),
            stderr: String::new(),
            code: Some(0)
        }
    );
    let seen = here.result(&[
        "--machine",
        "box",
        "pane",
        "wait-output",
        pane,
        "--match",
        "far-23",
    ]);
    assert_eq!(seen["type"], "output_matched");
    let status = here.herdr(&["--machine", "box", "status", "server", "--json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    assert_eq!(status["socket"], format!("machine:{id}/default"));
    assert_eq!(
        (&status["session"], &status["server_binary_stale"]),
        (&json!("default"), &Value::Null)
    );
    here.nothing_is_left();

    let refused = here.herdr(&["--machine", "box", "pane", "get", "w9:p9"]);
    let error: Value = serde_json::from_str(&refused.stderr).expect("JSON");
    assert_eq!(error["error"]["code"], "pane_not_found");
    let message = error["error"]["message"].as_str().expect("text");
    assert!(
        message.starts_with("machine 'box' (session default): "),
        "{message}"
    );
    let stopped = here.herdr(&["--machine", "box", "server", "stop"]);
    assert_eq!((stopped.stderr.as_str(), stopped.code), ("", Some(0)));
    until_true("its end", || there.home.halves().is_empty());
    fails(
        &here.herdr(&["--machine", "box", "pane", "list"]),
        "error: machine 'box' (session default): no server is running there in session default; start it with \
         `drover up` on that machine",
    );
    here.nothing_is_left();
}

#[test]
fn paths_on_another_machine_begin_in_the_home_there() {
    let there = Daemon::start();
    let here = Here::new();
    here.knows("box", &there.home);
    here.saves(&["box"]);
    let refused = here.herdr(&["--machine", "box", "worktree", "list", "--cwd", "relative"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let repository = there.home.path("home/repository");
    let made = Command::new("git")
        .args(["init", "-q"])
        .arg(&repository)
        .status();
    assert!(made.expect("git").success());
    let listed = here.result(&[
        "--machine",
        "box",
        "worktree",
        "list",
        "--cwd",
        "~/repository",
    ]);
    assert_eq!(
        listed["worktrees"][0]["path"],
        repository.display().to_string()
    );
}

#[test]
fn a_dead_host_a_hung_one_and_a_refused_key_are_told_apart_in_time() {
    let there = Daemon::start();
    let here = Here::new();
    here.home.configure("[limits]\nssh_ms = 1500\n");
    here.knows("works", &there.home);
    here.saves(&["works", "down", "hangs", "refuses"]);
    for (name, why) in [
        (
            "down",
            "ssh: connect to host down port 22: Connection refused",
        ),
        ("hangs", "ssh gives no sign within the time for it"),
        ("refuses", "ann@refuses: Permission denied (publickey)."),
    ] {
        let end = here.herdr(&["--machine", name, "pane", "list"]);
        let line = format!("error: machine '{name}' (session default): {why}\n");
        assert_eq!((end.stderr, end.code), (line, Some(1)));
        fails(&here.herdr(&["machine", "reconnect", name]), why);
        fails(
            &here.herdr(&["machine", "add", name, "--label", "new"]),
            "nothing was saved",
        );
    }
    let status = here.herdr(&["machine", "status"]);
    assert_eq!((status.stderr.as_str(), status.code), ("", Some(1)));
    let lines: Vec<_> = status.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(
        lines[0].starts_with("m-works\tworks\treachable\t"),
        "{lines:?}"
    );
    for (line, name) in lines[1..].iter().zip(["down", "hangs", "refuses"]) {
        assert!(
            line.starts_with(&format!("m-{name}\t{name}\tunreachable\t")),
            "{line}"
        );
    }
    assert_eq!(here.herdr(&["machine", "status", "works"]).code, Some(0));
    let reached = here.herdr(&["machine", "reconnect", "works"]);
    assert_eq!((reached.stderr.as_str(), reached.code), ("", Some(0)));
    here.nothing_is_left();
}

#[test]
fn what_is_written_wrongly_reaches_no_machine() {
    let here = Here::new();
    here.saves(&["down", "hangs"]);
    assert_eq!(here.herdr(&["machine", "disable", "m-hangs"]).code, Some(0));
    for (words, why) in [
        (
            &["--machine", "no", "pane", "list"][..],
            "unknown machine 'no'",
        ),
        (&["--machine", "hangs", "pane", "list"], "disabled"),
        (
            &["--machine", "down", "session", "list"],
            "no command that can be sent",
        ),
        (
            &["--machine", "down", "agent", "attach", "x"],
            "no command that can be sent",
        ),
        (
            &["--machine", "down", "pane", "get"],
            "usage: herdr pane get",
        ),
        (
            &["--machine", "down", "--session", "x", "pane", "list"],
            "cannot be combined",
        ),
        (&["machine", "reconnect", "no"], "unknown machine 'no'"),
        (&["machine", "status", "no"], "unknown machine 'no'"),
        (&["machine", "add", "-oProxyCommand=x"], "unknown option"),
        (&["machine", "add", "a b"], "blanks"),
        (
            &["machine", "rename", "m-down"],
            "usage: herdr machine rename",
        ),
        (&["--remote", "h", "pane", "list"], "default launch command"),
    ] {
        let end = here.herdr(words);
        assert_eq!(
            (end.stdout.as_str(), end.code),
            ("", Some(2)),
            "{words:?}: {end:?}"
        );
        assert!(end.stderr.contains(why), "{words:?}: {}", end.stderr);
    }
    let help = here.herdr(&["--machine", "down", "pane", "list", "--help"]);
    assert_eq!(help.code, Some(0), "{help:?}");
    assert!(here.processes().is_empty(), "ssh was not run");
    for words in [
        &["machine", "remove", "no"][..],
        &["machine", "enable", "no"],
        &["machine", "disable", "no"],
        &["machine", "rename", "no", "--label", "x"],
        &["machine", "rename", "m-down", "--label", "hangs"],
    ] {
        let end = here.herdr(words);
        assert_eq!(
            (end.stdout.as_str(), end.code),
            ("", Some(1)),
            "{words:?}: {end:?}"
        );
    }
    assert_eq!(
        here.herdr(&["machine", "rename", "m-down", "--label", "x"])
            .code,
        Some(0)
    );
    assert_eq!(here.herdr(&["machine", "enable", "m-hangs"]).code, Some(0));
    assert_eq!(here.herdr(&["machine", "remove", "m-hangs"]).code, Some(0));
    let listed = here.herdr(&["machine", "list"]).stdout;
    assert_eq!(listed, "m-down\tx\tdown\tdefault\tenabled\n");
    assert_eq!(here.herdr(&["machine", "remove", "m-down"]).code, Some(0));
    assert_eq!(
        here.herdr(&["machine", "list"]).stdout,
        "No saved SSH machines.\n"
    );
}

/// Ends a client without a warning, and collects it.
fn kill_client(client: &mut Child) {
    kill(Pid::from_raw(client.id().cast_signed()), Signal::SIGKILL).expect("killed");
    client.wait().expect("collected");
}

#[test]
fn a_client_that_is_killed_takes_its_connection_along() {
    let there = Daemon::start();
    let here = Here::new();
    here.home.configure("[limits]\nssh_ms = 300000\n");
    here.knows("works", &there.home);
    here.saves(&["works", "hangs"]);
    let pane = there.result("workspace.create", json!({}))["root_pane"]["pane_id"].clone();
    let pane = pane.as_str().expect("a pane");
    let start = |words: &[&str]| {
        let mut command = here.command(words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("started")
    };
    let mut waits = start(&[
        "--machine",
        "works",
        "pane",
        "wait-output",
        pane,
        "--match",
        "never",
    ]);
    until_true("a connection", || {
        entries(&here.home.path("run/drover/ssh")) == 1
    });
    until("the sockets", || {
        let folder = std::fs::read_dir(here.home.path("run/drover/ssh"))
            .ok()?
            .next()?
            .ok()?
            .path();
        folder.join("s.herdr").exists().then_some(())
    });
    kill_client(&mut waits);
    here.nothing_is_left();

    let before = here.processes().len();
    let mut hangs = start(&["--machine", "hangs", "pane", "list"]);
    // The hung ssh, its tether, and the process that ssh itself has started.
    until_true("a hung ssh", || here.processes().len() == before + 3);
    kill_client(&mut hangs);
    here.nothing_is_left();
}

#[test]
fn a_killed_tether_leaves_a_folder_that_the_next_connection_removes() {
    let there = Daemon::start();
    let here = Here::new();
    here.knows("box", &there.home);
    here.saves(&["box"]);
    let folder = here.home.path("run/drover/ssh");
    let mut ended = Command::new("true").spawn().expect("started");
    ended.wait().expect("ended");
    std::fs::create_dir_all(folder.join(ended.id().to_string())).expect("a directory");
    assert_eq!(
        here.herdr(&["--machine", "box", "pane", "list"]).code,
        Some(0)
    );
    assert_eq!(entries(&folder), 0);
}

/// A daemon that something else than the test has started.
struct Stopped<'a>(&'a Home);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.drover(&["down"]);
    }
}

#[test]
fn a_remote_pane_is_shown_and_its_daemon_started() {
    let here = Here::new();
    let there = Home::new();
    here.knows("box", &there);
    let _stopped = Stopped(&there);
    let mut command = here.command(&["--remote", "box"]);
    command.env("TERM", "xterm-256color");
    let mut person = Person::start(command, (80, 24));
    person.until("a prompt", |person| !person.text().trim().is_empty());
    person.press(b"echo seen-$((40+2))\r");
    person.see("seen-42");
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    person.has_its_terminal_back();
    here.nothing_is_left();

    let mut command = here.command(&["--remote", "refuses"]);
    command.env("TERM", "xterm-256color");
    let mut person = Person::start(command, (80, 24));
    person.see("Permission denied");
    assert_eq!(person.ended(), Some(1));
    here.nothing_is_left();
}

#[test]
fn an_agent_that_ssh_brings_along_is_lent_while_a_remote_pane_is_shown() {
    let there = Daemon::start();
    there.workspace();
    let here = Here::new();
    here.knows("box", &there.home);
    // What sshd makes where it forwards an agent.
    let agent = there.home.path("tmp/agent");
    let _listener = UnixListener::bind(&agent).expect("a socket");
    let link = there.home.path("run/drover/ssh-agent");
    let mut command = here.command(&["--remote", "box"]);
    command.env("TERM", "xterm-256color").env("AGENT", &agent);
    let mut person = Person::start(command, (80, 24));
    until_true("the agent that came along", || {
        std::fs::canonicalize(&link).is_ok_and(|leads| leads == agent)
    });
    person.until("a prompt", |person| !person.text().trim().is_empty());
    person.press(b"\x02q");
    assert_eq!(person.ended(), Some(0));
    until_true("no agent", || !link.is_symlink());
    here.nothing_is_left();
}

#[test]
fn without_ssh_the_call_says_so() {
    let here = Here::new();
    here.saves(&["box"]);
    let end = super::common::run(
        here.command(&["--machine", "box", "pane", "list"])
            .env("PATH", "/nowhere"),
    );
    fails(
        &end,
        "machine 'box' (session default): there is no program ssh on PATH",
    );
}

#[test]
fn commands_inside_a_pane_do_not_take_that_pane_for_one_there() {
    let there = Setup::new().start();
    let here = Here::new();
    here.knows("box", &there.home);
    here.saves(&["box"]);
    there.result("workspace.create", json!({}));
    let end = super::common::run(
        here.command(&["--machine", "box", "pane", "current", "--current"])
            .env("HERDR_PANE_ID", "w7:p7")
            .env("HERDR_SOCKET_PATH", "/nowhere"),
    );
    assert_eq!(end.code, Some(0), "{end:?}");
    let answer: Value = serde_json::from_str(&end.stdout).expect("JSON");
    assert_eq!(answer["result"]["pane"]["pane_id"], "w1:p1");
}

#[test]
fn a_label_that_is_taken_is_refused_before_anybody_logs_in() {
    let here = Here::new();
    here.saves(&["box"]);
    let end = here.herdr(&["machine", "add", "ann@box"]);
    fails(&end, "is called 'box' already");
    assert!(here.processes().is_empty(), "ssh was run");
}
