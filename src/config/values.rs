//! The settings as the daemon reads them: typed, complete, in range.

use super::keys;
use super::notify::Notify;
use super::slot::{Choice, Words, choice};

/// Everything that can be configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `[terminal]`
    pub terminal: Terminal,
    /// `[server]`
    pub server: Server,
    /// `[agents]`
    pub agents: Agents,
    /// `[ui]`
    pub ui: Ui,
    /// `[socket] location`
    pub socket_location: SocketLocation,
    /// `[session]`
    pub session: Session,
    /// `[limits]`
    pub limits: Limits,
    /// `[authority]`
    pub authority: Authority,
    /// `[worktrees]`
    pub worktrees: Worktrees,
    /// `[experimental]`
    pub experimental: Experimental,
    /// `[[notify.rule]]` and `[[notify.sink]]`
    pub notify: Notify,
}

impl Default for Config {
    /// The defaults that the table of keys gives.
    fn default() -> Self {
        let mut config = Self::blank();
        for key in keys::KEYS {
            key.reset(&mut config);
        }
        config
    }
}

impl Config {
    /// A configuration whose values mean nothing yet; the table of keys fills every one.
    fn blank() -> Self {
        Self {
            terminal: Terminal::default(),
            server: Server::default(),
            agents: Agents::default(),
            ui: Ui::default(),
            socket_location: SocketLocation::default(),
            session: Session::default(),
            limits: Limits::default(),
            authority: Authority {
                // No default gives `respond`: answering for the person is for the person to grant.
                grants: Words::of(&["read", "write", "fan", "admin"]),
                ..Authority::default()
            },
            worktrees: Worktrees::default(),
            experimental: Experimental::default(),
            notify: Notify::default(),
        }
    }
}

/// What runs in a new pane, where, and how much of it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// The shell; empty means `$SHELL`, then `/bin/sh`.
    pub default_shell: String,
    /// Whether the shell is started as a login shell.
    pub shell_mode: ShellMode,
    /// `follow`, `home`, `current`, or a path whose leading `~` is the home directory.
    pub new_cwd: String,
    /// Rows of history kept per pane.
    pub scrollback_rows: u64,
    /// Whether programs set the clipboards of attached terminals.
    pub clipboard: bool,
}

choice! {
    /// Whether a pane's shell is a login shell.
    ShellMode {
        /// A login shell on macOS only, where terminals do it so.
        #[default]
        Auto = "auto",
        /// Always a login shell.
        Login = "login",
        /// Never a login shell.
        NonLogin = "non_login",
    }
}

/// The size of the screen that panes are laid out on while nobody is attached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Columns.
    pub headless_cols: u64,
    /// Rows.
    pub headless_rows: u64,
}

/// What agents are told, and how they are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents {
    /// Which panes are told that they live inside herdr.
    pub herdr_protocol: HerdrProtocol,
    /// Which job of a pane counts as the one in the foreground.
    pub process_detection: ProcessDetection,
}

choice! {
    /// Which panes get the `HERDR_*` variables.
    HerdrProtocol {
        /// Every pane.
        #[default]
        Always = "always",
        /// Panes that are started with an agent.
        Agents = "agents",
        /// None.
        Off = "off",
    }
}

choice! {
    /// How the job in the foreground of a pane is found.
    ProcessDetection {
        /// The terminal tells.
        #[default]
        Native = "native",
        /// The newest job that the pane's shell has started.
        ChildGroups = "child-groups",
    }
}

impl ProcessDetection {
    /// The way of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut way = Self::default();
        way.choose(name).then_some(way)
    }
}

/// How panes are drawn and closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ui {
    /// Whether panes of a split tab have a border of one cell.
    pub pane_borders: bool,
    /// Whether closing a group of worktrees asks to be confirmed.
    pub confirm_close: bool,
    /// The command that opens links; empty leaves it to clients.
    pub link_opener: String,
    /// Where notifications are shown.
    pub toast_delivery: ToastDelivery,
}

choice! {
    /// Where a notification is shown.
    ToastDelivery {
        /// Nowhere.
        #[default]
        Off = "off",
        /// Inside the attached client.
        Herdr = "herdr",
        /// By the attached client's terminal.
        Terminal = "terminal",
        /// By the desktop.
        System = "system",
    }
}

choice! {
    /// Where the protocol socket can be found.
    SocketLocation {
        /// In drover's runtime directory only.
        #[default]
        Runtime = "runtime",
        /// There, and by a link where herdr has its own.
        Herdr = "herdr",
    }
}

/// Git checkouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worktrees {
    /// Where new ones are put; a leading `~/` is the home directory.
    pub directory: String,
}

/// What comes back when a stopped session is started again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Whether agents are.
    pub resume_agents_on_restore: bool,
    /// Milliseconds between two of them.
    pub startup_per_agent_delay_ms: u64,
}

/// What one process and all of them together may hold open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Connections of one process.
    pub connections_per_process: u64,
    /// Event streams of one process.
    pub streams_per_process: u64,
    /// Connections of all processes.
    pub connections: u64,
    /// Event streams of all processes.
    pub streams: u64,
    /// Bytes of a request line.
    pub request_bytes: u64,
    /// Milliseconds for a request line to arrive.
    pub request_ms: u64,
    /// Milliseconds of a wait.
    pub wait_ms: u64,
    /// Lines that an event stream may be behind.
    pub event_lines: u64,
    /// Bytes that may wait to be typed into a pane.
    pub input_bytes: u64,
    /// Metadata reports and notifications at once.
    pub metadata_burst: u64,
    /// Metadata reports and notifications a second.
    pub metadata_per_second: u64,
    /// Milliseconds that reaching another machine may take.
    pub ssh_ms: u64,
    /// Bytes of the variables for a new pane.
    pub env_bytes: u64,
    /// Bytes of the command of a new pane.
    pub argv_bytes: u64,
    /// Panes in all.
    pub panes: u64,
    /// Bytes that an event stream may be behind.
    pub event_bytes: u64,
    /// Bytes of a label.
    pub label_bytes: u64,
    /// Characters of a title, and of other texts of metadata.
    pub title_chars: u64,
    /// Tokens of one metadata report.
    pub tokens_per_report: u64,
    /// Tokens of one pane or workspace.
    pub tokens: u64,
    /// Sources that number their reports of tokens.
    pub token_sources: u64,
}

/// Who may speak for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authority {
    /// Whose reports a pane's record takes.
    pub reports: ReportAuthority,
    /// What panes hold by default.
    pub panes: PaneAuthority,
    /// What they hold in [`PaneAuthority::Strict`].
    pub grants: Words,
    /// Whether root's processes are served.
    pub root: bool,
}

choice! {
    /// What a pane may do to others by default.
    PaneAuthority {
        /// Everything but answer for the person.
        #[default]
        Open = "open",
        /// What is listed.
        Strict = "strict",
    }
}

choice! {
    /// Whose reports a pane's record takes.
    ReportAuthority {
        /// Reports from a process inside the pane only.
        #[default]
        Own = "own-pane",
        /// Reports from every process of the user, as herdr has it.
        Any = "same-user",
    }
}

/// What is not yet promised to stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Experimental {
    /// Whether bare `herdr` may start inside a pane.
    pub allow_nested: bool,
    /// Whether the text of panes is kept on disk.
    pub pane_history: bool,
}
