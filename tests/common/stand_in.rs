//! Stand-ins for agents: programs by an agent's name that show what a test tells them to show.

use super::{Daemon, Home};

/// Shows the screen whose name it is given, line by line, and notes when it has. Typing is not echoed, as in a real one.
const STAND_IN: &str = "#!/bin/sh
stty -echo
printf 'stand-in is here\\r\\n'
while read -r screen; do
    cat \"$HOME/screens/$screen\"
    : > \"$HOME/shown-$HERDR_PANE_ID\"
done
";

impl Home {
    /// Puts a stand-in by this name on `PATH`.
    pub fn stand_in(&self, name: &str) {
        self.script(name, STAND_IN);
    }

    /// A screen for stand-ins, with the title that goes with it.
    pub fn screen(&self, name: &str, title: &str, text: &str) {
        self.draws(name, &format!("\x1b]2;{title}\x07\x1b[2J\x1b[H{text}"));
    }

    /// The bytes that a stand-in writes for a screen's name: in one piece, as a program draws a frame.
    pub fn draws(&self, name: &str, bytes: &str) {
        let folder = self.path("home/screens");
        std::fs::create_dir_all(&folder).expect("a directory");
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
}

impl Daemon {
    /// Starts a stand-in in a pane and waits until it reads.
    pub fn start_stand_in(&self, pane: &str, name: &str) {
        self.home.stand_in(name);
        self.enter(pane, name);
        self.wait_for_line(pane, "stand-in is here$");
    }
}
