//! What the panes print: three kinds of text, the same in every run.

use std::fmt::Write;

/// A block of text is repeated until there is enough: long enough that no cache below the
/// terminal holds it, short enough to be made in no time. In bytes.
pub const BLOCK: usize = 4_000_000;

#[derive(Clone, Copy)]
pub enum Kind {
    /// English words and file names.
    Plain,
    /// Every word in another colour.
    Colours,
    /// Wide, combining and accented characters.
    Unicode,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Plain, Kind::Colours, Kind::Unicode];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Plain => "plain",
            Kind::Colours => "colours",
            Kind::Unicode => "unicode",
        }
    }

    /// One block of whole lines; [`BLOCK`] bytes or a line more.
    pub fn block(self) -> String {
        let mut random = Random(7);
        let mut text = String::with_capacity(BLOCK + 4096);
        // How long a line is matters: the kernel's terminal works harder at its end.
        let (least, more) = match self {
            Kind::Plain => (2, 15),
            Kind::Colours => (2, 9),
            Kind::Unicode => (3, 12),
        };
        while text.len() < BLOCK {
            let words = least + random.below(more);
            for _ in 0..words {
                self.word(&mut text, &mut random);
                text.push(' ');
            }
            text.push('\n');
        }
        text
    }

    fn word(self, text: &mut String, random: &mut Random) {
        const PLAIN: [&str; 12] = [
            "alpha",
            "build",
            "error:",
            "warning",
            "src/main.rs",
            "0x7fff",
            "return",
            "value",
            "the",
            "of",
            "a",
            "compile",
        ];
        const UNICODE: [&str; 12] = [
            "naïve",
            "žluťoučký",
            "kůň",
            "日本語",
            "テキスト",
            "한국어",
            "🐎",
            "Ελληνικά",
            "русский",
            "e\u{301}",
            "▓▒░",
            "text",
        ];
        if let Kind::Unicode = self {
            text.push_str(UNICODE[random.below(UNICODE.len())]);
            return;
        }
        let word = PLAIN[random.below(PLAIN.len())];
        let Kind::Colours = self else {
            text.push_str(word);
            return;
        };
        let colour = random.below(256);
        let written = match random.below(4) {
            0 => write!(text, "\x1b[1;32m{word}\x1b[0m"),
            1 => write!(text, "\x1b[38;5;{colour}m{word}\x1b[0m"),
            2 => write!(text, "\x1b[48;2;{colour};9;200m{word}\x1b[0m"),
            _ => write!(text, "\x1b[4m{word}\x1b[0m"),
        };
        // Nothing keeps text from being written to memory.
        written.expect("memory");
    }
}

/// A linear congruential generator (Knuth's constants), so that runs are alike.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The low bits of such a generator repeat soon.
        (self.0 >> 33) as usize % limit
    }
}
