//! What the daemon changes about its own process must not reach the programs in its panes. In a
//! file of its own, because these settings belong to the whole process.

use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drover::pane::{Environment, ForegroundJob, Launch, Note, Pane, PaneEvents, Program, Size};
use drover::sys;
use drover::world::PaneKey;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::{Mode, umask};

struct TellExit(Mutex<Sender<Option<ExitStatus>>>);

impl PaneEvents for TellExit {
    fn output(&self, _pane: PaneKey, _notes: Vec<Note>) {}
    fn settled(&self, _pane: PaneKey) {}
    fn foreground_changed(&self, _pane: PaneKey, _job: Arc<ForegroundJob>) {}
    fn exited(&self, _pane: PaneKey, status: Option<ExitStatus>) {
        self.0.lock().unwrap().send(status).unwrap();
    }
}

/// Runs a script in a pane and returns what it wrote to the file named by `$OUT`.
fn output_in_pane(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let inherited = [
        ("PATH", OsString::from("/usr/bin:/bin")),
        ("OUT", out.clone().into_os_string()),
    ]
    .map(|(name, value)| (OsString::from(name), value));
    let launch = Launch {
        program: Program::Command(["/bin/sh", "-c", script].map(str::to_owned).to_vec()),
        directory: None,
        environment: Environment::build(inherited, [], [], None),
        size: Size { cols: 80, rows: 24 },
    };
    let (sender, receiver) = channel();
    let events = Arc::new(TellExit(Mutex::new(sender)));
    let pane = Pane::open(PaneKey::new(1), &launch, 100)
        .unwrap()
        .begin(events);
    let status = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
    drop(pane);
    std::fs::read_to_string(out).unwrap()
}

#[test]
fn panes_run_as_the_user_started_us_and_not_as_we_run_ourselves() {
    // As if the user had started us so.
    umask(Mode::from_bits_truncate(0o026));
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, 300, hard).unwrap();
    // A descriptor that a careless starter left open to us.
    let inherited = nix::unistd::dup(std::io::stderr()).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&inherited);

    sys::restrict_umask();
    sys::restrict_umask();
    let raised = sys::raise_descriptor_limit().unwrap();

    assert!(raised > 300 && raised <= hard);
    assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).unwrap(), (raised, hard));
    let ours = Command::new("/bin/sh")
        .args(["-c", "umask"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&ours.stdout).trim(), "0077");
    let script = format!(
        "(umask; ulimit -n; [ -e /dev/fd/{number} ] && echo leaked || echo closed) | cat > \"$OUT\""
    );
    assert_eq!(output_in_pane(&script), "0026\n300\nclosed\n");
}
