//! The applets with a real daemon.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread;

use serde_json::Value;

use super::support::{End, Home, run};

/// A home whose daemon is stopped when the test ends, however it ends.
struct Running(Home);

impl Running {
    fn new() -> Self {
        let home = Home::new();
        // Some tests report for panes without being in one.
        let folder = home.path().join("home/.config/drover");
        std::fs::create_dir_all(&folder).expect("a directory");
        std::fs::write(
            folder.join("config.toml"),
            "authority.reports = \"same-user\"\n",
        )
        .expect("a file");
        Self(home)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let end = self.0.drover(&["down"]);
        if !thread::panicking() {
            assert_eq!(end.code, Some(0), "{end:?}");
        }
    }
}

fn panes(home: &Home) -> Vec<Value> {
    let end = home.drover(&["ps", "--json"]);
    let answer: Value = serde_json::from_str(&end.stdout).unwrap_or_else(|_| panic!("{end:?}"));
    answer["panes"].as_array().expect("a list").clone()
}

#[test]
fn up_starts_a_daemon_with_one_pane_in_the_current_directory() {
    let running = Running::new();
    let home = &running.0;
    let end = home.drover(&["up"]);
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)), "{end:?}");
    assert!(end.stdout.starts_with("drover is running."), "{end:?}");
    let panes = panes(home);
    assert_eq!(panes.len(), 1);
    let directory = std::fs::canonicalize(home.path()).expect("a path");
    assert_eq!(panes[0]["cwd"], directory.to_str().expect("text"));

    let status: Value =
        serde_json::from_str(&home.herdr(&["status", "server", "--json"]).stdout).expect("JSON");
    assert_eq!(status["compatible"], true, "{status}");
    assert_eq!(status["server_binary_stale"], false, "{status}");

    assert_eq!(home.drover(&["down"]).stdout, "drover has stopped.\n");
    assert!(
        home.herdr(&["pane", "list"])
            .stderr
            .contains("server_not_running")
    );
}

#[test]
fn up_several_times_at_once_gives_one_daemon_with_one_workspace() {
    let running = Running::new();
    let home = &running.0;
    let ends: Vec<End> = thread::scope(|scope| {
        let starts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| home.drover(&["up"])))
            .collect();
        starts
            .into_iter()
            .map(|start| start.join().expect("ended"))
            .collect()
    });
    for end in &ends {
        assert_eq!(end.code, Some(0), "{ends:?}");
    }
    assert_eq!(panes(home).len(), 1, "{ends:?}");
}

#[test]
fn up_after_a_daemon_that_is_ending_starts_another() {
    let running = Running::new();
    let home = &running.0;
    let socket = home.socket(None);
    std::fs::create_dir_all(socket.parent().expect("a directory")).expect("made");
    let listener = UnixListener::bind(&socket).expect("a socket");
    // It still accepts, refuses the first request, and is gone.
    let ending = thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = BufReader::new(client.expect("a client"));
            let mut line = String::new();
            if client.read_line(&mut line).is_ok_and(|count| count > 0) {
                let refusal = r#"{"id":"drover:up","error":{"code":"server_unavailable","message":"server is shutting down"}}"#;
                writeln!(client.get_mut(), "{refusal}").expect("written");
                return;
            }
        }
    });
    let end = home.drover(&["up"]);
    ending.join().expect("ended");
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)), "{end:?}");
    assert_eq!(panes(home).len(), 1);
}

#[test]
fn down_does_not_wait_for_the_daemon_that_takes_the_place_of_the_stopped_one() {
    let running = Running::new();
    let home = &running.0;
    let socket = home.socket(None);
    std::fs::create_dir_all(socket.parent().expect("a directory")).expect("made");
    let listener = UnixListener::bind(&socket).expect("a socket");
    thread::scope(|scope| {
        // Asked to stop, it makes room, and another has started before it answers.
        scope.spawn(|| {
            for client in listener.incoming() {
                let mut client = BufReader::new(client.expect("a client"));
                let mut line = String::new();
                if client.read_line(&mut line).is_ok_and(|count| count > 0) {
                    std::fs::remove_file(&socket).expect("removed");
                    assert_eq!(home.drover(&["up"]).code, Some(0));
                    let answer = r#"{"id":"cli:session:stop","result":{"type":"ok"}}"#;
                    writeln!(client.get_mut(), "{answer}").expect("written");
                    return;
                }
            }
        });
        let end = home.drover(&["down"]);
        assert_eq!(end.stdout, "drover has stopped.\n", "{end:?}");
    });
    assert_eq!(panes(home).len(), 1, "the other one is untouched");
}

#[test]
fn a_daemon_that_cannot_start_is_explained_from_its_log() {
    let home = Home::new();
    // A file where the runtime directory has to be.
    std::fs::write(home.path().join("run/drover"), "").expect("written");
    let end = home.drover(&["up"]);
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)));
    assert!(
        end.stderr
            .starts_with("error: the daemon did not start\nits log is "),
        "{end:?}"
    );
    assert!(
        end.stderr.contains("\n  error: "),
        "the reason is there: {end:?}"
    );
}

#[test]
fn ps_watch_prints_each_transition_and_ends_with_the_daemon() {
    let running = Running::new();
    let home = &running.0;
    assert_eq!(home.drover(&["up"]).code, Some(0));
    let mut watching = home
        .command("drover")
        .args(["ps", "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(watching.stdout.take().expect("a pipe"))
        .lines()
        .map_while(Result::ok)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 7, "{line:?}");
            [cells[0], cells[2], cells[3]].join(" ")
        });
    let report = |pane: &str, state: &str| {
        let agent = ["--source", "test", "--agent", "ann"];
        let words = ["pane", "report-agent", pane, "--state", state];
        let end = home.herdr(&[words.as_slice(), &agent].concat());
        assert_eq!(end.code, Some(0), "{end:?}");
    };
    let mut next = || lines.next().expect("a line");
    report("w1:p1", "working");
    assert_eq!(next(), "w1:p1 ann working");
    report("w1:p1", "working");
    report("w1:p1", "blocked");
    assert_eq!(next(), "w1:p1 ann blocked");
    // A pane that was not there when the watch began.
    assert_eq!(
        home.herdr(&["pane", "split", "w1:p1", "--direction", "right"])
            .code,
        Some(0)
    );
    report("w1:p2", "idle");
    assert_eq!(next(), "w1:p2 ann idle");
    assert_eq!(home.herdr(&["pane", "close", "w1:p2"]).code, Some(0));
    assert_eq!(next(), "w1:p2 ann gone");

    assert_eq!(home.drover(&["down"]).code, Some(0));
    assert_eq!(lines.next(), None);
    let end = watching.wait_with_output().expect("ended");
    assert_eq!(end.status.code(), Some(0));
    assert_eq!(end.stderr, b"drover has stopped.\n");
}

#[test]
fn ps_watch_ends_well_on_ctrl_c() {
    let running = Running::new();
    let home = &running.0;
    assert_eq!(home.drover(&["up"]).code, Some(0));
    let words = ["pane", "report-agent", "w1:p1", "--state", "idle"];
    let agent = ["--source", "test", "--agent", "ann"];
    assert_eq!(
        home.herdr(&[words.as_slice(), &agent].concat()).code,
        Some(0)
    );
    let mut watching = home
        .command("drover")
        .args(["ps", "--watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(watching.stdout.take().expect("a pipe"))
        .lines()
        .map_while(Result::ok);
    // It begins with the agents there are, so a line says that it is watching.
    let line: Value = serde_json::from_str(&lines.next().expect("a line")).expect("JSON");
    assert_eq!(line["agent_status"], "idle");
    let pid = nix::unistd::Pid::from_raw(watching.id().try_into().expect("a pid"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("sent");
    assert_eq!(watching.wait().expect("ended").code(), Some(0));
    assert_eq!(lines.next(), None);
}

#[test]
fn herdr_server_says_where_it_listens_and_ends_when_stopped() {
    let home = Home::new();
    let socket = home.path().join("placed.sock");
    let placed = |words: &[&str]| {
        run(home
            .command("herdr")
            .env("HERDR_SOCKET_PATH", &socket)
            .args(words))
    };
    let mut server = home
        .command("herdr")
        .env("HERDR_SOCKET_PATH", &socket)
        .arg("server")
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(server.stderr.take().expect("a pipe"))
        .lines()
        .map_while(Result::ok);
    let ready = lines
        .by_ref()
        .find(|line| line.starts_with("herdr server running;"));
    assert!(ready.is_some(), "the server ended without being ready");
    assert_eq!(
        lines.next(),
        Some(format!("api socket: {}", socket.display()))
    );

    let second = placed(&["server"]);
    let busy = format!(
        "error: herdr server is already running\napi socket: {}\n",
        socket.display()
    );
    assert_eq!(second, End::new("", &busy, 1));
    assert_eq!(placed(&["pane", "list"]).code, Some(0));
    assert_eq!(
        home.drover(&["ps"]).code,
        Some(1),
        "the default session is another one"
    );

    assert_eq!(placed(&["server", "stop"]), End::new("", "", 0));
    // Read to the end, so that the server never waits for room in the pipe.
    lines.for_each(drop);
    assert_eq!(server.wait().expect("ended").code(), Some(0));
    assert!(!socket.exists());
}
