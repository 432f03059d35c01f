//! The variables of the shell that this runs in: whether they name a pane that is there.

use std::path::Path;

use super::{Finding, PATIENCE, Scene, ping};
use crate::api::method;
use crate::api::params::PaneTarget;
use crate::client::{self, CallError};

/// Variables that tell a process which pane it is in.
const TOLD: [&str; 6] = [
    "HERDR_ENV",
    "HERDR_SOCKET_PATH",
    "HERDR_BIN_PATH",
    "HERDR_WORKSPACE_ID",
    "HERDR_TAB_ID",
    "HERDR_PANE_ID",
];

/// What a daemon says to somebody who claims to be in a pane of its.
enum Claim {
    /// The pane is there.
    Holds,
    /// The daemon knows no such pane.
    NoPane,
    /// Nobody answers there.
    NoDaemon(String),
}

pub(super) fn of_this_shell(scene: &Scene) -> Vec<Finding> {
    let set = TOLD
        .iter()
        .filter(|name| (scene.variable)(name).is_some())
        .count();
    if set == 0 {
        return vec![Finding::fine("this shell is in no pane")];
    }
    let mut found = Vec::new();
    match (
        &scene.environment.herdr_socket_path,
        &scene.environment.herdr_pane_id,
    ) {
        (Some(socket), Some(pane)) if scene.environment.inside_pane => {
            found.push(claimed(pane, socket, asked(socket, pane)));
        }
        _ => found.push(Finding::wrong(
            format!(
                "only {set} of the {} variables of a pane are set",
                TOLD.len()
            ),
            "tools cannot tell whether they are in a pane, or in which",
            format!(
                "unset them (`unset {}`), or open a new pane",
                TOLD.join(" ")
            ),
        )),
    }
    if let Some(executable) = (scene.variable)("HERDR_BIN_PATH") {
        found.extend(executed(
            &executable,
            std::env::current_exe().ok().as_deref(),
        ));
    }
    for (name, program) in [("TMUX", "tmux"), ("STY", "screen"), ("ZELLIJ", "zellij")] {
        if (scene.variable)(name).is_some() {
            found.push(Finding::note(
                format!("{program} runs in this pane ({name} is set)"),
                "to drover all of its windows are this one pane",
                format!("run agents in panes of drover's own rather than in windows of {program}"),
            ));
        }
    }
    found
}

/// What agents' hooks run.
fn executed(named: &str, own: Option<&Path>) -> Option<Finding> {
    let Ok(runs) = std::fs::canonicalize(named) else {
        return Some(Finding::wrong(
            format!("HERDR_BIN_PATH names {named}, which is not there"),
            "agents' hooks that run it fail",
            "open a new pane",
        ));
    };
    let own = own.and_then(|own| std::fs::canonicalize(own).ok());
    (own.is_some_and(|own| own != runs)).then(|| {
        Finding::note(
            format!("HERDR_BIN_PATH leads to {}, not to this program", runs.display()),
            "agents' hooks in this pane report through another copy of drover, or through another program",
            "nothing, if that is meant; else start the daemon with this one and open a new pane",
        )
    })
}

fn asked(socket: &Path, pane: &str) -> Claim {
    if let Err(error) = ping(socket) {
        return Claim::NoDaemon(error.to_string());
    }
    let params = PaneTarget {
        pane_id: pane.to_owned(),
    };
    match client::call_unguarded::<method::PaneGet>(socket, "drover:doctor", &params, PATIENCE) {
        Err(CallError::Refused(refusal)) if refusal["error"]["code"] == "pane_not_found" => {
            Claim::NoPane
        }
        // Refused for another reason, it is there as far as can be known.
        _ => Claim::Holds,
    }
}

fn claimed(pane: &str, socket: &Path, claim: Claim) -> Finding {
    let socket = socket.display();
    match claim {
        Claim::Holds => Finding::fine(format!("this shell is in pane {pane} of {socket}")),
        Claim::NoPane => Finding::wrong(
            format!("HERDR_PANE_ID says {pane}, and {socket} has no such pane"),
            "reports from here are refused; the pane was closed, or the daemon is another one by now",
            "open a new pane",
        ),
        Claim::NoDaemon(error) => Finding::wrong(
            format!("HERDR_SOCKET_PATH says {socket}, and nobody answers there: {error}"),
            "the variables are left over from a daemon that has ended: agents here report to nobody",
            format!(
                "start agents from a new shell, or `unset {}`",
                TOLD.join(" ")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_claim_that_does_not_hold_is_wrong() {
        let socket = Path::new("/s");
        assert_eq!(claimed("w1:p1", socket, Claim::Holds).level, Level::Fine);
        for claim in [Claim::NoPane, Claim::NoDaemon("refused".to_owned())] {
            let finding = claimed("w1:p1", socket, claim);
            assert_eq!(finding.level, Level::Wrong);
            assert!(!finding.means.is_empty() && !finding.remedy.is_empty());
        }
    }

    #[test]
    fn what_hooks_run_is_followed_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("herdr");
        let named = link.to_str().unwrap();
        let own = std::env::current_exe().unwrap();
        let level = || executed(named, Some(&own)).map(|finding| finding.level);
        assert_eq!(level(), Some(Level::Wrong));
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert_eq!(level(), None);
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("/bin/sh", &link).unwrap();
        assert_eq!(level(), Some(Level::Note));
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("/nonexistent/herdr", &link).unwrap();
        assert_eq!(level(), Some(Level::Wrong));
    }
}
