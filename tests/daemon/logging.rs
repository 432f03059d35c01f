//! The log file of a daemon in the background: both of its processes write it, and either may put it aside.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::json;

use super::common::{Daemon, Home, until_true};

/// The size at which the file is put aside, in bytes, and the longest line: as `src/log.rs` has them.
const CAP: u64 = 5 * 1024 * 1024;
const LINE: u64 = 4 * 1024 + 16;

/// Mistakes in the configuration: the worker says each of them whenever it reads the file again.
const MISTAKES: usize = 100;

/// How often it reads that, and how often a socket goes, which the keeper says.
const READS: usize = 12;
const REMOVALS: usize = 12;

/// A daemon that has left this test's process group, and ends with it.
struct Background(Home);

impl Background {
    fn start(home: Home) -> Background {
        let background = Background(home);
        let up = background.0.drover(&["up"]);
        assert_eq!(up.code, Some(0), "{up:?}");
        background
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.drover(&["down"]);
    }
}

fn log_file(home: &Home) -> PathBuf {
    let state = home.path("state/drover");
    let found = fs::read_dir(&state).expect("a directory");
    let mut logs = found
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.next().expect("a log file")
}

fn aside(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

/// Fills the file until a few more lines put it aside.
fn fill(log: &Path) {
    let size = fs::metadata(log).expect("a file").len();
    let line = format!(
        "2000-01-01T00:00:00.000Z INFO  filler: {}\n",
        "x".repeat(960)
    );
    let count = (CAP - 64 * 1024).saturating_sub(size) / line.len() as u64;
    let mut file = OpenOptions::new().append(true).open(log).expect("a file");
    file.write_all(line.repeat(count as usize).as_bytes())
        .expect("a filled file");
}

#[test]
fn a_log_that_both_processes_write_loses_and_tears_no_line_when_it_is_put_aside() {
    let home = Home::new();
    let mistakes: Vec<String> = (0..MISTAKES)
        .map(|number| format!("nonsense_{number} = 1\n"))
        .collect();
    home.configure(&mistakes.concat());
    let background = Background::start(home.clone());
    let log = log_file(&home);
    let aside = aside(&log);
    let control = home.path("run/drover").join("drover.sock");
    for round in 0..3 {
        fill(&log);
        let removing = thread::spawn({
            let (control, log, aside) = (control.clone(), log.clone(), aside.clone());
            move || {
                for number in 1..=REMOVALS {
                    fs::remove_file(&control).expect("a socket");
                    // Two that go before the first was told of may be one to whoever looks.
                    until_true("the socket again, and the line about it", || {
                        control.exists() && removals_told(&aside, &log) >= number
                    });
                }
            }
        });
        let daemon = Daemon::of_another(home.clone());
        for _ in 0..READS {
            daemon.result("server.reload_config", json!({}));
        }
        removing.join().expect("sockets that come back");
        let lines = lines_of_both(&aside, &log, round);
        for line in &lines {
            let (time, rest) = line.split_at_checked(24).expect("a whole line");
            assert!(time.starts_with("20") && time.ends_with('Z'), "{line}");
            assert!(rest.contains(": "), "{line}");
        }
        let told: Vec<usize> = lines.iter().filter_map(|line| mistake(line)).collect();
        let expected: Vec<usize> = (0..READS).flat_map(|_| 0..MISTAKES).collect();
        assert_eq!(told, expected, "round {round}");
        for file in [&log, &aside] {
            let size = fs::metadata(file).expect("a file").len();
            assert!(size <= CAP + LINE, "{} has {size} bytes", file.display());
        }
    }
    drop(background);
}

/// How many removed sockets are told of since the file was last filled. Too few where it is just being put aside.
fn removals_told(aside: &Path, log: &Path) -> usize {
    let text = text_of_both(aside, log);
    let after = text.rfind("filler").unwrap_or(0);
    text[after..].matches("drover.sock was gone").count()
}

fn text_of_both(aside: &Path, log: &Path) -> String {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    read(aside) + &read(log)
}

/// The lines since the file was last filled, in both files.
fn lines_of_both(aside: &Path, log: &Path, round: usize) -> Vec<String> {
    let text = text_of_both(aside, log);
    assert!(
        text.contains("filler"),
        "round {round}: it was put aside twice"
    );
    let after = text
        .lines()
        .rev()
        .take_while(|line| !line.contains("filler"));
    let mut lines: Vec<String> = after.map(str::to_owned).collect();
    lines.reverse();
    lines
}

/// Which mistake a line tells of.
fn mistake(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once("nonsense_")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
