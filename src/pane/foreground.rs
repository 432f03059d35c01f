//! Who is in the foreground of a pane, and when to look: soon after something happened, never by
//! the clock alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::sys;

/// Output or input has settled when nothing followed for this long: a program that starts writes
/// its first lines within a few milliseconds, and a status shown 50 ms late is not seen as late.
const SETTLE: Duration = Duration::from_millis(50);

/// During a flood there is a look at most this often.
const FLOOD_INTERVAL: Duration = Duration::from_millis(100);

/// One more look this long after the last activity, for programs that go on to replace themselves
/// (launchers written in shell or JavaScript) and for terminals whose foreground changes a moment
/// after the last byte.
const LATE: Duration = Duration::from_millis(350);

/// Members of the group are listed anew at most this often while activity goes on: a spinner
/// redrawn ten times a second in fifty panes must not read `/proc` five hundred times.
const MEMBERS_INTERVAL: Duration = Duration::from_secs(1);

/// Processes reported of one foreground job.
pub const JOB_PROCESSES: usize = 32;

/// Processes listed when the whole group is asked for: with [`ARGUMENT_BYTES`] each, an answer stays
/// below the longest line a client reads.
pub const LISTED_PROCESSES: usize = 128;

/// Bytes of one process's argument vector.
pub const ARGUMENT_BYTES: usize = 4096;

/// One process of a foreground job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForegroundProcess {
    /// Process number.
    pub pid: i32,
    /// The kernel's short name.
    pub name: String,
    /// At most [`ARGUMENT_BYTES`] of it. May hold secrets.
    pub arguments: Vec<String>,
    /// The value of `HERDR_AGENT` in the environment it was started with.
    pub agent: Option<String>,
    /// The file it runs, if that may be read.
    pub executable: Option<PathBuf>,
    /// Its current directory, if that may be read.
    pub directory: Option<PathBuf>,
}

/// The process group in the foreground of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForegroundJob {
    /// The pane's first process.
    pub shell_pid: i32,
    /// The process group; its leader's number.
    pub group: i32,
    /// The group's leader first, if it still lives; at most [`JOB_PROCESSES`].
    pub processes: Vec<ForegroundProcess>,
}

impl ForegroundJob {
    /// Reads the job of `group` from the operating system.
    pub(super) fn read(shell_pid: i32, group: i32, limit: usize) -> ForegroundJob {
        let members = sys::group_members(shell_pid, group, limit);
        ForegroundJob::of_members(shell_pid, group, &members)
    }

    fn of_members(shell_pid: i32, group: i32, members: &[i32]) -> ForegroundJob {
        let processes = members
            .iter()
            .filter_map(|pid| read_process(*pid))
            .collect();
        ForegroundJob {
            shell_pid,
            group,
            processes,
        }
    }
}

fn read_process(pid: i32) -> Option<ForegroundProcess> {
    let name = sys::process_facts(pid)?.name;
    Some(ForegroundProcess {
        pid,
        name,
        arguments: sys::process_arguments(pid, ARGUMENT_BYTES)?,
        agent: sys::process_variable(pid, "HERDR_AGENT").filter(|agent| !agent.is_empty()),
        executable: sys::process_executable(pid),
        directory: sys::process_directory(pid),
    })
}

/// The group of the child that the pane's process started last, or its own if it has no other. A
/// child that exited and was not waited for counts for nothing.
pub(super) fn child_group(shell_pid: i32) -> i32 {
    sys::child_processes(shell_pid)
        .into_iter()
        .filter_map(sys::process_facts)
        .filter(|child| child.group != shell_pid && !child.zombie)
        .max_by_key(|child| (child.started, child.pid))
        .map_or(shell_pid, |child| child.group)
}

/// When to look next. Pure; fed with the time of each activity.
#[derive(Debug, Default)]
pub(super) struct LookSchedule {
    /// First activity that no look has followed yet.
    unseen_since: Option<Instant>,
    last_activity: Option<Instant>,
    last_look: Option<Instant>,
    late_look_due: Option<Instant>,
}

/// How thorough a look is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// In the midst of things, or just after.
    Settled,
    /// The last one until something happens again.
    Late,
}

impl LookSchedule {
    pub(super) fn activity(&mut self, now: Instant) {
        self.unseen_since.get_or_insert(now);
        self.last_activity = Some(now);
        self.late_look_due = Some(now + LATE);
    }

    /// When the next look is due; `None` while nothing has happened since the last.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match (self.unseen_since, self.last_activity) {
            (Some(first), Some(last)) => {
                let settled = (last + SETTLE).min(first + FLOOD_INTERVAL);
                Some(
                    self.last_look
                        .map_or(settled, |look| settled.max(look + FLOOD_INTERVAL)),
                )
            }
            _ => self.late_look_due,
        }
    }

    /// The look that is due at `now`, if one is; it counts as done.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<Look> {
        if self.deadline().is_none_or(|due| due > now) {
            return None;
        }
        self.last_look = Some(now);
        // Nothing is left to see later when this look itself comes late.
        if self.late_look_due.is_some_and(|due| due <= now) {
            self.unseen_since = None;
            self.late_look_due = None;
            return Some(Look::Late);
        }
        self.unseen_since = None;
        Some(Look::Settled)
    }
}

/// What was last seen in the foreground of one pane.
#[derive(Debug)]
pub(super) struct ForegroundWatch {
    shell_pid: i32,
    group: i32,
    leader_arguments: Option<Vec<String>>,
    members: Vec<i32>,
    members_read: Option<Instant>,
}

impl ForegroundWatch {
    pub(super) fn new(shell_pid: i32) -> ForegroundWatch {
        ForegroundWatch {
            shell_pid,
            group: 0,
            leader_arguments: None,
            members: Vec::new(),
            members_read: None,
        }
    }

    /// Looks at `group`, and returns the job if it is not the one last returned: another group, a leader that
    /// executed another program, or other members.
    pub(super) fn look(
        &mut self,
        group: Option<i32>,
        look: Look,
        now: Instant,
    ) -> Option<Arc<ForegroundJob>> {
        let group = group?;
        let leader_arguments = sys::process_arguments(group, ARGUMENT_BYTES);
        let mut changed = group != self.group || leader_arguments != self.leader_arguments;
        let members_due = look == Look::Late
            || self
                .members_read
                .is_none_or(|read| now.saturating_duration_since(read) >= MEMBERS_INTERVAL);
        if !changed && !members_due {
            return None;
        }
        let members = sys::group_members(self.shell_pid, group, JOB_PROCESSES);
        self.members_read = Some(now);
        changed |= members != self.members;
        if !changed {
            return None;
        }
        self.group = group;
        self.leader_arguments = leader_arguments;
        self.members = members;
        Some(Arc::new(ForegroundJob::of_members(
            self.shell_pid,
            group,
            &self.members,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn nothing_is_looked_at_while_nothing_happens() {
        let mut schedule = LookSchedule::default();
        assert_eq!(schedule.deadline(), None);
        assert_eq!(schedule.take_due(Instant::now()), None);
    }

    #[test]
    fn one_activity_gets_a_look_when_it_has_settled_and_a_late_one() {
        let start = Instant::now();
        let mut schedule = LookSchedule::default();
        schedule.activity(start);
        assert_eq!(schedule.deadline(), Some(start + SETTLE));
        assert_eq!(schedule.take_due(start + milliseconds(49)), None);
        assert_eq!(schedule.take_due(start + SETTLE), Some(Look::Settled));
        assert_eq!(schedule.deadline(), Some(start + LATE));
        assert_eq!(schedule.take_due(start + LATE), Some(Look::Late));
        assert_eq!(schedule.deadline(), None);
    }

    #[test]
    fn a_look_that_comes_very_late_is_the_last_one() {
        let start = Instant::now();
        let mut schedule = LookSchedule::default();
        schedule.activity(start);
        assert_eq!(schedule.take_due(start + LATE), Some(Look::Late));
        assert_eq!(schedule.deadline(), None);
    }

    proptest! {
        /// Whatever the rhythm of the activity, looks keep their distance, none is forgotten, and
        /// there is an end.
        #[test]
        fn looks_are_neither_too_many_nor_too_few(gaps in prop::collection::vec(0_u64..400, 1..60)) {
            let start = Instant::now();
            let mut schedule = LookSchedule::default();
            let mut looks: Vec<(Instant, Look)> = Vec::new();
            let mut activities = Vec::new();
            let mut now = start;
            for gap in gaps {
                let next = now + milliseconds(gap);
                while let Some(due) = schedule.deadline().filter(|due| *due <= next) {
                    looks.push((due, schedule.take_due(due).unwrap()));
                }
                now = next;
                schedule.activity(now);
                activities.push(now);
            }
            while let Some(due) = schedule.deadline() {
                prop_assert!(due <= now + LATE + FLOOD_INTERVAL);
                looks.push((due, schedule.take_due(due).unwrap()));
            }
            for pair in looks.windows(2) {
                if pair[1].1 == Look::Settled {
                    prop_assert!(pair[1].0 - pair[0].0 >= FLOOD_INTERVAL);
                }
            }
            for activity in activities {
                let seen = looks.iter().any(|(look, _)| {
                    *look > activity && *look <= activity + FLOOD_INTERVAL + FLOOD_INTERVAL
                });
                prop_assert!(seen);
            }
            prop_assert_eq!(looks.last().map(|look| look.1), Some(Look::Late));
        }
    }
}
