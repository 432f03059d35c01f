//! Whether a daemon answers, and which one.

use super::{Finding, Scene};
use crate::client::CallError;

pub(super) fn answers(scene: &Scene) -> Vec<Finding> {
    let socket = scene.paths.protocol_socket.display();
    let own = env!("CARGO_PKG_VERSION");
    match &scene.pong {
        Ok(pong) if pong["server"] != "drover" => vec![Finding::wrong(
            format!("another program answers at {socket}"),
            "drover's commands speak to a program that is not drover",
            "stop it, or set XDG_RUNTIME_DIR",
        )],
        Ok(pong) => {
            let version = pong["server_version"].as_str().unwrap_or("unknown");
            if version == own {
                vec![Finding::fine(format!("drover {own} answers at {socket}"))]
            } else {
                vec![Finding::note(
                    format!("the daemon at {socket} is drover {version}, this is {own}"),
                    "what is new in this version is not there yet",
                    "start the daemon anew when its panes can end",
                )]
            }
        }
        Err(CallError::NotRunning { .. }) => vec![Finding::note(
            format!("no daemon runs at {socket}"),
            "there are no panes",
            "`drover up` starts it",
        )],
        Err(error) => vec![Finding::wrong(
            format!("the daemon does not answer: {error}"),
            "agents in its panes cannot report, and no command works",
            format!("see its log, {}", scene.paths.log_file.display()),
        )],
    }
}
