//! The environment of a pane's process: what is inherited, what is stripped, what the caller asked
//! for, and what the pane is told about where it lives. Pure.

mod stripped;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use stripped::is_stripped;

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
    /// No pane; the socket answers all the same.
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

/// What a told pane learns about where it lives (herdr 0.9.3's six variables, and the name of a session that has one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// `HERDR_SESSION`: only of a named session, as in herdr, whose named servers hand it down. The socket's path outranks
    /// it; xcsh's terminals know their workspace by it.
    pub session: Option<String>,
    /// `HERDR_SOCKET_PATH`: the protocol socket.
    pub socket: PathBuf,
    /// `HERDR_BIN_PATH`: what to run as `herdr`.
    pub executable: PathBuf,
    /// The folder of a link named `herdr`, put first on `PATH` so that the bare word works too.
    pub link_folder: Option<PathBuf>,
    /// `HERDR_WORKSPACE_ID`. This and the next two are as of the start: a pane that moves keeps
    /// them.
    pub workspace: String,
    /// `HERDR_TAB_ID`.
    pub tab: String,
    /// `HERDR_PANE_ID`.
    pub pane: String,
}

/// What is wrong with an environment that a caller sent (herdr 0.9.3, `invalid_env`). Displays as
/// the exact message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidEnvironment {
    /// A variable without a name.
    EmptyKey,
    /// This name holds the sign that would end it.
    EqualsInKey(String),
    /// A name holds the byte that would end the variable.
    NulInKey,
    /// The value of the variable of this name holds that byte.
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
            if let Some(session) = &told.session {
                set("HERDR_SESSION", OsStr::new(session));
            }
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

    /// Variables that were an environment before, in another process of this daemon.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Environment {
        Environment(variables.into_iter().collect())
    }

    /// Takes a variable away.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(OsStr::new(name));
    }

    /// The value of one variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All variables, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
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
mod tests;
