//! Labels of workspaces, tabs and panes: any text, but not any length.
//!
//! herdr 0.9.3 has no limit, but every label is in every snapshot and in the events about its owner: a
//! few of a mebibyte each, and no client takes the answer any more.

use crate::api::ApiError;

use super::Call;

/// # Errors
/// `invalid_request`, if the label is too long to be kept.
pub fn check(call: &Call<'_>, label: Option<&str>) -> Result<(), ApiError> {
    fits(label, call.shared.config().limits.label_bytes)
}

fn fits(label: Option<&str>, limit: u64) -> Result<(), ApiError> {
    match label {
        Some(label) if label.len() as u64 > limit => Err(ApiError::invalid_request(format!(
            "invalid request: a label takes at most {limit} bytes ([limits] label_bytes), not {}",
            label.len()
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_kept_whole_or_refused() {
        assert_eq!(fits(None, 0), Ok(()));
        assert_eq!(fits(Some(""), 0), Ok(()));
        assert_eq!(fits(Some("four"), 4), Ok(()));
        let refused = fits(Some("ééé"), 4).unwrap_err();
        assert_eq!(refused.code, "invalid_request");
        assert!(refused.message.ends_with("not 6"), "{}", refused.message);
    }
}
