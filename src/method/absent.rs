//! Methods about things of which drover has none: release notes, announcements, and commands bound to
//! keys. Each answers as herdr 0.9.3 does when the thing that is meant is not current.

use crate::api::params::{
    CommandInvokeParams, ProductAnnouncementDismissParams, ReleaseNotesDismissParams,
};
use crate::api::{ApiError, ResponseResult};

use super::Call;

/// drover shows no release notes, so none are current.
pub fn release_notes(
    _: &Call<'_>,
    _: ReleaseNotesDismissParams,
) -> Result<ResponseResult, ApiError> {
    Err(ApiError::new(
        "stale_release_notes",
        "the release notes are no longer current",
    ))
}

/// drover announces nothing, so nothing is current.
pub fn announcement(
    _: &Call<'_>,
    _: ProductAnnouncementDismissParams,
) -> Result<ResponseResult, ApiError> {
    Err(ApiError::new(
        "stale_announcement",
        "the product announcement is no longer current",
    ))
}

/// Commands are bound to keys of a full-screen client, and their ids are published to that client
/// only. drover has none, so no id is one; it is looked at before anything else is.
pub fn command(_: &Call<'_>, _: CommandInvokeParams) -> Result<ResponseResult, ApiError> {
    Err(ApiError::new(
        "command_not_found",
        "custom command manifest is stale; reload configuration",
    ))
}
