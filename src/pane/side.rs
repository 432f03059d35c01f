//! What a terminal keeps beside its grid: title, kitty keyboard flags, the synchronised-output
//! flag, and the outgoing post: answers for the program and notes for the daemon.
//!
//! Everything here is fed by a hostile stream, so everything has a bound.

use std::path::PathBuf;

use vte::ansi::CharsetIndex;

use super::tabs::TabStops;

/// Bytes of answers kept until somebody takes them. A program that asks without reading gets no
/// more than this.
const REPLIES_MAX: usize = 64 * 1024;

/// Notes kept until somebody takes them. Those that only tell the latest state replace each other,
/// so this bounds prompts and notifications.
const NOTES_MAX: usize = 64;

/// Characters of a title that are kept.
pub(super) const TITLE_MAX: usize = 256;

/// Titles a program may put aside, as vim does once.
pub(super) const TITLE_STACK_MAX: usize = 8;

/// Kitty keyboard flags a program may put aside on one screen. Programs nest a few deep.
pub(super) const KITTY_STACK_MAX: usize = 16;

/// Characters of a notification's title and body that are kept.
const NOTIFICATION_MAX: usize = 4096;

/// Something the stream said that is not part of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The program named its window (OSC 0, OSC 2). Never empty, at most 256 characters, without
    /// control characters.
    Title(String),
    /// The program took the name back.
    TitleCleared,
    /// The shell said where it is (OSC 7). `host` is what the address named and may be empty.
    Cwd {
        /// Host of the `file:` address, empty for this one.
        host: String,
        /// Absolute path.
        path: PathBuf,
    },
    /// A progress report (OSC 9;4).
    Progress(Progress),
    /// The bell rang, once or more.
    Bell,
    /// The program wants to tell a person something (OSC 9, OSC 777, OSC 99).
    Notification {
        /// May be empty.
        title: String,
        /// May be empty, but not when the title is.
        body: String,
    },
    /// A shell marked its prompt or a command (OSC 133).
    Prompt(PromptMark),
    /// The program wants to set a clipboard (OSC 52). The text has been decoded.
    ClipboardWrite {
        /// It is the primary selection rather than the clipboard.
        primary: bool,
        /// At most 768 KiB.
        text: String,
    },
    /// The engine failed on this stream and began anew; scrollback is kept.
    EngineReset,
}

/// Progress as OSC 9;4 tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is going on.
    None,
    /// So many percent are done, 0 to 100.
    Running(u8),
    /// It failed at so many percent.
    Failed(u8),
    /// It runs, nobody knows how far.
    Indeterminate,
    /// It is paused or wants attention at so many percent.
    Paused(u8),
}

/// What a program tells of itself beside its picture. Unlike the title of the window it can be
/// forgotten: what one program said is nothing that the next one says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The latest title, as in [`Note::Title`]; none if it was taken back.
    pub title: Option<String>,
    /// The latest progress.
    pub progress: Option<Progress>,
}

/// Semantic marks of a shell (OSC 133).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptMark {
    /// A prompt begins (A).
    PromptStart,
    /// The prompt ends, input begins (B).
    InputStart,
    /// Input ends, the command runs (C).
    OutputStart,
    /// The command ended (D), with its exit status if the shell told it.
    CommandEnd(Option<i32>),
}

/// Kitty keyboard flags of one screen, with those put aside.
#[derive(Debug, Default)]
pub(super) struct KittyKeyboard {
    pub(super) flags: u8,
    pub(super) aside: Vec<u8>,
}

/// The flags of the protocol that exist.
const KITTY_FLAGS: u8 = 0b1_1111;

impl KittyKeyboard {
    /// The flags in force.
    pub(super) fn flags(&self) -> u8 {
        self.flags
    }

    /// Puts the present flags aside; the oldest are forgotten beyond the bound.
    pub(super) fn push(&mut self, flags: u8) {
        if self.aside.len() == KITTY_STACK_MAX {
            self.aside.remove(0);
        }
        self.aside.push(self.flags);
        self.flags = flags & KITTY_FLAGS;
    }

    /// Takes flags back, `count` times. More than were put aside leaves none.
    pub(super) fn pop(&mut self, count: usize) {
        if count > self.aside.len() {
            *self = KittyKeyboard::default();
        } else if count > 0 {
            self.aside.truncate(self.aside.len() + 1 - count);
            self.flags = self.aside.pop().unwrap_or(0);
        }
    }

    /// Changes the flags in force: 1 replaces, 2 adds, 3 removes.
    pub(super) fn set(&mut self, flags: u8, how: u16) {
        let flags = flags & KITTY_FLAGS;
        match how {
            2 => self.flags |= flags,
            3 => self.flags &= !flags,
            _ => self.flags = flags,
        }
    }
}

/// A notification of OSC 99 that comes in parts.
#[derive(Debug, Default)]
pub(super) struct PartialNotification {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) body: String,
}

/// State beside the grid.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) title: Option<String>,
    pub(super) titles_aside: Vec<Option<String>>,
    pub(super) said: Said,
    /// Of the primary and of the alternate screen.
    pub(super) kitty: [KittyKeyboard; 2],
    pub(super) synchronized_output: bool,
    /// Which of the four designated character sets ASCII is drawn from. The engine has it too but
    /// does not tell.
    pub(super) active_charset: CharsetIndex,
    /// What REP repeats.
    pub(super) last_printed: Option<char>,
    /// First and last row of the scroll region, counted from 0. The engine has it too but does
    /// not tell.
    pub(super) scroll_region: (usize, usize),
    pub(super) tabs: TabStops,
    pub(super) partial_notification: PartialNotification,
    /// A device control string that asks something, its intermediate byte first.
    pub(super) query: Option<Vec<u8>>,
    replies: Vec<u8>,
    notes: Vec<Note>,
}

impl Side {
    pub(super) fn new(columns: usize, rows: usize) -> Side {
        Side {
            title: None,
            titles_aside: Vec::new(),
            said: Said::default(),
            kitty: Default::default(),
            synchronized_output: false,
            active_charset: CharsetIndex::G0,
            last_printed: None,
            scroll_region: (0, rows - 1),
            tabs: TabStops::new(columns),
            partial_notification: PartialNotification::default(),
            query: None,
            replies: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// What RIS resets. Answers and notes not yet taken stay.
    pub(super) fn reset(&mut self, columns: usize, rows: usize) {
        let replies = std::mem::take(&mut self.replies);
        let notes = std::mem::take(&mut self.notes);
        let had_title = self.title.is_some();
        *self = Side {
            replies,
            notes,
            ..Side::new(columns, rows)
        };
        if had_title {
            self.note(Note::TitleCleared);
        }
    }

    pub(super) fn kitty(&self, alternate: bool) -> &KittyKeyboard {
        &self.kitty[usize::from(alternate)]
    }

    pub(super) fn kitty_mut(&mut self, alternate: bool) -> &mut KittyKeyboard {
        &mut self.kitty[usize::from(alternate)]
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Sets the title from raw bytes; nothing but blanks takes it away.
    pub(super) fn set_title(&mut self, raw: &[u8]) {
        let title = clean(raw, TITLE_MAX);
        self.put_title(Some(title).filter(|title| !title.is_empty()));
    }

    fn put_title(&mut self, title: Option<String>) {
        // Also the same title again: it may be another program that has it.
        self.said.title.clone_from(&title);
        if title == self.title {
            return;
        }
        self.title = title;
        self.note(match &self.title {
            Some(title) => Note::Title(title.clone()),
            None => Note::TitleCleared,
        });
    }

    pub(super) fn report_progress(&mut self, progress: Progress) {
        self.said.progress = Some(progress);
        self.note(Note::Progress(progress));
    }

    pub(super) fn push_title(&mut self) {
        if self.titles_aside.len() == TITLE_STACK_MAX {
            self.titles_aside.remove(0);
        }
        self.titles_aside.push(self.title.clone());
    }

    pub(super) fn pop_title(&mut self) {
        if let Some(title) = self.titles_aside.pop() {
            self.put_title(title);
        }
    }

    /// Queues a notification unless it says nothing.
    pub(super) fn notify(&mut self, title: &[u8], body: &[u8]) {
        let (title, body) = (
            clean(title, NOTIFICATION_MAX),
            clean(body, NOTIFICATION_MAX),
        );
        if !title.is_empty() || !body.is_empty() {
            self.note(Note::Notification { title, body });
        }
    }

    /// Queues a note. One that tells a state replaces an earlier one of its kind; beyond the bound
    /// the oldest is lost.
    pub(super) fn note(&mut self, note: Note) {
        if tells_state(&note) {
            self.notes.retain(|earlier| !replaces(&note, earlier));
        }
        if self.notes.len() == NOTES_MAX {
            self.notes.remove(0);
        }
        self.notes.push(note);
    }

    pub(super) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Queues an answer whole, or not at all when too many are waiting.
    pub(super) fn reply(&mut self, answer: &str) {
        if self.replies.len() + answer.len() <= REPLIES_MAX {
            self.replies.extend_from_slice(answer.as_bytes());
        }
    }

    pub(super) fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }
}

fn tells_state(note: &Note) -> bool {
    !matches!(note, Note::Notification { .. } | Note::Prompt(_))
}

/// Whether two notes tell the same state. A title and its end do.
fn replaces(new: &Note, earlier: &Note) -> bool {
    let is_title = |note: &Note| matches!(note, Note::Title(_) | Note::TitleCleared);
    (is_title(new) && is_title(earlier))
        || std::mem::discriminant(new) == std::mem::discriminant(earlier)
}

/// Text from raw bytes: control characters become blanks, blanks at the ends go, at most
/// `characters` are kept.
pub(super) fn clean(raw: &[u8], characters: usize) -> String {
    // Four bytes a character is the most that can count.
    let raw = &raw[..raw.len().min(characters.saturating_mul(4))];
    let spaced: String = String::from_utf8_lossy(raw)
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    let mut text: String = spaced.trim().chars().take(characters).collect();
    text.truncate(text.trim_end().len());
    text
}
