//! Bytes in, bytes out, and the size.

use super::*;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[test]
fn input_reaches_the_program_in_the_order_of_the_calls() {
    let test = TestPane::shell("read a; read b; echo \"<$a $b>\"; read c");
    test.pane.send("one\n").unwrap();
    test.pane.send("").unwrap();
    test.pane.send("two\n").unwrap();
    test.wait_for_text("<one two>");
}

/// The program does not read until the test opens a gate; meanwhile two mebibytes are queued.
#[test]
fn big_input_is_neither_lost_nor_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let (gate, copy) = (folder.path().join("gate"), folder.path().join("copy"));
    mkfifo(&gate, Mode::S_IRWXU).unwrap();
    let sent: Vec<u8> = (0..260_000_u32)
        .flat_map(|number| format!("{number:07}\n").into_bytes())
        .collect();
    let test = TestPane::shell(&format!(
        "stty raw -echo; echo ready; read go < '{}'; head -c {} > '{}'; echo done; read line",
        gate.display(),
        sent.len(),
        copy.display()
    ));
    test.wait_for_text("ready");
    let started = Instant::now();
    for part in sent.chunks(sent.len() / 2) {
        test.pane.send(part).unwrap();
    }
    assert_eq!(test.pane.send("more"), Err(SendError::QueueFull));
    assert!(
        started.elapsed() < Duration::from_secs(1),
        "sending has to wait for nobody"
    );
    fs::write(&gate, "go\n").unwrap();
    test.wait_for_text("done");
    assert!(
        fs::read(&copy).unwrap() == sent,
        "what arrived is not what was sent"
    );
}

#[test]
fn a_program_that_does_not_read_costs_nothing_while_input_waits() {
    let test = TestPane::shell("stty raw -echo; echo ready; exec sleep 1000");
    test.wait_for_text("ready");
    test.pane.send(vec![b'x'; 300_000]).unwrap();
    test.recorder.wait_for_foreground("sleep");
    assert_asleep(&test);
}

#[test]
fn a_check_that_says_no_drops_its_bytes_and_only_those() {
    let test = TestPane::shell("read a; echo \"<$a>\"; read b");
    let asked = Arc::new(AtomicUsize::new(0));
    let check = |answer: bool| {
        let asked = Arc::clone(&asked);
        Box::new(move || {
            asked.fetch_add(1, Ordering::SeqCst);
            answer
        })
    };
    test.pane.send_checked("no", check(false)).unwrap();
    test.pane.send_checked("yes", check(true)).unwrap();
    test.pane.send("\n").unwrap();
    test.wait_for_text("<yes>");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn a_check_that_says_no_in_the_middle_drops_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    mkfifo(&gate, Mode::S_IRWXU).unwrap();
    let taken = folder.path().join("taken");
    let test = TestPane::shell(&format!(
        "stty raw -echo; echo ready; read go <{}; exec tee {}",
        gate.display(),
        taken.display()
    ));
    test.wait_for_text("ready");
    let (asked, allowed) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(true)),
    );
    let check = {
        let (asked, allowed) = (Arc::clone(&asked), Arc::clone(&allowed));
        Box::new(move || {
            asked.fetch_add(1, Ordering::SeqCst);
            allowed.load(Ordering::SeqCst)
        })
    };
    let text = "x".repeat(500_000);
    test.pane
        .send_checked(format!("\x1b[200~{text}\x1b[201~"), check)
        .unwrap();
    // The kernel has taken what it takes of it.
    let deadline = Instant::now() + PATIENCE;
    while asked.load(Ordering::SeqCst) < 2 {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    allowed.store(false, Ordering::SeqCst);
    test.pane.send("the end").unwrap();
    fs::write(&gate, "\n").unwrap();
    test.wait_for_text("the end");
    // What the kernel had room for, and no more.
    let taken = fs::metadata(&taken).unwrap().len();
    assert!(taken < 200_000, "{taken} bytes");
}

#[test]
fn the_program_hears_of_a_new_size_once() {
    let test = TestPane::shell(
        "trap 'echo \"<$(stty size)>\"' WINCH; sleep 1000 & echo ready; while :; do wait; done",
    );
    test.wait_for_text("ready");
    test.pane.resize(SIZE);
    test.pane.resize(Size {
        cols: 100,
        rows: 30,
    });
    test.wait_for_text("<30 100>");
    test.pane.resize(Size {
        cols: 100,
        rows: 30,
    });
    test.pane.resize(Size { cols: 90, rows: 20 });
    let text = test.wait_for_text("<20 90>");
    assert_eq!(text.matches('<').count(), 2, "{text}");
    assert_eq!(test.pane.size(), Size { cols: 90, rows: 20 });
    assert_eq!(test.pane.scroll_metrics().viewport_rows, 20);
}

#[test]
fn the_size_a_pane_has_already_changes_nothing_and_wakes_nobody() {
    let test = TestPane::shell("read line");
    let wake = Arc::new(Wake::new().unwrap());
    let watch = test.pane.watch(&wake);
    watch.arm();
    test.pane.resize(SIZE);
    assert!(!is_notified(&wake));
    test.pane.resize(Size { cols: 81, ..SIZE });
    assert!(is_notified(&wake));
}

#[test]
fn the_terminal_answers_what_the_program_asks() {
    let test = TestPane::shell(
        "stty raw -echo; printf '\\033[6n'; answer=$(head -c 6 | tr '\\033' E); echo \"<$answer>\"; read line",
    );
    test.wait_for_text("<E[1;1R>");
}

#[test]
fn what_is_not_text_is_reported_apart() {
    let test = TestPane::shell("printf '\\033]2;a title\\007\\007'; read line");
    let notes = test.recorder.wait_for("title and bell", |seen| {
        (seen.notes.len() == 2).then(|| seen.notes.clone())
    });
    assert_eq!(notes, [Note::Title("a title".to_owned()), Note::Bell]);
}

#[test]
fn numbers_for_lists_follow_the_screen_without_its_lock() {
    let test = TestPane::shell("read line; seq 100; read line");
    let before = test.pane.revision();
    test.pane.send("\n").unwrap();
    test.wait_for_text("100");
    assert!(test.pane.revision() > before);
    let metrics = test.pane.scroll_metrics();
    assert_eq!(metrics, test.pane.screen().scroll_metrics());
    assert_eq!(metrics.viewport_rows, u64::from(SIZE.rows));
    assert!(metrics.max_offset_from_bottom >= 77);
}

#[test]
fn numbers_for_lists_follow_a_flood_that_nobody_looks_at() {
    let test = TestPane::shell("seq 5000; read line");
    let deadline = Instant::now() + PATIENCE;
    while test.pane.scroll_metrics().max_offset_from_bottom < 900 {
        assert!(
            Instant::now() < deadline,
            "{:?}",
            test.pane.scroll_metrics()
        );
        std::thread::yield_now();
    }
    test.recorder
        .wait_for("rest", |seen| (seen.settled > 0).then_some(()));
    let metrics = test.pane.scroll_metrics();
    assert_eq!(metrics, test.pane.screen().scroll_metrics());
}

#[test]
fn a_flooding_pane_lets_readers_in_and_input_through() {
    let test = TestPane::shell("yes & read line; kill $!; echo \"<$line>\"; read line");
    let mut last = 0;
    for _ in 0..200 {
        // Each look waits for its turn with the flooding thread; losing it every time would never
        // end.
        let revision = test.pane.screen().revision();
        assert!(revision >= last);
        last = revision;
    }
    test.recorder.wait_for("a look amid the flood", |seen| {
        (seen.settled >= 2).then_some(())
    });
    test.pane.send("through\n").unwrap();
    test.wait_for_text("<through>");
}

#[test]
fn an_idle_pane_never_wakes() {
    let test = TestPane::open(launch(Program::Shell {
        path: OsString::from("/bin/sh"),
        mode: ShellMode::NonLogin,
    }));
    test.wait_for_text("$");
    assert_asleep(&test);
}

/// Panics in what listens to a pane: once, or always.
struct Panicking {
    recorder: Recorder,
    always: bool,
}

impl PaneEvents for Panicking {
    fn output(&self, _pane: PaneKey, _notes: Vec<Note>) {}

    fn settled(&self, pane: PaneKey) {
        let count = self.recorder.seen.lock().unwrap().settled;
        self.recorder.settled(pane);
        assert!(count > 0 && !self.always, "a panic of this test");
    }

    fn foreground_changed(&self, _pane: PaneKey, _job: Arc<ForegroundJob>) {}

    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>) {
        self.recorder.exited(pane, status);
    }
}

fn panicking(script: &str, always: bool) -> (Arc<Pane>, Arc<Panicking>) {
    let events = Arc::new(Panicking {
        recorder: Recorder::default(),
        always,
    });
    let arguments = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    let new = Pane::open(PaneKey::new(1), &launch(Program::Command(arguments)), 100).unwrap();
    let pane = new.begin(Arc::<Panicking>::clone(&events));
    (pane, events)
}

#[test]
fn a_panic_in_one_round_does_not_end_the_pane() {
    let (pane, events) = panicking("echo one; read line; echo two; exit 5", false);
    events
        .recorder
        .wait_for("the first look", |seen| (seen.settled == 1).then_some(()));
    pane.send("\n").unwrap();
    assert_eq!(events.recorder.wait_for_exit().unwrap().code(), Some(5));
    assert!(pane.wait_finished(Instant::now() + PATIENCE));
}

#[test]
fn a_thread_that_only_panics_ends_its_pane_and_reports_it() {
    let (pane, events) = panicking("while :; do echo x; sleep 0.05; done", true);
    events.recorder.wait_for_exit();
    assert!(pane.wait_finished(Instant::now() + PATIENCE));
    assert!(pane.has_exited());
    assert_eq!(pane.send("x"), Err(SendError::Gone));
    assert_eq!(
        crate::sys::process_facts(pane.shell_pid()),
        None,
        "killed and collected"
    );
}
