//! What is said to `ssh`, and what comes back: text alone.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::paths::{self, Session};

/// The longest target in bytes: a user's name and a host's are far shorter.
const MAX_TARGET_BYTES: usize = 512;

/// Seconds that a connection may take to be made. ssh counts for itself, so that its message says what was slow.
const CONNECT_SECONDS: u64 = 10;

/// Seconds of silence after which ssh asks the other machine whether it is there, and how often it asks in vain before
/// it gives up: a machine that fell off the network is noticed within 15 s.
const ALIVE_SECONDS: u64 = 5;
const ALIVE_COUNT: u64 = 3;

/// Begins the one line that is for us; what a login shell prints before it is not.
const MARK: &str = "drover-link ";

/// Where a connection goes: a host, `user@host`, `ssh://user@host:port`, or a name from the person's ssh configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(String);

/// Why a word is no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadTarget {
    /// There is nothing.
    Empty,
    /// It would be an option of ssh.
    Dash,
    /// It is longer than any host.
    Long,
    /// It has a blank or a control character, or one that a shell would act on.
    Character,
}

impl fmt::Display for BadTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "an ssh target cannot be empty",
            Self::Dash => "an ssh target must not start with '-'",
            Self::Long => "an ssh target has at most 512 bytes",
            Self::Character => {
                "an ssh target has no blanks, control characters or signs that a shell acts on; \
                 give the host a plain name in the configuration of ssh"
            }
        })
    }
}

impl Target {
    /// Takes a word for a target.
    ///
    /// # Errors
    /// [`BadTarget`].
    pub fn parse(word: &str) -> Result<Self, BadTarget> {
        // ssh puts user and host into commands of its own (`ProxyCommand`, by `%r` and `%h`), and not every version that
        // is about looks at them first.
        let plain =
            |character: char| character.is_alphanumeric() || "._-@:[]%+/=".contains(character);
        if word.starts_with('-') {
            return Err(BadTarget::Dash);
        } else if word.len() > MAX_TARGET_BYTES {
            return Err(BadTarget::Long);
        } else if !word.chars().all(plain) {
            return Err(BadTarget::Character);
        }
        let target = Self(word.to_owned());
        match (target.user(), target.host()) {
            (_, "") => Err(BadTarget::Empty),
            (user, host) if user.starts_with('-') || host.starts_with('-') => Err(BadTarget::Dash),
            _ => Ok(target),
        }
    }

    /// The user, if one is named. As ssh splits it: a user's name may have an @ in it, a host's may not.
    fn user(&self) -> &str {
        let whole = self.0.strip_prefix("ssh://").unwrap_or(&self.0);
        whole.rsplit_once('@').map_or("", |(user, _)| user)
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host alone, to call the machine by.
    #[must_use]
    pub fn host(&self) -> &str {
        let whole = self.0.strip_prefix("ssh://").unwrap_or(&self.0);
        let host = whole.rsplit_once('@').map_or(whole, |(_, host)| host);
        let host = host.split('/').next().unwrap_or(host);
        match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, _)) => address,
            // More than one colon is an address without brackets, which has no port.
            None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or(host),
            None => host,
        }
    }
}

/// Whom and what one connection is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) target: Target,
    pub(super) session: Session,
    /// A person may be asked for a password, or whether a key is the right one.
    pub(super) interactive: bool,
    /// The daemon there is started if it is not running.
    pub(super) start: bool,
}

/// The arguments of the `ssh` that makes the connection, its control socket in `folder`.
///
/// # Errors
/// As for [`options`].
pub(super) fn connect(errand: &Errand, folder: &Path) -> Result<Vec<OsString>, String> {
    let mut words = options(folder)?;
    let mut set = |option: String| words.extend(["-o".into(), option.into()]);
    set("ControlMaster=yes".to_owned());
    set("ControlPersist=no".to_owned());
    set(format!("ConnectTimeout={CONNECT_SECONDS}"));
    set(format!("ServerAliveInterval={ALIVE_SECONDS}"));
    set(format!("ServerAliveCountMax={ALIVE_COUNT}"));
    set("StreamLocalBindMask=0177".to_owned());
    // The person's own forwards belong to the person's own connections.
    set("ClearAllForwardings=yes".to_owned());
    set("RequestTTY=no".to_owned());
    // ssh takes no command beside one of the person's configuration.
    set("RemoteCommand=none".to_owned());
    if !errand.interactive {
        set("BatchMode=yes".to_owned());
    }
    words.extend(["--".into(), errand.target.as_str().into()]);
    words.push(script(&errand.session, errand.start).into());
    Ok(words)
}

/// The arguments of the `ssh` that has sockets led through the connection: each pair is one here and one there.
///
/// # Errors
/// As for [`options`].
pub(super) fn forward(
    target: &Target,
    folder: &Path,
    pairs: &[(PathBuf, PathBuf)],
) -> Result<Vec<OsString>, String> {
    let mut words = options(folder)?;
    // With their configuration it would request the person's own forwards too, and fail with them.
    words.extend(["-F".into(), "none".into()]);
    words.extend(["-O".into(), "forward".into()]);
    for (here, there) in pairs {
        let mut pair = OsString::from(here);
        pair.push(":");
        pair.push(there);
        words.extend(["-L".into(), pair]);
    }
    words.extend(["--".into(), target.as_str().into()]);
    Ok(words)
}

/// What both have in common: whose connection it is.
///
/// # Errors
/// ssh would read another path than `folder`; in words for people.
fn options(folder: &Path) -> Result<Vec<OsString>, String> {
    // It puts values for % and $, splits a value at blanks and a forward at colons, and reads quotes and escapes.
    let odd = |character: char| {
        character.is_whitespace() || character.is_control() || "%$:\\\"'".contains(character)
    };
    if folder.to_string_lossy().contains(odd) {
        return Err(format!(
            "ssh cannot be given the path {folder:?}, which has a blank or one of % $ : \\ \" ' in it; \
             set XDG_RUNTIME_DIR (or TMPDIR, if that is not set) to a folder with a plain name"
        ));
    }
    let mut path = OsString::from("ControlPath=");
    path.push(folder.join("c"));
    Ok(vec!["-T".into(), "-o".into(), path])
}

/// What runs there, for whatever login shell: `sh` reads the rest. No single quote, exclamation mark, backslash or
/// newline is in it, because no two shells agree about these.
fn script(session: &Session, start: bool) -> String {
    let name = session.name();
    let up = match start {
        true => format!("drover up --session {name} >/dev/null </dev/null || exit 1; "),
        false => String::new(),
    };
    // Who attaches lends the agent that ssh brought along, if it did. An older drover there does not know the word; then
    // the next command stays.
    let lend = match start {
        true => format!("drover --session {name} lend-agent >/dev/null 2>&1; "),
        false => String::new(),
    };
    // A shell that is not interactive may know less of PATH than the person does.
    format!(
        "sh -c 'PATH=\"$PATH:$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin\"; export PATH; \
         if command -v drover >/dev/null 2>&1; then {up}\
         s=$(drover herdr --session {name} status server --json) || exit 1; \
         elif command -v herdr >/dev/null 2>&1; then \
         s=$(herdr --session {name} status server --json) || exit 1; \
         else echo \"neither drover nor herdr is installed there\" >&2; exit 127; fi; \
         echo \"{MARK}$HOME\"; echo \"$s\"; {lend}exec cat >/dev/null'"
    )
}

/// What is known of a daemon there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct There {
    /// The person's home directory.
    pub(super) home: PathBuf,
    /// The protocol socket.
    pub(super) socket: PathBuf,
    /// Whether the daemon runs.
    pub(super) running: bool,
    /// Its version.
    pub(super) version: Option<String>,
}

/// Reads what the script has printed so far; none until all of it is there.
///
/// # Errors
/// It is there and makes no sense.
pub(super) fn answer(printed: &str) -> Result<Option<There>, String> {
    let mut lines = printed.split_inclusive('\n');
    let marked = lines.find_map(|line| line.strip_prefix(MARK).filter(|home| home.ends_with('\n')));
    let (Some(home), Some(status)) = (marked, lines.next().filter(|line| line.ends_with('\n')))
    else {
        return Ok(None);
    };
    let odd = || "the program there does not say where its socket is".to_owned();
    let status: Value = serde_json::from_str(status).map_err(|_| odd())?;
    let socket = PathBuf::from(status["socket"].as_str().ok_or_else(odd)?);
    let home = PathBuf::from(home.trim_end());
    // In what it is to forward, ssh takes a colon for the end of a path and a backslash for an escape, and puts values
    // for % and $: the other machine would be told variables of this one.
    let is_plain = |character: char| !character.is_control() && !":\\%$".contains(character);
    let plain = status["socket"]
        .as_str()
        .is_some_and(|path| path.chars().all(is_plain));
    if !socket.is_absolute() || !home.is_absolute() || !plain {
        return Err(odd());
    }
    Ok(Some(There {
        home,
        socket,
        running: status["running"].as_bool().ok_or_else(odd)?,
        version: status["version"].as_str().map(str::to_owned),
    }))
}

/// Which sockets here lead to which there: the protocol's, and its control socket if it is drover that has one.
pub(super) fn sockets(folder: &Path, there: &There) -> Vec<(PathBuf, PathBuf)> {
    let here = protocol_socket(folder);
    let mut pairs = Vec::with_capacity(2);
    if there
        .socket
        .extension()
        .is_some_and(|extension| extension == "herdr")
    {
        pairs.push((
            paths::control_socket(&here),
            paths::control_socket(&there.socket),
        ));
    }
    pairs.push((here, there.socket.clone()));
    pairs
}

/// The socket here that leads to the protocol socket there. A short name: the system takes some hundred bytes in all.
pub(super) fn protocol_socket(folder: &Path) -> PathBuf {
    folder.join("s.herdr")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn errand(interactive: bool, start: bool) -> Errand {
        Errand {
            target: Target::parse("ann@host").unwrap(),
            session: Session::parse("work").unwrap(),
            interactive,
            start,
        }
    }

    fn line(words: &[OsString]) -> String {
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn a_target_is_no_option_and_one_word() {
        for (word, error) in [
            ("", BadTarget::Empty),
            ("-oProxyCommand=x", BadTarget::Dash),
            ("-", BadTarget::Dash),
            ("-l@host", BadTarget::Dash),
            ("ann@-oProxyCommand=x", BadTarget::Dash),
            ("ssh://-host", BadTarget::Dash),
            ("ssh://-l@host", BadTarget::Dash),
            ("ssh://ann@[-host]:22", BadTarget::Dash),
            ("ann@", BadTarget::Empty),
            ("ssh://", BadTarget::Empty),
            ("ssh://ann@:22", BadTarget::Empty),
            ("$(x)", BadTarget::Character),
            ("`x`@host", BadTarget::Character),
            ("host;x", BadTarget::Character),
            ("host|x", BadTarget::Character),
            ("host'", BadTarget::Character),
            ("host\\", BadTarget::Character),
            ("~", BadTarget::Character),
            ("ho\u{202e}st", BadTarget::Character),
            ("a b", BadTarget::Character),
            ("a\nb", BadTarget::Character),
            (&"a".repeat(513), BadTarget::Long),
        ] {
            assert_eq!(Target::parse(word), Err(error), "{word:?}");
        }
    }

    proptest! {
        #[test]
        fn no_part_of_a_target_can_be_an_option(word in "(ssh://)?[-@:/\\[\\]a]{0,12}") {
            if let Ok(target) = Target::parse(&word) {
                let parts = [target.as_str(), target.user(), target.host()];
                prop_assert!(parts.iter().all(|part| !part.starts_with('-')), "{:?}", parts);
                prop_assert!(!target.host().is_empty());
            }
        }
    }

    #[test]
    fn a_machine_is_called_by_its_host() {
        for (target, host) in [
            ("box", "box"),
            ("ann@box", "box"),
            ("ssh://ann@box:22", "box"),
            ("ssh://[fe80::1]:22", "fe80::1"),
            ("fe80::1", "fe80::1"),
            ("ann@ms.local", "ms.local"),
        ] {
            assert_eq!(Target::parse(target).unwrap().host(), host, "{target}");
        }
    }

    #[test]
    fn the_target_stands_after_two_dashes_and_only_a_person_is_asked() {
        let folder = Path::new("/r/ssh/1");
        let batch = line(&connect(&errand(false, false), folder).unwrap());
        assert!(batch.contains("-o ControlPath=/r/ssh/1/c "), "{batch}");
        assert!(batch.contains("-o BatchMode=yes "), "{batch}");
        assert!(batch.contains(" -- ann@host sh -c "), "{batch}");
        assert!(!batch.contains("drover up"), "{batch}");
        assert!(batch.contains("-o RemoteCommand=none "), "{batch}");
        let person = line(&connect(&errand(true, true), folder).unwrap());
        assert!(!person.contains("BatchMode"), "{person}");
        assert!(person.contains("drover up --session work "), "{person}");
    }

    #[test]
    fn the_script_is_the_same_to_every_shell() {
        let script = script(&Session::parse("work").unwrap(), true);
        let inner = script
            .strip_prefix("sh -c '")
            .and_then(|rest| rest.strip_suffix('\''));
        let inner = inner.expect("one quoted word");
        assert!(!inner.contains(['\'', '!', '\\', '\n']), "{inner}");
    }

    #[test]
    fn the_answer_is_found_behind_whatever_a_login_prints() {
        let text = "Welcome!\ndrover-link /home/ann\n{\"socket\":\"/run/d/drover.sock.herdr\",\"running\":true,\
                    \"version\":\"0.9.3\"}\n";
        for (end, _) in text.char_indices() {
            assert_eq!(answer(&text[..end]), Ok(None), "{end}");
        }
        let there = answer(text).unwrap().unwrap();
        assert_eq!(there.home, Path::new("/home/ann"));
        assert!(there.running);
        let pairs = sockets(Path::new("/r/1"), &there);
        let forward =
            line(&forward(&Target::parse("h").unwrap(), Path::new("/r/1"), &pairs).unwrap());
        assert_eq!(
            forward,
            "-T -o ControlPath=/r/1/c -F none -O forward -L /r/1/s:/run/d/drover.sock -L \
             /r/1/s.herdr:/run/d/drover.sock.herdr -- h"
        );
    }

    #[test]
    fn a_folder_that_ssh_would_read_as_another_is_an_error() {
        for folder in [
            "/a b/1", "/a%h/1", "/a$x/1", "/a:b/1", "/a\\b/1", "/a\"/1", "/a\n/1",
        ] {
            let folder = Path::new(folder);
            let target = Target::parse("h").unwrap();
            assert!(
                connect(&errand(false, false), folder).is_err(),
                "{folder:?}"
            );
            assert!(forward(&target, folder, &[]).is_err(), "{folder:?}");
        }
    }

    #[test]
    fn a_socket_that_would_mean_something_else_is_not_forwarded() {
        for socket in [
            "relative",
            "/a:/b",
            "",
            "/a/%h",
            "/a/${HOME}",
            "/a\\b",
            "/a\nb",
        ] {
            let status = serde_json::json!({"socket": socket, "running": true});
            assert!(
                answer(&format!("drover-link /h\n{status}\n")).is_err(),
                "{socket}"
            );
        }
        assert!(answer("drover-link /h\nnot json\n").is_err());
    }
}
