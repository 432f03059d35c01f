//! Opening a session of xcsh: what is checked of the files that are named, and the command that comes of it. The one
//! file of this room that reads the disk.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::api::ApiError;
use crate::api::params::ExecutionResumeParams;
use crate::api::records::{ExecutionCommand, NativeExecutable, NativeLaunch, NativeTools};

use super::digest::{hex, hex_sha256, is_hex};

/// Versions of the launch that are known: 4 only adds a set of tools.
const VERSIONS: [u32; 2] = [3, 4];

/// The most bytes of what a session is told first (the fork's).
const TEXT_BYTES: usize = 65_536;

/// The most bytes of a model's name (the fork's).
const MODEL_BYTES: usize = 256;

/// The most bytes of a session file's first line, its end included (the fork's).
const HEADER_BYTES: u64 = 1024 * 1024;

/// The most bytes of an executable that is measured (the fork's): a few seconds of reading.
const EXECUTABLE_BYTES: u64 = 512 * 1024 * 1024;

/// A checked launch.
#[derive(Debug)]
pub struct Launch {
    pub executable: Measured,
    /// The whole command, with what the session is told.
    pub argv: Vec<String>,
}

/// An executable and what it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    pub record: NativeExecutable,
    identity: Identity,
}

impl Measured {
    /// Whether the file is still the one that was read: to be asked right before it is run.
    pub fn is_unchanged(&self) -> bool {
        fs::metadata(&self.record.canonical_path)
            .is_ok_and(|found| Identity::of(&found) == self.identity)
    }
}

/// What tells a file from another and from itself after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
    size: u64,
    mode: u32,
    changed: (i64, i64),
}

impl Identity {
    fn of(found: &fs::Metadata) -> Identity {
        Identity {
            device: found.dev(),
            number: found.ino(),
            size: found.len(),
            mode: found.mode(),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// Checks a launch and the files it names.
///
/// # Errors
/// The fork's codes, one for each thing that can be wrong.
pub fn prepare(params: &ExecutionResumeParams) -> Result<Launch, ApiError> {
    let launch = &params.native_launch;
    check_words(launch)?;
    if params.text.is_empty() || params.text.len() > TEXT_BYTES || params.text.contains('\0') {
        return Err(ApiError::new(
            "invalid_execution_resume",
            format!("text takes 1 to {TEXT_BYTES} bytes and no NUL"),
        ));
    }
    check_session(launch)?;
    let executable = measure(&launch.xcsh_executable).map_err(|why| {
        let path = &launch.xcsh_executable;
        ApiError::new("invalid_xcsh_executable", format!("{path}: {why}"))
    })?;
    Ok(Launch {
        executable,
        argv: command(launch, Some(&params.text)),
    })
}

fn check_words(launch: &NativeLaunch) -> Result<(), ApiError> {
    let invalid = |why: String| Err(ApiError::new("invalid_native_launch", why));
    if !VERSIONS.contains(&launch.version) {
        return invalid(format!("version {} is not 3 or 4", launch.version));
    }
    if launch.version < 4 && launch.tools == NativeTools::ReadInteractions {
        return invalid("tools read_interactions came with version 4".to_owned());
    }
    if !is_hex(&launch.session_header.id, 16) {
        return Err(ApiError::new(
            "invalid_xcsh_session_id",
            "a session's id is 16 lower-case hexadecimal digits",
        ));
    }
    if !is_hex(&launch.session_header.sha256, 64) {
        return invalid("session_header.sha256 is 64 lower-case hexadecimal digits".to_owned());
    }
    let model = &launch.model;
    if model.is_empty() || model.len() > MODEL_BYTES || model.chars().any(char::is_control) {
        return invalid(format!(
            "model takes 1 to {MODEL_BYTES} bytes without control characters"
        ));
    }
    Ok(())
}

fn check_session(launch: &NativeLaunch) -> Result<(), ApiError> {
    let (path, folder) = (
        Path::new(&launch.session_path),
        Path::new(&launch.session_dir),
    );
    let canonical = |path: &Path| path.is_absolute() && is_canonical(path);
    if !canonical(path) || !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Err(ApiError::new(
            "invalid_xcsh_session_path",
            "session_path names no file by its whole path without links",
        ));
    }
    if !canonical(folder) || path.parent() != Some(folder) {
        return Err(ApiError::new(
            "invalid_xcsh_session_dir",
            "session_dir is not the folder of session_path by its whole path without links",
        ));
    }
    let header = header_of(path).map_err(|error| {
        ApiError::new(
            "invalid_xcsh_session_header",
            format!("{}: {error}", path.display()),
        )
    })?;
    #[derive(Deserialize)]
    struct Header {
        r#type: String,
        id: String,
    }
    let read: Option<Header> = serde_json::from_slice(&header).ok();
    let right = read
        .is_some_and(|read| read.r#type == "session" && read.id == launch.session_header.id)
        && hex_sha256(&header) == launch.session_header.sha256;
    if right {
        return Ok(());
    }
    Err(ApiError::new(
        "invalid_xcsh_session_header",
        format!(
            "the first line of {} is not the header with this id and digest",
            path.display()
        ),
    ))
}

fn is_canonical(path: &Path) -> bool {
    // Compared as bytes: as paths, `a//b` and `a/./b` equal `a/b`.
    fs::canonicalize(path).is_ok_and(|found| found.as_os_str() == path.as_os_str())
}

/// The first line of a session's file, its end included.
///
/// # Errors
/// There is none, or it is too long.
fn header_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?.take(HEADER_BYTES)).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        return Ok(line);
    }
    Err(io::Error::other(format!(
        "its first line does not end within {HEADER_BYTES} bytes"
    )))
}

/// Reads an executable.
///
/// # Errors
/// It is none, or it changed meanwhile; the text says which.
fn measure(path: &str) -> Result<Measured, String> {
    if !Path::new(path).is_absolute() {
        return Err("must be a whole path".to_owned());
    }
    let canonical = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let canonical_path = canonical.to_str().ok_or("its path is no text")?.to_owned();
    let mut file = File::open(&canonical).map_err(|error| error.to_string())?;
    let found = file.metadata().map_err(|error| error.to_string())?;
    if !found.is_file() || found.permissions().mode() & 0o111 == 0 {
        return Err("is no executable file".to_owned());
    }
    if found.len() > EXECUTABLE_BYTES {
        return Err(format!("has more than {EXECUTABLE_BYTES} bytes"));
    }
    let identity = Identity::of(&found);
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let count = file.read(&mut piece).map_err(|error| error.to_string())?;
        if count == 0 {
            break;
        }
        digest.update(&piece[..count]);
    }
    let measured = Measured {
        record: NativeExecutable {
            canonical_path,
            sha256: hex(&digest.finalize()),
        },
        identity,
    };
    match measured.is_unchanged() {
        true => Ok(measured),
        false => Err("changed while it was read".to_owned()),
    }
}

/// The command of a launch; without `text`, as it may be kept and shown.
fn command(launch: &NativeLaunch, text: Option<&str>) -> Vec<String> {
    let tools = match launch.tools {
        NativeTools::Read => "read",
        NativeTools::ReadInteractions => "read,request_user_input,request_user_input_async",
    };
    let mut words = vec![launch.xcsh_executable.as_str()];
    if !launch.interactive {
        words.extend(["--mode", "json"]);
    }
    words.extend(["--session-dir", &launch.session_dir]);
    words.extend(["--resume", &launch.session_path]);
    words.extend(["--model", &launch.model, "--tools", tools]);
    words.extend(["--no-mcp", "--no-lsp", "--no-memories", "--no-skills"]);
    words.extend(["--no-rules", "--no-pty"]);
    if !launch.interactive {
        words.push("--print");
    }
    words.extend(text);
    words.into_iter().map(str::to_owned).collect()
}

/// The command of a launch as its record shows it.
pub fn shown(launch: &NativeLaunch) -> ExecutionCommand {
    ExecutionCommand::Argv {
        argv: command(launch, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::PathBuf;

    struct Files {
        _folder: tempfile::TempDir,
        root: PathBuf,
    }

    const HEADER: &str =
        "{\"type\":\"session\",\"version\":3,\"id\":\"0123abcd4567ef89\",\"cwd\":\"/tmp\"}\n";

    impl Files {
        fn new() -> Files {
            let folder = tempfile::tempdir().unwrap();
            let root = fs::canonicalize(folder.path()).unwrap();
            fs::create_dir(root.join("s")).unwrap();
            fs::write(root.join("s/one.jsonl"), format!("{HEADER}{{}}\n")).unwrap();
            fs::write(root.join("xcsh"), "#!/bin/sh\n").unwrap();
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(root.join("xcsh"), executable).unwrap();
            Files {
                _folder: folder,
                root,
            }
        }

        fn params(&self) -> ExecutionResumeParams {
            let root = self.root.to_str().unwrap();
            let params = json!({
                "execution_id": "task-42", "generation": 3, "text": "go on", "cwd": "/",
                "native_launch": {
                    "version": 3, "xcsh_executable": format!("{root}/xcsh"),
                    "session_dir": format!("{root}/s"), "session_path": format!("{root}/s/one.jsonl"),
                    "session_header": {
                        "id": "0123abcd4567ef89",
                        "sha256": "74fedeb526cf3b43af5910af1da1e838dc1710e9207797f0c7bd7d4835a257aa",
                    },
                    "model": "openai/gpt-5", "discovery": "reduced-v1", "tools": "read",
                    "interactive": false, "lifecycle_mode": "managed_turn_v1",
                },
            });
            serde_json::from_value(params).unwrap()
        }

        fn refusal(&self, change: impl FnOnce(&mut ExecutionResumeParams)) -> String {
            let mut params = self.params();
            change(&mut params);
            prepare(&params).unwrap_err().code.into_owned()
        }
    }

    #[test]
    fn the_command_is_derived_from_the_launch_alone() {
        let files = Files::new();
        let launch = prepare(&files.params()).unwrap();
        let root = files.root.display();
        let expected = format!(
            "{root}/xcsh --mode json --session-dir {root}/s --resume {root}/s/one.jsonl --model openai/gpt-5 \
             --tools read --no-mcp --no-lsp --no-memories --no-skills --no-rules --no-pty --print"
        );
        assert_eq!(launch.argv.split_last().unwrap().1.join(" "), expected);
        assert_eq!(launch.argv.last().unwrap(), "go on");
        assert_eq!(launch.executable.record.sha256, hex_sha256(b"#!/bin/sh\n"));
        let mut params = files.params();
        params.native_launch.version = 4;
        params.native_launch.tools = NativeTools::ReadInteractions;
        params.native_launch.interactive = true;
        let argv = prepare(&params).unwrap().argv;
        assert!(argv.contains(&"read,request_user_input,request_user_input_async".to_owned()));
        assert!(!argv.contains(&"--print".to_owned()) && !argv.contains(&"--mode".to_owned()));
    }

    #[test]
    fn what_a_session_is_told_is_in_no_record() {
        let files = Files::new();
        let shown = serde_json::to_string(&shown(&files.params().native_launch)).unwrap();
        assert!(!shown.contains("go on"), "{shown}");
    }

    type Edit = fn(&mut ExecutionResumeParams, &str);

    #[test]
    fn each_thing_that_is_wrong_has_its_code() {
        let files = Files::new();
        let root = files.root.to_str().unwrap().to_owned();
        std::os::unix::fs::symlink(files.root.join("s"), files.root.join("link")).unwrap();
        let cases: [(&str, Edit); 16] = [
            ("invalid_native_launch", |p, _| p.native_launch.version = 2),
            ("invalid_native_launch", |p, _| {
                p.native_launch.model.clear()
            }),
            ("invalid_native_launch", |p, _| {
                p.native_launch.model.push('\n')
            }),
            ("invalid_native_launch", |p, _| {
                p.native_launch.tools = NativeTools::ReadInteractions;
            }),
            ("invalid_native_launch", |p, _| {
                p.native_launch.session_header.sha256.push('0');
            }),
            ("invalid_xcsh_session_id", |p, _| {
                p.native_launch.session_header.id = "0123ABCD4567EF89".to_owned();
            }),
            ("invalid_execution_resume", |p, _| p.text.clear()),
            ("invalid_execution_resume", |p, _| {
                p.text = "x".repeat(65_537)
            }),
            ("invalid_xcsh_session_path", |p, root| {
                p.native_launch.session_path = format!("{root}/link/one.jsonl");
            }),
            ("invalid_xcsh_session_path", |p, root| {
                p.native_launch.session_path = format!("{root}/s/./one.jsonl");
            }),
            ("invalid_xcsh_session_path", |p, root| {
                p.native_launch.session_path = format!("{root}/s");
            }),
            ("invalid_xcsh_session_dir", |p, root| {
                p.native_launch.session_dir = root.to_owned();
            }),
            ("invalid_xcsh_session_header", |p, _| {
                p.native_launch.session_header.id = "1123abcd4567ef89".to_owned();
            }),
            ("invalid_xcsh_session_header", |p, _| {
                p.native_launch.session_header.sha256 = hex_sha256(b"");
            }),
            ("invalid_xcsh_executable", |p, root| {
                p.native_launch.xcsh_executable = format!("{root}/s/one.jsonl");
            }),
            ("invalid_xcsh_executable", |p, _| {
                p.native_launch.xcsh_executable = "xcsh".to_owned();
            }),
        ];
        for (number, (code, change)) in cases.into_iter().enumerate() {
            let found = files.refusal(|params| change(params, &root));
            assert_eq!(found, code, "case {number}");
        }
    }

    #[test]
    fn an_executable_that_is_replaced_after_it_was_read_is_noticed() {
        let files = Files::new();
        let path = files.root.join("xcsh");
        let measured = measure(path.to_str().unwrap()).unwrap();
        assert!(measured.is_unchanged());
        fs::write(files.root.join("other"), "#!/bin/sh\nevil\n").unwrap();
        fs::rename(files.root.join("other"), &path).unwrap();
        assert!(!measured.is_unchanged());
    }

    #[test]
    fn a_first_line_without_an_end_is_none() {
        let files = Files::new();
        fs::write(files.root.join("s/one.jsonl"), HEADER.trim_end()).unwrap();
        assert_eq!(files.refusal(|_| ()), "invalid_xcsh_session_header");
    }
}
