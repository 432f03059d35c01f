//! Hooks in the agents' own settings: whether they are there, of this version, and what they run.

use std::ffi::OsString;

use super::{Finding, Scene};
use crate::integration::{self, Flaw, Status, Surroundings, TARGETS, Target};

pub(super) fn installed(scene: &Scene) -> Vec<Finding> {
    let variable = |name: &str| (scene.variable)(name).map(OsString::from);
    let surroundings = Surroundings::new(&scene.environment, &variable);
    let mut found = Vec::new();
    for target in TARGETS {
        let looked = integration::status(target, &surroundings).and_then(|(_, status)| {
            let flaws = integration::flaws(target, &surroundings)?;
            Ok((status, flaws))
        });
        match looked {
            Ok((status, flaws)) => {
                let there = integration::available(target, &surroundings);
                found.extend(judged(target, &status, &flaws, there));
            }
            // There is one reason, and it is the same for all of them.
            Err(refusal) => {
                return vec![Finding::note(
                    refusal.to_string(),
                    "hooks of agents cannot be looked at",
                    "set HOME",
                )];
            }
        }
    }
    if found.is_empty() {
        found.push(Finding::fine(
            "no agent has hooks, and none is there that takes some",
        ));
    }
    found
}

/// What is to be said of one agent's hooks; nothing if it has none and is not there itself.
fn judged(target: &Target, status: &Status, flaws: &[Flaw], there: bool) -> Vec<Finding> {
    let (title, name) = (target.title, target.name);
    let install = format!("`herdr integration install {name}`");
    let mut found: Vec<Finding> = flaws.iter().map(|flaw| flawed(target, flaw)).collect();
    match status {
        Status::NotInstalled if flaws.is_empty() && there => found.push(Finding::note(
            format!("{title} is there, and has no hooks"),
            "what it does is read off its screen alone, and its conversation is not resumed after a restart",
            format!("{install}, if you want that"),
        )),
        Status::NotInstalled => {}
        Status::Current(version) if flaws.is_empty() => {
            found.push(Finding::fine(format!("{title} has hooks (version {version})")));
        }
        Status::Current(_) => {}
        Status::Outdated(version) => {
            let version = version.map_or("before there were versions".to_owned(), |version| {
                format!("version {version}")
            });
            found.push(Finding::note(
                format!("{title} has hooks of {version}, and they are at {}", target.version),
                "they may tell less than they could, or not fit the agent of today",
                install,
            ));
        }
        Status::NeedsRepair(_) if flaws.is_empty() => found.push(Finding::wrong(
            format!("{title} has hooks, and its settings do not run them as they should"),
            "some or all of what it does is not reported",
            install,
        )),
        Status::NeedsRepair(_) => {}
    }
    found
}

fn flawed(target: &Target, flaw: &Flaw) -> Finding {
    let (title, name) = (target.title, target.name);
    let install = format!("`herdr integration install {name}` mends it");
    match flaw {
        Flaw::Missing { settings, file } => Finding::wrong(
            format!(
                "{title} is told to run {}, which is not there ({})",
                file.display(),
                settings.display()
            ),
            "its hooks fail: it reports nothing, and may complain at every event",
            format!("{install}, `herdr integration uninstall {name}` takes it out"),
        ),
        Flaw::Elsewhere { settings, file } => Finding::note(
            format!(
                "{title} runs {}, which is not what would be installed ({})",
                file.display(),
                settings.display()
            ),
            "`herdr integration install` does not renew it; its settings came from another place",
            install,
        ),
        Flaw::Link { file, leads_to } if file.exists() => Finding::note(
            format!(
                "{title}'s hook {} is a link to {}",
                file.display(),
                leads_to.display()
            ),
            "what runs is decided there, and an installation writes there",
            "nothing, if that is meant; else remove the link and install anew",
        ),
        Flaw::Link { file, leads_to } => Finding::wrong(
            format!(
                "{title}'s hook {} is a link to {}, which is not there",
                file.display(),
                leads_to.display()
            ),
            "it reports nothing",
            format!("remove the link; {install}"),
        ),
        Flaw::NoProgram { file, program } => Finding::wrong(
            format!(
                "{title}'s hook {} needs {program}, which is not on PATH",
                file.display()
            ),
            "it reports nothing",
            format!(
                "install {program}, or `herdr integration uninstall {name}` and install: drover's own hooks need no {program}"
            ),
        ),
        Flaw::Unreadable(why) => Finding::wrong(
            format!("{title}'s hooks cannot be looked at: {why}"),
            "neither the agent nor drover may be able to use them",
            "mend what is said, or see who owns the file",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    fn levels(status: Status, flaws: &[Flaw], there: bool) -> Vec<Level> {
        let claude = Target::find("claude").unwrap();
        let found = judged(claude, &status, flaws, there);
        for finding in &found {
            let told = !finding.means.is_empty() && !finding.remedy.is_empty();
            assert_eq!(told, finding.level != Level::Fine, "{finding:?}");
        }
        found.iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn only_hooks_that_do_not_work_are_wrong() {
        assert_eq!(levels(Status::NotInstalled, &[], false), []);
        assert_eq!(levels(Status::NotInstalled, &[], true), [Level::Note]);
        assert_eq!(levels(Status::Current(10), &[], true), [Level::Fine]);
        assert_eq!(levels(Status::Outdated(Some(3)), &[], true), [Level::Note]);
        assert_eq!(levels(Status::Outdated(None), &[], true), [Level::Note]);
        assert_eq!(levels(Status::NeedsRepair(10), &[], true), [Level::Wrong]);
    }

    #[test]
    fn a_flaw_is_told_once_and_in_the_place_of_what_follows_from_it() {
        let path = || "/nonexistent/hook.sh".into();
        let missing = Flaw::Missing {
            settings: path(),
            file: path(),
        };
        assert_eq!(
            levels(Status::NotInstalled, &[missing], true),
            [Level::Wrong]
        );
        let elsewhere = Flaw::Elsewhere {
            settings: path(),
            file: path(),
        };
        assert_eq!(
            levels(Status::NeedsRepair(10), &[elsewhere], true),
            [Level::Note]
        );
        let dead = Flaw::Link {
            file: path(),
            leads_to: path(),
        };
        assert_eq!(levels(Status::NotInstalled, &[dead], true), [Level::Wrong]);
        let program = Flaw::NoProgram {
            file: path(),
            program: "python3",
        };
        assert_eq!(
            levels(Status::Current(10), &[program], true),
            [Level::Wrong]
        );
    }
}
