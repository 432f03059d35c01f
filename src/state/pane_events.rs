//! What the panes' threads report, applied to the world.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use crate::agent::{self, Ancestor, Effects, Foreground, ForegroundProcess, Speaker};
use crate::pane::{ForegroundJob, Note, PaneEvents};
use crate::sys::{self, ProcessFacts};
use crate::world::PaneKey;

use super::observe::Observer;
use super::remove::Leaving;
use super::{Caller, Clipboard, Live, Rate, Shared, rates};

/// One pane thread's way up. It does not keep the daemon's state alive.
#[derive(Debug)]
pub(super) struct Upward {
    shared: Weak<Shared>,
    /// A title waits for the output to come to rest. Spares a pane without one the world's lock.
    title_waits: AtomicBool,
    /// A command waits for the shell's prompt. Spares all other panes the world's lock.
    resumes: AtomicBool,
    /// The agent whose screen is judged, and what was seen of it.
    observer: Observer,
}

impl Upward {
    pub(super) fn new(shared: Weak<Shared>, resumes: bool) -> Upward {
        Upward {
            shared,
            title_waits: AtomicBool::new(false),
            resumes: AtomicBool::new(resumes),
            observer: Observer::default(),
        }
    }

    fn take_title(&self, shared: &Shared, pane: PaneKey, title: Option<String>) {
        let news = shared.change().set_title(pane, title, Instant::now());
        shared.attached.retitle(pane);
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
            match note {
                Note::Title(title) => self.take_title(&shared, pane, Some(title)),
                Note::TitleCleared => self.take_title(&shared, pane, None),
                Note::EngineReset => {
                    log::warn!("pane {pane:?}: the terminal engine failed and was reset");
                }
                Note::Bell => shared.attached.ring(pane),
                Note::Notification { title, body } => shared.pass_on(pane, &title, &body),
                Note::ClipboardWrite { primary, text } => {
                    if shared.config().terminal.clipboard {
                        let clipboard = Clipboard { primary, text };
                        shared.attached.set_clipboard(pane, clipboard);
                    }
                }
                // Directories and prompts are the pane's own business, and progress is on its screen.
                Note::Cwd { .. } | Note::Progress(_) | Note::Prompt(_) => {}
            }
        }
    }

    fn settled(&self, pane: PaneKey) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        if self.title_waits.swap(false, Ordering::Relaxed) {
            shared.announce_title(pane);
        }
        if self.resumes.swap(false, Ordering::Relaxed) {
            shared.resume_ready(pane, Instant::now());
        }
        if self.observer.is_watching() {
            self.observer.look(&shared, pane);
        }
        shared.pane_was_active();
    }

    fn foreground_changed(&self, pane: PaneKey, job: Arc<ForegroundJob>) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        // A machine that goes down ends everything at once: what was there is to be saved.
        if shared.stop.requested() {
            return;
        }
        shared.pane_was_active();
        let (foreground, process) = foreground(&job);
        shared
            .change()
            .change_agent(pane, &shared.deadlines, |agent, context| {
                (agent.foreground_changed(foreground, context), ())
            });
        self.observer.follow(&shared, pane, foreground);
        // An agent that a wrapper runs may end without a word on the terminal.
        if let Some(facts) = process.and_then(sys::process_facts) {
            let process = ancestor(facts).process;
            shared.departures.watch(&self.shared, pane, process);
        }
    }

    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        if shared.stop.requested() {
            return;
        }
        log::debug!("pane {pane:?}: its process ended: {status:?}");
        shared.execution_ended(pane, status);
        // A pane that was closed is not in the world any more.
        let _ = shared
            .change()
            .remove_pane(pane, Leaving::Exited, &shared.deadlines);
        // Before the process is forgotten: who finds neither it nor its end in what is saved starts it anew.
        shared.commit();
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
    /// Passes a notification of a pane's program on to the terminals that show it, no faster than a
    /// pane may speak of itself.
    fn pass_on(&self, pane: PaneKey, title: &str, body: &str) {
        let rate = Rate::from(&self.config().limits);
        let speaker = rates::Speaker::Program(pane);
        if self.attached.shows(pane) && self.rates.take(speaker, rate, Instant::now()).is_ok() {
            self.attached.notify(pane, title, body);
        }
    }

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
        if look == Some(true) {
            self.look_at_foreground(key);
        }
    }

    /// A process that the agent of a pane stands or falls with has ended.
    pub(super) fn departed(&self, key: PaneKey, process: Speaker) {
        self.change()
            .change_agent(key, &self.deadlines, |agent, _| {
                agent.speaker_departed(process);
                (Effects::default(), ())
            });
        self.look_at_foreground(key);
    }

    /// Watches the process behind a pane's claim, if it is known.
    pub fn watch_speaker(&self, key: PaneKey) {
        let speaker = self
            .look()
            .pane(key)
            .and_then(|entry| entry.agent.speaker());
        if let Some(speaker) = speaker {
            self.departures.watch(&self.this, key, speaker);
        }
    }

    /// The process behind a caller's report about a pane. Reads the system's files.
    pub fn speaker(&self, caller: &Caller, key: PaneKey) -> Option<Speaker> {
        let root = self.look().pane(key)?.runtime.pane.shell_pid();
        let reporter = ancestor(caller.facts.clone()?);
        agent::speaker(&reporter, root, |pid| sys::process_facts(pid).map(ancestor))
    }

    fn look_at_foreground(&self, key: PaneKey) {
        let pane = self
            .look()
            .pane(key)
            .map(|entry| entry.runtime.pane.clone());
        // Asks the operating system, hence without the lock.
        if let Some(job) = pane
            .as_ref()
            .and_then(|pane| pane.process_info().foreground)
        {
            let (foreground, _) = foreground(&job);
            if !matches!(foreground, Foreground::Agent { .. })
                && let Some(pane) = &pane
            {
                // At once: the pane's thread may look only when the next agent is there.
                pane.screen().forget_said();
            }
            self.change()
                .change_agent(key, &self.deadlines, |agent, context| {
                    (agent.foreground_changed(foreground, context), ())
                });
        }
    }
}

fn ancestor(facts: ProcessFacts) -> Ancestor {
    Ancestor {
        process: Speaker {
            pid: facts.pid,
            started: facts.started,
        },
        parent: facts.parent,
        name: facts.name,
    }
}

/// What a job is to the agent's state: an agent, the shell at its prompt, or something else; and
/// the agent's process.
fn foreground(job: &ForegroundJob) -> (Foreground, Option<i32>) {
    let number = |pid: i32| u32::try_from(pid).unwrap_or_default();
    let mut processes: Vec<ForegroundProcess> = job
        .processes
        .iter()
        .map(|process| ForegroundProcess {
            pid: number(process.pid),
            name: process.name.clone(),
            argv: process.arguments.clone(),
            herdr_agent: process.agent.clone(),
            executable: process.executable.as_deref().map(lossy),
            script_target: None,
        })
        .collect();
    let found = agent::detect(&processes).or_else(|| {
        for (process, of) in processes.iter_mut().zip(&job.processes) {
            process.script_target = process
                .script()
                .and_then(|script| script_target(script, of.directory.as_deref()));
        }
        agent::detect(&processes)
    });
    match found {
        Some((kind, pid)) => {
            let group = number(job.group);
            (Foreground::Agent { kind, group }, i32::try_from(pid).ok())
        }
        None if job.group == job.shell_pid && is_led_by_shell(job) => (Foreground::Shell, None),
        None => (Foreground::Other, None),
    }
}

fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Where the script of a process that is in `directory` really lies. Reads the file system.
fn script_target(script: &str, directory: Option<&Path>) -> Option<String> {
    let path = match directory {
        Some(directory) => directory.join(script),
        None => script.into(),
    };
    path.is_absolute()
        .then(|| path.canonicalize().ok())
        .flatten()
        .map(|target| lossy(&target))
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
    agent::is_shell(&leader.name) && interactive()
}

impl Live {
    /// Takes a new terminal title. Only a change of what is left without an activity glyph is
    /// news: a spinner in the title is not (herdr 0.9.3, `pane_updated`).
    fn set_title(&mut self, key: PaneKey, title: Option<String>, now: Instant) -> TitleNews {
        // A spinner turns many times a second; what is saved is what is announced.
        let Some(entry) = self.panes.get_unsaved(key) else {
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
            executable: None,
            directory: None,
        };
        let (foreground, _) = foreground(&ForegroundJob {
            shell_pid: 7,
            group: 7,
            processes: vec![leader],
        });
        foreground
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
