//! `pane.layout` and `pane.zoom`.

use crate::api::params::{PaneLayoutParams, PaneZoomMode, PaneZoomParams};
use crate::api::records::{PaneLayoutSnapshot, PaneZoomReason, PaneZoomResult};
use crate::api::{ApiError, ResponseResult};
use crate::state::Live;
use crate::world::{PaneKey, ZoomMode, ZoomRefusal};

use super::{Call, find};

pub fn layout(call: &Call<'_>, p: PaneLayoutParams) -> Result<ResponseResult, ApiError> {
    let live = call.shared.look();
    let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
    Ok(ResponseResult::PaneLayout {
        layout: layout_of(&live, key)?,
    })
}

pub fn zoom(call: &Call<'_>, p: PaneZoomParams) -> Result<ResponseResult, ApiError> {
    let mode = match p.mode {
        PaneZoomMode::Toggle => ZoomMode::Toggle,
        PaneZoomMode::On => ZoomMode::On,
        PaneZoomMode::Off => ZoomMode::Off,
    };
    let mut live = call.shared.change();
    let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
    let zoom = live
        .world
        .zoom(key, mode)
        .map_err(|e| find::gone(e, "pane_not_found"))?;
    live.mark_active_tab_seen(&call.shared.deadlines);
    let layout = layout_of(&live, key)?;
    if zoom.changed()
        && let Some(tab) = live.world.pane(key).map(|pane| pane.tab())
    {
        live.announce_layout(tab);
        live.fit_tab(tab);
    }
    let pane_id = live
        .world
        .pane(key)
        .map(|pane| pane.id().to_string())
        .unwrap_or_default();
    Ok(ResponseResult::PaneZoom {
        zoom: PaneZoomResult {
            changed: zoom.changed(),
            zoom_changed: zoom.zoom_changed(),
            focus_changed: zoom.focus_changed,
            reason: zoom.refusal.map(|refusal| match refusal {
                ZoomRefusal::SinglePane => PaneZoomReason::SinglePane,
                ZoomRefusal::AlreadyZoomed => PaneZoomReason::AlreadyZoomed,
                ZoomRefusal::AlreadyUnzoomed => PaneZoomReason::AlreadyUnzoomed,
            }),
            focused_pane_id: layout.focused_pane_id.clone(),
            pane_id,
            zoomed: zoom.zoomed,
            layout,
        },
    })
}

fn layout_of(live: &Live, key: PaneKey) -> Result<PaneLayoutSnapshot, ApiError> {
    let tab = live.world.pane(key).map(|pane| pane.tab());
    tab.and_then(|tab| live.layout(tab))
        .ok_or_else(|| ApiError::new("pane_not_found", "pane not found"))
}
