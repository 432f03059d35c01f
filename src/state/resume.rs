//! Bringing agents back after a cold start: one command after the other, each typed into the shell
//! of its pane when that has shown its prompt.

use std::time::{Duration, Instant};

use crate::world::PaneKey;

use super::{Due, Live, Shared};

/// How long a shell's prompt is waited for (herdr 0.9.3). What is typed earlier is not lost, only
/// ugly: the terminal shows it before the prompt as well.
const PROMPT_TIME: Duration = Duration::from_millis(750);

/// The commands that were not typed yet, in display order.
#[derive(Debug, Default)]
pub(super) struct Resumes {
    waiting: Vec<Waiting>,
    last: Option<Instant>,
}

#[derive(Debug)]
struct Waiting {
    pane: PaneKey,
    command: String,
    /// When it may be typed: at the prompt, or when that was waited for long enough.
    ready: Instant,
}

impl Resumes {
    /// The next command that may be typed, with `delay` between two of them.
    fn take(&mut self, now: Instant, delay: Duration) -> Option<(PaneKey, String)> {
        if self.last.is_some_and(|last| now < last + delay) {
            return None;
        }
        let index = self.waiting.iter().position(|next| next.ready <= now)?;
        let next = self.waiting.remove(index);
        self.last = Some(now);
        Some((next.pane, next.command))
    }

    /// When [`Resumes::take`] gives something again.
    fn next(&self, delay: Duration) -> Option<Instant> {
        let ready = self.waiting.iter().map(|next| next.ready).min()?;
        Some(match self.last {
            Some(last) => ready.max(last + delay),
            None => ready,
        })
    }
}

impl Shared {
    /// Has a command typed into a pane.
    pub(super) fn resume_later(&self, pane: PaneKey, command: String) {
        self.look().resumes.waiting.push(Waiting {
            pane,
            command,
            ready: Instant::now() + PROMPT_TIME,
        });
    }

    /// The pane's thread reports from now on: the time for its prompt begins.
    pub(super) fn await_prompt(&self, pane: PaneKey) {
        let ready = Instant::now() + PROMPT_TIME;
        self.resume_ready(pane, ready);
    }

    /// A pane's command may be typed from a point in time on.
    pub(super) fn resume_ready(&self, pane: PaneKey, ready: Instant) {
        let mut live = self.look();
        let waiting = &mut live.resumes.waiting;
        if let Some(next) = waiting.iter_mut().find(|next| next.pane == pane) {
            next.ready = ready;
            self.deadlines.add(ready, Due::Resume);
        }
    }

    /// Whether a pane's command was not typed yet.
    pub(super) fn awaits_resume(&self, pane: PaneKey) -> bool {
        let live = self.look();
        live.resumes.waiting.iter().any(|next| next.pane == pane)
    }

    /// Types the commands that are due.
    pub fn resume_due(&self) {
        let milliseconds = self.config().session.startup_per_agent_delay_ms;
        let delay = Duration::from_millis(milliseconds);
        while let Some((key, command)) = self.take_resume(delay) {
            let pane = self
                .look()
                .pane(key)
                .map(|entry| entry.runtime.pane.clone());
            let Some(pane) = pane else { continue };
            if let Err(error) = pane.send(format!("{command}\r")) {
                log::warn!("pane {key}: its agent is not brought back: {error}");
                continue;
            }
            self.change()
                .change_agent(key, &self.deadlines, |agent, context| {
                    (agent.resume_typed(context), ())
                });
        }
        if let Some(when) = self.look().resumes.next(delay) {
            self.deadlines.add(when, Due::Resume);
        }
    }

    fn take_resume(&self, delay: Duration) -> Option<(PaneKey, String)> {
        let mut live: std::sync::MutexGuard<'_, Live> = self.look();
        live.resumes.take(Instant::now(), delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(pane: u64, ready: Instant) -> Waiting {
        Waiting {
            pane: PaneKey::new(pane),
            command: format!("bot {pane}"),
            ready,
        }
    }

    #[test]
    fn commands_are_typed_one_at_a_time_and_only_at_a_prompt() {
        let start = Instant::now();
        let delay = Duration::from_millis(100);
        let mut resumes = Resumes {
            waiting: vec![
                waiting(1, start + PROMPT_TIME),
                waiting(2, start),
                waiting(3, start),
            ],
            last: None,
        };
        let mut take = |milliseconds| {
            let now = start + Duration::from_millis(milliseconds);
            resumes.take(now, delay).map(|(pane, _)| pane.number())
        };
        assert_eq!(take(0), Some(2), "the first has no prompt yet");
        assert_eq!(take(99), None);
        assert_eq!(take(100), Some(3));
        assert_eq!(take(200), None);
        assert_eq!(take(750), Some(1));
    }

    #[test]
    fn the_next_look_is_when_the_next_may_be_typed() {
        let start = Instant::now();
        let delay = Duration::from_millis(100);
        let mut resumes = Resumes::default();
        assert_eq!(resumes.next(delay), None);
        resumes.waiting = vec![waiting(1, start), waiting(2, start)];
        assert_eq!(resumes.next(delay), Some(start));
        resumes.take(start, delay);
        assert_eq!(resumes.next(delay), Some(start + delay));
        resumes.take(start + delay, Duration::ZERO);
        assert_eq!(resumes.next(Duration::ZERO), None);
    }
}
