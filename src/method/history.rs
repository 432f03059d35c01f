//! `history.read`: the states that agents were in, and when.

use std::sync::Arc;

use crate::api::ApiError;
use crate::api::control::{ControlResult, HistoryReadParams, HistoryRecord};
use crate::sys::Wake;

use super::wait::{self, Woken};
use super::{Call, Ended};

pub fn read(call: &Call<'_>, p: HistoryReadParams) -> Result<ControlResult, Ended> {
    let (mut records, mut more) = look(call, &p)?;
    if records.is_empty() && p.wait {
        let wake = Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?;
        let wake = Arc::new(wake);
        call.shared.follow(&wake);
        loop {
            // Also right after following: something may have come in between.
            (records, more) = look(call, &p)?;
            if !records.is_empty() {
                break;
            }
            if wait::sleep(call.shared, call.client, Some(&wake), None) != Woken::Wake {
                return Err(Ended::Silent);
            }
        }
    }
    Ok(ControlResult::History { records, more })
}

fn look(call: &Call<'_>, p: &HistoryReadParams) -> Result<(Vec<HistoryRecord>, bool), ApiError> {
    call.shared
        .history(p)
        .map_err(|error| ApiError::internal(error.to_string()))
}
