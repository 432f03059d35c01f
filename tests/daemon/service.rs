//! A daemon under a service manager.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::process::Stdio;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Connection, Daemon, Half, Home, PATIENCE, Setup, until, until_true};

#[test]
fn the_service_manager_is_told_when_it_is_ready_and_when_it_stops() {
    let home = Home::new();
    let path = home.path("run").join("notify");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    manager
        .set_read_timeout(Some(PATIENCE))
        .expect("a time limit");
    let told = || {
        let mut buffer = [0; 64];
        let length = manager.recv(&mut buffer).expect("a message");
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    let daemon = Setup::at(home)
        .variable("NOTIFY_SOCKET", &path.display().to_string())
        .start();
    assert_eq!(told(), "READY=1");
    let pane = daemon.workspace();
    daemon.enter(&pane, "echo \"no'ti'fy <$NOTIFY_SOCKET>\"");
    daemon.wait_for_line(&pane, "<>$");
    drop(daemon.ended_by(Signal::SIGTERM));
    assert_eq!(told(), "STOPPING=1");
}

#[test]
fn sockets_that_the_service_manager_made_are_served_and_left_to_it() {
    let home = Home::new();
    std::fs::create_dir(home.path("run/drover")).expect("a directory");
    let listener = UnixListener::bind(home.socket()).expect("a socket");
    // As systemd makes them.
    listener.set_nonblocking(true).expect("a socket");
    let script =
        "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=protocol exec \"$0\" serve 3<&0 </dev/null";
    let mut child = home
        .command(Path::new("/bin/sh"))
        .args(["-c", script])
        .arg(home.path("drover"))
        .stdin(Stdio::from(OwnedFd::from(listener)))
        .stderr(Stdio::null())
        .spawn()
        .expect("a started daemon");
    let mut connection = Connection::open(&home.socket());
    connection.request("1", "ping", json!({}));
    let answer = connection.line().expect("an answer");
    assert_eq!(answer["result"]["type"], "pong");
    let down = home.drover(&["down"]);
    assert_eq!(down.code, Some(0), "{down:?}");
    until_true("its end", || child.try_wait().expect("a child").is_some());
    assert!(home.socket().exists(), "the socket is not its own");
}

/// A stand-in for a service manager that holds descriptors for the service that it starts again and again.
struct Manager {
    home: Home,
    socket: UnixDatagram,
    /// What it holds, by name.
    held: Vec<(String, OwnedFd)>,
    /// What it was told besides.
    told: Vec<String>,
}

impl Manager {
    fn new(home: &Home) -> Manager {
        let socket = UnixDatagram::bind(home.path("run").join("notify")).expect("a socket");
        socket.set_nonblocking(true).expect("a socket");
        Manager {
            home: home.clone(),
            socket,
            held: Vec::new(),
            told: Vec::new(),
        }
    }

    /// Reads what it was told, and does it.
    fn hear(&mut self) {
        let (mut room, mut taken) = ([0; 1024], Vec::new());
        while let Ok(length @ 1..) =
            drover::sys::receive_with_descriptors(&self.socket, &mut room, &mut taken)
        {
            let message = String::from_utf8_lossy(&room[..length]).into_owned();
            let value = |name: &str| {
                message
                    .lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
                    .map(str::to_owned)
            };
            let name = value("FDNAME").unwrap_or_default();
            if value("FDSTORE").is_some() {
                assert_eq!(taken.len(), 1, "{message}");
                assert_eq!(value("FDPOLL").as_deref(), Some("0"));
                self.held
                    .extend(taken.drain(..).map(|fd| (name.clone(), fd)));
            } else if value("FDSTOREREMOVE").is_some() {
                self.held.retain(|(held, _)| *held != name);
            } else {
                self.told.push(message);
            }
        }
    }

    fn is_told(&mut self, what: &str) {
        until_true(what, || {
            self.hear();
            self.told.iter().any(|told| told == what)
        });
        self.told.clear();
    }

    fn holds(&mut self, count: usize) {
        until_true("as many descriptors", || {
            self.hear();
            self.held.len() == count
        });
    }

    /// Starts the service with what it holds, and waits until that is ready.
    fn start(&mut self) -> Pid {
        let text = |text: &OsStr| CString::new(text.as_bytes()).expect("no zero");
        // Beyond the numbers that they get in the service. The last stored is the first given, as systemd has it.
        let given: Vec<(String, OwnedFd)> = self
            .held
            .iter()
            .rev()
            .map(|(name, descriptor)| (name.clone(), above(descriptor, 200)))
            .collect();
        let mut actions = PosixSpawnFileActions::init().expect("memory");
        for (number, (_, descriptor)) in given.iter().enumerate() {
            let number = 3 + i32::try_from(number).expect("a number");
            actions
                .add_dup2(descriptor.as_raw_fd(), number)
                .expect("memory");
        }
        let names: Vec<_> = given.iter().map(|(name, _)| name.as_str()).collect();
        let script = format!(
            "export LISTEN_PID=$$ LISTEN_FDS={} LISTEN_FDNAMES={}; exec \"$0\" serve </dev/null 2>>\"$HOME/log\"",
            names.len(),
            names.join(":")
        );
        let mut command = self.home.command(Path::new("/bin/sh"));
        command
            .env("NOTIFY_SOCKET", self.home.path("run").join("notify"))
            .env("FDSTORE", "100");
        let environment: Vec<CString> = command
            .get_envs()
            .filter_map(|(name, value)| {
                let mut variable = name.to_owned();
                variable.push("=");
                variable.push(value?);
                Some(text(&variable))
            })
            .collect();
        let words = [
            "sh".as_ref(),
            "-c".as_ref(),
            script.as_ref(),
            self.home.path("drover").as_os_str(),
        ]
        .map(text);
        let attributes = PosixSpawnAttr::init().expect("memory");
        let pid = posix_spawn(c"/bin/sh", &actions, &attributes, &words, &environment)
            .expect("a started service");
        self.is_told("READY=1");
        pid
    }

    /// How the service ended.
    fn ended(&mut self, pid: Pid) -> WaitStatus {
        let status = waitpid(pid, None).expect("a child");
        self.hear();
        status
    }
}

/// A duplicate with a number of at least `least`.
fn above(descriptor: &OwnedFd, least: i32) -> OwnedFd {
    let mut lower = Vec::new();
    loop {
        let duplicate = descriptor.try_clone().expect("a descriptor");
        if duplicate.as_raw_fd() >= least {
            return duplicate;
        }
        lower.push(duplicate);
    }
}

/// The process of a pane's shell.
fn shell(daemon: &Daemon, pane: &str) -> i32 {
    let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
    let pid = info["process_info"]["shell_pid"].as_i64();
    pid.and_then(|pid| pid.try_into().ok()).expect("a process")
}

fn is_alive(pid: i32) -> bool {
    drover::sys::process_facts(pid).is_some_and(|facts| !facts.zombie)
}

#[test]
fn panes_outlive_every_end_of_a_service_whose_manager_holds_them_but_that_of_the_session() {
    let home = Home::new();
    let mut manager = Manager::new(&home);
    let mut service = manager.start();
    let mut daemon = Daemon::of_another(home.clone());
    let pane = daemon.workspace();
    daemon.enter(&pane, "stty -echo; echo 'be''fore'");
    daemon.wait_for_line(&pane, "before$");
    daemon.result("pane.rename", json!({ "pane_id": pane, "label": "kept" }));
    let process = shell(&daemon, &pane);
    manager.holds(3);
    let ends: [fn(&mut Daemon, Pid) -> WaitStatus; 3] = [
        // As `systemctl restart` has it.
        |_, service| {
            kill(service, Signal::SIGTERM).expect("a service");
            WaitStatus::Exited(service, 0)
        },
        |daemon, service| {
            daemon.kill_both();
            WaitStatus::Signaled(service, Signal::SIGKILL, false)
        },
        |daemon, service| {
            daemon.kill(Half::Keeper);
            WaitStatus::Signaled(service, Signal::SIGKILL, false)
        },
    ];
    for (round, end) in ends.into_iter().enumerate() {
        let expected = end(&mut daemon, service);
        assert_eq!(manager.ended(service), expected, "end {round}");
        assert!(is_alive(process), "end {round}");
        service = manager.start();
        assert_eq!(daemon.pane(&pane)["label"], "kept");
        assert_eq!(shell(&daemon, &pane), process);
        assert!(daemon.text(&pane).contains("before"), "end {round}");
        daemon.enter(&pane, &format!("echo 'round '{round}"));
        daemon.wait_for_line(&pane, &format!("round {round}$"));
        manager.holds(3);
    }
    // Panes that come and go are held for as long as they are there.
    let second = daemon.split(&pane);
    manager.holds(6);
    daemon.enter(&second, "exit");
    manager.holds(3);
    // The session's own end.
    let down = home.drover(&["down"]);
    assert_eq!(down.code, Some(0), "{down:?}");
    assert_eq!(manager.ended(service), WaitStatus::Exited(service, 0));
    assert!(!is_alive(process));
    manager.holds(0);
}

#[test]
fn what_a_service_manager_lets_go_of_ends_with_its_terminal() {
    let home = Home::new();
    let mut manager = Manager::new(&home);
    let service = manager.start();
    let daemon = Daemon::of_another(home);
    let process = shell(&daemon, &daemon.workspace());
    manager.holds(3);
    kill(service, Signal::SIGTERM).expect("a service");
    assert_eq!(manager.ended(service), WaitStatus::Exited(service, 0));
    assert!(is_alive(process));
    // As `systemctl stop` has it.
    manager.held.clear();
    until("the end of the shell", || {
        (!is_alive(process)).then_some(())
    });
}

#[test]
fn down_does_not_start_a_service_again_whose_socket_is_its_managers() {
    let home = Home::new();
    std::fs::create_dir(home.path("run/drover")).expect("a directory");
    let listener = UnixListener::bind(home.socket()).expect("a socket");
    let given = listener.try_clone().expect("a descriptor");
    let script =
        "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=protocol exec \"$0\" serve 3<&0 </dev/null";
    let mut child = home
        .command(Path::new("/bin/sh"))
        .args(["-c", script])
        .arg(home.path("drover"))
        .stdin(Stdio::from(OwnedFd::from(given)))
        .stderr(Stdio::null())
        .spawn()
        .expect("a started daemon");
    let daemon = Daemon::of_another(home.clone());
    daemon.workspace();
    let down = home.drover(&["down"]);
    assert_eq!(down.code, Some(0), "{down:?}");
    assert!(child.try_wait().expect("a child").is_some(), "it has ended");
    // Whoever connects now has the service manager start it.
    listener.set_nonblocking(true).expect("a socket");
    let waiting = listener.accept().map(drop);
    assert_eq!(
        waiting.expect_err("nobody waits").kind(),
        std::io::ErrorKind::WouldBlock
    );
}
