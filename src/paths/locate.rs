//! The rules: which file lies where, and which daemon a command means.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Environment, Session, SessionNameError};

/// The directory for a program's own files below the XDG base directories.
const OWN_DIRECTORY: &str = "drover";
/// herdr's, which other people's tools look into.
const HERDR_DIRECTORY: &str = "herdr";
/// Holds one directory a named session.
const SESSIONS_DIRECTORY: &str = "sessions";
/// Holds one state directory a daemon whose protocol socket was placed by hand.
const SOCKETS_DIRECTORY: &str = "sockets";
/// Holds one directory a connection to another machine.
const CONNECTIONS_DIRECTORY: &str = "ssh";
/// Holds the link by the name `herdr`.
const LINK_DIRECTORY: &str = "bin";
/// The control socket's file name; the protocol socket's is this plus [`PROTOCOL_SUFFIX`].
const CONTROL_SOCKET: &str = "drover.sock";
/// The database's file name in the state directory.
const DATABASE: &str = "drover.db";
/// What sets a protocol socket apart from its control socket.
const PROTOCOL_SUFFIX: &str = ".herdr";
/// What sets a control socket apart when the protocol socket's name does not end in [`PROTOCOL_SUFFIX`].
const CONTROL_SUFFIX: &str = ".control";

/// Everything that belongs to one session of drover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPaths {
    /// Which session.
    pub session: Session,
    /// The directory of the sockets, the lock and the link; to be made 0700.
    pub runtime_dir: PathBuf,
    /// The socket that speaks herdr's protocol, for agents and other people's tools.
    pub protocol_socket: PathBuf,
    /// The socket for the person's own tools.
    pub control_socket: PathBuf,
    /// Held locked by the daemon as long as it lives.
    pub lock: PathBuf,
    /// The directory that comes first on `PATH` in a told pane.
    pub link_dir: PathBuf,
    /// The link by the name `herdr` to the executable, named by `HERDR_BIN_PATH`.
    pub herdr_link: PathBuf,
    /// The link to the SSH agent that panes use.
    pub ssh_agent_link: PathBuf,
    /// The directory of what outlives a reboot.
    pub state_dir: PathBuf,
    /// The database of what is to outlive the daemon.
    pub database: PathBuf,
    /// The log of a daemon that has no terminal.
    pub log_file: PathBuf,
}

impl SessionPaths {
    /// The folders of the sockets that are drover's alone: the one they begin in, which is not, and each one's name
    /// in the one before. None where the sockets were placed by hand.
    #[must_use]
    pub fn own_folders(&self) -> Option<(&Path, Vec<&OsStr>)> {
        if self.link_dir != self.runtime_dir.join(LINK_DIRECTORY) {
            return None;
        }
        let depth = match self.session {
            Session::Default => 1,
            Session::Named(_) => 3,
        };
        let mut names: Vec<&OsStr> = self.runtime_dir.iter().rev().take(depth).collect();
        names.reverse();
        Some((self.runtime_dir.ancestors().nth(depth)?, names))
    }

    /// The same session with its protocol socket elsewhere, as `herdr server` has it when `HERDR_SOCKET_PATH` is
    /// set. Everything else moves with it, so that two daemons with different sockets never meet: the control
    /// socket, the lock and the link beside the socket, the state to a directory named for the socket's path.
    #[must_use]
    pub fn with_protocol_socket(mut self, environment: &Environment, socket: &Path) -> Self {
        if socket != self.protocol_socket {
            let beside = |suffix: &str| appended(socket, suffix);
            self.control_socket = control_socket(socket);
            self.lock = beside(".lock");
            self.ssh_agent_link = beside(".ssh-agent");
            self.link_dir = beside(".bin");
            self.herdr_link = self.link_dir.join("herdr");
            self.state_dir = state_root(environment)
                .join(SOCKETS_DIRECTORY)
                .join(flattened(socket));
            self.database = self.state_dir.join(DATABASE);
            self.log_file = self.state_dir.join("drover.log");
            self.runtime_dir = parent(socket);
            self.protocol_socket = socket.to_owned();
        }
        self
    }
}

/// The places of one of drover's own sessions.
#[must_use]
pub fn session_paths(environment: &Environment, session: &Session) -> SessionPaths {
    let runtime_dir = session_dir(runtime_root(environment), session);
    let state_dir = session_dir(state_root(environment), session);
    let link_dir = runtime_dir.join(LINK_DIRECTORY);
    SessionPaths {
        session: session.clone(),
        protocol_socket: runtime_dir.join(format!("{CONTROL_SOCKET}{PROTOCOL_SUFFIX}")),
        control_socket: runtime_dir.join(CONTROL_SOCKET),
        lock: runtime_dir.join("drover.lock"),
        ssh_agent_link: runtime_dir.join("ssh-agent"),
        herdr_link: link_dir.join("herdr"),
        link_dir,
        database: state_dir.join(DATABASE),
        log_file: state_dir.join("drover.log"),
        runtime_dir,
        state_dir,
    }
}

/// The two directories whose entries are the named sessions: where sockets are, and where state is.
#[must_use]
pub fn sessions_dirs(environment: &Environment) -> [PathBuf; 2] {
    [runtime_root(environment), state_root(environment)].map(|root| root.join(SESSIONS_DIRECTORY))
}

/// The saved machines, beside drover's configuration file: the person may write it by hand as well.
#[must_use]
pub fn machines_file(environment: &Environment) -> PathBuf {
    environment
        .config_base()
        .join(OWN_DIRECTORY)
        .join("machines.toml")
}

/// The folder of the sockets of one connection to another machine: where it begins, and each folder's name in the one
/// before. The names are short, because `ssh` adds to them and a socket's path has some hundred bytes in all.
#[must_use]
pub fn connection_folder(environment: &Environment, name: &str) -> (PathBuf, [OsString; 3]) {
    let root = runtime_root(environment);
    let own = root.file_name().unwrap_or_default().to_owned();
    (
        parent(&root),
        [own, CONNECTIONS_DIRECTORY.into(), name.into()],
    )
}

/// The configuration file: `$HERDR_CONFIG_PATH`, else `config.toml` in drover's configuration directory.
#[must_use]
pub fn config_file(environment: &Environment) -> PathBuf {
    match &environment.herdr_config_path {
        Some(path) => path.clone(),
        None => environment
            .config_base()
            .join(OWN_DIRECTORY)
            .join("config.toml"),
    }
}

/// Where plugins are kept, for all sessions of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginPaths {
    /// drover's configuration directory.
    pub folder: PathBuf,
    /// Which plugins there are.
    pub registry: PathBuf,
    /// Held locked by whoever changes that.
    pub lock: PathBuf,
    /// Holds the checkouts that `herdr plugin install` makes.
    pub checkouts: PathBuf,
    /// Holds a directory of settings for each plugin.
    pub configs: PathBuf,
    /// Holds a directory for each plugin, for what it wants to keep.
    pub states: PathBuf,
}

/// The places of plugins (herdr 0.9.3's names, in drover's directories).
#[must_use]
pub fn plugin_paths(environment: &Environment) -> PluginPaths {
    let folder = environment.config_base().join(OWN_DIRECTORY);
    let plugins = folder.join("plugins");
    PluginPaths {
        registry: folder.join("plugins.json"),
        lock: folder.join(".plugins.lock"),
        checkouts: plugins.join("github"),
        configs: plugins.join("config"),
        states: state_root(environment).join("plugins"),
        folder,
    }
}

/// herdr's own configuration directory, where it also keeps its sockets (herdr 0.9.3).
#[must_use]
pub fn herdr_config_dir(environment: &Environment) -> PathBuf {
    environment.config_base().join(HERDR_DIRECTORY)
}

/// herdr's own directory of a session: the configuration directory, or `sessions/NAME` below it.
#[must_use]
pub fn herdr_session_dir(environment: &Environment, session: &Session) -> PathBuf {
    session_dir(herdr_config_dir(environment), session)
}

/// Where herdr itself has the protocol socket of a session. drover puts a link there on demand.
#[must_use]
pub fn herdr_socket(environment: &Environment, session: &Session) -> PathBuf {
    herdr_session_dir(environment, session).join("herdr.sock")
}

/// Which daemon a `herdr` command talks to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The protocol socket.
    pub protocol_socket: PathBuf,
    /// The session whose socket this is; none when the path was given as such (`HERDR_SOCKET_PATH`).
    pub session: Option<Session>,
}

/// Chooses the protocol socket of a `herdr` call: the session from `--session`, else `HERDR_SOCKET_PATH` verbatim,
/// else `HERDR_SESSION`, else the default session (herdr 0.9.3's order, with drover's places).
///
/// # Errors
/// `HERDR_SESSION` decides and is no valid session name.
pub fn choose(
    environment: &Environment,
    explicit: Option<&Session>,
) -> Result<Chosen, SessionNameError> {
    let session = match (
        explicit,
        &environment.herdr_socket_path,
        &environment.herdr_session,
    ) {
        (Some(session), _, _) => session.clone(),
        (None, Some(path), _) => {
            return Ok(Chosen {
                protocol_socket: path.clone(),
                session: None,
            });
        }
        (None, None, Some(name)) => Session::parse(name)?,
        (None, None, None) => Session::Default,
    };
    let protocol_socket = session_paths(environment, &session).protocol_socket;
    Ok(Chosen {
        protocol_socket,
        session: Some(session),
    })
}

/// The control socket that belongs to a protocol socket: its path without `.herdr`, else with `.control` appended.
#[must_use]
pub fn control_socket(protocol_socket: &Path) -> PathBuf {
    match protocol_socket.extension() {
        // A file named just `.herdr` has no extension, so a name always remains.
        Some(extension) if extension == "herdr" => protocol_socket.with_extension(""),
        _ => appended(protocol_socket, CONTROL_SUFFIX),
    }
}

fn runtime_root(environment: &Environment) -> PathBuf {
    match &environment.xdg_runtime_dir {
        Some(directory) => directory.join(OWN_DIRECTORY),
        None => environment
            .temp_dir
            .join(format!("{OWN_DIRECTORY}-{}", environment.uid)),
    }
}

fn state_root(environment: &Environment) -> PathBuf {
    environment.state_base().join(OWN_DIRECTORY)
}

fn session_dir(root: PathBuf, session: &Session) -> PathBuf {
    match session {
        Session::Default => root,
        Session::Named(name) => root.join(SESSIONS_DIRECTORY).join(name.as_str()),
    }
}

fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// A path as one file name that no other path shares.
fn flattened(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('/', "%2F")
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment {
            home: Some("/home/u".into()),
            xdg_runtime_dir: Some("/run/user/1000".into()),
            temp_dir: "/tmp".into(),
            uid: 1000,
            ..Environment::default()
        }
    }

    fn named(name: &str) -> Session {
        Session::parse(name).expect("a valid name")
    }

    #[test]
    fn the_default_session_lies_in_the_runtime_and_state_directories() {
        let paths = session_paths(&environment(), &Session::Default);
        assert_eq!(
            paths.protocol_socket,
            Path::new("/run/user/1000/drover/drover.sock.herdr")
        );
        assert_eq!(
            paths.control_socket,
            Path::new("/run/user/1000/drover/drover.sock")
        );
        assert_eq!(paths.lock, Path::new("/run/user/1000/drover/drover.lock"));
        assert_eq!(
            paths.herdr_link,
            Path::new("/run/user/1000/drover/bin/herdr")
        );
        assert_eq!(paths.state_dir, Path::new("/home/u/.local/state/drover"));
        assert_eq!(
            paths.log_file,
            Path::new("/home/u/.local/state/drover/drover.log")
        );
    }

    #[test]
    fn the_folders_of_the_sockets_begin_below_the_runtime_directory() {
        let of = |paths: &SessionPaths| {
            let (base, names) = paths.own_folders()?;
            let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
            Some((base.to_owned(), names.join(" ")))
        };
        let default = session_paths(&environment(), &Session::Default);
        let run = PathBuf::from("/run/user/1000");
        assert_eq!(of(&default), Some((run.clone(), "drover".to_owned())));
        let named = session_paths(&environment(), &named("work"));
        assert_eq!(of(&named), Some((run, "drover sessions work".to_owned())));
        let moved = default.with_protocol_socket(&environment(), Path::new("/x/h.sock"));
        assert_eq!(of(&moved), None);
    }

    #[test]
    fn a_named_session_lies_below_sessions() {
        let paths = session_paths(&environment(), &named("work"));
        let runtime = Path::new("/run/user/1000/drover/sessions/work");
        assert_eq!(paths.runtime_dir, runtime);
        assert_eq!(paths.protocol_socket, runtime.join("drover.sock.herdr"));
        assert_eq!(
            paths.state_dir,
            Path::new("/home/u/.local/state/drover/sessions/work")
        );
    }

    #[test]
    fn without_a_runtime_directory_the_users_id_keeps_the_temporary_one_apart() {
        let environment = Environment {
            xdg_runtime_dir: None,
            ..environment()
        };
        let paths = session_paths(&environment, &Session::Default);
        assert_eq!(paths.runtime_dir, Path::new("/tmp/drover-1000"));
    }

    #[test]
    fn xdg_state_and_config_directories_win_over_home() {
        let environment = Environment {
            xdg_state_home: Some("/s".into()),
            xdg_config_home: Some("/c".into()),
            ..environment()
        };
        assert_eq!(
            session_paths(&environment, &Session::Default).state_dir,
            Path::new("/s/drover")
        );
        assert_eq!(
            config_file(&environment),
            Path::new("/c/drover/config.toml")
        );
        assert_eq!(
            herdr_socket(&environment, &Session::Default),
            Path::new("/c/herdr/herdr.sock")
        );
        assert_eq!(
            herdr_socket(&environment, &named("w")),
            Path::new("/c/herdr/sessions/w/herdr.sock")
        );
    }

    #[test]
    fn without_a_home_configuration_falls_back_below_the_temporary_directory() {
        let environment = Environment {
            home: None,
            ..environment()
        };
        assert_eq!(
            config_file(&environment),
            Path::new("/tmp/drover-1000/.config/drover/config.toml")
        );
    }

    #[test]
    fn the_configuration_variable_names_the_file() {
        let environment = Environment {
            herdr_config_path: Some("/x/herdr.toml".into()),
            ..environment()
        };
        assert_eq!(config_file(&environment), Path::new("/x/herdr.toml"));
    }

    #[test]
    fn a_call_goes_to_the_explicit_session_then_the_path_then_the_named_session() {
        let mut environment = environment();
        let path = |environment: &Environment, explicit: Option<&Session>| {
            choose(environment, explicit)
                .expect("valid")
                .protocol_socket
        };
        let default = Path::new("/run/user/1000/drover/drover.sock.herdr");
        assert_eq!(path(&environment, None), default);

        environment.herdr_session = Some("work".into());
        let work = Path::new("/run/user/1000/drover/sessions/work/drover.sock.herdr");
        assert_eq!(path(&environment, None), work);

        environment.herdr_socket_path = Some("/x/any.sock".into());
        assert_eq!(path(&environment, None), Path::new("/x/any.sock"));
        assert_eq!(choose(&environment, None).expect("valid").session, None);

        assert_eq!(path(&environment, Some(&Session::Default)), default);
        assert_eq!(path(&environment, Some(&named("work"))), work);
    }

    #[test]
    fn a_bad_session_variable_matters_only_when_it_decides() {
        let mut environment = Environment {
            herdr_session: Some("a/b".into()),
            ..environment()
        };
        assert_eq!(
            choose(&environment, None),
            Err(SessionNameError::Characters)
        );
        assert!(choose(&environment, Some(&Session::Default)).is_ok());
        environment.herdr_socket_path = Some("/x".into());
        assert!(choose(&environment, None).is_ok());
        environment.herdr_socket_path = None;
        environment.herdr_session = Some("default".into());
        assert_eq!(
            choose(&environment, None).expect("valid").session,
            Some(Session::Default)
        );
    }

    #[test]
    fn a_control_socket_is_found_from_any_protocol_socket() {
        for (protocol, control) in [
            ("/r/drover.sock.herdr", "/r/drover.sock"),
            ("/r/herdr.sock", "/r/herdr.sock.control"),
            ("/r/.herdr", "/r/.herdr.control"),
            ("x.herdr", "x"),
        ] {
            assert_eq!(
                control_socket(Path::new(protocol)),
                Path::new(control),
                "{protocol}"
            );
        }
    }

    #[test]
    fn a_protocol_socket_elsewhere_takes_the_rest_of_the_session_with_it() {
        let own = session_paths(&environment(), &Session::Default);
        let same = own
            .clone()
            .with_protocol_socket(&environment(), &own.protocol_socket);
        assert_eq!(same, own);

        let moved = own
            .clone()
            .with_protocol_socket(&environment(), Path::new("/x/h.sock"));
        assert_eq!(moved.control_socket, Path::new("/x/h.sock.control"));
        assert_eq!(moved.lock, Path::new("/x/h.sock.lock"));
        assert_eq!(moved.ssh_agent_link, Path::new("/x/h.sock.ssh-agent"));
        assert_eq!(
            moved.state_dir,
            Path::new("/home/u/.local/state/drover/sockets/%2Fx%2Fh.sock")
        );
        assert_eq!(moved.herdr_link, Path::new("/x/h.sock.bin/herdr"));
    }
}
