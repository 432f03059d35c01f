//! How a pane's processes are made to end: asked first, killed when their time is up, and those
//! that outlive the shell not forgotten.

use std::time::{Duration, Instant};

use super::process::{self, GroupSignal};
use crate::sys;

/// Time from asking processes to end to killing them: long enough for an agent to save its session.
const GRACE: Duration = Duration::from_millis(500);

/// How often to see whether the foreground group has gone after the shell has; for no longer than
/// [`GRACE`] in all.
const LEFTOVER_INTERVAL: Duration = Duration::from_millis(20);

/// How far the end of a pane has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nobody wants it to end.
    Running,
    /// Asked to end; killed at this time.
    Asked { kill_at: Instant, groups: Groups },
    /// Killed; the shell's exit is waited for.
    Killed { groups: Groups },
    /// The shell has exited after it was asked to; others of the foreground may be left.
    Leftover { kill_at: Instant, groups: Groups },
    /// Nothing is left to do.
    Done,
}

/// The process groups that go with a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    shell: i32,
    /// The shell's own when it has no job in the foreground.
    foreground: i32,
}

impl Groups {
    fn each(self, act: impl Fn(i32)) {
        act(self.shell);
        if self.foreground != self.shell {
            act(self.foreground);
        }
    }

    /// True while one of the groups has a living process of this session. The shell is reaped by
    /// now, so its number, and with it its group's, may soon be somebody else's.
    fn any_left(self) -> bool {
        self.is_left(self.shell) || (self.foreground != self.shell && self.is_left(self.foreground))
    }

    fn is_left(self, group: i32) -> bool {
        // The cheap question first: almost always nobody is left.
        process::group_exists(group)
            && sys::group_members(group, group, 1)
                .first()
                .and_then(|pid| sys::process_facts(*pid))
                .is_some_and(|facts| facts.session == self.shell)
    }
}

impl Ending {
    /// Asks the shell and the foreground job to end.
    pub(super) fn ask(&mut self, shell: i32, foreground: Option<i32>, now: Instant) {
        if *self != Ending::Running {
            return;
        }
        let groups = Groups {
            shell,
            foreground: foreground.unwrap_or(shell),
        };
        groups.each(|group| process::signal(group, GroupSignal::HangUp));
        *self = Ending::Asked {
            kill_at: now + GRACE,
            groups,
        };
    }

    /// Notes that the shell has exited and is reaped.
    pub(super) fn shell_exited(&mut self, now: Instant) {
        *self = match *self {
            Ending::Running | Ending::Done => Ending::Done,
            Ending::Asked { kill_at, groups } => Ending::Leftover { kill_at, groups },
            Ending::Killed { groups } => Ending::Leftover {
                kill_at: now,
                groups,
            },
            leftover @ Ending::Leftover { .. } => leftover,
        };
    }

    /// When [`advance`](Ending::advance) has something to do.
    pub(super) fn deadline(&self, now: Instant) -> Option<Instant> {
        match self {
            Ending::Asked { kill_at, .. } => Some(*kill_at),
            Ending::Leftover { kill_at, .. } => Some((now + LEFTOVER_INTERVAL).min(*kill_at)),
            Ending::Running | Ending::Killed { .. } | Ending::Done => None,
        }
    }

    /// Kills whose time is up. `foreground` tells the foreground group as it is now.
    pub(super) fn advance(&mut self, now: Instant, foreground: impl FnOnce() -> Option<i32>) {
        match *self {
            Ending::Asked { kill_at, groups } if kill_at <= now => {
                groups.each(|group| process::signal(group, GroupSignal::Kill));
                // The shell may have put another job there since it was asked.
                let foreground = foreground().unwrap_or(groups.foreground);
                if foreground != groups.foreground {
                    process::signal(foreground, GroupSignal::Kill);
                }
                *self = Ending::Killed {
                    groups: Groups {
                        foreground,
                        ..groups
                    },
                };
            }
            Ending::Leftover { kill_at, groups } => {
                let left = groups.any_left();
                if left && kill_at <= now {
                    groups.each(|group| {
                        if groups.is_left(group) {
                            process::signal(group, GroupSignal::Kill);
                        }
                    });
                }
                if !left || kill_at <= now {
                    *self = Ending::Done;
                }
            }
            Ending::Running | Ending::Asked { .. } | Ending::Killed { .. } | Ending::Done => {}
        }
    }

    /// True once the shell's exit has been dealt with.
    pub(super) fn is_shell_gone(&self) -> bool {
        matches!(self, Ending::Leftover { .. } | Ending::Done)
    }
}
