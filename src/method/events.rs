//! `events.subscribe` and `events.wait`.
//!
//! A subscription begins under the world's lock, at the moment it is checked: nothing that happens
//! later is missed, nothing that happened before is replayed.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::envelope;
use crate::api::events::{EventData, EventEnvelope, EventKind};
use crate::api::params::{EventMatch, EventsSubscribeParams, EventsWaitParams};
use crate::api::records::PaneScrollInfo;
use crate::api::subscription::{
    PaneOutputMatchedEvent, PaneScrollChangedEvent, Subscription, SubscriptionEventData,
    SubscriptionEventEnvelope,
};
use crate::api::{ApiError, ResponseResult};
use crate::authority::rules::READ;
use crate::pane::{Pane, WatchGuard};
use crate::state::{AgentNews, Behind, Listener, Live, Wants};
use crate::sys::Wake;
use crate::world::PaneKey;

use super::output::{Readable, Search};
use super::wait::{self, Pace, Woken};
use super::{Call, Ended, find};

/// Time that a subscriber may take for what is written in one go before it counts as gone
/// (herdr 0.9.3).
const WRITE_TIME: Duration = Duration::from_secs(5);

pub fn subscribe(call: &Call<'_>, p: EventsSubscribeParams) -> Result<String, Ended> {
    call.slot
        .become_stream()
        .map_err(|full| ApiError::new("rate_limited", full.to_string()))?;
    let wake = Arc::new(Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?);
    let (mut stream, first) = Stream::open(call, &p.subscriptions, wake)?;
    let started = envelope::success_line(call.id, &ResponseResult::SubscriptionStarted);
    call.shared.commit();
    let open = wait::write_all(call.client, (started + &first).as_bytes(), WRITE_TIME);
    match open.and_then(|()| stream.run(call)) {
        Ok(()) => {}
        Err(error) => log::debug!("a subscriber is gone: {error}"),
    }
    Err(Ended::Silent)
}

/// Entries of one subscription: four for each of 256 panes and all the global ones still fit.
const ENTRIES_LIMIT: usize = 1024;

/// Patterns of one subscription. Each may take a mebibyte, and all are tried at every look.
const SEARCHES_LIMIT: usize = 64;

/// A subscription that has begun.
struct Stream {
    listener: Arc<Listener>,
    wake: Arc<Wake>,
    outputs: Vec<Output>,
    scrolls: Vec<Scroll>,
}

/// One `pane.output_matched`: told when its pattern matches after it did not.
struct Output {
    readable: Readable,
    search: Search,
    watch: WatchGuard,
    revision: Option<u64>,
    matched: bool,
}

/// One `pane.scroll_changed`: told when the metrics differ from the last look.
struct Scroll {
    pane: Arc<Pane>,
    pane_id: String,
    workspace_id: String,
    watch: WatchGuard,
    last: PaneScrollInfo,
}

impl Stream {
    /// Checks the entries in their order and starts listening; the lines to begin with.
    fn open(
        call: &Call<'_>,
        entries: &[Subscription],
        wake: Arc<Wake>,
    ) -> Result<(Stream, String), ApiError> {
        let mut wants = Wants::default();
        let (mut outputs, mut scrolls) = (Vec::new(), Vec::new());
        let mut first = String::new();
        // Compiling takes its time, so it is done before the lock; what comes of it is looked at
        // in the order of the entries.
        let mut searches = searches(entries)?.into_iter();
        let mut live = call.shared.change();
        for entry in entries {
            match entry {
                Subscription::PaneAgentStatusChanged {
                    pane_id,
                    agent_status,
                } => {
                    let key = find::pane(&live, pane_id)?;
                    wants.statuses.push((key, *agent_status));
                    if agent_status.is_some_and(|wanted| live.status(key) == Some(wanted)) {
                        first.extend(live.status_line(key));
                    }
                }
                Subscription::PaneScrollChanged { pane_id } => {
                    let key = find::pane(&live, pane_id)?;
                    scrolls.push(
                        Scroll::new(&live, key, &wake).ok_or_else(|| find::no_pane(pane_id))?,
                    );
                }
                Subscription::PaneOutputMatched { pane_id, .. } => {
                    let Some(search) = searches.next().transpose()? else {
                        continue;
                    };
                    let key = find::pane(&live, pane_id)?;
                    let readable =
                        Readable::of(&live, key).ok_or_else(|| find::no_pane(pane_id))?;
                    let watch = readable.pane.watch(&wake);
                    outputs.push(Output {
                        readable,
                        search,
                        watch,
                        revision: None,
                        matched: false,
                    });
                }
                entry => wants.kinds.extend(lifecycle(entry)),
            }
        }
        let behind = Behind::from(&call.shared.config().limits);
        let listener = live.hub.listen(wants, behind, wake.clone());
        Ok((
            Stream {
                listener,
                wake,
                outputs,
                scrolls,
            },
            first,
        ))
    }

    /// Delivers until the client closes, falls behind, or the daemon stops.
    fn run(&mut self, call: &Call<'_>) -> io::Result<()> {
        let mut pace = Pace::new(Instant::now());
        loop {
            for output in &self.outputs {
                output.watch.arm();
            }
            for scroll in &self.scrolls {
                scroll.watch.arm();
            }
            let drained = self.listener.drain();
            if !drained.lines.is_empty() {
                // Nobody is told of what could still be lost.
                call.shared.commit();
            }
            let mut lines: String = drained.lines.iter().map(|line| &**line).collect();
            if drained.overrun {
                let error = ApiError::new(
                    "events_lost",
                    "event subscription fell behind; subscribe again and read session.snapshot",
                );
                lines.push_str(&envelope::error_line(call.id, &error));
                return wait::write_all(call.client, lines.as_bytes(), WRITE_TIME);
            }
            lines.extend(self.outputs.iter_mut().filter_map(Output::look));
            lines.extend(self.scrolls.iter_mut().filter_map(Scroll::look));
            if !lines.is_empty() {
                // A right that was taken away meanwhile ends the stream before it tells anything more.
                if let Err(refused) = call.may(&READ, None) {
                    let line = envelope::error_line(call.id, &refused);
                    return wait::write_all(call.client, line.as_bytes(), WRITE_TIME);
                }
                wait::write_all(call.client, lines.as_bytes(), WRITE_TIME)?;
            }
            match wait::sleep(call.shared, call.client, Some(&self.wake), None) {
                Woken::Wake => {}
                Woken::Deadline | Woken::Over => return Ok(()),
            }
            let watches_panes = !self.outputs.is_empty() || !self.scrolls.is_empty();
            if watches_panes && !self.listener.has_lines() {
                // Only output came, which tends to go on: the next look is at what has gathered.
                let pause = pace.next_look(Instant::now());
                if wait::sleep(call.shared, call.client, None, Some(pause)) == Woken::Over {
                    return Ok(());
                }
            }
        }
    }
}

impl Output {
    fn look(&mut self) -> Option<String> {
        let revision = self.readable.pane.revision();
        if self.revision.replace(revision) == Some(revision) {
            return None;
        }
        let found = self.search.look(&self.readable);
        let news = found.is_some() && !self.matched;
        self.matched = found.is_some();
        let (matched_line, read) = found.filter(|_| news)?;
        let pane_id = self.readable.pane_id.clone();
        let event = PaneOutputMatchedEvent {
            pane_id,
            matched_line,
            read,
        };
        Some(SubscriptionEventEnvelope::from(SubscriptionEventData::OutputMatched(event)).line())
    }
}

impl Scroll {
    fn new(live: &Live, key: PaneKey, wake: &Arc<Wake>) -> Option<Scroll> {
        let place = live.world.pane(key)?;
        let pane = live.pane(key)?.runtime.pane.clone();
        Some(Scroll {
            pane_id: place.id().to_string(),
            workspace_id: place.tab().workspace.to_string(),
            watch: pane.watch(wake),
            last: scroll_info(&pane),
            pane,
        })
    }

    fn look(&mut self) -> Option<String> {
        let scroll = scroll_info(&self.pane);
        if std::mem::replace(&mut self.last, scroll) == scroll {
            return None;
        }
        let event = PaneScrollChangedEvent {
            pane_id: self.pane_id.clone(),
            workspace_id: self.workspace_id.clone(),
            scroll,
        };
        Some(SubscriptionEventEnvelope::from(SubscriptionEventData::ScrollChanged(event)).line())
    }
}

fn scroll_info(pane: &Pane) -> PaneScrollInfo {
    let metrics = pane.scroll_metrics();
    PaneScrollInfo {
        offset_from_bottom: metrics.offset_from_bottom,
        max_offset_from_bottom: metrics.max_offset_from_bottom,
        viewport_rows: metrics.viewport_rows,
    }
}

/// What each output entry searches for, in their order.
fn searches(entries: &[Subscription]) -> Result<Vec<Result<Search, ApiError>>, ApiError> {
    let searches: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry {
            Subscription::PaneOutputMatched {
                source,
                matcher,
                lines,
                ..
            } => Some((source, matcher, lines)),
            _ => None,
        })
        .collect();
    if entries.len() > ENTRIES_LIMIT || searches.len() > SEARCHES_LIMIT {
        return Err(ApiError::invalid_request(format!(
            "invalid request: a subscription takes at most {ENTRIES_LIMIT} entries, \
             {SEARCHES_LIMIT} of them pane.output_matched"
        )));
    }
    Ok(searches
        .into_iter()
        .map(|(source, matcher, lines)| Search::new(*source, *lines, matcher))
        .collect())
}

/// The lifecycle event that an entry without parameters names.
fn lifecycle(entry: &Subscription) -> Option<EventKind> {
    Some(match entry {
        Subscription::WorkspaceCreated => EventKind::WorkspaceCreated,
        Subscription::WorkspaceUpdated => EventKind::WorkspaceUpdated,
        Subscription::WorkspaceMetadataUpdated => EventKind::WorkspaceMetadataUpdated,
        Subscription::WorkspaceRenamed => EventKind::WorkspaceRenamed,
        Subscription::WorkspaceMoved => EventKind::WorkspaceMoved,
        Subscription::WorkspaceReordered => EventKind::WorkspaceReordered,
        Subscription::WorkspaceClosed => EventKind::WorkspaceClosed,
        Subscription::WorkspaceFocused => EventKind::WorkspaceFocused,
        Subscription::WorktreeCreated => EventKind::WorktreeCreated,
        Subscription::WorktreeOpened => EventKind::WorktreeOpened,
        Subscription::WorktreeRemoved => EventKind::WorktreeRemoved,
        Subscription::TabCreated => EventKind::TabCreated,
        Subscription::TabClosed => EventKind::TabClosed,
        Subscription::TabFocused => EventKind::TabFocused,
        Subscription::TabRenamed => EventKind::TabRenamed,
        Subscription::TabMoved => EventKind::TabMoved,
        Subscription::PaneCreated => EventKind::PaneCreated,
        Subscription::PaneClosed => EventKind::PaneClosed,
        Subscription::PaneUpdated => EventKind::PaneUpdated,
        Subscription::PaneFocused => EventKind::PaneFocused,
        Subscription::PaneMoved => EventKind::PaneMoved,
        Subscription::PaneExited => EventKind::PaneExited,
        Subscription::PaneAgentDetected => EventKind::PaneAgentDetected,
        Subscription::LayoutUpdated => EventKind::LayoutUpdated,
        Subscription::PaneOutputMatched { .. }
        | Subscription::PaneAgentStatusChanged { .. }
        | Subscription::PaneScrollChanged { .. } => return None,
    })
}

/// Waits for a status of one pane, the only match that herdr 0.9.3 serves.
pub fn wait(call: &Call<'_>, p: EventsWaitParams) -> Result<ResponseResult, Ended> {
    let deadline = wait::deadline(call, Instant::now(), p.timeout_ms)?;
    let EventMatch::PaneAgentStatusChanged {
        pane_id,
        agent_status,
    } = p.match_event
    else {
        let message = "events.wait currently supports pane agent status matches";
        return Err(ApiError::new("unsupported_event_wait_match", message).into());
    };
    let wake = Arc::new(Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?);
    let mut live = call.shared.change();
    let key = find::pane(&live, &pane_id)?;
    let watch = live.hub.watch(key, wake.clone());
    let mut matched = live.status(key) == Some(agent_status);
    drop(live);
    loop {
        while let Some(news) = watch.next() {
            matched |=
                news == AgentNews::Status(agent_status) || news == AgentNews::Left(agent_status);
        }
        let live = call.shared.look();
        let event = live
            .status_event(key)
            .ok_or_else(|| find::no_pane(&pane_id))?;
        drop(live);
        if matched {
            call.may(&READ, None)?;
            let data = EventData::PaneAgentStatusChanged {
                pane_id: event.pane_id,
                workspace_id: event.workspace_id,
                agent_status,
                agent: event.agent,
                display_agent: event.display_agent,
                state_labels: event.state_labels,
                title: event.title,
            };
            return Ok(ResponseResult::WaitMatched {
                event: EventEnvelope::from(data),
            });
        }
        match wait::sleep(call.shared, call.client, Some(&wake), deadline) {
            Woken::Wake => {}
            Woken::Deadline => {
                let message = "timed out waiting for event match";
                return Err(ApiError::new("timeout", message).into());
            }
            Woken::Over => return Err(Ended::Silent),
        }
    }
}
