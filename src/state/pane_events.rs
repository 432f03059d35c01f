//! What the panes' threads report, applied to the world.

use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use crate::agent::{self, Foreground, ForegroundProcess};
use crate::pane::{ForegroundJob, Note, PaneEvents};
use crate::world::PaneKey;

use super::observe::Observer;
use super::remove::Leaving;
use super::{Live, Shared};

/// One pane thread's way up. It does not keep the daemon's state alive.
#[derive(Debug)]
pub(super) struct Upward {
    shared: Weak<Shared>,
    /// A title waits for the output to come to rest. Spares a pane without one the world's lock.
    title_waits: AtomicBool,
    /// The agent whose screen is judged, and what was seen of it.
    observer: Observer,
}

impl Upward {
    pub(super) fn new(shared: Weak<Shared>) -> Upward {
        Upward {
            shared,
            title_waits: AtomicBool::new(false),
            observer: Observer::default(),
        }
    }

    fn take_title(&self, shared: &Shared, pane: PaneKey, title: Option<String>) {
        let news = shared.change().set_title(pane, title, Instant::now());
        self.title_waits
            .store(news == TitleNews::Later, Ordering::Relaxed);
        if news == TitleNews::Now {
            shared.announce_title(pane);
        }
    }
}

impl PaneEvents for Upward {
    fn output(&self, pane: PaneKey, notes: Vec<Note>) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        for note in notes {
            self.observer.hear(&shared, pane, &note);
            match note {
                Note::Title(title) => self.take_title(&shared, pane, Some(title)),
                Note::TitleCleared => self.take_title(&shared, pane, None),
                Note::EngineReset => {
                    log::warn!("pane {pane:?}: the terminal engine failed and was reset");
                }
                // Nobody is attached to hear a bell or to take a clipboard, and directories are
                // the pane's own business.
                _ => {}
            }
        }
    }

    fn settled(&self, pane: PaneKey) {
        if self.title_waits.swap(false, Ordering::Relaxed)
            && let Some(shared) = self.shared.upgrade()
        {
            shared.announce_title(pane);
        }
        if self.observer.is_watching()
            && let Some(shared) = self.shared.upgrade()
        {
            self.observer.look(&shared, pane);
        }
    }

    fn foreground_changed(&self, pane: PaneKey, job: Arc<ForegroundJob>) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        let foreground = foreground(&job);
        shared
            .change()
            .change_agent(pane, &shared.deadlines, |agent, context| {
                (agent.foreground_changed(foreground, context), ())
            });
        self.observer.follow(&shared, pane, foreground);
    }

    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        log::debug!("pane {pane:?}: its process ended: {status:?}");
        // A pane that was closed is not in the world any more.
        let _ = shared
            .change()
            .remove_pane(pane, Leaving::Exited, &shared.deadlines);
    }
}

/// When a title is to be announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TitleNews {
    None,
    Now,
    /// When the output has come to rest.
    Later,
}

impl Shared {
    /// Announces a pane's title. Looks first where its programs are, which is why only news gets here:
    /// the look reads files, and on the pane's own thread.
    fn announce_title(&self, key: PaneKey) {
        self.refresh_announced_place(key);
        self.change().announce_title(key, Instant::now());
    }

    /// Something about a pane's agent may have run out: a time that was set, or the credit of a
    /// claim that only a look at the foreground can renew.
    pub fn agent_due(&self, key: PaneKey) {
        let look = self
            .change()
            .change_agent(key, &self.deadlines, |agent, context| {
                let look = agent.next_look().is_some_and(|due| due <= context.now);
                (agent.expire(context), look)
            });
        if look != Some(true) {
            return;
        }
        let pane = self
            .look()
            .pane(key)
            .map(|entry| entry.runtime.pane.clone());
        // Asks the operating system, hence without the lock.
        if let Some(job) = pane.and_then(|pane| pane.process_info().foreground) {
            let foreground = foreground(&job);
            self.change()
                .change_agent(key, &self.deadlines, |agent, context| {
                    (agent.foreground_changed(foreground, context), ())
                });
        }
    }
}

/// Shells by their base names. A pane's own process that is none of them is a program that was
/// started in its place, and no prompt.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "sh",
    "tcsh", "xonsh", "zsh",
];

/// What a job is to the agent's state: an agent, the shell at its prompt, or something else.
fn foreground(job: &ForegroundJob) -> Foreground {
    let number = |pid: i32| u32::try_from(pid).unwrap_or_default();
    let processes: Vec<ForegroundProcess> = job
        .processes
        .iter()
        .map(|process| ForegroundProcess {
            pid: number(process.pid),
            name: process.name.clone(),
            argv: process.arguments.clone(),
            herdr_agent: process.agent.clone(),
        })
        .collect();
    match agent::detect(&processes) {
        Some(kind) => Foreground::Agent {
            kind,
            group: number(job.group),
        },
        None if job.group == job.shell_pid && is_led_by_shell(job) => Foreground::Shell,
        None => Foreground::Other,
    }
}

/// Whether the leader of a job is a shell that people type into, rather than one that runs a
/// script. One that cannot be read, because it just ended, counts as one.
fn is_led_by_shell(job: &ForegroundJob) -> bool {
    let Some(leader) = job.processes.first() else {
        return true;
    };
    let interactive = || {
        let mut words = leader.arguments.iter().skip(1);
        words.all(|word| word.starts_with(['-', '+']) && word != "-c")
    };
    // A login shell's name begins with a dash.
    SHELLS.contains(&leader.name.trim_start_matches('-')) && interactive()
}

impl Live {
    /// Takes a new terminal title. Only a change of what is left without an activity glyph is
    /// news: a spinner in the title is not (herdr 0.9.3, `pane_updated`).
    fn set_title(&mut self, key: PaneKey, title: Option<String>, now: Instant) -> TitleNews {
        let Some(entry) = self.panes.get_mut(&key) else {
            return TitleNews::None;
        };
        entry.title.set(title);
        match (entry.title.is_news(), entry.title.may_announce(now)) {
            (false, _) => TitleNews::None,
            (true, true) => TitleNews::Now,
            (true, false) => TitleNews::Later,
        }
    }

    /// Announces a pane's title if that is news.
    fn announce_title(&mut self, key: PaneKey, now: Instant) {
        if let Some(entry) = self.panes.get_mut(&key)
            && entry.title.is_news()
        {
            entry.title.mark_announced(now);
            entry.revision += 1;
            self.announce_pane_updated(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane;

    /// The pane's own process in the foreground, with this name and these words.
    fn leads(name: &str, words: &[&str]) -> Foreground {
        let leader = pane::ForegroundProcess {
            pid: 7,
            name: name.to_owned(),
            arguments: words.iter().map(|word| (*word).to_owned()).collect(),
            agent: None,
            directory: None,
        };
        foreground(&ForegroundJob {
            shell_pid: 7,
            group: 7,
            processes: vec![leader],
        })
    }

    #[test]
    fn only_a_shell_that_reads_from_the_terminal_is_a_prompt() {
        for (name, words) in [
            ("bash", &["-bash"][..]),
            ("zsh", &["zsh", "-l", "-i"]),
            ("fish", &["/usr/bin/fish"]),
            ("sh", &[]),
        ] {
            assert_eq!(leads(name, words), Foreground::Shell, "{words:?}");
        }
        for (name, words) in [
            ("my-bot", &["my-bot"][..]),
            ("sh", &["/bin/sh", "/home/me/my-bot"]),
            ("bash", &["bash", "-c", "my-bot"]),
        ] {
            assert_eq!(leads(name, words), Foreground::Other, "{words:?}");
        }
    }
}
