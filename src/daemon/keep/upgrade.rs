//! Upgrades: another executable shows that its keeper starts; its worker is started and waits; the worker lets go; the
//! other one takes over; this process executes the other's keeper, and leaves it everything. Whatever fails before the
//! last step is rolled back: a worker of this build takes over then.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Keep, Link, Worker, refusal};
use crate::keeper::estate::Leaving;
use crate::keeper::message::{Hello, OsText, ToWorker};
use crate::keeper::start::{self, KEEPER, WORKER};

/// Time for another executable's keeper, and then its worker, to say what it is: it has only been started.
const HELLO_TIME: Duration = Duration::from_secs(10);

/// Time for it to serve, once it may: it reads the saved session and rebuilds every screen.
const TAKEOVER_TIME: Duration = Duration::from_secs(20);

/// Time for the worker before to end, once the next one serves: it has one answer to write.
const LEAVE_TIME: Duration = Duration::from_secs(5);

/// An upgrade, from its request to the keeper's own.
pub(super) struct Upgrade {
    executable: PathBuf,
    /// The question that is to be answered next.
    request: u64,
    stage: Stage,
    /// When whoever is waited for is given up.
    pub(super) deadline: Instant,
}

enum Stage {
    /// Another executable's keeper, which is only to show that it starts: it would be in the place of this one.
    Trial(Worker),
    /// The next worker waits, or has not said hello yet.
    Next(Worker),
    /// The worker before waits for the one after it, which is the worker now.
    Leaving(Worker),
}

impl Keep {
    /// Starts another executable's halves, and answers when they have said what they are.
    pub(super) fn probe(&mut self, request: u64, executable: PathBuf) {
        if self.upgrade.is_some() {
            let error = io::Error::other("another upgrade is under way");
            return self.say(&refusal(request, &error));
        }
        self.start_other(request, executable, KEEPER);
    }

    fn start_other(&mut self, request: u64, executable: PathBuf, half: &str) {
        match start::start(&executable, half, false) {
            Ok((child, channel)) => {
                let other = Worker::new(channel, Some(child));
                self.upgrade = Some(Upgrade {
                    executable,
                    request,
                    stage: if half == KEEPER {
                        Stage::Trial(other)
                    } else {
                        Stage::Next(other)
                    },
                    deadline: Instant::now() + HELLO_TIME,
                });
            }
            Err(error) => self.say(&refusal(request, &error)),
        }
    }

    pub(super) fn probed(&mut self, hello: Hello) {
        let Some(Upgrade { request, .. }) = &self.upgrade else {
            return;
        };
        let request = *request;
        if let Err(why) = hello.check() {
            self.cancel();
            return self.say(&refusal(request, &io::Error::other(why)));
        }
        match self.upgrade.take() {
            Some(Upgrade {
                executable,
                stage: Stage::Trial(keeper),
                ..
            }) => {
                // It has shown what it had to, and nothing was given to it.
                keeper.kill();
                self.start_other(request, executable, WORKER);
            }
            Some(Upgrade {
                executable,
                stage: Stage::Next(mut next),
                ..
            }) => {
                next.hello = Some(hello.clone());
                self.upgrade = Some(Upgrade {
                    executable,
                    request,
                    stage: Stage::Next(next),
                    // The worker that asked is given as long as its requests may take.
                    deadline: Instant::now() + TAKEOVER_TIME,
                });
                self.say(&ToWorker::Able { request, hello });
            }
            // It has said so before, as the worker that it is now has.
            upgrade => self.upgrade = upgrade,
        }
    }

    pub(super) fn cancel(&mut self) {
        if let Some(upgrade) = self
            .upgrade
            .take_if(|upgrade| !matches!(upgrade.stage, Stage::Leaving(_)))
        {
            upgrade.into_other().kill();
        }
    }

    /// The worker has let go; the next one is the worker now.
    pub(super) fn take_over(&mut self, request: u64) {
        match (self.worker.take(), self.upgrade.take()) {
            (
                Some(leaving),
                Some(Upgrade {
                    executable,
                    stage: Stage::Next(next),
                    ..
                }),
            ) if next.hello.is_some() => {
                self.worker = Some(next);
                self.before += 1;
                self.upgrade = Some(Upgrade {
                    executable,
                    request,
                    stage: Stage::Leaving(leaving),
                    deadline: Instant::now() + TAKEOVER_TIME,
                });
                self.welcome();
            }
            (worker, upgrade) => {
                // It has let go of everything, so it cannot go on either: its end brings a new one.
                self.worker = worker;
                if let Some(upgrade) = upgrade {
                    upgrade.into_other().kill();
                }
                let error = io::Error::other("the other executable's worker is gone");
                self.say(&refusal(request, &error));
            }
        }
    }

    /// The worker serves: if that was an upgrade, the one before is told and ends.
    pub(super) fn succeeded(&mut self, now: Instant) {
        if let Some(Upgrade {
            request,
            stage: Stage::Leaving(leaving),
            deadline,
            ..
        }) = &mut self.upgrade
        {
            leaving.say(&ToWorker::Succeeded { request: *request });
            *deadline = now + LEAVE_TIME;
        }
    }

    /// The worker has died; if it was the one of an upgrade, the worker before is told so.
    pub(super) fn rolled_back(&mut self, how: &str) -> bool {
        let Some(upgrade) = self.upgrade.take() else {
            return false;
        };
        match upgrade.stage {
            Stage::Trial(other) | Stage::Next(other) => {
                other.kill();
                false
            }
            Stage::Leaving(leaving) => {
                let executable = upgrade.executable.display();
                let error = io::Error::other(format!(
                    "the worker of {executable} ended before it was ready ({how}); \
                     the one before serves again"
                ));
                log::error!("the upgrade has failed: {error}");
                leaving.say(&refusal(upgrade.request, &error));
                self.departed = Some(leaving);
                true
            }
        }
    }

    pub(super) fn other_ended(&mut self) {
        let Some(upgrade) = self.upgrade.take() else {
            return;
        };
        match upgrade.stage {
            Stage::Trial(other) | Stage::Next(other) => {
                let how = other.kill();
                let executable = upgrade.executable.display();
                let error = io::Error::other(format!(
                    "{executable} ended before it said what it is ({how})"
                ));
                self.say(&refusal(upgrade.request, &error));
            }
            Stage::Leaving(leaving) => {
                leaving.kill();
                if let Some(worker) = self.serving() {
                    self.become_other(&upgrade.executable, worker);
                }
            }
        }
    }

    /// The last step of an upgrade: this process executes the new build's keeper, and leaves it everything.
    fn become_other(&self, executable: &Path, worker: &Worker) {
        log::info!("upgraded to {}", executable.display());
        let takes_it = worker.hello.as_ref().is_some_and(|hello| hello.estate);
        let links = self.guarded.links.iter().map(Link::ends);
        let leaving = Leaving {
            sockets: [
                self.guarded.protocol.identity(),
                self.guarded.control.identity(),
            ],
            links: links
                .map(|(path, target)| (OsText::from(path), OsText::from(target)))
                .collect(),
            stopping: self.stopping,
            before: self.before,
            held: [
                self.guarded.lock.as_fd(),
                self.protocol.as_fd(),
                self.control.as_fd(),
            ],
            panes: &self.panes,
            worker: worker.child.as_ref().map(|child| child.id().cast_signed()),
        };
        let packed = takes_it.then(|| leaving.pack()).transpose();
        let packed = packed.unwrap_or_else(|error| {
            log::warn!("the panes are in the worker's hands alone for a moment: {error}");
            None
        });
        let error = start::become_keeper(executable, &worker.channel, packed.as_ref());
        log::error!(
            "the keeper stays of the old build, {} cannot be executed: {error}",
            executable.display()
        );
    }

    pub(super) fn give_up_in_time(&mut self) {
        if self
            .upgrade
            .as_ref()
            .is_none_or(|upgrade| upgrade.deadline > Instant::now())
        {
            return;
        }
        let Some(upgrade) = self.upgrade.take() else {
            return;
        };
        match upgrade.stage {
            Stage::Trial(other) | Stage::Next(other) => {
                other.kill();
                let error = io::Error::other(format!(
                    "{} does not say what it is",
                    upgrade.executable.display()
                ));
                self.say(&refusal(upgrade.request, &error));
            }
            // The one before does not end, or the one after does not begin: either is ended, and heard of so.
            Stage::Leaving(leaving) => {
                if self.serving().is_some() {
                    leaving.kill();
                    if let Some(worker) = self.serving() {
                        self.become_other(&upgrade.executable, worker);
                    }
                } else {
                    if let Some(worker) = &mut self.worker
                        && let Some(child) = &mut worker.child
                    {
                        let _ = child.kill();
                    }
                    self.upgrade = Some(Upgrade {
                        stage: Stage::Leaving(leaving),
                        deadline: Instant::now() + LEAVE_TIME,
                        ..upgrade
                    });
                }
            }
        }
    }
}

impl Upgrade {
    pub(super) fn other(&self) -> &Worker {
        match &self.stage {
            Stage::Trial(worker) | Stage::Next(worker) | Stage::Leaving(worker) => worker,
        }
    }

    pub(super) fn into_other(self) -> Worker {
        match self.stage {
            Stage::Trial(worker) | Stage::Next(worker) | Stage::Leaving(worker) => worker,
        }
    }
}
