//! Bytes from a seed, made of pieces that the targets know and of noise, so that a short run gets somewhere.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::bodies;

/// Seconds for each body: long enough for some thousand inputs of most, short enough to be run with every change.
/// `DROVER_HOSTILE_SECONDS` says another number.
const SECONDS: u64 = 2;

/// The first input's seed; `DROVER_HOSTILE_SEED` says another.
const SEED: u64 = 0x5eed;

/// A number from the environment.
fn configured(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(value) => value.parse().unwrap_or_else(|_| panic!("{name}: {value}")),
        Err(_) => default,
    }
}

/// xorshift64*: enough for choosing, and the same everywhere.
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        // The remainder is below a usize.
        (self.next() % bound as u64) as usize
    }

    /// Up to `pieces` pieces: words of the target, or a few bytes of anything.
    fn input(&mut self, words: &[&str], pieces: usize) -> Vec<u8> {
        let mut input = Vec::new();
        for _ in 0..self.below(pieces) + 1 {
            if self.below(4) == 0 {
                let count = self.below(6);
                input.extend((0..count).map(|_| self.next() as u8));
            } else {
                input.extend(words[self.below(words.len())].as_bytes());
            }
        }
        input
    }
}

/// Runs a body on inputs from seeds until the time is over, and says which input it was that it panicked on.
fn run(body: fn(&[u8]), words: &[&str], pieces: usize) {
    let seconds = configured("DROVER_HOSTILE_SECONDS", SECONDS);
    let end = Instant::now() + Duration::from_secs(seconds);
    // Zero is the one state that this generator never leaves.
    let mut seeded = Seeded(configured("DROVER_HOSTILE_SEED", SEED).max(1));
    let mut count = 0_u32;
    while count < 20 || Instant::now() < end {
        let input = seeded.input(words, pieces);
        let result = catch_unwind(AssertUnwindSafe(|| body(&input)));
        assert!(result.is_ok(), "input {count}: {}", literal(&input));
        count += 1;
    }
    println!("{count} inputs in {seconds} s");
}

/// Bytes as Rust writes them.
fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}", byte.escape_ascii());
    }
    text + "\""
}

const LINES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"id\":",
    "\"x\"",
    ",",
    ":",
    "\"method\":",
    "\"params\":",
    "\"ping\"",
    "\"pane.get\"",
    "\"layout.apply\"",
    "\"pane_id\"",
    "null",
    "{}",
    "1e999",
    "-0",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "{\"id\":\"a\",\"method\":\"ping\",\"params\":{}}",
    "{\"id\":\"a\",\"method\":\"pane.graphics.set\",\"params\":",
    "{\"id\":\"a\",\"method\":\"pane.read\",\"params\":{\"pane_id\":\"w1:p1\",\"source\":\"visible\"}}",
    "\n",
];

#[test]
fn no_request_line_gets_anything_but_its_answer() {
    run(bodies::request_line::run, LINES, 20);
}

#[test]
fn no_parameters_of_any_method_harm_the_state() {
    run(
        bodies::method::run,
        &["a", "w1:p1", "\u{1}", "\u{7f}", "zz"],
        400,
    );
}

#[test]
fn no_line_to_the_control_socket_gets_anything_but_its_answer() {
    let requests = &[
        "\"grants.set\"",
        "{\"id\":\"a\",\"method\":\"grants.list\",\"params\":{}}\n",
        "{\"id\":\"a\",\"method\":\"grants.set\",\"params\":{\"pane_id\":\"w1:p1\",\"grants\":\"read,fan\"}}\n",
        "{\"id\":\"a\",\"method\":\"grants.explain\",\"params\":{\"pane_id\":\"w1:p1\",\"method\":\"pane.read\"}}\n",
        "{\"id\":\"a\",\"method\":\"log.read\",\"params\":{\"kind\":\"access\",\"wait\":true}}\n",
    ];
    run(bodies::control::run, &[LINES, requests].concat(), 20);
}

#[test]
fn no_stream_breaks_the_terminal_or_makes_it_type() {
    let sequences = &[
        "\u{80}",
        "\u{ff}",
        "\x1b[",
        "\x1b]",
        "\x1bP",
        "\x1b\\",
        "\x07",
        "\x1b[6n",
        "\x1b[c",
        "\x1b[>q",
        "\x1b[21t",
        "\x1b[?2026$p",
        "\x1bP$qm\x1b\\",
        "\x1bP$q\"p\x1b\\",
        "\x1bP+q544e;436f\x1b\\",
        "\x1bP+q0d0a\x1b\\",
        "\x1b]0;rm -rf\r\n\x07",
        "\x1b]2;a\x1b\\",
        "\x1b]8;;http://x\x1b\\",
        "\x1b]52;c;aGk=\x07",
        "\x1b]52;c;?\x07",
        "\x1b]4;1;?\x07",
        "\x1b]10;?\x1b\\",
        "\x1b]99;i=1:d=0;x\x1b\\",
        "\x1b]777;notify;a;b\x07",
        "\x1b]9;4;1;50\x07",
        "\x1b]7;file://h/%00\x07",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[2;4r",
        "\x1b[?6h",
        "\x1b[?69h",
        "\x1b[100S",
        "\x1b[65535T",
        "\x1b[65535@",
        "\x1b[65535L",
        "\x1b[65535X",
        "\x1b[65535b",
        "\x1b[65535P",
        "\x1b[4h",
        "\x1b(0",
        "\x1b#8",
        "\x1bc",
        "\x1b[2J",
        "\x1b[3J",
        "\x1b[65535;65535H",
        "\x1b[22;0t",
        "\x1b[23;0t",
        "\x1b[>31u",
        "\x1b[<9u",
        "\x1b[38;5;999m",
        "\x1b[38:2::1:2:3m",
        "\x1b[4:3m",
        "漢字",
        "e\u{301}\u{301}",
        "👩‍👩‍👧‍👦",
        "\t",
        "\r\n",
        "\x08",
        "abcdefghij",
        "\x00\x02\x01",
        "\x00\x3f\x3f",
        "\x01\x01\x01",
        "\x02\x30",
        "\x03",
        "\x04",
        "\x05\x1b[6n",
        "\x40",
    ];
    run(bodies::terminal::run, sequences, 60);
}

#[test]
fn no_key_string_and_no_paste_is_more_than_it_says() {
    let words = &[
        "ctrl+",
        "alt+",
        "shift+",
        "super+",
        "c",
        "enter",
        "f12",
        "f99",
        "esc",
        "up",
        "page_up",
        "+",
        "-",
        " ",
        "\n",
        "\x1b[201~",
        "\x1b[200~",
        "\x1b",
        "é",
        "漢",
        "kp_5",
        "ctrl+alt+shift+super+hyper+meta+x",
        "C-a",
        "M-x",
        "^A",
    ];
    run(bodies::keys::run, words, 12);
}

#[test]
fn no_configuration_file_gives_a_configuration_out_of_range() {
    let words = &[
        "[limits]\n",
        "[terminal]\n",
        "[ui.toast]\n",
        "[[x]]\n",
        "connections = ",
        "scrollback_rows = ",
        "delivery = ",
        "0",
        "-1",
        "99999999999999999999",
        "0xffff",
        "1e400",
        "nan",
        "'off'",
        "\"\\u0000\"",
        "true",
        "\n",
        "=",
        ".",
        "#",
        "limits.connections = 16\n",
        "terminal = { new_cwd = 'x' }\n",
        "'''",
        "\"\"\"",
        "1979-05-27T07:32:00Z",
        "{",
        "}",
    ];
    run(bodies::configuration::run, words, 20);
}

#[test]
fn no_manifest_of_a_plugin_is_taken_for_more_than_it_may_say() {
    let words = &[
        "id = 'a'\nname = 'a'\nversion = '1'\nmin_herdr_version = '0.6.0'\n",
        "id = '..'\n",
        "platforms = ['linux']\n",
        "[[build]]\n",
        "[[startup]]\n",
        "[[actions]]\n",
        "[[actions]]\nid = 'a'\ntitle = 'a'\ncommand = ['a']\n",
        "[[events]]\n",
        "[[panes]]\n",
        "[[link_handlers]]\n",
        "[[link_handlers]]\nid = 'a'\ntitle = 'a'\npattern = 'a+'\naction = 'a'\n",
        "id = 'b'\n",
        "title = 'a'\n",
        "command = ['a']\n",
        "command = []\n",
        "on = 'tab.created'\n",
        "placement = 'popup'\n",
        "width = '80%'\n",
        "pattern = '(a{99}){99}{99}'\n",
        "action = 'a'\n",
        "= 1\n",
        "[",
        "'''",
        "\u{0}",
    ];
    run(bodies::manifest::run, words, 20);
}
