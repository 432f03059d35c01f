//! A person at a terminal: a command in a session of its own on a pseudo-terminal, and what that
//! terminal shows.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use drover::pane::{Format, Note, ReadRequest, Screen, Size, Source};
use drover::sys;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::Pid;

use super::{Home, PATIENCE, seen, until, until_true};

/// How long a terminal takes nothing that counts as full. Too short a time would only make a test weaker.
const FULL_TIME: Duration = Duration::from_millis(500);

pub struct Person {
    child: Child,
    /// Never blocks.
    master: File,
    slave: OwnedFd,
    before: Termios,
    screen: Screen,
    notes: Vec<Note>,
}

impl Person {
    /// Runs a command of `drover` or, if that is the first word, of `herdr`.
    pub fn run(home: &Home, words: &[&str], size: (u16, u16)) -> Person {
        let mut command = home.command(&home.path("drover"));
        command.args(words).env("TERM", "xterm-256color");
        // The bare word starts a daemon only where nobody says which it should talk to.
        if words.len() > 1 && words[0] == "herdr" {
            command.env("HERDR_SOCKET_PATH", home.socket());
        }
        Person::start(command, size)
    }

    /// Attaches to a pane.
    pub fn attach(home: &Home, pane: &str, size: (u16, u16)) -> Person {
        Person::run(home, &["herdr", "terminal", "attach", pane], size)
    }

    pub fn start(mut command: Command, (cols, rows): (u16, u16)) -> Person {
        let pair = sys::open_pty(cols, rows).expect("a terminal");
        let end = || Stdio::from(pair.slave.try_clone().expect("a descriptor"));
        command.stdin(end()).stdout(end()).stderr(end());
        sys::make_session_leader(&mut command);
        let before = tcgetattr(&pair.slave).expect("settings");
        Person {
            child: command.spawn().expect("started"),
            master: pair.master.into(),
            slave: pair.slave,
            before,
            screen: Screen::new(Size { cols, rows }, 1_000),
            notes: Vec::new(),
        }
    }

    /// Shows what has come to the terminal. False if that was nothing.
    fn look(&mut self) -> bool {
        let mut bytes = [0; 65_536];
        match self.master.read(&mut bytes) {
            Ok(count) => {
                self.screen.feed(&bytes[..count]);
                self.notes.extend(self.screen.take_notes());
                self.screen.take_replies();
                count > 0
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => panic!("the terminal is gone: {error}"),
        }
    }

    /// What the terminal shows.
    pub fn text(&self) -> String {
        self.read(Format::Text)
    }

    /// The same with colours, as [`seen`] has it.
    pub fn cells(&self) -> String {
        seen(&self.read(Format::Ansi))
    }

    fn read(&self, format: Format) -> String {
        let request = ReadRequest {
            source: Source::Visible,
            lines: None,
            format,
        };
        self.screen.read(&request).text
    }

    /// The terminal at this moment.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Waits until the terminal is so.
    pub fn until(&mut self, what: &str, mut so: impl FnMut(&Person) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            while self.look() {}
            if so(self) {
                return;
            }
            let waits = Instant::now() < deadline;
            assert!(
                waits,
                "waited in vain: {what}; the terminal shows:\n{}",
                self.text()
            );
            let mut news = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
            // What is waited for may be no output at all.
            poll(&mut news, 5_u8).expect("a wait");
        }
    }

    /// Waits until this is to be read.
    pub fn see(&mut self, text: &str) {
        self.until(text, |person| person.text().contains(text));
    }

    /// Waits until something like this has come beside the picture.
    pub fn hear(&mut self, what: &str, like: impl Fn(&Note) -> bool) -> Note {
        self.until(what, |person| person.notes.iter().any(&like));
        let place = self.notes.iter().position(like).expect("just seen");
        self.notes.remove(place)
    }

    /// Everything that has come beside the picture and was not heard yet.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    pub fn press(&mut self, keys: &[u8]) {
        let mut rest = keys;
        until_true("room for what is typed", || {
            match self.master.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
            self.look();
            rest.is_empty()
        });
    }

    /// Types until nobody takes any more for a while; how many bytes are left.
    pub fn press_until_full(&mut self, keys: &[u8]) -> usize {
        let mut rest = keys;
        let mut news = Instant::now();
        until_true("nobody takes any more", || {
            if let Ok(count) = self.master.write(rest) {
                rest = &rest[count..];
                news = Instant::now();
            }
            self.look();
            rest.is_empty() || news.elapsed() > FULL_TIME
        });
        rest.len()
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        sys::set_window_size(self.slave.as_fd(), cols, rows).expect("resized");
        self.screen.resize(Size { cols, rows });
    }

    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).expect("a pid");
        kill(Pid::from_raw(pid), signal).expect("signalled");
    }

    /// Waits for the command's end; its exit code, none if a signal ended it.
    pub fn ended(&mut self) -> Option<i32> {
        let status = until("the command's end", || {
            self.look();
            self.child.try_wait().expect("a child")
        });
        while self.look() {}
        status.code()
    }

    /// Whether the terminal's settings are those from before the command.
    pub fn settings_are_back(&self) -> bool {
        tcgetattr(&self.slave).expect("settings") == self.before
    }

    /// Checks that the terminal is as it was before the command.
    #[track_caller]
    pub fn has_its_terminal_back(&self) {
        let now = tcgetattr(&self.slave).expect("settings");
        assert_eq!(now, self.before, "the terminal's settings");
        let fresh = Screen::new(Size { cols: 2, rows: 1 }, 0).modes();
        assert_eq!(self.screen.modes(), fresh, "the terminal's modes");
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
