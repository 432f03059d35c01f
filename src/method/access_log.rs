//! `log.read`: what was refused, and what panes did to others.

use std::sync::Arc;

use crate::api::ApiError;
use crate::api::control::{ControlResult, LogKind, LogReadParams};
use crate::sys::Wake;

use super::wait::{self, Woken};
use super::{Call, Ended};

/// Records of one answer, at most: it stays below what a client reads.
const ANSWER_LIMIT: usize = 4096;

pub fn read(call: &Call<'_>, p: LogReadParams) -> Result<ControlResult, Ended> {
    let LogKind::Access = p.kind;
    let limit = p.limit.unwrap_or(ANSWER_LIMIT).min(ANSWER_LIMIT);
    let mut records = call.shared.access_records(p.after, limit);
    if records.is_empty() && p.wait {
        let wake = Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?;
        let wake = Arc::new(wake);
        call.shared.follow_access(&wake);
        loop {
            // Also right after following: something may have come in between.
            records = call.shared.access_records(p.after, limit);
            if !records.is_empty() {
                break;
            }
            if wait::sleep(call.shared, call.client, Some(&wake), None) != Woken::Wake {
                return Err(Ended::Silent);
            }
        }
    }
    Ok(ControlResult::AccessLog { records })
}
