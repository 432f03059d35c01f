//! A daemon under a service manager.

use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::json;

use super::common::{Connection, Home, PATIENCE, Setup, until_true};

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
