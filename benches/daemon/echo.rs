//! The floor of a request: a server that does nothing but take a line and write a fixed answer,
//! with a thread for every connection as the daemon has.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result};

/// The bare server, as a process of its own; ends with the value.
pub struct Echo {
    process: Child,
}

impl Echo {
    /// Starts a server at `socket` that answers everything with `answer`, a line without its end.
    pub fn start(socket: &Path, answer: &str) -> Result<Echo> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("--echo")
            .arg(socket)
            .args(["--answer", answer])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the bare server")?;
        let stdout = process.stdout.take().context("its output is a pipe")?;
        let echo = Echo { process };
        BufReader::new(stdout).read_line(&mut String::new())?;
        Ok(echo)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs as the bare server until it is killed.
pub fn serve(socket: &Path, answer: &str) -> Result<()> {
    let listener = UnixListener::bind(socket)?;
    println!("ready");
    let answer: &'static str = format!("{answer}\n").leak();
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || reply(stream, answer.as_bytes()));
    }
    Ok(())
}

fn reply(mut stream: UnixStream, answer: &[u8]) {
    let mut line = [0; 4096];
    let mut filled = 0;
    while !line[..filled].ends_with(b"\n") {
        match stream.read(&mut line[filled..]) {
            Ok(0) | Err(_) => return,
            Ok(count) => filled += count,
        }
    }
    // A client that has gone is none of a floor's concerns.
    let _ = stream.write_all(answer);
}
