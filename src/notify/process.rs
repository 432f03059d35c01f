//! Sinks that are programs: the desktop's own, and the person's.
//!
//! A program gets the text as arguments or on its standard input, never through a shell. It leads a
//! group of its own, so that one that does not end in time is ended with everything it started. What
//! it prints goes nowhere: it is the program's own, and might repeat what is secret to it.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::config::NotifySink;
use crate::sys::{self, ExitWatch};

use super::note::Note;
use super::sink::Failure;

/// Shows a message on the desktop.
pub(super) fn desktop(note: &Note, limit: Duration) -> Result<String, Failure> {
    let (program, arguments) = sys::desktop_notification(&note.title, &note.body, note.urgent);
    let mut command = Command::new(program);
    command.args(arguments);
    run(command, program, b"", limit)?;
    Ok(format!("{program} took it"))
}

/// Runs the person's own program.
pub(super) fn command(sink: &NotifySink, note: &Note) -> Result<String, Failure> {
    let [program, arguments @ ..] = &sink.command[..] else {
        return Err(Failure::for_good("it has no command"));
    };
    let mut command = Command::new(program);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let status = note.status.map(|status| status.to_string());
    command
        .args(arguments)
        .env("DROVER_NOTIFY_ID", &note.id)
        .env("DROVER_NOTIFY_EVENT", &*note.event)
        .env("DROVER_NOTIFY_TITLE", &note.title)
        .env("DROVER_NOTIFY_BODY", &note.body)
        .env("DROVER_NOTIFY_AGENT", text(&note.agent))
        .env("DROVER_NOTIFY_STATUS", text(&status))
        .env("DROVER_NOTIFY_PANE", text(&note.pane_id))
        .env("DROVER_NOTIFY_WORKSPACE", text(&note.workspace));
    if let Some(home) = std::env::var_os("HOME") {
        command.current_dir(home);
    }
    let json = serde_json::to_vec(note)
        .map_err(|error| Failure::for_good(format!("it cannot be written as JSON: {error}")))?;
    run(
        command,
        program,
        &json,
        Duration::from_millis(sink.timeout_ms),
    )?;
    Ok(format!("{program} took it"))
}

/// Runs a program to its end. `input` is less than a pipe takes at once.
fn run(mut command: Command, name: &str, input: &[u8], limit: Duration) -> Result<(), Failure> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    sys::make_like_us(&mut command);
    let mut child = command.spawn().map_err(|error| {
        Failure::for_good(match error.kind() {
            io::ErrorKind::NotFound => format!("there is no program {name}"),
            _ => format!("{name} cannot be run: {error}"),
        })
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read it has what it needs all the same.
        let _ = stdin.write_all(input);
    }
    let pid = child.id() as i32;
    let ended = match exit_within(pid, limit) {
        Ok(true) => child.wait(),
        other => {
            // It leads a group of its own, which is there as long as it is not reaped.
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
            let _ = child.wait();
            match other {
                Err(error) => Err(error),
                Ok(_) => {
                    return Err(Failure::for_good(format!(
                        "{name} did not end within {} ms",
                        limit.as_millis()
                    )));
                }
            }
        }
    };
    let ended = ended.map_err(|error| Failure::for_good(format!("waiting for {name}: {error}")))?;
    if ended.success() {
        Ok(())
    } else {
        Err(Failure::for_good(format!("{name} failed: {}", how(ended))))
    }
}

fn how(ended: ExitStatus) -> String {
    match ended.code() {
        Some(code) => format!("exit code {code}"),
        None => ended.to_string(),
    }
}

/// Waits until a child has exited, and leaves it to be reaped. False when it has not in time.
fn exit_within(pid: i32, limit: Duration) -> io::Result<bool> {
    let exit = ExitWatch::of(pid)?;
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(exit.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) if left.is_zero() => return Ok(false),
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sink(script: &str, timeout_ms: u64) -> NotifySink {
        NotifySink {
            name: "own".to_owned(),
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            timeout_ms,
            ..NotifySink::default()
        }
    }

    #[test]
    fn a_program_gets_the_message_on_its_input_and_in_its_environment() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("got");
        let script = format!(
            "{{ cat; echo; echo \"$DROVER_NOTIFY_TITLE\"; }} > '{}'",
            path.display()
        );
        let note = Note::of_test();
        command(&sink(&script, 30_000), &note).unwrap();
        let got = std::fs::read_to_string(path).unwrap();
        let (json, title) = got.trim_end().split_once('\n').unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(json["id"], note.id);
        assert_eq!(title, note.title);
    }

    #[test]
    fn what_went_wrong_with_a_program_is_said_and_its_words_are_not() {
        let why = |script, limit| {
            command(&sink(script, limit), &Note::of_test())
                .unwrap_err()
                .why
        };
        assert_eq!(
            why("echo secret >&2; exit 3", 30_000),
            "sh failed: exit code 3"
        );
        let start = Instant::now();
        assert_eq!(
            why("sleep 1000 & sleep 1000", 100),
            "sh did not end within 100 ms"
        );
        assert!(start.elapsed() < Duration::from_secs(100));
        let mut nothing = sink("", 100);
        nothing.command = vec!["/nonexistent/program".to_owned()];
        let failure = command(&nothing, &Note::of_test()).unwrap_err();
        assert_eq!(failure.why, "there is no program /nonexistent/program");
    }
}
