//! Where notifications go: whether it could take one, as far as that can be seen without sending anything.

use super::{Finding, Scene};
use crate::notify;

pub(super) fn configured(scene: &Scene) -> Vec<Finding> {
    let sinks = &scene.config.config.notify.sinks;
    if sinks.is_empty() {
        return vec![Finding::fine("no sink for notifications is configured")];
    }
    sinks
        .iter()
        .map(|sink| match notify::trouble(sink) {
            None => Finding::fine(format!("the sink {:?} has what it needs", sink.name)),
            Some(why) => Finding::wrong(
                format!("the sink {:?} can take nothing: {why}", sink.name),
                "what is sent there is lost, and you are not told that an agent waits",
                format!(
                    "mend it in {}, then `drover notify test {}` sends something",
                    scene.config_file.display(),
                    sink.name
                ),
            ),
        })
        .collect()
}
