//! How often a pane may speak of itself; see [`crate::state::Rates`].

use std::time::Instant;

use crate::api::ApiError;
use crate::state::{Rate, Speaker};

use super::Call;

/// Counts one metadata report or notification of `speaker`.
///
/// # Errors
/// `rate_limited`: there were too many of late.
pub fn take(call: &Call<'_>, speaker: Speaker) -> Result<(), ApiError> {
    let limits = &call.shared.config().limits;
    let taken = call
        .shared
        .rates
        .take(speaker, Rate::from(limits), Instant::now());
    taken.map_err(|wait| {
        let (burst, rate) = (limits.metadata_burst, limits.metadata_per_second);
        // Rounded up: whoever waits so long is let through.
        let milliseconds = wait.as_micros().div_ceil(1000);
        ApiError::new(
            "rate_limited",
            format!(
                "metadata reports and notifications come too fast: {burst} at once, then {rate} a second; \
                 try again in {milliseconds} ms"
            ),
        )
    })
}
