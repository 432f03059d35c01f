//! One place in a [`Config`](super::Config) that a key of the file fills.

/// A setting that takes one of a few words.
pub(super) trait Choice {
    /// The words, in the order people should read them.
    fn words(&self) -> &'static [&'static str];
    /// The present word.
    fn word(&self) -> &'static str;
    /// Takes a word; false if it is none of [`Choice::words`].
    fn choose(&mut self, word: &str) -> bool;
}

/// A mutable view of a setting, by its type.
pub(super) enum Slot<'a> {
    Flag(&'a mut bool),
    Number(&'a mut u64),
    Text(&'a mut String),
    Choice(&'a mut dyn Choice),
    Words(&'a mut Words),
    List(&'a mut Vec<String>),
}

/// A setting that takes any of a few words, written in one string with blanks or commas between; the
/// word `none` alone stands for none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The words there are, in the order people should read them.
    known: &'static [&'static str],
    chosen: Vec<&'static str>,
}

impl Words {
    /// None of these.
    pub(super) fn of(known: &'static [&'static str]) -> Words {
        Words {
            known,
            chosen: Vec::new(),
        }
    }

    /// The chosen words, in the order they are known in.
    #[must_use]
    pub fn chosen(&self) -> &[&'static str] {
        &self.chosen
    }

    pub(super) fn known(&self) -> &'static [&'static str] {
        self.known
    }

    /// Takes the words of a string; false, and no change, if one of them is not known or there is
    /// none at all.
    pub(super) fn choose(&mut self, text: &str) -> bool {
        let named: Vec<&str> = text
            .split([' ', ',', '\t'])
            .filter(|word| !word.is_empty())
            .collect();
        if named[..] != ["none"]
            && (named.is_empty() || named.iter().any(|word| !self.known.contains(word)))
        {
            return false;
        }
        self.chosen = self
            .known
            .iter()
            .copied()
            .filter(|word| named.contains(word))
            .collect();
        true
    }
}

/// Declares an enumeration whose variants are words of the configuration file.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $crate::config::slot::Choice for $name {
            fn words(&self) -> &'static [&'static str] { &[$($word),+] }
            fn word(&self) -> &'static str { match self { $(Self::$variant => $word,)+ } }
            fn choose(&mut self, word: &str) -> bool {
                match word { $($word => *self = Self::$variant,)+ _ => return false }
                true
            }
        }
    };
}
pub(super) use choice;
