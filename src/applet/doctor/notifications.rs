//! Where notifications go: whether each sink could take one, and keeps its secret. Nothing is sent.

use std::ffi::OsString;

use super::{Finding, Scene};
use crate::config::{Config, NotifySink, ToastDelivery};
use crate::notify::{self, Flaw, Viewpoint};

pub(super) fn sinks(scene: &Scene) -> Vec<Finding> {
    let variable = |name: &str| (scene.variable)(name).map(OsString::from);
    let from = Viewpoint {
        variable: &variable,
        user: scene.user,
    };
    let config = &scene.config.config;
    let mut found = Vec::new();
    if uses(config, "desktop") || config.ui.toast_delivery == ToastDelivery::System {
        found.push(match notify::desktop_flaw(&from) {
            Some(flaw) => flawed("desktop", &flaw),
            None => usable("desktop"),
        });
    }
    for sink in &config.notify.sinks {
        found.extend(sink_of(sink, config, &from));
    }
    if found.is_empty() {
        found.push(Finding::fine(
            "notifications need nothing that could be missing",
        ));
    }
    found
}

fn sink_of(sink: &NotifySink, config: &Config, from: &Viewpoint<'_>) -> Vec<Finding> {
    let flaws = notify::flaws(sink, from);
    let mut found: Vec<Finding> = flaws.iter().map(|flaw| flawed(&sink.name, flaw)).collect();
    if !uses(config, &sink.name) {
        found.push(Finding::note(
            format!("no [[notify.rule]] names the sink {}", sink.name),
            "nothing is sent there",
            "name it in the sinks of a rule, or take it away",
        ));
    } else if found.is_empty() {
        found.push(usable(&sink.name));
    }
    found
}

fn uses(config: &Config, name: &str) -> bool {
    let mut rules = config.notify.rules.iter();
    rules.any(|rule| rule.sinks.iter().any(|sink| sink == name))
}

fn usable(name: &str) -> Finding {
    Finding::fine(format!(
        "the sink {name} is complete; `drover notify test {name}` sends a message through it"
    ))
}

fn flawed(name: &str, flaw: &Flaw) -> Finding {
    const LOST: &str = "what is sent there is lost";
    match flaw {
        Flaw::NoProgram(program) => Finding::wrong(
            format!("the sink {name} runs {program}, which is not there or may not be run"),
            LOST,
            format!("install {program}, or name another sink"),
        ),
        Flaw::Unusable(why) => Finding::wrong(
            format!("the sink {name} cannot be used: {why}"),
            LOST,
            format!("mend its [[notify.sink]], then `drover notify test {name}`"),
        ),
        Flaw::Unset(variable) => Finding::note(
            format!("the sink {name} uses {variable}, which this shell does not have"),
            "whether the daemon has it, which counts, is not to be seen from here",
            format!(
                "`drover notify test {name}` tells; a file (url_file, secret_file) needs no variable"
            ),
        ),
        Flaw::Open { file, mode, owner } => {
            let file = file.display();
            Finding::wrong(
                format!(
                    "the secret of the sink {name} is open to others: {file} (mode {mode:04o}, user {owner})"
                ),
                "whoever reads it can send in your name, or read what you are sent",
                format!(
                    "`chmod 600 {file}`, if it is yours; and get a new secret if others use this machine"
                ),
            )
        }
        Flaw::Clear => Finding::note(
            format!("the secret of the sink {name} goes over the network by http"),
            "whoever is on the way can read it",
            "use https, unless the network is yours",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_flaw_says_what_it_means_and_what_to_do_and_only_what_cannot_work_is_wrong() {
        let open = Flaw::Open {
            file: "/t".into(),
            mode: 0o644,
            owner: 1,
        };
        let flaws = [
            (Flaw::NoProgram("p".to_owned()), Level::Wrong),
            (Flaw::Unusable("why".to_owned()), Level::Wrong),
            (open, Level::Wrong),
            (Flaw::Unset("V".to_owned()), Level::Note),
            (Flaw::Clear, Level::Note),
        ];
        for (flaw, level) in flaws {
            let finding = flawed("phone", &flaw);
            assert_eq!(finding.level, level, "{finding:?}");
            assert!(finding.what.contains("phone"), "{finding:?}");
            assert!(!finding.means.is_empty() && !finding.remedy.is_empty());
        }
    }
}
