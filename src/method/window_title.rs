//! `client.window_title.set` and `client.window_title.clear`.

use crate::api::params::{ClientWindowTitleSetParams, EmptyParams};
use crate::api::records::ClientWindowTitleReason;
use crate::api::{ApiError, ResponseResult};
use crate::state::window_title;

use super::Call;

pub fn set(call: &Call<'_>, p: ClientWindowTitleSetParams) -> Result<ResponseResult, ApiError> {
    let title = window_title(&p.title);
    if title.is_empty() {
        return Err(ApiError::new("invalid_params", "window title is empty"));
    }
    Ok(put(call, Some(&title), ClientWindowTitleReason::Set))
}

pub fn clear(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    Ok(put(call, None, ClientWindowTitleReason::Cleared))
}

/// What is said without anybody attached holds for who attaches later (herdr 0.9.3).
fn put(call: &Call<'_>, title: Option<&str>, done: ClientWindowTitleReason) -> ResponseResult {
    let changed = call.shared.set_window_title(title) > 0;
    ResponseResult::ClientWindowTitle {
        changed,
        reason: match changed {
            true => done,
            false => ClientWindowTitleReason::NoForegroundClient,
        },
    }
}
