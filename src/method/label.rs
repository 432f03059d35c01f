//! Labels of workspaces, tabs and panes: any text, but not any length.

use crate::api::ApiError;

/// Bytes that a label may have. herdr 0.9.3 has no limit, but every label is in every snapshot and
/// in the events about its owner: a few of a mebibyte each, and no client takes the answer any more.
const LABEL_LIMIT: usize = 4096;

/// # Errors
/// `invalid_request`, if the label is too long to be kept.
pub fn check(label: Option<&str>) -> Result<(), ApiError> {
    match label {
        Some(label) if label.len() > LABEL_LIMIT => Err(ApiError::invalid_request(format!(
            "invalid request: a label takes at most {LABEL_LIMIT} bytes, not {}",
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
        assert_eq!(check(None), Ok(()));
        assert_eq!(check(Some("")), Ok(()));
        assert_eq!(check(Some(&"x".repeat(LABEL_LIMIT))), Ok(()));
        let refused = check(Some(&"é".repeat(LABEL_LIMIT / 2 + 1))).unwrap_err();
        assert_eq!(refused.code, "invalid_request");
        assert!(refused.message.contains("4098"), "{}", refused.message);
    }
}
