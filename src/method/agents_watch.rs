//! `agents.watch`: every agent, and what one pane shows, now or as soon as either is different.

use std::sync::Arc;

use crate::api::ApiError;
use crate::api::control::{AgentsWatchParams, ControlResult, PanePreview};
use crate::api::records::{ReadFormat, ReadSource};
use crate::sys::Wake;

use super::output::Readable;
use super::wait::{self, Woken};
use super::{Call, Ended, find};

/// Lines of a preview, at most: more than a screen has.
const MOST_LINES: u32 = 500;

pub fn watch(call: &Call<'_>, p: AgentsWatchParams) -> Result<ControlResult, Ended> {
    let wake = Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?;
    let wake = Arc::new(wake);
    call.shared.follow(&wake);
    let readable = p.pane_id.as_deref().and_then(|id| {
        let live = call.shared.look();
        Readable::of(&live, find::pane(&live, id).ok()?)
    });
    let watched = readable.as_ref().map(|readable| readable.pane.watch(&wake));
    loop {
        // Armed before the look: what comes after it wakes.
        if let Some(watched) = &watched {
            watched.arm();
        }
        let version = call.shared.look().version();
        let revision = readable
            .as_ref()
            .map(|readable| readable.pane.screen().revision());
        let news = p.version.is_some_and(|known| known != version);
        let output = p.pane_id.is_some() && revision != p.revision;
        if news || output || (p.version.is_none() && p.pane_id.is_none()) {
            call.shared.commit();
            let (version, agents) = {
                let live = call.shared.look();
                // Who asks for the pane alone has another request for the agents.
                let only_pane = p.version.is_none() && p.pane_id.is_some();
                let agents = if only_pane {
                    Vec::new()
                } else {
                    live.agent_rows()
                };
                (live.version(), agents)
            };
            let preview = readable.as_ref().map(|readable| {
                let lines = p.lines.clamp(1, MOST_LINES);
                let read = readable.read(ReadSource::Recent, Some(lines), ReadFormat::Text);
                PanePreview {
                    pane_id: read.pane_id,
                    revision: read.revision,
                    text: read.text,
                }
            });
            return Ok(ControlResult::Agents {
                version,
                agents,
                preview,
            });
        }
        if wait::sleep(call.shared, call.client, Some(&wake), None) != Woken::Wake {
            return Err(Ended::Silent);
        }
    }
}
