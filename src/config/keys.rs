//! The table of keys: the only place that knows a key's name, kind, default and meaning.

use std::ops::RangeInclusive;

use super::slot::Slot;
use super::values::Config;

/// One key of the file, or of an entry of one of its lists ([`super::lists`]); `T` is what it is a setting of.
pub struct Key<T: 'static = Config> {
    /// Its full name, sections first: `terminal.shell_mode`.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds when the file does not say.
    pub default: Literal,
    /// What it does, in a sentence or two, for the default file and the reference page.
    pub doc: &'static str,
    pub(super) slot: for<'a> fn(&'a mut T) -> Slot<'a>,
}

/// What a key takes.
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number in a range.
    Number(RangeInclusive<u64>),
    /// A string.
    Text,
    /// One of a few strings; which ones is known from [`Key::words`].
    Choice,
    /// Some of a few words in one string; which ones is known from [`Key::words`].
    Words,
    /// A list of strings.
    List,
}

/// A default value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// For [`Kind::Flag`].
    Flag(bool),
    /// For [`Kind::Number`].
    Number(u64),
    /// For [`Kind::Text`], [`Kind::Choice`] and [`Kind::Words`].
    Text(&'static str),
    /// For [`Kind::List`].
    List(&'static [&'static str]),
}

impl<T: Default> Key<T> {
    /// The section, without the brackets: `ui.toast` of `ui.toast.delivery`.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.name
            .rsplit_once('.')
            .map_or("", |(section, _)| section)
    }

    /// The name within the section: `delivery` of `ui.toast.delivery`.
    #[must_use]
    pub fn leaf(&self) -> &'static str {
        self.name
            .rsplit_once('.')
            .map_or(self.name, |(_, leaf)| leaf)
    }

    /// The words a [`Kind::Choice`] or [`Kind::Words`] takes; none for other kinds.
    #[must_use]
    pub fn words(&self) -> &'static [&'static str] {
        match self.slot(&mut T::default()) {
            Slot::Choice(choice) => choice.words(),
            Slot::Words(words) => words.known(),
            _ => &[],
        }
    }

    pub(super) fn slot<'a>(&self, of: &'a mut T) -> Slot<'a> {
        (self.slot)(of)
    }
}

impl<T> Key<T> {
    /// Puts the default in.
    pub(super) fn reset(&self, of: &mut T) {
        match ((self.slot)(of), self.default) {
            (Slot::Flag(slot), Literal::Flag(value)) => *slot = value,
            (Slot::Number(slot), Literal::Number(value)) => *slot = value,
            (Slot::Text(slot), Literal::Text(value)) => *slot = value.to_owned(),
            (Slot::Choice(slot), Literal::Text(value)) => {
                slot.choose(value);
            }
            (Slot::Words(slot), Literal::Text(value)) => {
                slot.choose(value);
            }
            (Slot::List(slot), Literal::List(value)) => {
                *slot = value.iter().map(|text| (*text).to_owned()).collect();
            }
            // A default of another type than its slot; the test of the table below finds every such row.
            _ => {}
        }
    }
}

macro_rules! row {
    ($name:literal, $kind:expr, $default:expr, $slot:ident: $($field:ident).+, $doc:literal) => {
        Key {
            name: $name,
            kind: $kind,
            default: $default,
            doc: $doc,
            slot: |config| Slot::$slot(&mut config.$($field).+),
        }
    };
}
pub(super) use row;

/// Every key that drover itself heeds, in the order of the default file.
pub static KEYS: &[Key] = &[
    row!("terminal.default_shell", Kind::Text, Literal::Text(""), Text: terminal.default_shell,
        "The shell of a new pane. Empty: $SHELL, then /bin/sh."),
    row!("terminal.shell_mode", Kind::Choice, Literal::Text("auto"), Choice: terminal.shell_mode,
        "Whether the shell is a login shell. auto: on macOS only."),
    row!("terminal.new_cwd", Kind::Text, Literal::Text("follow"), Text: terminal.new_cwd,
        "Where a new pane starts: follow (the pane it comes from), home, current (the daemon's directory), or a path."),
    // A full pane of 10,000 rows by 120 columns packs into a few MiB; a million rows is where one pane
    // would cost what a browser does.
    row!("terminal.scrollback_rows", Kind::Number(0..=1_000_000), Literal::Number(10_000), Number: terminal.scrollback_rows,
        "Rows of history kept per pane."),
    // Whoever can set it decides what is pasted next, perhaps into a shell.
    row!("terminal.clipboard", Kind::Flag, Literal::Flag(false), Flag: terminal.clipboard,
        "Whether programs in a pane may set the clipboard of terminals that you have attached to it (OSC 52)."),
    // Below 20 by 5 shells and agents draw nothing useful; 1,000 by 500 is beyond any screen and still cheap.
    row!("server.headless_cols", Kind::Number(20..=1_000), Literal::Number(120), Number: server.headless_cols,
        "Columns of the screen that panes are laid out on while nobody is attached."),
    row!("server.headless_rows", Kind::Number(5..=500), Literal::Number(40), Number: server.headless_rows,
        "Rows of that screen."),
    row!("agents.herdr_protocol", Kind::Choice, Literal::Text("always"), Choice: agents.herdr_protocol,
        "Which panes are told that they live inside herdr: always, agents (panes started with an agent), or off."),
    row!("agents.process_detection", Kind::Choice, Literal::Text("native"), Choice: agents.process_detection,
        "Which job of a pane is looked at for an agent: native (the one in the foreground of the terminal) or child-groups (the newest one that the pane's shell started, for wrappers that do not give the terminal to their agent). HERDR_PROCESS_DETECTION in the daemon's environment goes before."),
    row!("ui.pane_borders", Kind::Flag, Literal::Flag(true), Flag: ui.pane_borders,
        "Whether panes of a split tab have a border of one cell, which they lose in width and height."),
    row!("ui.confirm_close", Kind::Flag, Literal::Flag(true), Flag: ui.confirm_close,
        "Whether closing the last tab or pane of a repository's workspace is refused while its worktrees are open."),
    row!("ui.link_opener", Kind::Text, Literal::Text(""), Text: ui.link_opener,
        "The command that opens a link clicked in a pane, such as xdg-open; words are separated by blanks, the address comes last. Empty: the client opens it. Only http, https and mailto addresses are handed over."),
    row!("ui.toast.delivery", Kind::Choice, Literal::Text("off"), Choice: ui.toast_delivery,
        "Where what is said with notification.show appears, and where no rule of [[notify.rule]] says otherwise, that an agent in another tab waits or is done. terminal, herdr: in attached terminals; system: on the desktop."),
    row!("socket.location", Kind::Choice, Literal::Text("runtime"), Choice: socket_location,
        "herdr: also put a link to the protocol socket where herdr has its own, for tools that look only there."),
    row!("session.resume_agents_on_restore", Kind::Flag, Literal::Flag(true), Flag: session.resume_agents_on_restore,
        "Whether agents are brought back when a stopped session is started again, by typing the command that they reported or that their session is known to open with."),
    // A minute between two agents is slower than anybody waits.
    row!("session.startup_per_agent_delay_ms", Kind::Number(0..=60_000), Literal::Number(100), Number: session.startup_per_agent_delay_ms,
        "Milliseconds between two agents that are brought back; 0 brings back all at once."),
    // A process that needs more than this many at once has run away; a person's own tools use a handful.
    row!("limits.connections_per_process", Kind::Number(1..=65_536), Literal::Number(64), Number: limits.connections_per_process,
        "Connections that one process may hold open."),
    row!("limits.streams_per_process", Kind::Number(1..=65_536), Literal::Number(8), Number: limits.streams_per_process,
        "Of these, how many may be event streams."),
    // Each costs a descriptor and a thread with a 256 KiB stack that is mostly never touched.
    row!("limits.connections", Kind::Number(16..=65_536), Literal::Number(2_048), Number: limits.connections,
        "Connections that all processes together may hold open."),
    // Each has a queue of its own and is written to for every event.
    row!("limits.streams", Kind::Number(1..=65_536), Literal::Number(1_024), Number: limits.streams,
        "Event streams that all processes together may hold open."),
    // herdr's limit. The ceiling is what every connection at once could still take of a large machine.
    row!("limits.request_bytes", Kind::Number(4_096..=16_777_216), Literal::Number(1_048_576), Number: limits.request_bytes,
        "Bytes that a request line may have."),
    // herdr's five seconds, but in all: a client that drips holds a thread no longer than one that is silent.
    row!("limits.request_ms", Kind::Number(100..=60_000), Literal::Number(5_000), Number: limits.request_ms,
        "Milliseconds that a request line may take to arrive, in all."),
    row!("limits.wait_ms", Kind::Number(1_000..=86_400_000), Literal::Number(86_400_000), Number: limits.wait_ms,
        "Milliseconds that a wait may last; one that names no time ends then."),
    // A subscriber that is this far behind does not read.
    row!("limits.event_lines", Kind::Number(16..=65_536), Literal::Number(1_024), Number: limits.event_lines,
        "Lines that an event stream may be behind before it ends with events_lost."),
    // More than any person pastes; a program that has left that much unread does not read.
    row!("limits.input_bytes", Kind::Number(4_096..=67_108_864), Literal::Number(1_048_576), Number: limits.input_bytes,
        "Bytes that may wait to be typed into a pane."),
    // ssh itself gives up connecting after ten seconds and says why; the rest is for the login and a slow shell.
    row!("limits.ssh_ms", Kind::Number(100..=300_000), Literal::Number(20_000), Number: limits.ssh_ms,
        "Milliseconds that reaching another machine may take (herdr --machine)."),
    // A hook that tells of every step of its agent stays below this; a loop does not.
    row!("limits.metadata_burst", Kind::Number(1..=10_000), Literal::Number(20), Number: limits.metadata_burst,
        "Metadata reports and notifications that one pane, or one workspace, may make at once."),
    row!("limits.metadata_per_second", Kind::Number(1..=10_000), Literal::Number(5), Number: limits.metadata_per_second,
        "How many more it may make a second after that."),
    // Linux gives a process 2 MiB for both together, of which the person's own environment takes a part.
    row!("limits.env_bytes", Kind::Number(1_024..=1_048_576), Literal::Number(131_072), Number: limits.env_bytes,
        "Bytes that the variables of a request for a new pane may have, names and values together."),
    row!("limits.argv_bytes", Kind::Number(1_024..=1_048_576), Literal::Number(131_072), Number: limits.argv_bytes,
        "Bytes that the command of a new pane may have, all its words together."),
    // Each costs four descriptors, a thread and its programs: what runs away stops before the machine does.
    row!("limits.panes", Kind::Number(1..=65_536), Literal::Number(1_024), Number: limits.panes,
        "Panes that there may be at once."),
    // What one listener may cost: most lines are a few KiB, but one that moves a workspace repeats the labels of all.
    row!("limits.event_bytes", Kind::Number(65_536..=1_073_741_824), Literal::Number(16_777_216), Number: limits.event_bytes,
        "Bytes that an event stream may be behind before it ends with events_lost."),
    // Every label is in every snapshot: a few of a mebibyte each, and no client takes the answer any more.
    row!("limits.label_bytes", Kind::Number(16..=65_536), Literal::Number(4_096), Number: limits.label_bytes,
        "Bytes that the label of a workspace, tab or pane may have."),
    // The four that follow are herdr's; what they hold is in every record of the pane or workspace.
    row!("limits.title_chars", Kind::Number(8..=4_096), Literal::Number(80), Number: limits.title_chars,
        "Characters of a title, display name, state label or token's value that are kept; the rest is cut."),
    row!("limits.tokens_per_report", Kind::Number(1..=1_024), Literal::Number(16), Number: limits.tokens_per_report,
        "Tokens that one metadata report may set or clear."),
    row!("limits.tokens", Kind::Number(1..=1_024), Literal::Number(32), Number: limits.tokens,
        "Tokens that one pane, or one workspace, may carry."),
    row!("limits.token_sources", Kind::Number(1..=1_024), Literal::Number(32), Number: limits.token_sources,
        "Sources of one pane, or one workspace, that may number their reports of tokens."),
    row!("authority.reports", Kind::Choice, Literal::Text("own-pane"), Choice: authority.reports,
        "Whose reports about a pane count: own-pane (processes inside it) or same-user (every process of yours, as in herdr). A wider value counts from the next start on."),
    row!("authority.panes", Kind::Choice, Literal::Text("open"), Choice: authority.panes,
        "What a pane may do to others unless drover grants says otherwise: open (everything but answer for you), or strict (what authority.grants lists). A wider value counts from the next start on."),
    row!("authority.grants", Kind::Words, Literal::Text("read write fan"), Words: authority.grants,
        "The grants of a pane when authority.panes is strict, or none."),
    row!("authority.root", Kind::Flag, Literal::Flag(false), Flag: authority.root,
        "Whether processes of root may connect to a daemon that is not root's. A wider value counts from the next start on."),
    row!("worktrees.directory", Kind::Text, Literal::Text("~/.herdr/worktrees"), Text: worktrees.directory,
        "Where new checkouts are put, each below the name of its repository."),
    row!("experimental.allow_nested", Kind::Flag, Literal::Flag(false), Flag: experimental.allow_nested,
        "Whether bare herdr may start inside a pane."),
    row!("experimental.pane_history", Kind::Flag, Literal::Flag(false), Flag: experimental.pane_history,
        "Whether the last rows of every pane are kept on disk and shown above the new prompt when a stopped session is started again. Whatever was printed is then in the session's database, readable by you alone."),
];

/// Keys and whole sections (`name.*`) of herdr's file that mean nothing here but are no mistake: one file can serve
/// both programs.
pub(super) static HERDR_KEYS: &[&str] = &[
    "onboarding",
    "advanced.*",
    "keys.*",
    "plugins.*",
    "remote.*",
    "theme.*",
    // Section by section here would hide a misspelt key of ours, so herdr's are named one by one.
    "ui.hide_tab_bar_when_single_tab",
    "ui.mobile_width_threshold",
    "ui.pane_gaps",
    "ui.pane_outer_borders",
    "ui.pane_scrollbars",
    "ui.sidebar_max_width",
    "ui.sidebar_min_width",
    "ui.sidebar_start_collapsed",
    "ui.sidebar_width",
    "ui.sound.*",
    "ui.tab_bar_position",
    "ui.toast.delay_seconds",
    "ui.window_title",
    "update.*",
];

/// Whether herdr has a key by this name, or may have one in its section.
pub(super) fn herdr_has(name: &str) -> bool {
    HERDR_KEYS
        .iter()
        .any(|known| match known.strip_suffix(".*") {
            Some(section) => {
                name == section
                    || name
                        .strip_prefix(section)
                        .is_some_and(|rest| rest.starts_with('.'))
            }
            None => *known == name,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_the_key_would_take() {
        for key in KEYS {
            let mut config = Config::default();
            let fits = match (key.slot(&mut config), &key.kind, key.default) {
                (Slot::Flag(slot), Kind::Flag, Literal::Flag(default)) => *slot == default,
                (Slot::Number(slot), Kind::Number(range), Literal::Number(default)) => {
                    *slot == default && range.contains(&default)
                }
                (Slot::Text(slot), Kind::Text, Literal::Text(default)) => slot == default,
                (Slot::Choice(slot), Kind::Choice, Literal::Text(default)) => {
                    slot.word() == default
                }
                (Slot::Words(slot), Kind::Words, Literal::Text(default)) => {
                    slot.chosen().join(" ") == default
                }
                (Slot::List(slot), Kind::List, Literal::List(default)) => slot[..] == *default,
                _ => false,
            };
            assert!(fits, "{}", key.name);
        }
    }

    #[test]
    fn no_two_rows_share_a_name_and_each_is_explained() {
        for (index, key) in KEYS.iter().enumerate() {
            assert!(
                KEYS[index + 1..].iter().all(|other| other.name != key.name),
                "{}",
                key.name
            );
            assert!(
                key.doc.ends_with('.') && !key.section().is_empty(),
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn herdrs_sections_are_known_by_whole_names() {
        assert!(herdr_has("theme.name") && herdr_has("theme") && herdr_has("onboarding"));
        assert!(
            !herdr_has("themes.name") && !herdr_has("onboarding.x") && !herdr_has("terminal.x")
        );
    }
}
