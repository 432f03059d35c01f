//! One half of the daemon is killed again and again, at moments that nobody chose, while panes print, agents report,
//! the layout changes and somebody listens; and a whole build is replaced under load. What was acknowledged stays so.
//!
//! `DROVER_KILLS` says how often; by default seldom enough for every run of the tests.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Daemon, Half, PATIENCE, Setup, executable, run, until};

/// Panes that print and report.
const PANES: usize = 10;

/// The longest that anybody may wait for an answer while a half is replaced.
const GAP: Duration = Duration::from_millis(1500);

/// The same while another build takes over.
const UPGRADE_GAP: Duration = Duration::from_millis(500);

/// The longest that a program which does nothing may take, for the machine to count as quiet: then a process that is
/// started gets a processor at once, and how long it takes to serve is its own doing.
const QUIET: Duration = Duration::from_millis(40);

/// How often to kill.
pub fn kills() -> usize {
    let wanted = std::env::var("DROVER_KILLS").ok();
    wanted.and_then(|number| number.parse().ok()).unwrap_or(10)
}

/// A number below `bound` that nobody chose.
pub fn any(bound: u64) -> u64 {
    let bytes = drover::sys::random_bytes().expect("random bytes");
    let (low, _) = bytes.split_at(8);
    u64::from_le_bytes(low.try_into().expect("eight bytes")) % bound
}

/// One request. None when the connection broke before the answer: then nobody knows whether it was done.
fn ask(socket: &Path, method: &str, params: &Value) -> Option<Value> {
    // Somebody always listens, whatever is dead just now.
    let mut stream = UnixStream::connect(socket).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let request = json!({ "id": "r", "method": method, "params": params });
    stream.write_all(format!("{request}\n").as_bytes()).ok()?;
    let mut line = String::new();
    match BufReader::new(stream).read_line(&mut line) {
        Ok(_) if line.ends_with('\n') => Some(serde_json::from_str(&line).expect("JSON")),
        Ok(_) => None,
        Err(error) => {
            let silent = matches!(
                error.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            );
            assert!(!silent, "never answered: {request}");
            None
        }
    }
}

/// How long a program takes that is this one and does next to nothing.
fn idle_program() -> Duration {
    let started = Instant::now();
    let mut command = Command::new(executable());
    run(command.arg("--version").env_clear());
    started.elapsed()
}

/// Threads that go on until they are told to end.
struct Actors {
    end: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Actors {
    fn new() -> Actors {
        Actors {
            end: Arc::default(),
            threads: Vec::new(),
        }
    }

    fn start(&mut self, mut step: impl FnMut() + Send + 'static) {
        let end = Arc::clone(&self.end);
        self.threads.push(thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                step();
            }
        }));
    }

    fn end(mut self) {
        self.end.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().expect("an actor that did not fail");
        }
    }
}

impl Drop for Actors {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
    }
}

/// An agent that reports a growing number, with each number as its sequence mark.
#[derive(Default)]
struct Reports {
    sent: AtomicU64,
    acknowledged: AtomicU64,
}

impl Reports {
    fn report(&self, socket: &Path, pane: &str) {
        let number = self.sent.load(Ordering::SeqCst) + 1;
        self.sent.store(number, Ordering::SeqCst);
        let params = json!({
            "pane_id": pane, "source": "count", "seq": number, "tokens": { "n": number.to_string() },
        });
        if let Some(answer) = ask(socket, "pane.report_metadata", &params) {
            assert!(answer["error"].is_null(), "{answer}");
            self.acknowledged.store(number, Ordering::SeqCst);
        }
    }

    /// What is acknowledged is there; what is there was sent; and what is older than that stays without effect.
    fn check(&self, socket: &Path, pane: &str) {
        let shown = || -> u64 {
            let answer = until("an answer", || {
                ask(socket, "pane.get", &json!({ "pane_id": pane }))
            });
            let number = answer["result"]["pane"]["tokens"]["n"].as_str();
            number.map_or(0, |number| number.parse().expect("a number"))
        };
        let acknowledged = self.acknowledged.load(Ordering::SeqCst);
        let found = shown();
        let sent = self.sent.load(Ordering::SeqCst);
        assert!(
            acknowledged <= found && found <= sent,
            "{pane}: acknowledged {acknowledged}, found {found}, sent {sent}"
        );
        if acknowledged > 0 {
            let late = json!({
                "pane_id": pane, "source": "count", "seq": acknowledged, "tokens": { "n": "0" },
            });
            until("an answer", || ask(socket, "pane.report_metadata", &late));
            assert!(
                shown() >= acknowledged,
                "{pane}: a late report had an effect"
            );
        }
    }
}

/// Tabs that come and go, as far as was acknowledged.
#[derive(Default)]
struct Tabs {
    ever: BTreeSet<String>,
    there: BTreeSet<String>,
    closed: BTreeSet<String>,
}

impl Tabs {
    fn change(&mut self, socket: &Path) {
        if self.there.len() < 3 || any(2) == 0 {
            let params = json!({ "workspace_id": "w1" });
            if let Some(answer) = ask(socket, "tab.create", &params) {
                let id = answer["result"]["tab"]["tab_id"].as_str();
                let id = id.unwrap_or_else(|| panic!("{answer}")).to_owned();
                assert!(self.ever.insert(id.clone()), "{id} was there before");
                self.there.insert(id);
            }
            return;
        }
        let id = self.there.first().expect("a tab").clone();
        // Without an answer it may be there or not.
        self.there.remove(&id);
        if ask(socket, "tab.close", &json!({ "tab_id": id })).is_some() {
            self.closed.insert(id);
        }
    }

    fn check(&mut self, socket: &Path) {
        let answer = until("an answer", || ask(socket, "tab.list", &json!({})));
        let tabs = answer["result"]["tabs"].as_array().expect("a list");
        let found: BTreeSet<String> = tabs
            .iter()
            .map(|tab| tab["tab_id"].as_str().expect("an id").to_owned())
            .collect();
        let missing: Vec<_> = self.there.difference(&found).collect();
        assert!(missing.is_empty(), "acknowledged and gone: {missing:?}");
        let back: Vec<_> = self.closed.intersection(&found).collect();
        assert!(back.is_empty(), "closed and back: {back:?}");
        // Those whose making was never answered are known from now on.
        self.ever.extend(found);
    }
}

/// What a subscriber has been told, over as many subscriptions as it takes.
#[derive(Default)]
struct Told {
    created: BTreeSet<String>,
    closed: BTreeSet<String>,
    subscriptions: u64,
}

fn listen(socket: &Path, told: &Mutex<Told>) {
    let mut stream = UnixStream::connect(socket).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_millis(100)))
        .expect("a timeout");
    let request = json!({ "id": "s", "method": "events.subscribe", "params": {
        "subscriptions": [{ "type": "tab.created" }, { "type": "tab.closed" }],
    } });
    if stream.write_all(format!("{request}\n").as_bytes()).is_err() {
        return;
    }
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    loop {
        match lines.read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => {
                let event: Value = serde_json::from_str(&line).expect("JSON");
                line.clear();
                let mut told = told.lock().expect("a lock");
                let data = &event["data"];
                match event["event"].as_str() {
                    Some("tab_created") => {
                        let id = data["tab"]["tab_id"].as_str().expect("an id");
                        told.created.insert(id.to_owned());
                    }
                    Some("tab_closed") => {
                        let id = data["tab_id"].as_str().expect("an id");
                        told.closed.insert(id.to_owned());
                    }
                    _ => told.subscriptions += 1,
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                // A subscription that stays silent is tried anew now and then, so that the thread can end.
                if any(20) == 0 {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// A daemon that is kept busy.
struct Busy {
    daemon: Daemon,
    socket: PathBuf,
    panes: Vec<(String, i32)>,
    reports: Vec<Arc<Reports>>,
    tabs: Arc<Mutex<Tabs>>,
    told: Arc<Mutex<Told>>,
    actors: Actors,
}

impl Busy {
    fn start() -> Busy {
        let daemon = Setup::new()
            .config(
                "[terminal]\nscrollback_rows = 1000\n\
                 [limits]\nmetadata_burst = 10000\nmetadata_per_second = 10000\n",
            )
            .start();
        let socket = daemon.home.socket();
        let mut busy = Busy {
            panes: Vec::new(),
            reports: Vec::new(),
            tabs: Arc::default(),
            told: Arc::default(),
            actors: Actors::new(),
            socket: socket.clone(),
            daemon,
        };
        for number in 0..PANES {
            let pane = busy.daemon.workspace();
            let script = "i=0; while sleep 0.02; do i=$((i+1)); echo line $i; done";
            busy.daemon.enter(&pane, script);
            busy.daemon.wait_for_line(&pane, "line 2$");
            let info = busy
                .daemon
                .result("pane.process_info", json!({ "pane_id": pane }));
            let pid = info["process_info"]["shell_pid"].as_i64().expect("a pid");
            let reports = Arc::new(Reports::default());
            // Some report all the time, some never: their world must not change by itself.
            if number % 2 == 0 {
                let (reports, socket, pane) = (reports.clone(), socket.clone(), pane.clone());
                busy.actors.start(move || {
                    reports.report(&socket, &pane);
                    thread::sleep(Duration::from_millis(any(20)));
                });
            }
            busy.reports.push(reports);
            busy.panes.push((pane, pid.try_into().expect("a pid")));
        }
        let (tabs, at) = (busy.tabs.clone(), socket.clone());
        busy.actors.start(move || {
            tabs.lock().expect("a lock").change(&at);
            thread::sleep(Duration::from_millis(5 + any(20)));
        });
        let told = busy.told.clone();
        busy.actors.start(move || listen(&socket, &told));
        busy
    }

    /// Kills one half at some moment; how long the next ping took, and whether the machine was quiet.
    fn kill(&mut self, half: Half) -> (Duration, bool) {
        thread::sleep(Duration::from_millis(any(400)));
        let victim = self.daemon.home.half(half);
        let before = idle_program();
        let killed = Instant::now();
        self.daemon.kill_process(victim);
        until("an answered ping", || ask(&self.socket, "ping", &json!({})));
        let took = killed.elapsed();
        let quiet = before.max(idle_program()) < QUIET;
        assert_ne!(self.daemon.home.half(half), victim);
        (took, quiet)
    }

    fn check(&self) {
        for (pane, pid) in &self.panes {
            let alive = drover::sys::process_facts(*pid).is_some_and(|facts| !facts.zombie);
            assert!(alive, "the process of {pane} died");
            let info = until("an answer", || {
                ask(
                    &self.socket,
                    "pane.process_info",
                    &json!({ "pane_id": pane }),
                )
            });
            let found = info["result"]["process_info"]["shell_pid"].as_i64();
            assert_eq!(found, Some(i64::from(*pid)), "{info}");
        }
        for ((pane, _), reports) in self.panes.iter().zip(&self.reports) {
            reports.check(&self.socket, pane);
        }
        // With no change under way.
        let mut tabs = self.tabs.lock().expect("a lock");
        tabs.check(&self.socket);
        let told = self.told.lock().expect("a lock");
        let unknown: Vec<_> = told.created.difference(&tabs.ever).collect();
        assert!(unknown.is_empty(), "told of, and never there: {unknown:?}");
        let back: Vec<_> = told.closed.intersection(&tabs.there).collect();
        assert!(back.is_empty(), "told to be closed, and there: {back:?}");
    }

    /// Everything still works, and goes on where it was.
    fn end(self) {
        self.actors.end();
        for (pane, _) in &self.panes {
            let last = || -> u64 {
                let text = self.daemon.text(pane);
                let line = text
                    .lines()
                    .rev()
                    .find_map(|line| line.strip_prefix("line "));
                line.and_then(|line| line.parse().ok()).unwrap_or(0)
            };
            let before = last();
            until("more output", || (last() > before).then_some(()));
            let text = self.daemon.text(pane);
            let numbers: Vec<u64> = text
                .lines()
                .filter_map(|line| line.strip_prefix("line ")?.parse().ok())
                .collect();
            let gap = numbers.windows(2).find(|pair| pair[1] != pair[0] + 1);
            assert_eq!(gap, None, "{pane}: lines are missing or twice");
        }
    }
}

fn kill_again_and_again(half: Half) {
    let mut busy = Busy::start();
    let (mut gaps, mut quiet_gaps) = (Vec::new(), Vec::new());
    for _ in 0..kills() {
        let (gap, quiet) = busy.kill(half);
        gaps.push(gap);
        quiet_gaps.extend(quiet.then_some(gap));
        busy.check();
    }
    gaps.sort_unstable();
    let (median, longest) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
    let quiet = quiet_gaps.iter().max().copied().unwrap_or_default();
    let reports: u64 = busy
        .reports
        .iter()
        .map(|reports| reports.acknowledged.load(Ordering::SeqCst))
        .sum();
    println!(
        "{} kills of the {half:?}: the next ping after {median:?}, at most {longest:?}; \
         {quiet:?} of the {} while the machine was quiet; {reports} reports",
        gaps.len(),
        quiet_gaps.len()
    );
    // Where the machine was seldom quiet, it was not when it seemed so either.
    if quiet_gaps.len() * 2 > gaps.len() {
        assert!(quiet < GAP, "answered after {quiet:?}");
    }
    busy.end();
}

#[test]
fn kills_of_the_worker_lose_nothing_that_was_acknowledged() {
    kill_again_and_again(Half::Worker);
}

#[test]
fn kills_of_the_keeper_lose_nothing_that_was_acknowledged() {
    kill_again_and_again(Half::Keeper);
}

#[test]
fn a_full_screen_program_shows_the_same_cells_after_a_kill_without_a_key_press() {
    let mut daemon = Daemon::start();
    let pane = daemon.workspace();
    // Another screen, colors, a scroll region, wide characters, a hidden cursor in the midst; then silence.
    let draw = r"printf '\033[?1049h\033[2J\033[?25l\033[3;8r\033[5;10H\033[1;31mred\033[0m\033[44m wide \344\270\255\346\226\207\033[0m\033[8;1Hbelow\ndown'; printf '\033[r\033[12;4Hdo''ne'; cat";
    daemon.enter(&pane, draw);
    daemon.wait_for_line(&pane, "done");
    let cells = || {
        let params = json!({ "pane_id": pane, "source": "visible", "format": "ansi" });
        daemon.result("pane.read", params)["read"]["text"].clone()
    };
    let before = cells();
    assert!(before.as_str().is_some_and(|text| text.contains("red")));
    daemon.kill(Half::Worker);
    let params = json!({ "pane_id": pane, "source": "visible", "format": "ansi" });
    let after = daemon.result("pane.read", params)["read"]["text"].clone();
    assert_eq!(after, before);
}

#[test]
fn an_upgrade_under_load_loses_no_request_without_an_error() {
    let panes = if kills() > 10 { 50 } else { 10 };
    let daemon = Daemon::start();
    let shells: Vec<(String, i64)> = (0..panes)
        .map(|_| {
            let pane = daemon.workspace();
            daemon.enter(&pane, "while sleep 0.1; do echo x; done");
            let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
            let pid = info["process_info"]["shell_pid"].as_i64().expect("a pid");
            (pane, pid)
        })
        .collect();
    let socket = daemon.home.socket();
    let mut stream = daemon.subscribe(json!([]));
    let mut actors = Actors::new();
    let answered = Arc::new(AtomicU64::new(0));
    let refused = Arc::new(AtomicU64::new(0));
    let slowest = Arc::new(AtomicU64::new(0));
    for _ in 0..8 {
        let (answered, refused, slowest) = (answered.clone(), refused.clone(), slowest.clone());
        let (socket, panes) = (socket.clone(), shells.clone());
        actors.start(move || {
            let (pane, _) = &panes[any(panes.len() as u64) as usize];
            let asked = Instant::now();
            let answer = ask(&socket, "pane.get", &json!({ "pane_id": pane }));
            let answer =
                answer.expect("a request is answered, also while another build takes over");
            slowest.fetch_max(asked.elapsed().as_millis() as u64, Ordering::Relaxed);
            match answer["error"]["code"].as_str() {
                None => answered.fetch_add(1, Ordering::Relaxed),
                Some("server_unavailable") => refused.fetch_add(1, Ordering::Relaxed),
                Some(_) => panic!("{answer}"),
            };
        });
    }
    let before = daemon.home.half(Half::Worker);
    let quiet = idle_program() < QUIET;
    let other = daemon.home.path("drover").display().to_string();
    let end = daemon.home.drover(&["upgrade", &other]);
    assert_eq!(end.code, Some(0), "{end:?}");
    stream.ended();
    let enough = answered.load(Ordering::Relaxed) + 100;
    until("answers of the new one", || {
        (answered.load(Ordering::Relaxed) >= enough).then_some(())
    });
    actors.end();
    assert_ne!(daemon.home.half(Half::Worker), before);
    for (pane, pid) in &shells {
        let info = daemon.result("pane.process_info", json!({ "pane_id": pane }));
        assert_eq!(info["process_info"]["shell_pid"].as_i64(), Some(*pid));
    }
    let slowest = Duration::from_millis(slowest.load(Ordering::Relaxed));
    println!(
        "an upgrade with {panes} panes: {} requests answered, {} refused, the slowest took {slowest:?}",
        answered.load(Ordering::Relaxed),
        refused.load(Ordering::Relaxed),
    );
    if quiet && idle_program() < QUIET {
        assert!(slowest < UPGRADE_GAP, "answered after {slowest:?}");
    }
}
