//! `server.ssh_agent.register`: a client lends its SSH agent to the panes for as long as its connection lives.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::api::params::ServerSshAgentRegisterParams;
use crate::api::{ApiError, ResponseResult, envelope};
use crate::sys;

use super::{Call, Ended, wait};

/// The longest path that is looked at, in bytes: as the kernel takes them.
const MAX_PATH_BYTES: usize = 4_095;

/// How long an agent may take to have room for a connection: it accepts at once, or does not work.
const CONNECT_TIME: Duration = Duration::from_secs(1);

/// How long the client may take for the answer, of some sixty bytes.
const WRITE_TIME: Duration = Duration::from_secs(5);

/// Answers `ok` and keeps the connection; its end, or any byte from the client, ends the registration (herdr 0.9.3).
pub fn register(call: &Call<'_>, params: ServerSshAgentRegisterParams) -> Result<String, Ended> {
    let unavailable = || {
        ApiError::new(
            "ssh_agent_unavailable",
            "SSH agent registration is unavailable",
        )
    };
    let agents = call.shared.ssh_agents.get().ok_or_else(unavailable)?;
    let socket = agent_socket(&params.socket_path)
        .map_err(|message| ApiError::new("invalid_ssh_agent", message))?;
    let lease = agents.lend(socket).map_err(|error| {
        log::warn!("the link to clients' SSH agents: {error}");
        unavailable()
    })?;
    let registered = envelope::success_line(call.id, &ResponseResult::Ok);
    if wait::write_all(call.client, registered.as_bytes(), WRITE_TIME).is_ok() {
        wait::sleep(call.shared, call.client, None, None);
    }
    drop(lease);
    Err(Ended::Silent)
}

/// The socket at a path, without the links on the way to it: what the person points elsewhere later is another agent,
/// and a path that leads through the panes' own link would lead nowhere.
fn agent_socket(path: &str) -> Result<PathBuf, String> {
    let shown = || format!("{:?}", path.chars().take(200).collect::<String>());
    if !Path::new(path).is_absolute() || path.len() > MAX_PATH_BYTES {
        return Err(format!(
            "socket_path must be a whole path, as SSH_AUTH_SOCK has it, not {}",
            shown()
        ));
    }
    let failed = |error: io::Error| format!("no SSH agent answers at {}: {error}", shown());
    let socket = fs::canonicalize(path).map_err(failed)?;
    let found = fs::symlink_metadata(&socket).map_err(failed)?;
    if !found.file_type().is_socket() {
        return Err(format!("{} is not a socket", shown()));
    }
    // Panes would sign with the keys of somebody else, and tell that one what they sign.
    if found.uid() != nix::unistd::geteuid().as_raw() {
        return Err(format!("the socket {} is not yours", shown()));
    }
    sys::connect(&socket, Some(CONNECT_TIME)).map_err(failed)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn an_agent_is_a_socket_that_answers() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let listener = UnixListener::bind(root.join("agent")).unwrap();
        assert_eq!(agent_socket(&at("agent")), Ok(root.join("agent")));
        symlink("agent", root.join("link")).unwrap();
        assert_eq!(agent_socket(&at("link")), Ok(root.join("agent")));
        fs::write(root.join("file"), "").unwrap();
        let refusal = |path: &str| agent_socket(path).unwrap_err();
        assert!(refusal(&at("file")).contains("is not a socket"));
        assert!(refusal(&at("nothing")).contains("no SSH agent answers"));
        assert!(refusal(&at("agent\0")).contains("no SSH agent answers"));
        for path in ["", "agent", &format!("/{}", "a".repeat(5_000))] {
            let message = refusal(path);
            assert!(message.contains("must be a whole path") && message.len() < 400);
        }
        drop(listener);
        assert!(refusal(&at("agent")).contains("no SSH agent answers"));
    }
}
