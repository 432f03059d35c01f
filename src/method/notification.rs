//! `notification.show`, and drover's own test of what it goes through.

use crate::api::control::{ControlResult, NotifyMuteParams, NotifyTestParams, SinkTest};
use crate::api::params::NotificationShowParams;
use crate::api::records::NotificationShowReason;
use crate::api::{ApiError, ResponseResult};
use crate::notify::{Message, Shown, Tested};
use crate::state::Speaker;

use super::{Call, find, rate};

/// Shows a message to the person. `shown` is true only if something took it: terminals, the desktop, or a sink of the
/// person's own.
pub fn show(call: &Call<'_>, p: NotificationShowParams) -> Result<ResponseResult, ApiError> {
    let from = call.place().pane();
    let mut message = Message {
        title: p.title,
        body: p.body.unwrap_or_default(),
        sound: p.sound,
        pane_id: None,
        agent: None,
    };
    if message.is_empty() {
        return Err(ApiError::new(
            "invalid_params",
            "notification title is empty",
        ));
    }
    rate::take(call, from.map_or(Speaker::Outside, Speaker::Pane))?;
    if let Some(key) = from {
        let live = call.shared.look();
        let pane = live.world.pane(key);
        message.pane_id = pane.map(|pane| pane.id().to_string());
        let entry = live.pane(key);
        message.agent = entry.and_then(|entry| entry.agent.view().agent.map(str::to_owned));
        if entry.is_some_and(|entry| entry.muted) {
            return Ok(answer(Shown::Disabled));
        }
    }
    Ok(answer(call.shared.notifier.message(&message)))
}

fn answer(shown: Shown) -> ResponseResult {
    ResponseResult::NotificationShow {
        shown: shown == Shown::Yes,
        reason: match shown {
            Shown::Yes => NotificationShowReason::Shown,
            Shown::Disabled => NotificationShowReason::Disabled,
            Shown::TooSoon => NotificationShowReason::RateLimited,
            Shown::Nobody => NotificationShowReason::NoForegroundClient,
            Shown::OnItsWay => NotificationShowReason::Busy,
        },
    }
}

/// `notify.test`: sends a message through each sink, and waits for what becomes of it.
pub fn test(call: &Call<'_>, p: NotifyTestParams) -> Result<ControlResult, ApiError> {
    let name = p.sink.as_deref();
    let found = call.shared.notifier.test(name).ok_or_else(|| {
        ApiError::new(
            "sink_not_found",
            format!("there is no sink {:?}", name.unwrap_or_default()),
        )
    })?;
    let sink = |tested: Tested| {
        let (sent, detail) = match tested.outcome {
            Ok(how) => (true, how),
            Err(why) => (false, why),
        };
        SinkTest {
            sink: tested.sink,
            kind: tested.kind.to_owned(),
            used: tested.used,
            sent,
            detail,
            milliseconds: u64::try_from(tested.time.as_millis()).unwrap_or(u64::MAX),
        }
    };
    Ok(ControlResult::NotifyTested {
        sinks: found.into_iter().map(sink).collect(),
    })
}

/// `notify.mute`: says whether anybody is told of what a pane's agent does.
pub fn mute(call: &Call<'_>, p: NotifyMuteParams) -> Result<ControlResult, ApiError> {
    let mut live = call.shared.change();
    let key = find::pane(&live, &p.pane_id)?;
    live.mute(key, p.muted);
    let pane = live.world.pane(key).map(|pane| pane.id().to_string());
    drop(live);
    call.shared.commit();
    Ok(ControlResult::NotifyMuted {
        pane_id: pane.unwrap_or(p.pane_id),
        muted: p.muted,
    })
}
