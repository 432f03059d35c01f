//! What was installed in agents' own settings, through which they say how it stands with them.

use std::ffi::OsString;

use super::{Finding, Scene};
use crate::integration::{self, Status, Surroundings, TARGETS, Target};

pub(super) fn installed(scene: &Scene) -> Vec<Finding> {
    let variable = |name: &str| (scene.variable)(name).map(OsString::from);
    let surroundings = Surroundings::new(&scene.environment, &variable);
    let mut found = Vec::new();
    for target in TARGETS {
        let Ok((path, status)) = integration::status(target, &surroundings) else {
            continue;
        };
        found.extend(judged(target, &path.display().to_string(), &status));
        if status != Status::NotInstalled && !integration::is_there(target, &surroundings) {
            found.push(Finding::note(
                format!(
                    "the integration of {} is installed, and its program {} is not on PATH",
                    target.title, target.command
                ),
                "nothing runs it; it does no harm",
                format!(
                    "`herdr integration uninstall {}`, if you do not use it any more",
                    target.name
                ),
            ));
        }
    }
    if found.is_empty() {
        found.push(Finding::fine(
            "no agent has an integration; what their screens show is read",
        ));
    }
    found
}

/// What there is to say about what is at `path`.
fn judged(target: &Target, path: &str, status: &Status) -> Option<Finding> {
    let (title, name) = (target.title, target.name);
    let again = format!("`herdr integration install {name}` puts it in order");
    match status {
        Status::NotInstalled => None,
        Status::Current(version) => Some(Finding::fine(format!(
            "the integration of {title} is installed (version {version})"
        ))),
        Status::Outdated(version) => Some(Finding::wrong(
            match version {
                Some(version) => {
                    format!(
                        "{path} is of version {version}, and {} is there",
                        target.version
                    )
                }
                None => format!("{path} is of no known version, or cannot be read"),
            },
            format!("{title} may not say which session it has open, or how it stands with it"),
            again,
        )),
        Status::NeedsRepair(_) => Some(Finding::wrong(
            format!("{path} is there, and nothing in the settings of {title} runs it"),
            format!("{title} says nothing of its sessions"),
            again,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn what_is_old_or_not_run_is_wrong_and_says_how_to_mend_it() {
        let target = &TARGETS[0];
        let judged = |status| judged(target, "/hook", &status);
        assert_eq!(judged(Status::NotInstalled), None);
        assert_eq!(judged(Status::Current(9)).unwrap().level, Level::Fine);
        for status in [
            Status::Outdated(None),
            Status::Outdated(Some(0)),
            Status::NeedsRepair(9),
        ] {
            let finding = judged(status).unwrap();
            assert_eq!(finding.level, Level::Wrong);
            assert!(finding.what.contains("/hook"), "{finding:?}");
            assert!(finding.remedy.contains(target.name), "{finding:?}");
        }
    }
}
