//! What keeper and worker say to each other. Both are of the same build, except during an upgrade: then the new worker
//! meets the old keeper, and [`PROTOCOL`] decides whether they understand each other.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::pane::{Environment, Launch, Program, ShellMode, Size};

/// Grows when a message changes its meaning, or one is added that has to be understood.
pub const PROTOCOL: u32 = 2;

/// Who starts a conversation, and says what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Its [`PROTOCOL`].
    pub protocol: u32,
    /// Its process number.
    pub pid: i32,
    /// The version it gives for herdr's, as `ping` does.
    pub version: String,
    /// The protocol of herdr's that it speaks.
    pub wire: u32,
    /// Its keeper takes an [`estate`](super::estate). One that does not say so would not know the word for it.
    #[serde(default)]
    pub estate: bool,
}

impl Hello {
    /// This process's own.
    pub fn own() -> Hello {
        Hello {
            protocol: PROTOCOL,
            // Process numbers are positive and far below this limit on every system we run on.
            pid: i32::try_from(std::process::id()).unwrap_or(0),
            version: crate::api::VERSION.to_owned(),
            wire: crate::api::PROTOCOL,
            estate: true,
        }
    }

    /// # Errors
    /// The other one speaks another protocol; the text says which.
    pub fn check(&self) -> Result<(), String> {
        if self.protocol == PROTOCOL {
            return Ok(());
        }
        Err(format!(
            "it speaks version {} of the protocol between drover's two processes, this one {PROTOCOL}",
            self.protocol
        ))
    }
}

/// From the worker to the keeper.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToKeeper {
    /// First of all from a new worker. Answered by [`ToWorker::Welcome`].
    Hello(Hello),
    /// It accepts connections. The links are files that it has placed and that go when the daemon stops.
    Ready { links: Vec<(OsText, OsText)> },
    /// It cannot serve, and ends.
    CannotStart { message: String },
    /// Start a pane's process. With a descriptor of what the pane's screen can be rebuilt from, if there is one.
    Open {
        request: u64,
        pane: u64,
        launch: Box<LaunchText>,
    },
    /// Collect a pane's process if it has exited.
    Reap { request: u64, pane: u64 },
    /// Everything of this pane is done; what is left of its process goes. Not if it has another process by now: a number
    /// that was never saved is given again by the next worker.
    Forget { pane: u64, pid: i32 },
    /// This pane's screen is rebuilt from another area from now on; with its descriptor.
    Area { pane: u64 },
    /// A stop was asked for.
    Stopping,
    /// All panes have ended and everything is saved; the worker ends.
    Stopped,
    /// Start another executable's worker, which waits. Answered by [`ToWorker::Able`].
    Upgrade { request: u64, executable: OsText },
    /// It is not wanted after all.
    Cancel,
    /// This worker has let go of everything; the other one takes over. Answered by [`ToWorker::Succeeded`].
    Leave { request: u64 },
    /// Answers a new keeper's [`ToWorker::Hello`]: with the lock and both listening sockets.
    Adopt {
        sockets: [FileIdentity; 2],
        links: Vec<(OsText, OsText)>,
        stopping: bool,
    },
    /// One of the panes that it takes over, with master and slave, and what its screen can be rebuilt from.
    Pane(KeptPane),
    /// There are no more.
    Adopted,
}

/// From the keeper to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// With the lock and both listening sockets: protocol, control.
    Welcome {
        sockets: [FileIdentity; 2],
        /// Workers that this session had before.
        before: u64,
        /// Nobody else can go on if this worker cannot; false when it is one of an upgrade.
        alone: bool,
    },
    /// A pane that runs already, with master and slave, and what its screen can be rebuilt from.
    Pane(KeptPane),
    /// There are no more.
    Go,
    /// Answers [`ToKeeper::Open`], with master and slave.
    Opened { request: u64, pane: KeptPane },
    /// Answers any request that could not be done.
    Refused {
        request: u64,
        kind: Kind,
        message: String,
    },
    /// Answers [`ToKeeper::Reap`].
    Reaped { request: u64, exit: Exit },
    /// Answers [`ToKeeper::Upgrade`].
    Able { request: u64, hello: Hello },
    /// Answers [`ToKeeper::Leave`]: the other one serves.
    Succeeded { request: u64 },
    /// Stop in order.
    Stop,
    /// Save, let go of everything and end: the panes live on, held by a service manager. Answered by
    /// [`ToKeeper::Stopped`].
    LetGo,
    /// Read the configuration again.
    Reload,
    /// A socket's file had to be made again; with the new listening socket.
    Socket { which: Which, file: FileIdentity },
    /// The lock's file had to be made again; with the new one's descriptor.
    Lock,
    /// First of all from a new keeper, also in the midst of a conversation, when the keeper has executed another
    /// build of itself. Answered by [`ToKeeper::Adopt`]; requests that were not answered before are lost.
    Hello(Hello),
}

/// One of the two sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    Protocol,
    Control,
}

/// What tells one file from another of the same name: device and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity(pub u64, pub u64);

/// A pane as the keeper knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPane {
    /// Its number in the world.
    pub pane: u64,
    /// Its first process.
    pub pid: i32,
    /// When that was started, as [`crate::sys::ProcessFacts::started`] says; none when it was gone already.
    pub started: Option<u64>,
    /// Device number of the terminal.
    pub terminal: u64,
    /// Where the process was really started.
    pub directory: OsText,
    /// It has exited, and was collected.
    pub exit: Option<Exit>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// It has not.
    Running,
    /// As `wait` gives it.
    Status(i32),
    /// It is nobody's child any more: its status went elsewhere.
    Unknown,
}

/// What the kinds of errors are called here; the others have no meaning for anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    NotFound,
    PermissionDenied,
    InvalidInput,
    Other,
}

impl From<io::ErrorKind> for Kind {
    fn from(kind: io::ErrorKind) -> Kind {
        match kind {
            io::ErrorKind::NotFound => Kind::NotFound,
            io::ErrorKind::PermissionDenied => Kind::PermissionDenied,
            io::ErrorKind::InvalidInput => Kind::InvalidInput,
            _ => Kind::Other,
        }
    }
}

impl From<Kind> for io::ErrorKind {
    fn from(kind: Kind) -> io::ErrorKind {
        match kind {
            Kind::NotFound => io::ErrorKind::NotFound,
            Kind::PermissionDenied => io::ErrorKind::PermissionDenied,
            Kind::InvalidInput => io::ErrorKind::InvalidInput,
            Kind::Other => io::ErrorKind::Other,
        }
    }
}

/// A text of the operating system's: almost always UTF-8, but it need not be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OsText(pub OsString);

impl OsText {
    /// As a path.
    pub fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl From<&OsStr> for OsText {
    fn from(text: &OsStr) -> OsText {
        OsText(text.to_owned())
    }
}

impl From<&Path> for OsText {
    fn from(path: &Path) -> OsText {
        OsText(path.as_os_str().to_owned())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for OsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => Spelling::Bytes(self.0.as_bytes().to_owned()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OsText, D::Error> {
        Ok(OsText(match Spelling::deserialize(deserializer)? {
            Spelling::Text(text) => OsString::from(text),
            Spelling::Bytes(bytes) => OsString::from_vec(bytes),
        }))
    }
}

/// A [`Launch`] on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchText {
    program: ProgramText,
    directory: Option<OsText>,
    environment: Vec<(OsText, OsText)>,
    cols: u16,
    rows: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum ProgramText {
    /// The path, and whether it is a login shell; none for what is usual.
    Shell(OsText, Option<bool>),
    Command(Vec<String>),
}

impl From<&Launch> for LaunchText {
    fn from(launch: &Launch) -> LaunchText {
        let program = match &launch.program {
            Program::Shell { path, mode } => {
                let login = match mode {
                    ShellMode::Auto => None,
                    ShellMode::Login => Some(true),
                    ShellMode::NonLogin => Some(false),
                };
                ProgramText::Shell(OsText(path.clone()), login)
            }
            Program::Command(words) => ProgramText::Command(words.clone()),
        };
        let environment = launch.environment.iter();
        LaunchText {
            program,
            directory: launch.directory.as_deref().map(OsText::from),
            environment: environment
                .map(|(name, value)| (OsText::from(name), OsText::from(value)))
                .collect(),
            cols: launch.size.cols,
            rows: launch.size.rows,
        }
    }
}

impl From<LaunchText> for Launch {
    fn from(text: LaunchText) -> Launch {
        let program = match text.program {
            ProgramText::Shell(path, login) => Program::Shell {
                path: path.0,
                mode: match login {
                    None => ShellMode::Auto,
                    Some(true) => ShellMode::Login,
                    Some(false) => ShellMode::NonLogin,
                },
            },
            ProgramText::Command(words) => Program::Command(words),
        };
        let variables = text.environment.into_iter();
        Launch {
            program,
            directory: text.directory.map(|directory| PathBuf::from(directory.0)),
            environment: Environment::from_variables(
                variables.map(|(name, value)| (name.0, value.0)),
            ),
            size: Size {
                cols: text.cols,
                rows: text.rows,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_arrives_as_it_was_whatever_bytes_it_has() {
        let odd = OsString::from_vec(b"/a\xff\"\\\n".to_vec());
        let programs = [
            Program::Shell {
                path: odd.clone(),
                mode: ShellMode::Login,
            },
            Program::Shell {
                path: OsString::new(),
                mode: ShellMode::Auto,
            },
            Program::Command(vec!["a b".to_owned(), "\u{1f980}".to_owned()]),
        ];
        for program in programs {
            let launch = Launch {
                program,
                directory: Some(PathBuf::from(&odd)),
                environment: Environment::from_variables([(odd.clone(), odd.clone())]),
                size: Size { cols: 80, rows: 24 },
            };
            let text = serde_json::to_vec(&LaunchText::from(&launch)).unwrap();
            let back = Launch::from(serde_json::from_slice::<LaunchText>(&text).unwrap());
            assert_eq!(format!("{launch:?}"), format!("{back:?}"));
        }
    }

    #[test]
    fn another_protocol_is_refused_by_number() {
        assert!(Hello::own().check().is_ok());
        let other = Hello {
            protocol: PROTOCOL + 1,
            ..Hello::own()
        };
        let refusal = other.check().unwrap_err();
        assert!(refusal.contains(&(PROTOCOL + 1).to_string()), "{refusal}");
    }
}
