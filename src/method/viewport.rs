//! `pane.scroll`, `pane.clear` and `pane.edit_scrollback`.

use crate::api::params::{PaneScrollParams, PaneTarget};
use crate::api::{ApiError, ResponseResult};

use super::workspace::creation_failed;
use super::{Call, copy, find};

pub fn scroll(call: &Call<'_>, p: PaneScrollParams) -> Result<ResponseResult, ApiError> {
    let (key, pane, _) = copy::pane(call, &p.pane_id)?;
    pane.scroll_to(p.offset_from_bottom);
    call.shared.refresh_place(key);
    let record = call.shared.look().pane_info(key);
    Ok(ResponseResult::PaneInfo {
        pane: record.ok_or_else(|| find::no_pane(&p.pane_id))?,
    })
}

pub fn clear(call: &Call<'_>, p: PaneTarget) -> Result<ResponseResult, ApiError> {
    copy::pane(call, &p.pane_id)?.1.clear();
    Ok(ResponseResult::Ok)
}

pub fn edit_scrollback(call: &Call<'_>, p: PaneTarget) -> Result<ResponseResult, ApiError> {
    let (key, _, _) = copy::pane(call, &p.pane_id)?;
    if !call.shared.look().world.is_focused(key) {
        return Err(ApiError::new(
            "stale_pane_target",
            "pane is no longer focused",
        ));
    }
    call.shared
        .edit_scrollback(key, call.creator())
        .map_err(|error| creation_failed(error, "scrollback_editor_failed"))?;
    Ok(ResponseResult::Ok)
}
