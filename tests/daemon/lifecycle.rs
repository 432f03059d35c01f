//! How a daemon starts, keeps others out, and ends, with nothing left.

use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getsid};
use serde_json::{Value, json};

use super::common::{Daemon, Home, Setup, until_true};

/// A home whose daemon in the background is stopped when the test ends, however it ends.
struct Background<'a>(&'a Home);

impl Drop for Background<'_> {
    fn drop(&mut self) {
        self.0.drover(&["down"]);
    }
}

/// The mode bits of a file itself.
fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).expect("a file").mode() & 0o777
}

/// Everything below a directory that is not a directory itself.
fn files(below: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(below).expect("a directory") {
        let entry = entry.expect("an entry");
        if entry.file_type().expect("a type").is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

/// A socket file that nobody listens on any more.
fn dead_socket(path: &Path) {
    drop(UnixListener::bind(path).expect("a socket"));
    // A process that another test starts right now may hold a copy of the listener for an instant.
    until_true("a dead socket", || UnixStream::connect(path).is_err());
}

fn is_alive(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None).is_ok()
}

/// The processes of a pane whose shell and whose foreground job let nobody ask them to end.
fn deaf_processes(daemon: &Daemon, pane: &str) -> Vec<i32> {
    daemon.enter(
        pane,
        "trap '' HUP TERM INT; sh -c 'trap \"\" HUP TERM INT; echo \"job\" $$; cat; cat'",
    );
    let line = daemon.wait_for_line(pane, "job [0-9]+$");
    let job = line.rsplit(' ').next().and_then(|job| job.parse().ok());
    vec![job.expect("a process number"), shell_pid(daemon, pane)]
}

fn shell_pid(daemon: &Daemon, pane: &str) -> i32 {
    let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
    let pid = info["process_info"]["shell_pid"]
        .as_i64()
        .expect("a number");
    pid.try_into().expect("a process number")
}

#[test]
fn the_ready_line_names_a_socket_that_answers() {
    let daemon = Daemon::start();
    let socket = daemon.home.socket().display().to_string();
    let mut words = daemon.ready.split([' ', ',', ';']);
    assert!(words.any(|word| word == socket), "{}", daemon.ready);
    assert_eq!(daemon.result("ping", json!({}))["type"], "pong");
}

#[test]
fn a_second_daemon_ends_and_names_the_busy_socket() {
    let daemon = Daemon::start();
    let end = daemon.home.drover(&["serve"]);
    assert_eq!(end.code, Some(1));
    let socket = daemon.home.socket().display().to_string();
    assert!(
        end.stderr.contains("already running") && end.stderr.contains(&socket),
        "{end:?}"
    );
    assert_eq!(
        daemon.result("ping", json!({}))["type"],
        "pong",
        "the first goes on"
    );
}

#[test]
fn sessions_have_daemons_of_their_own() {
    let daemon = Daemon::start();
    let home = &daemon.home;
    let up = home.drover(&["up", "--session", "other"]);
    assert_eq!(up.code, Some(0), "{up:?}");
    let other = home.path("run/drover/sessions/other/drover.sock.herdr");
    assert!(UnixStream::connect(&other).is_ok());
    assert_eq!(daemon.result("pane.list", json!({}))["panes"], json!([]));
    let down = home.drover(&["down", "--session", "other"]);
    assert_eq!(down.code, Some(0), "{down:?}");
    assert!(!other.exists());
    assert_eq!(daemon.result("ping", json!({}))["type"], "pong");
}

#[test]
fn a_socket_that_nobody_serves_is_replaced() {
    let home = Home::new();
    std::fs::create_dir(home.path("run/drover")).expect("a directory");
    dead_socket(&home.socket());
    // As a daemon that was killed leaves it.
    std::fs::write(home.path("run/drover/drover.lock"), "1\n").expect("a file");
    let daemon = Setup::at(home).start();
    assert_eq!(daemon.result("ping", json!({}))["type"], "pong");
}

#[test]
fn after_a_kill_the_next_daemon_serves_at_once() {
    let mut daemon = Daemon::start();
    daemon.kill_both();
    assert!(daemon.home.socket().exists());
    let _stopped = Background(&daemon.home);
    let up = daemon.home.drover(&["up"]);
    assert_eq!(up.code, Some(0), "{up:?}");
}

#[test]
fn what_it_makes_is_closed_to_others_whatever_the_users_umask() {
    let daemon = Setup::new().umask("000").start();
    let run = daemon.home.path("run/drover");
    for socket in ["drover.sock", "drover.sock.herdr"] {
        let socket = run.join(socket);
        assert!(
            std::fs::symlink_metadata(&socket)
                .expect("a file")
                .file_type()
                .is_socket()
        );
        assert_eq!(mode(&socket), 0o700, "{}", socket.display());
    }
    assert_eq!(mode(&run), 0o700);
    assert_eq!(mode(&run.join("bin")), 0o700);
    assert_eq!(mode(&run.join("drover.lock")), 0o600);
}

#[test]
fn a_folder_that_others_may_look_into_is_closed_first() {
    let home = Home::new();
    std::fs::create_dir(home.path("run/drover")).expect("a directory");
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("run/drover"), open).expect("permissions");
    let daemon = Setup::at(home).start();
    assert_eq!(mode(&daemon.home.path("run/drover")), 0o700);
}

#[test]
fn a_folder_that_others_can_write_or_that_is_a_link_is_refused_and_left_alone() {
    let home = Home::new();
    let folder = home.path("run").join("drover");
    std::fs::create_dir(&folder).expect("a directory");
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(&folder, open).expect("permissions");
    let end = home.drover(&["serve"]);
    assert_eq!(end.code, Some(1), "{end:?}");
    assert!(
        end.stderr.contains("can be written by others (mode 0777)"),
        "{end:?}"
    );
    assert!(end.stderr.contains("chmod 700"), "{end:?}");
    assert_eq!(mode(&folder), 0o777);
    assert_eq!(files(&folder), Vec::<String>::new());

    std::fs::remove_dir(&folder).expect("an empty directory");
    std::os::unix::fs::symlink(home.path("tmp"), &folder).expect("a link");
    let end = home.drover(&["serve"]);
    assert_eq!(end.code, Some(1), "{end:?}");
    assert!(end.stderr.contains("is a link or a file"), "{end:?}");
    assert_eq!(files(&home.path("tmp")), Vec::<String>::new());
}

#[test]
fn term_ends_every_child_and_leaves_no_file() {
    let mut daemon = Setup::new().word("--at-herdr").start();
    let polite = daemon.workspace();
    let deaf = daemon.tab();
    let mut processes = deaf_processes(&daemon, &deaf);
    processes.push(shell_pid(&daemon, &polite));
    assert!(processes.iter().all(|&pid| is_alive(pid)));
    assert_ne!(files(&daemon.home.path("run")), Vec::<String>::new());
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.wait(), 0);
    until_true("the end of every process", || {
        !processes.iter().any(|&pid| is_alive(pid))
    });
    assert_eq!(files(&daemon.home.path("run")), Vec::<String>::new());
    let configured = daemon.home.path("config/drover/config.toml");
    let left = files(&daemon.home.path("config"));
    assert_eq!(left, [configured.display().to_string()]);
}

#[test]
fn a_second_term_ends_it_at_once() {
    // Deaf processes hold up an orderly stop for half a second. Should that pass before this test
    // gets to it, the next daemon is tried.
    until_true("a stop at once", || {
        let mut daemon = Daemon::start();
        let pane = daemon.workspace();
        let processes = deaf_processes(&daemon, &pane);
        let mut stream = daemon.subscribe(json!([]));
        daemon.signal(Signal::SIGTERM);
        // The first is being seen to.
        stream.ended();
        daemon.signal(Signal::SIGTERM);
        let code = daemon.wait();
        until_true("the end of every process", || {
            !processes.iter().any(|&pid| is_alive(pid))
        });
        assert_eq!(files(&daemon.home.path("run")), Vec::<String>::new());
        code == 1
    });
}

#[test]
fn hup_reads_the_configuration_again() {
    let daemon = Daemon::start();
    daemon.workspace();
    daemon.home.configure("server.headless_cols = 100\n");
    daemon.signal(Signal::SIGHUP);
    until_true("the new width", || {
        daemon.result("pane.layout", json!({}))["layout"]["area"]["width"] == 100
    });
}

#[test]
fn reload_says_what_it_took() {
    let daemon = Daemon::start();
    let reload = || daemon.result("server.reload_config", json!({}));
    let applied = json!({ "type": "config_reload", "status": "applied", "diagnostics": [] });
    assert_eq!(reload(), applied);
    daemon
        .home
        .configure("server.headless_rows = 30\nserver.nonsense = 1\n");
    let partial = reload();
    assert_eq!(partial["status"], "partial");
    let text = partial["diagnostics"].to_string();
    assert!(text.contains("server.nonsense"), "{text}");
    daemon.workspace();
    let height = || daemon.result("pane.layout", json!({}))["layout"]["area"]["height"].clone();
    assert_eq!(height(), 30);
    daemon.home.configure("no configuration");
    let failed = reload();
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["diagnostics"].as_array().map(Vec::len), Some(1));
    assert_eq!(height(), 30, "what was taken before stays");
}

#[test]
fn at_herdr_puts_a_link_where_herdr_has_its_socket() {
    let mut daemon = Setup::new().word("--at-herdr").start();
    let link = daemon.home.path("config").join("herdr/herdr.sock");
    assert_eq!(
        std::fs::read_link(&link).expect("a link"),
        daemon.home.socket()
    );
    assert!(UnixStream::connect(&link).is_ok());
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.wait(), 0);
    assert!(std::fs::symlink_metadata(&link).is_err());
}

#[test]
fn the_configuration_can_ask_for_that_link_too() {
    let daemon = Setup::new()
        .config("[socket]\nlocation = \"herdr\"\n")
        .start();
    assert!(UnixStream::connect(daemon.home.path("config/herdr/herdr.sock")).is_ok());
}

#[test]
fn a_live_herdr_keeps_its_socket() {
    let home = Home::new();
    std::fs::create_dir(home.path("config/herdr")).expect("a directory");
    let socket = home.path("config").join("herdr/herdr.sock");
    let herdr = UnixListener::bind(&socket).expect("a socket");
    let mut daemon = Setup::at(home).word("--at-herdr").start();
    assert!(
        std::fs::symlink_metadata(&socket)
            .expect("a file")
            .file_type()
            .is_socket()
    );
    assert_eq!(
        daemon.result("ping", json!({}))["type"],
        "pong",
        "it serves at its own place"
    );
    daemon.signal(Signal::SIGTERM);
    daemon.wait();
    assert!(
        UnixStream::connect(&socket).is_ok(),
        "and leaves herdr's alone"
    );
    drop(herdr);
}

#[test]
fn a_dead_herdrs_socket_is_replaced_by_the_link() {
    let home = Home::new();
    std::fs::create_dir(home.path("config/herdr")).expect("a directory");
    let socket = home.path("config").join("herdr/herdr.sock");
    dead_socket(&socket);
    let daemon = Setup::at(home).word("--at-herdr").start();
    assert_eq!(
        std::fs::read_link(&socket).expect("a link"),
        daemon.home.socket()
    );
}

#[test]
fn up_again_changes_nothing_and_down_twice_is_no_failure() {
    let home = Home::new();
    let _stopped = Background(&home);
    let panes = || {
        let end = home.drover(&["ps", "--json"]);
        serde_json::from_str::<Value>(&end.stdout).expect("JSON")["panes"].clone()
    };
    assert_eq!(home.drover(&["up"]).code, Some(0));
    let before = panes();
    assert_eq!(before.as_array().map(Vec::len), Some(1));
    assert_eq!(home.drover(&["up"]).code, Some(0));
    assert_eq!(panes(), before);
    assert_eq!(home.drover(&["down"]).code, Some(0));
    assert_eq!(home.drover(&["down"]).code, Some(0));
    assert_eq!(files(&home.path("run")), Vec::<String>::new());
}

#[test]
fn a_daemon_in_the_background_leads_a_session_of_its_own() {
    let home = Home::new();
    let _stopped = Background(&home);
    assert_eq!(home.drover(&["up"]).code, Some(0));
    let pid = std::fs::read_to_string(home.path("run/drover/drover.lock")).expect("a file");
    let pid = Pid::from_raw(pid.trim().parse().expect("a number"));
    assert_eq!(getsid(Some(pid)), Ok(pid));
}
