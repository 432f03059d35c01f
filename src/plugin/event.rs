//! Which events run hooks, and by which names manifests call them (herdr 0.9.3).

use crate::api::events::EventKind;

/// The event that a manifest names with a dot after what it is about: `pane.agent_detected`.
pub fn named(dotted: &str) -> Option<EventKind> {
    let (about, what) = dotted.split_once('.')?;
    format!("{about}_{what}").parse().ok().filter(|_| {
        // `pane_agent.detected` is no name.
        !about.contains('_')
    })
}

/// The name of an event in a manifest, and in `HERDR_PLUGIN_EVENT`.
pub fn dotted(kind: EventKind) -> String {
    kind.as_str().replacen('_', ".", 1)
}

/// Whether hooks run for it: not for what happens with every few bytes of output (herdr 0.9.3).
pub fn runs_hooks(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::WorkspaceMetadataUpdated
            | EventKind::PaneUpdated
            | EventKind::PaneOutputChanged
            | EventKind::LayoutUpdated
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_one_name_with_a_dot() {
        for kind in EventKind::ALL {
            assert_eq!(named(&dotted(*kind)), Some(*kind));
            assert_eq!(named(kind.as_str()), None);
        }
        assert_eq!(dotted(EventKind::PaneAgentDetected), "pane.agent_detected");
        assert_eq!(named("pane_agent.detected"), None);
        assert_eq!(named("worktree."), None);
    }
}
