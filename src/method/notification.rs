//! `notification.show`.

use crate::api::params::NotificationShowParams;
use crate::api::records::NotificationShowReason;
use crate::api::{ApiError, ResponseResult};
use crate::config::ToastDelivery;
use crate::state::Speaker;

use super::{Call, rate};

/// Characters of a title that are shown (herdr 0.9.3).
const TITLE_LIMIT: usize = 80;

pub fn show(call: &Call<'_>, p: NotificationShowParams) -> Result<ResponseResult, ApiError> {
    let title = clean(&p.title, TITLE_LIMIT);
    if title.is_empty() {
        return Err(ApiError::new(
            "invalid_params",
            "notification title is empty",
        ));
    }
    let speaker = call.place().pane().map_or(Speaker::Outside, Speaker::Pane);
    rate::take(call, speaker)?;
    // A toast needs a person's terminal to appear on, and none can be attached to this daemon, so
    // whatever the delivery, nothing is shown, and that is what the answer says.
    let reason = match call.shared.config().ui.toast_delivery {
        ToastDelivery::Off => NotificationShowReason::Disabled,
        ToastDelivery::Herdr | ToastDelivery::Terminal | ToastDelivery::System => {
            NotificationShowReason::NoForegroundClient
        }
    };
    Ok(ResponseResult::NotificationShow {
        shown: false,
        reason,
    })
}

/// Text on one line without control characters, of at most `limit` characters (herdr 0.9.3).
fn clean(text: &str, limit: usize) -> String {
    let mut cleaned = String::new();
    for word in text.split([' ', '\t', '\r', '\n']) {
        let mut word = word.chars().filter(|c| !c.is_control()).peekable();
        if word.peek().is_some() && !cleaned.is_empty() {
            cleaned.push(' ');
        }
        cleaned.extend(word);
    }
    let cut = cleaned
        .char_indices()
        .nth(limit)
        .map_or(cleaned.len(), |(at, _)| at);
    cleaned.truncate(cut);
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cleaned_to_one_short_line() {
        assert_eq!(clean(" a\n\tb  c\u{7}\u{1b}[1m ", 80), "a b c[1m");
        assert_eq!(clean(&"ž".repeat(100), 80).chars().count(), 80);
        assert_eq!(clean("\u{1}\n \t", 80), "");
    }
}
