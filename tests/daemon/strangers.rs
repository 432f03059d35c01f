//! Another user's daemon in the place of one's own: no command talks to it.
//!
//! Only root can start a process of another user. Run by anybody else, what is left of this is the
//! decision's own test, in `src/client/whose.rs`.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::common::{End, Home, run, until_true};

/// A user that owns nothing else.
const STRANGER: u32 = 54_321;

/// The stranger's daemon; it ends with this.
struct Stranger {
    child: Child,
    home: Home,
}

impl Stranger {
    /// A daemon that serves root too, in folders of its own.
    fn start() -> Stranger {
        let home = Home::new();
        home.configure("[authority]\nroot = true\n");
        let passable = std::fs::Permissions::from_mode(0o711);
        std::fs::set_permissions(home.path(""), passable).expect("permissions");
        for folder in ["home", "run", "tmp", "config", "state"] {
            chown(home.path(folder), Some(STRANGER), Some(STRANGER)).expect("another owner");
        }
        let child = home
            .command(&home.path("drover"))
            .arg("serve")
            .current_dir("/")
            .uid(STRANGER)
            .gid(STRANGER)
            .stderr(Stdio::null())
            .spawn()
            .expect("a started daemon");
        let socket = home.socket();
        let mut stranger = Stranger { child, home };
        until_true("a daemon", || {
            let end = stranger.child.try_wait().expect("a child");
            assert_eq!(end, None, "it does not start");
            UnixStream::connect(&socket).is_ok()
        });
        stranger
    }

    /// Runs `herdr` as root.
    fn herdr(&self, words: &[&str], names_it: bool) -> End {
        let mut command = self.home.command(&self.home.path("drover"));
        command.arg0("herdr").args(words);
        if names_it {
            command.env("HERDR_SOCKET_PATH", self.home.socket());
        }
        run(&mut command)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = kill(
            Pid::from_raw(self.child.id().cast_signed()),
            Signal::SIGTERM,
        );
        let _ = self.child.wait();
        for (_, pid) in self.home.halves() {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

#[test]
fn a_socket_that_another_user_listens_at_is_not_talked_to() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: only root can start a process of another user");
        return;
    }
    let stranger = Stranger::start();
    let refused = |end: End| {
        assert_eq!(end.code, Some(1), "{end:?}");
        let told = "a process of user 54321 listens, not one of yours";
        let said = format!("{}{}", end.stdout, end.stderr);
        assert!(said.contains(told), "{end:?}");
    };
    refused(stranger.herdr(&["workspace", "create"], false));
    refused(stranger.herdr(&["agent", "wait", "x"], false));
    refused(stranger.herdr(&["pane", "send-text", "w1:p1", "a secret"], false));
    for words in [
        &["ps"][..],
        &["ps", "--watch"],
        &["grants", "list"],
        &["log"],
        &["doctor"],
    ] {
        refused(stranger.home.drover(words));
    }
    let down = stranger.home.drover(&["down"]);
    assert_eq!(down.code, Some(1), "{down:?}");
    // Named by root itself, it is meant: a daemon can be told to serve root. Nothing came of the rest.
    let listed = stranger.herdr(&["workspace", "list"], true);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.stdout.contains("\"workspaces\":[]"), "{listed:?}");
}
