use super::*;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

/// A shell that ends when its standard input does; it has printed one line, so its script has run
/// that far.
struct Helper {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Helper {
    fn start(script: &str) -> Helper {
        let mut child = Command::new("/bin/sh")
            .args(["-c", script])
            .env("SYS_TEST", "a value")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Helper { child, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

fn readable(wake: &Wake) -> bool {
    let mut descriptors = [PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
    poll(&mut descriptors, PollTimeout::ZERO).unwrap() == 1
}

#[test]
fn many_notifications_before_a_drain_are_one() {
    let wake = Wake::new().unwrap();
    assert!(!readable(&wake));
    wake.notify();
    wake.notify();
    assert!(readable(&wake));
    wake.drain();
    assert!(!readable(&wake));
    wake.drain();
    wake.notify();
    assert!(
        readable(&wake),
        "a drain of nothing must not swallow the next notification"
    );
}

#[test]
fn no_notification_is_lost_between_threads() {
    const ROUNDS: u32 = 300_000;
    let wake = Arc::new(Wake::new().unwrap());
    let counter = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let notifier = {
        let (wake, counter) = (Arc::clone(&wake), Arc::clone(&counter));
        std::thread::spawn(move || {
            for _ in 0..ROUNDS {
                counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                wake.notify();
            }
        })
    };
    let mut seen = 0;
    while seen < ROUNDS {
        let mut descriptors = [PollFd::new(wake.as_fd(), PollFlags::POLLIN)];
        let woken = poll(&mut descriptors, 20_000_u16).unwrap();
        assert_eq!(
            woken, 1,
            "asleep although the counter has moved on from {seen}"
        );
        wake.drain();
        seen = counter.load(std::sync::atomic::Ordering::Relaxed);
    }
    notifier.join().unwrap();
}

#[test]
fn the_peer_of_a_socket_is_the_process_that_connected() {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let peer = peer(&ours).unwrap();
    assert_eq!(peer.pid, Some(own_pid()));
    assert_eq!(peer.uid, nix::unistd::geteuid().as_raw());
}

#[test]
fn facts_about_a_process_are_its_own() {
    let own = process_facts(own_pid()).unwrap();
    let mut helper = Helper::start("echo ready; read line");
    helper.line();
    let facts = process_facts(helper.pid()).unwrap();
    assert_eq!(facts.parent, own_pid());
    assert_eq!(facts.group, own.group);
    assert_eq!(facts.session, own.session);
    assert_eq!(facts.terminal, own.terminal);
    assert_eq!(facts.name, "sh");
    assert!(facts.started >= own.started);
    assert!(!facts.zombie);
    assert_eq!(process_directory(helper.pid()).unwrap(), PathBuf::from("/"));
    assert_eq!(
        process_arguments(helper.pid(), 4096).unwrap(),
        ["/bin/sh", "-c", "echo ready; read line"]
    );
    assert_eq!(
        process_variable(helper.pid(), "SYS_TEST").as_deref(),
        Some("a value")
    );
    assert_eq!(process_variable(helper.pid(), "SYS"), None);
}

#[test]
fn arguments_are_cut_at_their_limit() {
    let mut helper = Helper::start("echo ready; read line");
    helper.line();
    let arguments = process_arguments(helper.pid(), 13).unwrap();
    assert_eq!(arguments, ["/bin/sh", "-c", "ec"]);
}

#[test]
fn a_process_that_never_was_has_no_facts() {
    assert_eq!(process_facts(i32::MAX), None);
    assert_eq!(process_arguments(i32::MAX, 100), None);
    assert_eq!(process_directory(i32::MAX), None);
    assert_eq!(process_variable(i32::MAX, "PATH"), None);
    assert_eq!(group_members(i32::MAX, i32::MAX, 10), Vec::<i32>::new());
    assert!(ExitWatch::of(i32::MAX).is_err());
}

#[test]
fn members_of_a_group_are_found_below_its_root_and_by_search() {
    let mut helper = Helper::start("sleep 1000 & echo $!; read line; kill $!");
    let sleeper: i32 = helper.line().parse().unwrap();
    let group = process_facts(helper.pid()).unwrap().group;
    let members = group_members(helper.pid(), group, 100);
    assert!(members.contains(&sleeper) && members.contains(&helper.pid()));
    assert!(members.is_sorted_by_key(|pid| (*pid != group, *pid)));
    // Nothing below a process that is not there: the search finds them all the same.
    assert!(group_members(i32::MAX, group, 10_000).contains(&sleeper));
    assert_eq!(group_members(helper.pid(), group, 1).len(), 1);
}

#[test]
fn a_new_terminal_has_its_size_and_device() {
    let pair = open_pty(91, 17).unwrap();
    let output = Command::new("stty")
        .arg("size")
        .stdin(Stdio::from(pair.slave.try_clone().unwrap()))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "17 91");
    assert_eq!(
        foreground_group(pair.master.as_fd()),
        None,
        "nobody's controlling terminal yet"
    );
    let other = open_pty(1, 1).unwrap();
    assert_ne!(pair.device, other.device);
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_leader_ignores_and_blocks_no_signal_of_ours() {
    use nix::sys::signal::{SigSet, Signal};
    // SAFETY: ignoring a signal runs no code of ours; nothing in this process sends or expects
    // SIGUSR2.
    unsafe { libc::signal(libc::SIGUSR2, libc::SIG_IGN) };
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGUSR1);
    blocked.thread_block().unwrap();
    let pair = open_pty(80, 24).unwrap();
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"])
        .stdin(Stdio::from(pair.slave.try_clone().unwrap()))
        .stdout(Stdio::piped());
    make_session_leader(&mut command);
    let output = command.output().unwrap();
    blocked.thread_unblock().unwrap();
    // The C library keeps 32 and 33 to itself and leaves them as they were.
    const RESERVED: u64 = 0b11 << 31;
    let masks: Vec<u64> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| u64::from_str_radix(line.split_once('\t').unwrap().1, 16).unwrap() & !RESERVED)
        .collect();
    assert_eq!(masks, [0, 0]);
}

/// Connects to `listener` from a child process, which ends at once; the daemon's side of it.
#[cfg(target_os = "linux")]
fn connected_by_a_child(listener: &std::os::unix::net::UnixListener) -> (i32, UnixStream) {
    use nix::unistd::{ForkResult, fork};
    let path = listener.local_addr().unwrap();
    let address = nix::sys::socket::UnixAddr::new(path.as_pathname().unwrap()).unwrap();
    // SAFETY: until it ends, the child makes system calls only and allocates nothing.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            use nix::sys::socket::{AddressFamily, SockFlag, SockType, connect, socket};
            use std::os::fd::AsRawFd;
            let socket = socket(
                AddressFamily::Unix,
                SockType::Stream,
                SockFlag::empty(),
                None,
            );
            if let Ok(socket) = &socket {
                let _ = connect(socket.as_raw_fd(), &address);
            }
            // SAFETY: ends the process; nothing of the parent's is run.
            unsafe { libc::_exit(0) }
        }
        ForkResult::Parent { child } => {
            let (stream, _) = listener.accept().unwrap();
            (child.as_raw(), stream)
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_caller_that_has_ended_is_known_until_its_parent_takes_note_and_nobody_else_answers_for_it() {
    use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
    use nix::unistd::Pid;
    let folder = tempfile::tempdir().unwrap();
    let listener = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
    let (child, stream) = connected_by_a_child(&listener);
    let pid = Pid::from_raw(child);
    // It has exited, and stays to be asked about.
    waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).unwrap();
    assert_eq!(peer(&stream).unwrap().pid, Some(child));
    let facts = peer_facts(&stream, child).unwrap();
    assert_eq!((facts.pid, facts.parent), (child, own_pid()));
    assert!(facts.zombie);
    waitpid(pid, None).unwrap();
    assert_eq!(peer_facts(&stream, child), None);
    // As if another had taken over its number: this process is there, but did not connect.
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let pins = super::os::peer_descriptor(&ours).is_ok();
    assert_eq!(peer_facts(&stream, own_pid()).is_none(), pins);
}

#[test]
fn a_variable_that_is_absent_is_told_from_an_environment_that_cannot_be_read() {
    let mut helper = Helper::start("echo ready; read line");
    assert_eq!(helper.line(), "ready");
    let pid = helper.pid();
    assert_eq!(
        start_variable(pid, "SYS_TEST"),
        StartVariable::Is("a value".to_owned())
    );
    assert_eq!(start_variable(pid, "SYS_TES"), StartVariable::Absent);
    assert_eq!(start_variable(i32::MAX, "HOME"), StartVariable::Unreadable);
}
