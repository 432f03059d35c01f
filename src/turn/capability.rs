//! The secret that a tracked program proves itself with: minted once for each execution and generation, handed over in
//! its environment, and known here by its digest alone.

use std::fmt;
use std::hint::black_box;

use serde::{Deserialize, Serialize};

use super::digest::{hex, is_hex, sha256};

/// The secret itself. It exists between the decision to start a program and that program's start.
#[derive(Clone)]
pub struct Capability(String);

impl Capability {
    /// How the program is told.
    pub const VARIABLE: &'static str = "HERDR_NATIVE_CAPABILITY";

    /// Hexadecimal digits in one.
    const DIGITS: usize = 64;

    /// Out of 256 random bits.
    pub fn new(random: [u8; 32]) -> Capability {
        Capability(hex(&random))
    }

    /// For the program's environment and nothing else.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub fn verifier(&self) -> Verifier {
        Verifier(hex(&sha256(self.0.as_bytes())))
    }
}

impl fmt::Debug for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Capability")
    }
}

/// What somebody presents as a [`Capability`]: its digest, made before anything is looked up and whatever is found then,
/// so that the work for a caller depends on nothing but the length of what that caller sent.
#[derive(Clone, Copy)]
pub struct Proof {
    digest: [u8; 32],
    /// False: nothing was sent, which is no secret's digest however it is compared.
    presented: bool,
}

impl Proof {
    /// Of what was sent, if anything was.
    pub fn of(presented: Option<&str>) -> Proof {
        #[cfg(test)]
        work::count(|work| work.digests += 1);
        Proof {
            digest: sha256(presented.unwrap_or_default().as_bytes()),
            presented: presented.is_some(),
        }
    }

    /// Whether anything was sent.
    pub fn is_presented(&self) -> bool {
        self.presented
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Proof")
    }
}

/// What checks of capabilities did on this thread, so that tests can compare the work for different callers without a
/// clock.
#[cfg(test)]
pub(super) mod work {
    use std::cell::Cell;

    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Work {
        /// Digests made of what was sent.
        pub digests: usize,
        /// Pairs of hexadecimal digits compared.
        pub digits: usize,
    }

    thread_local! {
        static DONE: Cell<Work> = Cell::default();
    }

    pub(super) fn count(add: impl FnOnce(&mut Work)) {
        let mut done = DONE.get();
        add(&mut done);
        DONE.set(done);
    }

    /// What `run` takes, and what comes of it.
    pub fn of<R>(run: impl FnOnce() -> R) -> (Work, R) {
        DONE.set(Work::default());
        let outcome = run();
        (DONE.get(), outcome)
    }
}

/// SHA-256 of a [`Capability`], in hexadecimal digits. It says of a value whether it is the one, and cannot be turned
/// back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Verifier(String);

impl Verifier {
    /// Whether this is the secret. Takes the same time wherever the first difference is: digests are compared, of
    /// which a forger cannot choose the digits, and all of them, also where nothing was presented.
    pub fn accepts(&self, proof: &Proof) -> bool {
        let digits = hex(&proof.digest);
        let differing = self
            .0
            .bytes()
            .zip(digits.bytes())
            .fold(0_u8, |all, (ours, theirs)| {
                #[cfg(test)]
                work::count(|work| work.digits += 1);
                all | (ours ^ theirs)
            });
        proof.presented & (self.0.len() == digits.len()) & (black_box(differing) == 0)
    }

    /// The text with the secret, wherever a program printed it, made unreadable.
    pub fn redacted(&self, text: &str) -> String {
        let bytes = text.as_bytes();
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        while at < bytes.len() {
            let secret = bytes
                .get(at..at + Capability::DIGITS)
                .and_then(|window| std::str::from_utf8(window).ok())
                .filter(|window| is_hex(window, Capability::DIGITS));
            if secret.is_some_and(|window| self.accepts(&Proof::of(Some(window)))) {
                redacted.push_str("[secret]");
                at += Capability::DIGITS;
                continue;
            }
            // What starts here is a whole character: the digits above are one byte each.
            let length = text[at..].chars().next().map_or(1, char::len_utf8);
            redacted.push_str(&text[at..at + length]);
            at += length;
        }
        redacted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(verifier: &Verifier, presented: Option<&str>) -> bool {
        verifier.accepts(&Proof::of(presented))
    }

    #[test]
    fn only_the_secret_itself_is_accepted() {
        let capability = Capability::new([7; 32]);
        let verifier = capability.verifier();
        assert_eq!(capability.as_str().len(), Capability::DIGITS);
        assert!(accepts(&verifier, Some(capability.as_str())));
        let upper = capability.as_str().to_uppercase();
        let mut longer = capability.as_str().to_owned();
        longer.push('0');
        for forged in ["", "0707", &upper.replace('0', "O"), &longer, &longer[..63]] {
            assert!(!accepts(&verifier, Some(forged)), "{forged}");
        }
        assert!(!accepts(&verifier, None));
        let none = Verifier(String::new());
        assert!(!accepts(&none, Some(capability.as_str())) && !accepts(&none, None));
    }

    /// A comparison that stopped at the first difference would do less for some of these than for others.
    #[test]
    fn every_forgery_takes_the_whole_comparison() {
        let capability = Capability::new([7; 32]);
        let verifier = capability.verifier();
        let whole = work::Work {
            digests: 1,
            digits: Capability::DIGITS,
        };
        let near = format!("{}8", &capability.as_str()[..63]);
        for presented in [
            Some(capability.as_str()),
            Some(&near),
            Some("x"),
            Some(""),
            None,
        ] {
            let (work, _) = work::of(|| verifier.accepts(&Proof::of(presented)));
            assert_eq!(work, whole, "{presented:?}");
        }
    }

    #[test]
    fn neither_debug_output_nor_what_is_kept_shows_the_secret() {
        let capability = Capability::new([0xAB; 32]);
        let kept = serde_json::to_string(&capability.verifier()).unwrap();
        for text in [
            format!("{capability:?} {:?}", capability.verifier()),
            format!("{:?}", Proof::of(Some(capability.as_str()))),
            kept,
        ] {
            assert!(!text.contains(capability.as_str()), "{text}");
        }
    }

    #[test]
    fn a_printed_secret_is_made_unreadable_and_nothing_else_is() {
        let capability = Capability::new([0x5C; 32]);
        let verifier = capability.verifier();
        let other = Capability::new([0x5D; 32]);
        let text = format!("é {0}{0}1 {1} ✓", capability.as_str(), other.as_str());
        let redacted = verifier.redacted(&text);
        assert_eq!(
            redacted,
            format!("é [secret][secret]1 {} ✓", other.as_str())
        );
    }
}
