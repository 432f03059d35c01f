use drover::pane::screen::*;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::Instant;
fn main() {
    let files = ["plain", "sgr", "unicode"];
    let args: Vec<String> = std::env::args().collect();
    let dir = &args[1];
    for round in 0..3 {
        for f in files {
            let mut rates = vec![];
            for mode in 0..2 {
                let pty = nix::pty::openpty(None, None).unwrap();
                let path = format!("{dir}/{f}");
                let len = std::fs::metadata(&path).unwrap().len();
                let slave: OwnedFd = pty.slave;
                let mut child = Command::new("cat")
                    .arg(&path)
                    .stdin(Stdio::null())
                    .stdout(Stdio::from(slave.try_clone().unwrap()))
                    .spawn()
                    .unwrap();
                drop(slave);
                let mut master = File::from(pty.master);
                let mut screen = Screen::new(
                    Size {
                        cols: 120,
                        rows: 40,
                    },
                    10_000,
                );
                let mut buf = vec![0u8; 65536];
                let start = Instant::now();
                loop {
                    match master.read(&mut buf) {
                        Ok(0) | Err(_) => break,
                        Ok(n) => {
                            if mode == 1 {
                                screen.feed(&buf[..n]);
                            }
                        }
                    }
                }
                let t = start.elapsed().as_secs_f64();
                child.wait().unwrap();
                rates.push(len as f64 / 1e6 / t);
            }
            println!(
                "{round} {f}: drain {:.1} feed {:.1} = {:.0}%",
                rates[0],
                rates[1],
                rates[1] / rates[0] * 100.0
            );
        }
    }
}
