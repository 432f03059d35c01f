//! Attached inside tmux, as people do it over ssh: what tmux shows is what the pane shows, and the shell
//! gets its terminal back. Where there is no tmux, nothing is tested, and that is said.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::common::{Daemon, End, Home, PATIENCE, run, until_true};

/// A tmux server of this test's own.
struct Tmux {
    home: Home,
}

impl Tmux {
    /// None where there is no tmux.
    fn start(home: &Home) -> Option<Tmux> {
        let found = std::env::split_paths("/usr/local/bin:/usr/bin:/bin")
            .any(|folder| folder.join("tmux").exists());
        if !found {
            eprintln!("tmux is not installed, so attaching inside it is not tested");
            return None;
        }
        let tmux = Tmux { home: home.clone() };
        tmux.window(
            "new-session",
            &["-d", "-s", "test", "-x", "100", "-y", "30"],
        );
        Some(tmux)
    }

    /// Makes a window with a shell in it.
    fn window(&self, how: &str, words: &[&str]) {
        let prompt = "-ePS1=> ";
        let mut all = vec![how];
        all.extend(words);
        all.extend([prompt, "/bin/sh"]);
        let end = self.run(&all);
        assert_eq!(end.code, Some(0), "{end:?}");
    }

    fn run(&self, words: &[&str]) -> End {
        let mut command = self.command();
        run(command.args(words))
    }

    fn command(&self) -> Command {
        let mut command = self.home.command(Path::new("tmux"));
        command
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .args(["-f", "/dev/null", "-S"])
            .arg(self.home.path("tmp/tmux"));
        command
    }

    /// Types into a window: keys by tmux's names, or text.
    fn press(&self, window: &str, keys: &[&str]) {
        let mut words = vec!["send-keys", "-t", window];
        words.extend(keys);
        let end = self.run(&words);
        assert_eq!(end.code, Some(0), "{end:?}");
    }

    fn enter(&self, window: &str, line: &str) {
        self.press(window, &["-l", line]);
        self.press(window, &["Enter"]);
    }

    /// What a window shows, without what is empty at its end.
    fn text(&self, window: &str) -> String {
        let end = self.run(&["capture-pane", "-p", "-t", window]);
        let lines = end.stdout.lines().map(str::trim_end);
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// Waits until a window shows this.
    fn see(&self, window: &str, needle: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.text(window).contains(needle) {
            let late = Instant::now() > deadline;
            assert!(!late, "no {needle} in:\n{}", self.text(window));
        }
    }

    /// Leaves the pane, and waits for the shell's prompt: what is typed before that is thrown away.
    fn detach(&self, window: &str) {
        self.press(window, &["C-b", "q"]);
        until_true("the prompt", || self.text(window).ends_with("\n>"));
    }

    /// The settings of the shell's terminal, as the shell has them while it runs a command.
    fn settings(&self, window: &str, name: &str) -> String {
        let file = self.home.path("tmp").join(name);
        let path = file.display();
        self.enter(
            window,
            &format!("stty -g >{path}; echo 'the settings of '{name}"),
        );
        self.see(window, &format!("the settings of {name}"));
        std::fs::read_to_string(&file).expect("settings")
    }

    /// The process that a window's shell has in its foreground.
    fn foreground(&self, window: &str) -> i32 {
        let end = self.run(&["display-message", "-p", "-t", window, "#{pane_pid}"]);
        let shell: i32 = end.stdout.trim().parse().expect("a pid");
        let stat = std::fs::read_to_string(format!("/proc/{shell}/stat")).expect("a process");
        let rest = stat.rsplit_once(") ").expect("fields").1;
        // The eighth field is the foreground group of its terminal; its leader is the command.
        let group = rest.split(' ').nth(5).expect("a group");
        group.parse().expect("a group")
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}

/// Text of a pane in the form of [`Tmux::text`].
fn text(daemon: &Daemon, pane: &str) -> String {
    let params = json!({ "pane_id": pane, "source": "visible" });
    let read = daemon.result("pane.read", params);
    let text = read["read"]["text"].as_str().expect("text");
    let lines = text.lines().map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn shows(daemon: &Daemon, tmux: &Tmux, window: &str, pane: &str, needle: &str) {
    let (mut wanted, mut shown) = (String::new(), String::new());
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        (wanted, shown) = (text(daemon, pane), tmux.text(window));
        if wanted.contains(needle) && wanted == shown {
            return;
        }
    }
    panic!("{needle} is not in both:\n{wanted}\n--- and in tmux\n{shown}");
}

#[test]
fn tmux_shows_the_pane_through_every_change_and_the_shell_gets_its_terminal_back() {
    let daemon = Daemon::start();
    let pane = daemon.workspace();
    let Some(tmux) = Tmux::start(&daemon.home) else {
        return;
    };
    let file = daemon.home.path("home/file");
    let lines: String = (1..200)
        .map(|n| format!("line {n} of 日本 and more\n"))
        .collect();
    std::fs::write(&file, lines).expect("a file");
    let attach = format!("{} attach {pane}", daemon.home.path("drover").display());
    let rows = |count: u64| {
        until_true("the size of the window", || {
            super::terminal::rows(&daemon, &pane) == count
        });
    };
    let before = tmux.settings("test:0", "before");

    tmux.enter("test:0", &attach);
    rows(30);
    tmux.enter("test:0", "echo in\"\"side");
    shows(&daemon, &tmux, "test:0", &pane, "inside");
    // A full-screen program that is everywhere, or the next best.
    let program = ["vim", "less"]
        .into_iter()
        .find(|name| Path::new("/usr/bin").join(name).exists());
    if let Some(program) = program {
        tmux.enter("test:0", &format!("{program} file"));
        shows(&daemon, &tmux, "test:0", &pane, "line 20 of");
        tmux.run(&["resize-window", "-t", "test:0", "-x", "90", "-y", "20"]);
        rows(20);
        shows(&daemon, &tmux, "test:0", &pane, "line 15 of");
        tmux.press("test:0", &["G"]);
        shows(&daemon, &tmux, "test:0", &pane, "line 199 of");
    } else {
        eprintln!("neither vim nor less is installed, so no full-screen program is tested");
    }
    tmux.detach("test:0");
    assert_eq!(tmux.settings("test:0", "detached"), before);

    tmux.enter("test:0", &attach);
    rows(if program.is_some() { 20 } else { 30 });
    if program.is_some() {
        shows(&daemon, &tmux, "test:0", &pane, "line 199 of");
    }
    kill(Pid::from_raw(tmux.foreground("test:0")), Signal::SIGKILL).expect("killed");
    tmux.see("test:0", "the settings of detached");
    assert_eq!(tmux.settings("test:0", "killed"), before);

    tmux.enter("test:0", &attach);
    tmux.window("new-window", &["-t", "test:1"]);
    tmux.enter("test:1", &attach);
    match program {
        Some("vim") => tmux.press("test:1", &["Escape", ":", "q", "!", "Enter"]),
        Some(_) => tmux.press("test:1", &["q"]),
        None => {}
    }
    // What is typed while a program ends is the program's.
    until_true("the end of the program", || {
        !text(&daemon, &pane).contains("line 199 of")
    });
    tmux.enter("test:1", "echo fr\"\"om the second");
    for window in ["test:0", "test:1"] {
        shows(&daemon, &tmux, window, &pane, "from the second");
    }
    tmux.detach("test:1");
    tmux.enter("test:0", "echo fr\"\"om the first");
    shows(&daemon, &tmux, "test:0", &pane, "from the first");
}
