//! The process that a claim stands or falls with: the one behind a report.
//!
//! A hook's own process is gone a moment after its report, and so is the shell that ran it; the
//! agent above them is what lives as long as there is something to report.

use serde::{Deserialize, Serialize};

/// A process for good: a number that is used again comes with a later start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Speaker {
    /// Its number.
    pub pid: i32,
    /// When it started, in the operating system's own unit.
    pub started: u64,
}

/// One process above a reporter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// It.
    pub process: Speaker,
    /// Its parent's number.
    pub parent: i32,
    /// The kernel's short name.
    pub name: String,
}

/// Shells by their base names. A pane's own process that is none of them is a program that was
/// started in its place, and no prompt.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "sh",
    "tcsh", "xonsh", "zsh",
];

/// Processes between a reporter and its pane's own that are walked; nothing real nests deeper.
const STEPS: usize = 32;

/// Whether a process of this name is a shell. A login shell's name begins with a dash.
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name.trim_start_matches('-'))
}

/// Who speaks through `reporter` in the pane whose own process is `root`: the first process above
/// it that is no shell, else the reporter itself. None for a reporter that is not below `root`: of
/// it nothing can be concluded.
pub fn speaker(
    reporter: &Ancestor,
    root: i32,
    mut above: impl FnMut(i32) -> Option<Ancestor>,
) -> Option<Speaker> {
    let mut speaker = None;
    let mut at = reporter.clone();
    for _ in 0..STEPS {
        if at.process.pid == root {
            return speaker.or(Some(reporter.process));
        }
        let parent = above(at.parent)?;
        if parent.process.started > at.process.started {
            // The parent is gone, and its number belongs to another process.
            return None;
        }
        if speaker.is_none() && !is_shell(&parent.name) {
            speaker = Some(parent.process);
        }
        at = parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, name: &str) -> Ancestor {
        Ancestor {
            process: Speaker {
                pid,
                started: u64::try_from(pid).unwrap(),
            },
            parent,
            name: name.to_owned(),
        }
    }

    /// The speaker behind the last of these, each the child of the one before; the first is the
    /// pane's own process.
    fn behind(names: &[&str]) -> Option<i32> {
        let chain: Vec<Ancestor> = (0..)
            .zip(names)
            .map(|(at, name)| process(10 + at, 9 + at, name))
            .collect();
        let above = |pid: i32| chain.iter().find(|one| one.process.pid == pid).cloned();
        speaker(chain.last().unwrap(), 10, above).map(|speaker| speaker.pid)
    }

    #[test]
    fn a_hook_speaks_for_the_agent_above_its_shells() {
        assert_eq!(behind(&["bash", "agent", "sh", "herdr"]), Some(11));
        assert_eq!(
            behind(&["bash", "sh", "agent", "sh", "bash", "herdr"]),
            Some(12)
        );
    }

    #[test]
    fn an_agent_that_reports_by_itself_speaks_for_itself() {
        assert_eq!(behind(&["-zsh", "crush"]), Some(11));
        assert_eq!(behind(&["crush"]), Some(10));
    }

    #[test]
    fn an_agent_in_the_place_of_the_shell_is_behind_its_hooks() {
        assert_eq!(behind(&["agent", "sh", "herdr"]), Some(10));
    }

    #[test]
    fn a_command_at_the_prompt_speaks_for_itself() {
        assert_eq!(behind(&["bash", "herdr"]), Some(11));
        assert_eq!(behind(&["bash", "sh", "herdr"]), Some(12));
    }

    #[test]
    fn nothing_is_known_of_a_reporter_outside_the_pane() {
        let stranger = process(50, 1, "bot");
        assert_eq!(speaker(&stranger, 10, |_| None), None);
        let endless = process(50, 50, "bot");
        assert_eq!(speaker(&endless, 10, |_| Some(endless.clone())), None);
        let younger = |_| Some(process(60, 10, "bot"));
        assert_eq!(speaker(&stranger, 10, younger), None);
    }
}
