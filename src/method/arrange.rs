//! `pane.*`: where the panes of a tab lie, and how that changes.

use crate::api::params::{
    PaneEdgesParams, PaneFocusDirectionParams, PaneInputSetParams, PaneLayoutParams,
    PaneNeighborParams, PaneResizeParams, PaneSwapParams, PaneZoomMode, PaneZoomParams,
};
use crate::api::records::{
    PaneDirection, PaneEdgesResult, PaneFocusDirectionReason, PaneFocusDirectionResult,
    PaneLayoutSnapshot, PaneNeighborResult, PaneResizeReason, PaneResizeResult, PaneSwapReason,
    PaneSwapResult, PaneZoomReason, PaneZoomResult, SplitDirection,
};
use crate::api::{ApiError, ResponseResult};
use crate::state::Live;
use crate::world::{
    Axis, PaneKey, Side, SwapRefusal, WorldError, ZoomMode, ZoomRefusal, resize_amount,
};

use super::{Call, find};

/// Where a split puts its second child.
pub fn axis(direction: SplitDirection) -> Axis {
    match direction {
        SplitDirection::Right => Axis::Right,
        SplitDirection::Down => Axis::Down,
    }
}

fn side(direction: PaneDirection) -> Side {
    match direction {
        PaneDirection::Left => Side::Left,
        PaneDirection::Right => Side::Right,
        PaneDirection::Up => Side::Up,
        PaneDirection::Down => Side::Down,
    }
}

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

pub fn neighbor(call: &Call<'_>, p: PaneNeighborParams) -> Result<ResponseResult, ApiError> {
    let live = call.shared.look();
    let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
    let neighbour = neighbour_of(&live, key, side(p.direction));
    Ok(ResponseResult::PaneNeighbor {
        neighbor: PaneNeighborResult {
            pane_id: pane_id(&live, key)?,
            direction: p.direction,
            neighbor_pane_id: neighbour.map(|key| pane_id(&live, key)).transpose()?,
            layout: layout_of(&live, key)?,
        },
    })
}

pub fn edges(call: &Call<'_>, p: PaneEdgesParams) -> Result<ResponseResult, ApiError> {
    let live = call.shared.look();
    let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
    let at_edge = |side| neighbour_of(&live, key, side).is_none();
    Ok(ResponseResult::PaneEdges {
        edges: PaneEdgesResult {
            pane_id: pane_id(&live, key)?,
            left: at_edge(Side::Left),
            right: at_edge(Side::Right),
            up: at_edge(Side::Up),
            down: at_edge(Side::Down),
            layout: layout_of(&live, key)?,
        },
    })
}

pub fn focus_direction(
    call: &Call<'_>,
    p: PaneFocusDirectionParams,
) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
    let neighbour = neighbour_of(&live, key, side(p.direction));
    let before = live.world.focus();
    if let Some(neighbour) = neighbour {
        live.focus_pane(neighbour, &call.shared.deadlines)
            .map_err(gone)?;
    }
    let layout = layout_of(&live, key)?;
    Ok(ResponseResult::PaneFocusDirection {
        focus: PaneFocusDirectionResult {
            changed: live.world.focus() != before,
            reason: neighbour
                .is_none()
                .then_some(PaneFocusDirectionReason::NoNeighbor),
            source_pane_id: pane_id(&live, key)?,
            focused_pane_id: Some(layout.focused_pane_id.clone()),
            layout,
        },
    })
}

pub fn resize(call: &Call<'_>, p: PaneResizeParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let key = find::pane_or_focused(&live, p.pane_id.as_deref())?;
    let changed = live
        .resize_pane(key, side(p.direction), resize_amount(p.amount))
        .map_err(gone)?;
    let layout = layout_of(&live, key)?;
    Ok(ResponseResult::PaneResize {
        resize: PaneResizeResult {
            changed,
            reason: (!changed).then_some(PaneResizeReason::Unchanged),
            pane_id: pane_id(&live, key)?,
            focused_pane_id: layout.focused_pane_id.clone(),
            layout,
        },
    })
}

/// Which pane changes places with which.
struct Pair {
    source: PaneKey,
    /// None if there is no such pane.
    target: Option<PaneKey>,
    /// As the request spells it, where it does.
    named: Option<String>,
}

pub fn swap(call: &Call<'_>, p: PaneSwapParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let pair = pair(&live, p)?;
    let refusal = match (pair.target, &pair.named) {
        (Some(target), _) => live
            .swap_panes(pair.source, target, &call.shared.deadlines)
            .map_err(gone)?
            .err()
            .map(|refusal| match refusal {
                SwapRefusal::SamePane => PaneSwapReason::SamePane,
                SwapRefusal::CrossTab => PaneSwapReason::CrossTab,
            }),
        (None, Some(_)) => Some(PaneSwapReason::NotFound),
        (None, None) => Some(PaneSwapReason::NoNeighbor),
    };
    let layout = layout_of(&live, pair.source)?;
    let found = pair.target.map(|key| pane_id(&live, key)).transpose()?;
    Ok(ResponseResult::PaneSwap {
        swap: PaneSwapResult {
            changed: refusal.is_none(),
            reason: refusal,
            source_pane_id: pane_id(&live, pair.source)?,
            target_pane_id: found.or(pair.named),
            focused_pane_id: layout.focused_pane_id.clone(),
            layout,
        },
    })
}

/// The two forms of the request: a neighbour, or two names.
fn pair(live: &Live, p: PaneSwapParams) -> Result<Pair, ApiError> {
    let refused = |words: &'static str| ApiError::new("invalid_pane_swap", words);
    match (p.direction, p.pane_id, p.source_pane_id, p.target_pane_id) {
        (Some(direction), pane, None, None) => {
            let source = find::pane_or_focused(live, pane.as_deref())?;
            Ok(Pair {
                source,
                target: neighbour_of(live, source, side(direction)),
                named: None,
            })
        }
        (None, None, Some(source), Some(target)) => Ok(Pair {
            source: find::pane(live, &source)?,
            target: live.world.find_pane(&target),
            named: Some(target),
        }),
        (None, None, Some(_), None) => Err(refused("missing target_pane_id")),
        (None, None, None, Some(_)) => Err(refused("missing source_pane_id")),
        _ => Err(refused(
            "provide either direction with optional pane_id, or source_pane_id and target_pane_id",
        )),
    }
}

pub fn input_set(call: &Call<'_>, p: PaneInputSetParams) -> Result<ResponseResult, ApiError> {
    let mut live = call.shared.change();
    let key = find::pane(&live, &p.pane_id)?;
    let entry = live
        .pane_mut(key)
        .ok_or_else(|| find::no_pane(&p.pane_id))?;
    entry.right_click = p.right_click;
    Ok(ResponseResult::Ok)
}

fn neighbour_of(live: &Live, key: PaneKey, side: Side) -> Option<PaneKey> {
    let area = live.geometry().area;
    live.world.tab_of(key)?.layout().neighbour(key, side, area)
}

fn pane_id(live: &Live, key: PaneKey) -> Result<String, ApiError> {
    let pane = live.world.pane(key).ok_or_else(not_found)?;
    Ok(pane.id().to_string())
}

fn gone(error: WorldError) -> ApiError {
    find::gone(error, "pane_not_found")
}

fn not_found() -> ApiError {
    ApiError::new("pane_not_found", "pane not found")
}

fn layout_of(live: &Live, key: PaneKey) -> Result<PaneLayoutSnapshot, ApiError> {
    let tab = live.world.pane(key).map(|pane| pane.tab());
    tab.and_then(|tab| live.layout(tab)).ok_or_else(not_found)
}
