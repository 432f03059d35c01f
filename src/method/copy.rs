//! `pane.selection.read`, `pane.copy_motion` and `pane.copy_search`: what a client needs that lets a
//! person select and search in a pane's text.

use std::sync::Arc;

use crate::api::params::{
    PaneCopyMotion, PaneCopyMotionParams, PaneCopySearchDirection, PaneCopySearchParams,
    PaneSelectionReadParams,
};
use crate::api::records::{PaneTextPoint, PaneTextRange};
use crate::api::{ApiError, ResponseResult};
use crate::pane::Pane;
use crate::pane::copy::{self, Direction, Motion, Point, Query, Retained, Span, Words};
use crate::world::PaneKey;

use super::{Call, find};

pub fn selection(call: &Call<'_>, p: PaneSelectionReadParams) -> Result<ResponseResult, ApiError> {
    // The words of this one are the other way round (herdr 0.9.3).
    let not_found = || ApiError::new("pane_not_found", format!("pane not found: {}", p.pane_id));
    let (_, pane, pane_id) = pane(call, &p.pane_id).map_err(|_| not_found())?;
    let mut rows = retained(&pane, p.content_revision)?;
    let text = copy::selected(&mut rows, point(p.anchor), point(p.cursor));
    fresh(&rows)?;
    let unavailable = || ApiError::new("selection_unavailable", "selection text is unavailable");
    Ok(ResponseResult::PaneSelection {
        pane_id,
        text: text.ok_or_else(unavailable)?,
    })
}

pub fn motion(call: &Call<'_>, p: PaneCopyMotionParams) -> Result<ResponseResult, ApiError> {
    let (_, pane, pane_id) = pane(call, &p.pane_id)?;
    let mut rows = retained(&pane, p.content_revision)?;
    let motion = match p.motion {
        PaneCopyMotion::LineEnd => Motion::LineEnd,
        PaneCopyMotion::FirstNonBlank => Motion::FirstNonBlank,
        PaneCopyMotion::NextWordStart => Motion::NextWordStart(Words::Small),
        PaneCopyMotion::PreviousWordStart => Motion::PreviousWordStart(Words::Small),
        PaneCopyMotion::NextWordEnd => Motion::NextWordEnd(Words::Small),
        PaneCopyMotion::NextBigWordStart => Motion::NextWordStart(Words::Big),
        PaneCopyMotion::PreviousBigWordStart => Motion::PreviousWordStart(Words::Big),
        PaneCopyMotion::NextBigWordEnd => Motion::NextWordEnd(Words::Big),
        PaneCopyMotion::PreviousParagraph => Motion::PreviousParagraph,
        PaneCopyMotion::NextParagraph => Motion::NextParagraph,
    };
    let moved = copy::moved(&mut rows, point(p.cursor), motion);
    fresh(&rows)?;
    let unavailable = || ApiError::new("copy_motion_unavailable", "terminal row is unavailable");
    Ok(ResponseResult::PaneCopyMotion {
        pane_id,
        cursor: text_point(moved.ok_or_else(unavailable)?),
        content_revision: rows.revision(),
    })
}

pub fn search(call: &Call<'_>, p: PaneCopySearchParams) -> Result<ResponseResult, ApiError> {
    let (_, pane, pane_id) = pane(call, &p.pane_id)?;
    let mut rows = retained(&pane, Some(p.content_revision))?;
    let query = Query::new(&p.query)
        .ok_or_else(|| ApiError::invalid_request("invalid request: the query is too long"))?;
    let direction = match p.direction {
        PaneCopySearchDirection::Forward => Direction::Forward,
        PaneCopySearchDirection::Backward => Direction::Backward,
    };
    let previous = p.previous.map(|range| Span {
        start: point(range.start),
        end: point(range.end),
    });
    let found =
        copy::search(&mut rows, &query, direction, point(p.cursor), previous).ok_or_else(stale)?;
    let range = |span: &Span| PaneTextRange {
        start: text_point(span.start),
        end: text_point(span.end),
    };
    Ok(ResponseResult::PaneCopySearch {
        pane_id,
        content_revision: rows.revision(),
        matches: found.matches.iter().map(range).collect(),
        total: found.total,
        current: found.current.and_then(|at| u32::try_from(at).ok()),
        current_global: found.current_global,
    })
}

/// A pane that the method requires: its handle and its present id.
pub(super) fn pane(call: &Call<'_>, id: &str) -> Result<(PaneKey, Arc<Pane>, String), ApiError> {
    let live = call.shared.look();
    let key = find::pane(&live, id)?;
    let entry = live.pane(key).ok_or_else(|| find::no_pane(id))?;
    let place = live.world.pane(key).ok_or_else(|| find::no_pane(id))?;
    Ok((key, entry.runtime.pane.clone(), place.id().to_string()))
}

/// The rows of a pane, if they are the ones that the caller looked at.
fn retained(pane: &Pane, looked_at: Option<u64>) -> Result<Retained<'_>, ApiError> {
    let rows = Retained::of(pane);
    match looked_at {
        Some(revision) if revision != rows.revision() => Err(stale()),
        _ => Ok(rows),
    }
}

fn fresh(rows: &Retained<'_>) -> Result<(), ApiError> {
    if rows.is_stale() {
        Err(stale())
    } else {
        Ok(())
    }
}

fn stale() -> ApiError {
    ApiError::new("stale_content", "pane content changed")
}

fn point(point: PaneTextPoint) -> Point {
    Point {
        row: point.row as usize,
        col: point.col,
    }
}

fn text_point(point: Point) -> PaneTextPoint {
    PaneTextPoint {
        // There are at most a million rows and a screen.
        row: u32::try_from(point.row).unwrap_or(u32::MAX),
        col: point.col,
    }
}
