//! `pane.link.activate` and `pane.link.resolve`.

use crate::api::params::PaneLinkActivateParams;
use crate::api::records::PaneLinkRegion;
use crate::api::{ApiError, ResponseResult};
use crate::pane::copy::{Link, link_at};
use crate::state::Live;
use crate::world::PaneKey;

use super::{Call, copy, plugin};

/// Gives the link to a plugin that has a handler for it, else opens it with the configured program. Without one, or for an address that is not for one,
/// the client is told the address.
pub fn activate(call: &Call<'_>, p: PaneLinkActivateParams) -> Result<ResponseResult, ApiError> {
    let (key, link) = link(call, &p)?;
    let url = link.map(|link| link.address);
    let handled = url
        .as_deref()
        .is_some_and(|address| plugin::click(call, address, key) || call.shared.open_link(address));
    Ok(ResponseResult::PaneLinkActivated { url, handled })
}

pub fn resolve(call: &Call<'_>, p: PaneLinkActivateParams) -> Result<ResponseResult, ApiError> {
    let (_, link) = link(call, &p)?;
    let regions = link.map(|link| link.regions).unwrap_or_default();
    Ok(ResponseResult::PaneLinkResolved {
        regions: regions
            .iter()
            .map(|region| PaneLinkRegion {
                row: region.row,
                start_col: region.start_col,
                end_col: region.end_col,
            })
            .collect(),
    })
}

/// The link under the named cell of what a person sees of the pane now, if that is what the caller
/// looked at.
fn link(call: &Call<'_>, p: &PaneLinkActivateParams) -> Result<(PaneKey, Option<Link>), ApiError> {
    let (key, pane, _) = copy::pane(call, &p.pane_id)?;
    if !is_visible(&call.shared.look(), key) {
        return Err(ApiError::new("stale_target", "pane is no longer visible"));
    }
    let stale = |words: &'static str| Err(ApiError::new("stale_content", words));
    // One lock over all of it: nothing changes while it is looked at.
    let screen = pane.screen();
    let offset = screen.scroll_metrics().offset_from_bottom;
    if p.offset_from_bottom.is_some_and(|seen| seen != offset) {
        return stale("pane viewport changed before link activation");
    }
    if p.content_revision
        .is_some_and(|seen| seen != screen.content_revision())
    {
        return stale("pane content changed before link activation");
    }
    let top = screen.viewport_top();
    let viewport = screen.text_rows(top, top + usize::from(screen.size().rows));
    drop(screen);
    Ok((key, link_at(&viewport, p.viewport_row, p.col)))
}

/// Whether a person who looks at the focused tab sees the pane.
fn is_visible(live: &Live, key: PaneKey) -> bool {
    let covered = live
        .world
        .tab_of(key)
        .is_some_and(|tab| tab.zoomed() && tab.focused() != key);
    live.world.in_active_tab(key) && !covered
}
