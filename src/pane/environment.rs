//! The environment of a pane's process: what is inherited, what is stripped, what the caller asked
//! for, and what the pane is told about where it lives. Pure.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Variables that name the terminal, pane or session the daemon was started from. In a pane they
/// would be lies: tools would type into, draw over or report for a place that is somewhere else.
const STRIPPED: &[&str] = &[
    // Multiplexers.
    "TMUX",
    "TMUX_PANE",
    "STY",
    "WINDOW",
    // Where another herdr, or another drover, told its pane to report, and what it told it about
    // itself.
    "HERDR_ENV",
    "HERDR_SOCKET_PATH",
    "HERDR_BIN_PATH",
    "HERDR_WORKSPACE_ID",
    "HERDR_TAB_ID",
    "HERDR_PANE_ID",
    "HERDR_SESSION",
    "HERDR_CLIENT_SOCKET_PATH",
    "HERDR_AGENT",
    "HERDR_STARTUP_CWD",
    "HERDR_KITTY_GRAPHICS",
    "HERDR_EXECUTION_ID",
    "HERDR_EXECUTION_GENERATION",
    "HERDR_NATIVE_CAPABILITY",
    "HERDR_CONTEXT_CAPABILITY",
    // Windows of terminal emulators.
    "ALACRITTY_LOG",
    "ALACRITTY_SOCKET",
    "ALACRITTY_WINDOW_ID",
    "GNOME_TERMINAL_SCREEN",
    "GNOME_TERMINAL_SERVICE",
    "ITERM_PROFILE",
    "ITERM_SESSION_ID",
    "KITTY_LISTEN_ON",
    "KITTY_PID",
    "KITTY_WINDOW_ID",
    "KONSOLE_DBUS_SERVICE",
    "KONSOLE_DBUS_SESSION",
    "KONSOLE_DBUS_WINDOW",
    "TERMINATOR_UUID",
    "TERM_SESSION_ID",
    "TILIX_ID",
    "VTE_VERSION",
    "WEZTERM_PANE",
    "WEZTERM_UNIX_SOCKET",
    "WINDOWID",
    "WT_PROFILE_ID",
    "WT_SESSION",
    // Sizes of that terminal: programs believe them rather than ask.
    "COLUMNS",
    "LINES",
    // Agents: the marks of the session that started the daemon.
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_THREAD_ID",
    // Belongs with PWD, which is set anew.
    "OLDPWD",
];

/// Families of such variables.
const STRIPPED_PREFIXES: &[&str] = &[
    "DROVER_",
    "HERDR_ACTIVE_",
    "HERDR_PLUGIN_",
    "TUIOS_",
    "ZELLIJ",
];

/// The family that only the host may set.
const RESERVED_PREFIX: &str = "HERDR_";

/// The one of that family a caller may set: it only says which agent the process itself is.
const AGENT_HINT: &str = "HERDR_AGENT";

/// `PATH` where nobody has set one.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Agents that report by themselves when they find the variables, and so are told even in mode
/// `agents`.
const NATIVE_REPORTERS: &[&str] = &["crush", "kiro-cli", "xcsh"];

/// Which panes are told that they live inside herdr (`[agents] herdr_protocol`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Telling {
    /// Every pane.
    #[default]
    Always,
    /// Only panes that are started with an agent that reports by itself.
    Agents,
    Off,
}

impl Telling {
    /// Whether a pane is told that is started with `command`; `None` for a shell.
    pub fn tells(self, command: Option<&[String]>) -> bool {
        match self {
            Telling::Always => true,
            Telling::Off => false,
            Telling::Agents => command
                .and_then(<[String]>::first)
                .is_some_and(|program| is_native_reporter(program)),
        }
    }
}

fn is_native_reporter(program: &str) -> bool {
    let name = Path::new(program)
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or_default()
        .to_lowercase();
    NATIVE_REPORTERS.contains(&name.strip_suffix(".exe").unwrap_or(&name))
}

/// What a told pane learns about where it lives (herdr 0.9.3's six variables).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// `HERDR_SOCKET_PATH`: the protocol socket.
    pub socket: PathBuf,
    /// `HERDR_BIN_PATH`: what to run as `herdr`.
    pub executable: PathBuf,
    /// The folder of a link named `herdr`, put first on `PATH` so that the bare word works too.
    pub link_folder: Option<PathBuf>,
    /// `HERDR_WORKSPACE_ID`, `HERDR_TAB_ID`, `HERDR_PANE_ID`: as of the start; a pane that moves
    /// keeps them.
    pub workspace: String,
    pub tab: String,
    pub pane: String,
}

/// What is wrong with an environment that a caller sent (herdr 0.9.3, `invalid_env`). Displays as
/// the exact message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidEnvironment {
    EmptyKey,
    EqualsInKey(String),
    NulInKey,
    NulInValue(String),
}

impl fmt::Display for InvalidEnvironment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidEnvironment::EmptyKey => write!(formatter, "env key must not be empty"),
            InvalidEnvironment::EqualsInKey(key) => {
                write!(formatter, "env key {key} must not contain '='")
            }
            InvalidEnvironment::NulInKey => write!(formatter, "env key must not contain NUL bytes"),
            InvalidEnvironment::NulInValue(key) => {
                write!(formatter, "env value for {key} must not contain NUL bytes")
            }
        }
    }
}

impl std::error::Error for InvalidEnvironment {}

/// Checks the `env` of a request, in the order of its keys.
///
/// # Errors
/// The first thing that no process environment can hold.
pub fn check<'a>(
    caller: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<(), InvalidEnvironment> {
    for (key, value) in caller {
        if key.is_empty() {
            return Err(InvalidEnvironment::EmptyKey);
        }
        if key.contains('=') {
            return Err(InvalidEnvironment::EqualsInKey(key.clone()));
        }
        if key.contains('\0') {
            return Err(InvalidEnvironment::NulInKey);
        }
        if value.contains('\0') {
            return Err(InvalidEnvironment::NulInValue(key.clone()));
        }
    }
    Ok(())
}

/// A finished environment, in the order of its names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Builds the environment of a pane's process.
    ///
    /// `inherited` is the daemon's own, `caller` what the request asked for (checked by [`check`]),
    /// `host` what another part of the daemon adds for this pane and no caller may forge; later
    /// ones win, and what the pane is told wins over all. Without `told` the pane learns of no
    /// herdr at all, neither ours nor one that the daemon was started in.
    pub fn build<'a>(
        inherited: impl IntoIterator<Item = (OsString, OsString)>,
        caller: impl IntoIterator<Item = (&'a String, &'a String)>,
        host: impl IntoIterator<Item = (&'a str, &'a str)>,
        told: Option<&Told>,
    ) -> Environment {
        let mut variables: BTreeMap<OsString, OsString> = inherited
            .into_iter()
            .filter(|(name, _)| !is_stripped(name))
            .collect();
        let mut set =
            |name: &str, value: &OsStr| variables.insert(OsString::from(name), value.to_owned());
        set("TERM", OsStr::new("xterm-256color"));
        set("COLORTERM", OsStr::new("truecolor"));
        set("TERM_PROGRAM", OsStr::new("drover"));
        set(
            "TERM_PROGRAM_VERSION",
            OsStr::new(env!("CARGO_PKG_VERSION")),
        );
        for (name, value) in caller {
            if !name.starts_with(RESERVED_PREFIX) || name == AGENT_HINT {
                set(name, OsStr::new(value));
            }
        }
        for (name, value) in host {
            set(name, OsStr::new(value));
        }
        if let Some(told) = told {
            set("HERDR_ENV", OsStr::new("1"));
            set("HERDR_SOCKET_PATH", told.socket.as_os_str());
            set("HERDR_BIN_PATH", told.executable.as_os_str());
            set("HERDR_WORKSPACE_ID", OsStr::new(&told.workspace));
            set("HERDR_TAB_ID", OsStr::new(&told.tab));
            set("HERDR_PANE_ID", OsStr::new(&told.pane));
            if let Some(folder) = &told.link_folder {
                let path = with_folder_first(
                    folder,
                    variables.get(OsStr::new("PATH")).map(OsString::as_os_str),
                );
                variables.insert(OsString::from("PATH"), path);
            }
        }
        Environment(variables)
    }

    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_stripped(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    STRIPPED.contains(&name)
        || STRIPPED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// `folder` first, and only there. Elements are kept byte by byte: a path may hold anything but a
/// colon.
fn with_folder_first(folder: &Path, path: Option<&OsStr>) -> OsString {
    let path = path
        .filter(|path| !path.is_empty())
        .unwrap_or(OsStr::new(DEFAULT_PATH));
    let folder = folder.as_os_str().as_bytes();
    let mut joined = folder.to_vec();
    for element in path
        .as_bytes()
        .split(|byte| *byte == b':')
        .filter(|element| *element != folder)
    {
        joined.push(b':');
        joined.extend_from_slice(element);
    }
    OsString::from_vec(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs<'a>(list: &'a [(&'a str, &'a str)]) -> BTreeMap<String, String> {
        list.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn inherited(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter()
            .map(|(name, value)| (OsString::from(name), OsString::from(value)))
            .collect()
    }

    fn told() -> Told {
        Told {
            socket: PathBuf::from("/run/drover.sock.herdr"),
            executable: PathBuf::from("/run/bin/herdr"),
            link_folder: Some(PathBuf::from("/run/bin")),
            workspace: "w1".to_owned(),
            tab: "w1:t1".to_owned(),
            pane: "w1:p1".to_owned(),
        }
    }

    fn value<'a>(environment: &'a Environment, name: &str) -> Option<&'a str> {
        environment.get(name).map(|value| value.to_str().unwrap())
    }

    #[test]
    fn a_told_pane_learns_where_it_lives() {
        let environment = Environment::build([], &pairs(&[]), [], Some(&told()));
        for (name, expected) in [
            ("HERDR_ENV", "1"),
            ("HERDR_SOCKET_PATH", "/run/drover.sock.herdr"),
            ("HERDR_BIN_PATH", "/run/bin/herdr"),
            ("HERDR_WORKSPACE_ID", "w1"),
            ("HERDR_TAB_ID", "w1:t1"),
            ("HERDR_PANE_ID", "w1:p1"),
        ] {
            assert_eq!(value(&environment, name), Some(expected), "{name}");
        }
    }

    #[test]
    fn an_untold_pane_learns_of_no_herdr_at_all() {
        let outer = inherited(&[
            ("HERDR_ENV", "1"),
            ("HERDR_SOCKET_PATH", "/outer"),
            ("HERDR_PANE_ID", "w9:p9"),
            ("HERDR_SESSION", "outer"),
            ("HERDR_CLIENT_SOCKET_PATH", "/outer-client"),
            ("HERDR_PLUGIN_ID", "outer"),
            ("HERDR_AGENT", "codex"),
        ]);
        let environment =
            Environment::build(outer, &pairs(&[("HERDR_PANE_ID", "w1:p2")]), [], None);
        let left: Vec<_> = environment
            .iter()
            .filter(|(name, _)| name.as_bytes().starts_with(b"HERDR_"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_told_pane_hears_nothing_of_the_session_its_daemon_lives_in() {
        let outer = inherited(&[
            ("HERDR_SESSION", "outer"),
            ("HERDR_CLIENT_SOCKET_PATH", "/outer-client"),
        ]);
        let environment = Environment::build(outer, &pairs(&[]), [], Some(&told()));
        assert_eq!(value(&environment, "HERDR_SESSION"), None);
        assert_eq!(value(&environment, "HERDR_CLIENT_SOCKET_PATH"), None);
    }

    #[test]
    fn marks_of_the_outer_terminal_are_gone_and_settings_stay() {
        let outer = inherited(&[
            ("TMUX", "/tmp/tmux,1,0"),
            ("ZELLIJ_SESSION_NAME", "z"),
            ("KITTY_WINDOW_ID", "4"),
            ("CLAUDECODE", "1"),
            ("DROVER_PANE", "x"),
            ("COLUMNS", "200"),
            ("CLAUDE_CODE_USE_BEDROCK", "1"),
            ("HERDR_CONFIG_PATH", "/config"),
            ("LANG", "C.UTF-8"),
        ]);
        let environment = Environment::build(outer, &pairs(&[]), [], None);
        let names: Vec<_> = environment
            .iter()
            .map(|(name, _)| name.to_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "CLAUDE_CODE_USE_BEDROCK",
                "COLORTERM",
                "HERDR_CONFIG_PATH",
                "LANG",
                "TERM",
                "TERM_PROGRAM",
                "TERM_PROGRAM_VERSION",
            ]
        );
    }

    #[test]
    fn the_caller_may_choose_the_terminal_but_not_the_host() {
        let caller = pairs(&[
            ("TERM", "vt100"),
            ("TERM_PROGRAM", "mine"),
            ("HERDR_PANE_ID", "w7:p7"),
            ("HERDR_NATIVE_CAPABILITY", "forged"),
            ("HERDR_AGENT", "codex"),
            ("TMUX", "my own"),
        ]);
        let host = [("HERDR_EXECUTION_ID", "e1")];
        let environment = Environment::build([], &caller, host, Some(&told()));
        assert_eq!(value(&environment, "TERM"), Some("vt100"));
        assert_eq!(value(&environment, "TERM_PROGRAM"), Some("mine"));
        assert_eq!(value(&environment, "COLORTERM"), Some("truecolor"));
        assert_eq!(value(&environment, "HERDR_PANE_ID"), Some("w1:p1"));
        assert_eq!(value(&environment, "HERDR_NATIVE_CAPABILITY"), None);
        assert_eq!(value(&environment, "HERDR_EXECUTION_ID"), Some("e1"));
        assert_eq!(value(&environment, "HERDR_AGENT"), Some("codex"));
        assert_eq!(value(&environment, "TMUX"), Some("my own"));
    }

    #[test]
    fn the_link_comes_first_on_the_path_and_only_once() {
        let path = |outer: &[(&str, &str)], caller: &[(&str, &str)]| {
            let environment =
                Environment::build(inherited(outer), &pairs(caller), [], Some(&told()));
            value(&environment, "PATH").map(str::to_owned)
        };
        assert_eq!(
            path(&[("PATH", "/bin")], &[]).as_deref(),
            Some("/run/bin:/bin")
        );
        assert_eq!(
            path(&[("PATH", "/bin:/run/bin:/x")], &[]).as_deref(),
            Some("/run/bin:/bin:/x")
        );
        assert_eq!(
            path(&[("PATH", "/bin")], &[("PATH", "/mine")]).as_deref(),
            Some("/run/bin:/mine")
        );
        assert_eq!(
            path(&[], &[]).as_deref(),
            Some("/run/bin:/usr/local/bin:/usr/bin:/bin")
        );
    }

    #[test]
    fn only_agents_that_report_by_themselves_are_told_in_mode_agents() {
        let command = |program: &str| Some(vec![program.to_owned(), "--flag".to_owned()]);
        for (program, expected) in [
            ("crush", true),
            ("/opt/bin/Kiro-CLI", true),
            ("xcsh.exe", true),
            ("bash", false),
            ("crush-wrapper", false),
            ("", false),
        ] {
            assert_eq!(
                Telling::Agents.tells(command(program).as_deref()),
                expected,
                "{program}"
            );
            assert!(Telling::Always.tells(command(program).as_deref()));
            assert!(!Telling::Off.tells(command(program).as_deref()));
        }
        assert!(!Telling::Agents.tells(None));
    }

    #[test]
    fn an_environment_no_process_can_have_is_refused_by_name() {
        let message = |name: &str, text: &str| {
            check(&pairs(&[(name, text)])).map_err(|error| error.to_string())
        };
        assert_eq!(message("A", "b=c"), Ok(()));
        assert_eq!(
            message("", "x"),
            Err("env key must not be empty".to_owned())
        );
        assert_eq!(
            message("A=B", "x"),
            Err("env key A=B must not contain '='".to_owned())
        );
        assert_eq!(
            message("A\0", "x"),
            Err("env key must not contain NUL bytes".to_owned())
        );
        assert_eq!(
            message("A", "x\0"),
            Err("env value for A must not contain NUL bytes".to_owned())
        );
    }
}
