//! What is told: texts that are safe on a terminal, in a header and on a desktop, and the object that
//! webhooks and commands get.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::api::params::NotificationShowSound;
use crate::api::records::{AgentStatus, BlockedKind};
use crate::sys;

/// Characters of a title and of a body (herdr 0.9.3, `notification.show`).
const TITLE_LIMIT: usize = 80;
const BODY_LIMIT: usize = 240;

/// An agent is in another state than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// What names the pane for good.
    pub pane: u64,
    pub pane_id: String,
    /// The label of its workspace.
    pub workspace: String,
    /// The agent's label; of one that left, its last.
    pub agent: String,
    /// Its unique name.
    pub name: Option<String>,
    /// What it wants to be called.
    pub display: Option<String>,
    pub from: AgentStatus,
    pub to: AgentStatus,
    /// No agent is there any more.
    pub left: bool,
    /// What a blocked agent waits for.
    pub asks: Option<BlockedKind>,
    /// What the agent says about its state, else what it works at.
    pub message: Option<String>,
    /// Its pane is in the active tab.
    pub in_front: bool,
    /// A person's terminal is attached to its pane.
    pub attached: bool,
}

impl Transition {
    /// The words of the rules that it fits.
    pub(super) fn events(&self) -> &'static [&'static str] {
        use AgentStatus::{Blocked, Done, Idle, Unknown, Working};
        if self.left {
            return &["gone"];
        }
        match (self.from, self.to) {
            (from, to) if from == to => &[],
            (_, Blocked) => &["blocked"],
            (Done, Working) | (Blocked, Working) => &["back", "working"],
            (_, Working) => &["working"],
            // In the active tab it is idle at once; it has finished all the same.
            (Working, Idle) => &["done", "idle"],
            (Blocked, Idle) => &["back", "idle"],
            (Blocked, Done) => &["back", "done"],
            (_, Done) => &["done"],
            // A person looked: nothing that they do not know.
            (Done, Idle) => &[],
            (_, Idle) => &["idle"],
            (Blocked, Unknown) => &["back"],
            (_, Unknown) => &[],
        }
    }

    fn called(&self) -> &str {
        let display = self.display.as_deref().unwrap_or(&self.agent);
        self.name.as_deref().unwrap_or(display)
    }
}

/// What a program says with `notification.show`. The texts are as they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    pub title: String,
    pub body: String,
    pub sound: NotificationShowSound,
    /// The pane that it comes from.
    pub pane_id: Option<String>,
    /// The agent there.
    pub agent: Option<String>,
}

/// One message as sinks get it. Its JSON is what webhooks and commands are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Of this message alone, also over several attempts and restarts.
    pub id: String,
    /// `blocked`, `done`, `back`, `working`, `idle`, `gone`, `message` or `test`.
    pub event: Cow<'static, str>,
    pub title: String,
    pub body: String,
    /// Both in one, for receivers that show one text.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<AgentStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_kind: Option<BlockedKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// When it happened, in milliseconds since 1970.
    pub at_ms: u64,
    /// Somebody waits for the person.
    pub urgent: bool,
    /// It should be heard as well.
    #[serde(skip)]
    pub sound: bool,
    /// The pane it is about.
    #[serde(skip)]
    pub(super) pane: Option<u64>,
}

impl Note {
    pub(super) fn of_agent(change: &Transition) -> Note {
        let event = change.events().first().copied().unwrap_or("idle");
        let called = change.called();
        let title = match (event, change.asks) {
            ("blocked", Some(BlockedKind::Approval)) => format!("{called} asks for approval"),
            ("blocked", Some(BlockedKind::Question)) => format!("{called} has a question"),
            ("blocked", None) => format!("{called} waits for you"),
            ("done", _) => format!("{called} is done"),
            ("back", _) => format!("{called} goes on"),
            ("working", _) => format!("{called} works"),
            ("gone", _) => format!("{called} has left"),
            (_, _) => format!("{called} is idle"),
        };
        let workspace = clean(&change.workspace, BODY_LIMIT);
        let message = clean(change.message.as_deref().unwrap_or_default(), BODY_LIMIT);
        let body = match (workspace.is_empty(), message.is_empty()) {
            (false, false) => format!("{workspace}: {message}"),
            _ => format!("{workspace}{message}"),
        };
        Note {
            agent: Some(change.agent.clone()),
            name: change.name.clone(),
            status: Some(change.to),
            blocked_kind: change.asks,
            pane_id: Some(change.pane_id.clone()),
            workspace: Some(workspace),
            urgent: event == "blocked",
            sound: matches!(event, "blocked" | "done"),
            pane: Some(change.pane),
            ..Note::new(event, &title, &body)
        }
    }

    pub(super) fn of_message(message: &Message) -> Note {
        Note {
            agent: message.agent.clone(),
            pane_id: message.pane_id.clone(),
            urgent: message.sound == NotificationShowSound::Request,
            sound: message.sound != NotificationShowSound::None,
            ..Note::new("message", &message.title, &message.body)
        }
    }

    pub(super) fn of_test() -> Note {
        Note::new(
            "test",
            "drover can reach you",
            "This is what a notification looks like here.",
        )
    }

    fn new(event: &'static str, title: &str, body: &str) -> Note {
        let (title, body) = (clean(title, TITLE_LIMIT), clean(body, BODY_LIMIT));
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Note {
            id: new_id(),
            event: event.into(),
            text: if body.is_empty() {
                title.clone()
            } else {
                format!("{title}: {body}")
            },
            title,
            body,
            agent: None,
            name: None,
            status: None,
            blocked_kind: None,
            pane_id: None,
            workspace: None,
            at_ms: u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX),
            urgent: false,
            sound: false,
            pane: None,
        }
    }
}

impl Message {
    /// Whether there is nothing to show in its title.
    pub fn is_empty(&self) -> bool {
        clean(&self.title, TITLE_LIMIT).is_empty()
    }
}

/// An id that no other message has, on this machine or another.
fn new_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    match sys::random_bytes() {
        Ok(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        // Without a descriptor to read them with: this process, and how many there were.
        Err(_) => format!(
            "{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        ),
    }
}

/// Text on one line without control characters, of at most `limit` characters (herdr 0.9.3).
fn clean(text: &str, limit: usize) -> String {
    let mut cleaned = String::new();
    for word in text.split([' ', '\t', '\r', '\n']) {
        let mut word = word.chars().filter(|c| !c.is_control()).peekable();
        if word.peek().is_some() && !cleaned.is_empty() {
            cleaned.push(' ');
        }
        cleaned.extend(word);
    }
    let cut = cleaned
        .char_indices()
        .nth(limit)
        .map_or(cleaned.len(), |(at, _)| at);
    cleaned.truncate(cut);
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notify::tests::change;
    use AgentStatus::{Blocked, Done, Idle, Unknown, Working};

    #[test]
    fn text_is_cleaned_to_one_short_line() {
        assert_eq!(clean(" a\n\tb  c\u{7}\u{1b}[1m ", 80), "a b c[1m");
        assert_eq!(clean(&"ž".repeat(100), 80).chars().count(), 80);
        assert_eq!(clean("\u{1}\n \t", 80), "");
    }

    #[test]
    fn what_a_rule_hears_of_is_what_happened_and_not_what_was_seen() {
        let events = |from, to| change(from, to).events();
        assert_eq!(events(Working, Blocked), ["blocked"]);
        assert_eq!(events(Working, Done), ["done"]);
        assert_eq!(events(Working, Idle), ["done", "idle"], "in the active tab");
        assert_eq!(events(Blocked, Working), ["back", "working"]);
        assert_eq!(events(Done, Working), ["back", "working"]);
        assert!(events(Done, Idle).is_empty(), "the person looked");
        assert_eq!(events(Unknown, Idle), ["idle"], "it came");
        assert!(
            events(Blocked, Blocked).is_empty(),
            "only its label changed"
        );
        let mut left = change(Blocked, Unknown);
        left.left = true;
        assert_eq!(left.events(), ["gone"]);
    }

    #[test]
    fn a_note_says_who_where_and_what_it_wants() {
        let mut change = change(Working, Blocked);
        change.asks = Some(BlockedKind::Approval);
        change.message = Some("run\x1b[31m rm?".to_owned());
        let note = Note::of_agent(&change);
        assert_eq!(note.title, "claude asks for approval");
        assert_eq!(note.body, "api: run[31m rm?");
        assert_eq!(note.text, "claude asks for approval: api: run[31m rm?");
        assert!(note.urgent);
        change.name = Some("ann".to_owned());
        let other = Note::of_agent(&change);
        assert_eq!(other.title, "ann asks for approval");
        assert_ne!(note.id, other.id);
    }
}
