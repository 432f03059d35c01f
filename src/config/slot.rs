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
