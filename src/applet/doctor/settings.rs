//! The configuration, and what it opens wider than the default.

use nix::sys::resource::{Resource, getrlimit};

use super::{Finding, Scene};
use crate::applet::control::text;
use crate::config::{Config, PaneAuthority, ReportAuthority};

/// Descriptors of a pane: its terminal, its wake, the watch on its process, its area.
const PER_PANE: u64 = 4;

/// Descriptors for everything else: logs, listeners, the store, wakes.
const BESIDES: u64 = 64;

pub(super) fn mistakes(scene: &Scene) -> Vec<Finding> {
    let file = scene.config_file.display();
    if scene.config.diagnostics.is_empty() {
        let there = scene.config_file.exists();
        return vec![Finding::fine(if there {
            format!("{file} is right")
        } else {
            format!("{file} is not there: all defaults hold")
        })];
    }
    let mistake = |diagnostic: &crate::config::Diagnostic| {
        Finding::wrong(
            format!("{file}: {diagnostic}"),
            "this key has its default, or what was in use before",
            "`herdr --default-config` shows what each key takes",
        )
    };
    scene.config.diagnostics.iter().map(mistake).collect()
}

pub(super) fn reports(scene: &Scene) -> Vec<Finding> {
    vec![match scene.config.config.authority.reports {
        ReportAuthority::Own => Finding::fine("a report counts only for the pane it comes from"),
        ReportAuthority::Any => Finding::note(
            "every process of yours may report for every pane (authority.reports = \"same-user\")",
            "an agent can say that another one waits for you, or is done",
            "set it to \"own-pane\", unless hooks of yours run outside panes (ssh, containers)",
        ),
    }]
}

pub(super) fn grants(scene: &Scene) -> Vec<Finding> {
    let authority = &scene.config.config.authority;
    let mut found = vec![match authority.panes {
        PaneAuthority::Open => Finding::note(
            "panes may do everything to each other but answer for you (authority.panes = \"open\")",
            "an agent can read, type into, move and close the panes of others; it is the default",
            "set authority.panes = \"strict\" to let them do only what authority.grants lists",
        ),
        PaneAuthority::Strict => Finding::fine("panes may do only what authority.grants lists"),
    }];
    if authority.panes == PaneAuthority::Strict {
        found.extend(wide(authority.grants.chosen()));
    }
    let panes = scene
        .held
        .as_ref()
        .and_then(|held| held["panes"].as_array());
    for pane in panes
        .into_iter()
        .flatten()
        .filter(|pane| pane["wider"] == true)
    {
        let (id, grants) = (text(&pane["pane_id"]), text(&pane["grants"]));
        found.push(Finding::note(
            format!("pane {id} holds more than the default: {grants}"),
            "it was given that by you; what runs in it may do so much to others",
            format!("`drover grants set {id} default` takes it back"),
        ));
    }
    if let Some(default) = scene.held.as_ref().map(|held| &held["default"])
        && default["grants"] != default["configured_grants"]
    {
        let (now, configured) = (
            text(&default["grants"]),
            text(&default["configured_grants"]),
        );
        found.push(Finding::note(
            format!("panes hold {now} by default, and the configuration says {configured}"),
            "a wider configuration counts from the next start on, or when you say so",
            "`drover grants set default configured` lets it count now",
        ));
    }
    if authority.root {
        found.push(Finding::note(
            "processes of root are served (authority.root = true)",
            "system services can type into your panes",
            "take authority.root away, unless you need it",
        ));
    }
    found
}

/// Grants that are listed for every pane and are more than the list has by itself.
fn wide(listed: &[&str]) -> Option<Finding> {
    let default = Config::default().authority.grants;
    let more = |grant: &&&str| **grant != "none" && !default.chosen().contains(*grant);
    let more: Vec<&str> = listed.iter().filter(more).copied().collect();
    (!more.is_empty()).then(|| {
        let more = more.join(" ");
        Finding::note(
            format!("authority.grants gives every pane more than it does by default: {more}"),
            "an agent can move and close the panes of others",
            format!("give single panes {more} (`drover grants set PANE ...`) rather than all"),
        )
    })
}

pub(super) fn descriptors(scene: &Scene) -> Vec<Finding> {
    let limits = &scene.config.config.limits;
    let wanted = limits.connections + limits.panes * PER_PANE + BESIDES;
    vec![match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((_, hard)) => enough(hard, wanted),
        Err(error) => Finding::note(
            format!("the limit of open descriptors cannot be read: {error}"),
            "the daemon may run out of them",
            "",
        ),
    }]
}

fn enough(hard: u64, wanted: u64) -> Finding {
    if hard >= wanted {
        return Finding::fine(format!(
            "{hard} descriptors may be open, {wanted} are enough for every limit"
        ));
    }
    Finding::note(
        format!("{hard} descriptors may be open, and the limits allow {wanted}"),
        "with very many panes or connections new ones fail before their limit is reached",
        "raise the hard limit (`ulimit -Hn`), or lower [limits] panes and connections",
    )
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_list_of_grants_is_wide_where_it_has_more_than_its_default() {
        let default = Config::default().authority.grants;
        for fine in [&["none"][..], &["read"], default.chosen()] {
            assert_eq!(wide(fine), None, "{fine:?}");
        }
        let found = wide(&["read", "admin"]).unwrap();
        assert_eq!(found.level, Level::Note);
        assert!(found.what.ends_with("by default: admin"), "{found:?}");
    }

    #[test]
    fn too_few_descriptors_are_told_with_both_numbers() {
        assert_eq!(enough(10_000, 6_208).level, Level::Fine);
        let few = enough(1_024, 6_208);
        assert_eq!(few.level, Level::Note);
        assert!(
            few.what.contains("1024") && few.what.contains("6208"),
            "{few:?}"
        );
    }
}
