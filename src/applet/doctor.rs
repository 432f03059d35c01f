//! `drover doctor`: what is not as it should be, what that means, and what to do about it.
//!
//! One table of checks, one function each: a check looks at the [`Scene`] and says what it found. None of them changes
//! anything, and all of them work without a daemon.

mod daemon;
mod environment;
mod files;
mod hooks;
mod notifications;
mod settings;
mod store;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::api::control::GrantsList;
use crate::api::method;
use crate::api::params::{EmptyParams, PingParams};
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Failure, Outcome, Run, printable};
use crate::config::{self, Config, Loaded};
use crate::paths::{self, Environment, SessionPaths};

/// Time that the daemon has for an answer, in which any that is well answers many.
const PATIENCE: Patience = Patience::REPORT;

#[derive(clap::Args)]
pub(super) struct Doctor {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// As it should be.
    Fine,
    /// Worth knowing; nothing is wrong.
    Note,
    /// Something does not work, or is open to others.
    Wrong,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Fine => "fine",
            Level::Note => "note",
            Level::Wrong => "wrong",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    level: Level,
    /// What is so.
    what: String,
    /// What that means; empty where all is fine.
    means: String,
    /// What to do about it; empty where there is nothing to do.
    remedy: String,
}

impl Finding {
    fn fine(what: impl Into<String>) -> Finding {
        Finding {
            level: Level::Fine,
            what: what.into(),
            means: String::new(),
            remedy: String::new(),
        }
    }

    fn note(
        what: impl Into<String>,
        means: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding {
            level: Level::Note,
            what: what.into(),
            means: means.into(),
            remedy: remedy.into(),
        }
    }

    fn wrong(
        what: impl Into<String>,
        means: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding {
            level: Level::Wrong,
            ..Finding::note(what, means, remedy)
        }
    }

    fn json(&self) -> Value {
        json!({
            "level": self.level.word(), "what": self.what, "means": self.means, "remedy": self.remedy,
        })
    }
}

/// One check.
struct Check {
    name: &'static str,
    run: fn(&Scene) -> Vec<Finding>,
}

/// Every check, in the order in which they are told. A room that has something to look at adds a row here and a
/// function of its own.
static CHECKS: &[Check] = &[
    Check {
        name: "daemon",
        run: daemon::answers,
    },
    Check {
        name: "folders",
        run: files::folders,
    },
    Check {
        name: "sockets",
        run: files::sockets,
    },
    Check {
        name: "link",
        run: files::link,
    },
    Check {
        name: "store",
        run: store::saves,
    },
    Check {
        name: "configuration",
        run: settings::mistakes,
    },
    Check {
        name: "environment",
        run: environment::of_this_shell,
    },
    Check {
        name: "reports",
        run: settings::reports,
    },
    Check {
        name: "grants",
        run: settings::grants,
    },
    Check {
        name: "hooks",
        run: hooks::installed,
    },
    Check {
        name: "notifications",
        run: notifications::sinks,
    },
    Check {
        name: "descriptors",
        run: settings::descriptors,
    },
];

/// What all checks look at.
struct Scene {
    /// The environment as it is, with what herdr's variables say.
    environment: Environment,
    /// Any variable of this process.
    variable: fn(&str) -> Option<String>,
    paths: SessionPaths,
    config_file: PathBuf,
    config: Loaded,
    /// The daemon's answer to a ping.
    pong: Result<Value, CallError>,
    /// What panes of the running daemon may do (`grants.list`); none if nobody says, as inside a pane.
    held: Option<Value>,
    user: u32,
}

impl Run for Doctor {
    fn run(self, caller: &Caller) -> Outcome {
        let scene = Scene::of(caller)?;
        let found: Vec<(&Check, Vec<Finding>)> = CHECKS
            .iter()
            .map(|check| (check, (check.run)(&scene)))
            .collect();
        let well = !found
            .iter()
            .flat_map(|(_, findings)| findings)
            .any(|finding| finding.level == Level::Wrong);
        let text = if self.json {
            format!("{}\n", record(&found, well))
        } else {
            report(&found, well)
        };
        Ok(if well {
            Answer::Text(text)
        } else {
            Answer::Found(text)
        })
    }
}

impl Scene {
    fn of(caller: &Caller) -> Result<Scene, Failure> {
        let paths = caller.session_paths()?;
        let config_file = paths::config_file(&caller.environment);
        Ok(Scene {
            environment: Environment::from_process(),
            variable: |name| std::env::var(name).ok().filter(|value| !value.is_empty()),
            config: config::load(&config_file, &Config::default()),
            config_file,
            pong: ping(&paths.protocol_socket),
            held: grants(&paths.control_socket),
            paths,
            user: nix::unistd::geteuid().as_raw(),
        })
    }
}

fn ping(socket: &Path) -> Result<Value, CallError> {
    let params = PingParams::default();
    let mut answer =
        client::call_unguarded::<method::Ping>(socket, "drover:doctor", &params, PATIENCE)?;
    Ok(answer["result"].take())
}

fn grants(socket: &Path) -> Option<Value> {
    let asked =
        client::call_unguarded::<GrantsList>(socket, "drover:doctor", &EmptyParams {}, PATIENCE);
    asked.ok().map(|mut answer| answer["result"].take())
}

/// For programs. Members are only ever added.
fn record(found: &[(&Check, Vec<Finding>)], well: bool) -> Value {
    let checks: Vec<Value> = found
        .iter()
        .map(|(check, findings)| {
            let findings: Vec<Value> = findings.iter().map(Finding::json).collect();
            json!({ "name": check.name, "findings": findings })
        })
        .collect();
    json!({ "checks": checks, "well": well })
}

/// For people: a line for each finding, and below it what it means and what to do.
fn report(found: &[(&Check, Vec<Finding>)], well: bool) -> String {
    let mut text = String::new();
    for (check, findings) in found {
        for finding in findings {
            let what = printable::line(&finding.what);
            text.push_str(&format!(
                "{:<5}  {:<13}  {what}\n",
                finding.level.word(),
                check.name
            ));
            for (head, below) in [("", &finding.means), ("-> ", &finding.remedy)] {
                if !below.is_empty() {
                    text.push_str(&format!("{:22}{head}{}\n", "", printable::line(below)));
                }
            }
        }
    }
    text.push_str(if well {
        "\nNothing is wrong.\n"
    } else {
        "\nSomething is wrong, see above.\n"
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_told_with_what_it_means_and_what_to_do() {
        let check = Check {
            name: "x",
            run: |_| Vec::new(),
        };
        let findings = vec![
            Finding::fine("all is well"),
            Finding::wrong(
                "a \u{1b}[31mlink\u{202e} is gone",
                "nothing works",
                "make it",
            ),
        ];
        let found = vec![(&check, findings)];
        assert_eq!(
            report(&found, false),
            "fine   x              all is well\n\
             wrong  x              a [31mlink is gone\n\
             \x20                     nothing works\n\
             \x20                     -> make it\n\
             \n\
             Something is wrong, see above.\n"
        );
        assert_eq!(
            record(&found, false)["checks"][0]["findings"][0],
            json!({ "level": "fine", "what": "all is well", "means": "", "remedy": "" })
        );
    }

    #[test]
    fn no_two_checks_share_a_name() {
        for (at, check) in CHECKS.iter().enumerate() {
            assert!(
                CHECKS[at + 1..]
                    .iter()
                    .all(|other| other.name != check.name)
            );
        }
    }
}
