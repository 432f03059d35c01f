//! Terminal titles, as herdr 0.9.3 shows them, and when a new one is news.

use std::time::{Duration, Instant};

/// A pane's titles are announced at most this often, besides when its output comes to rest: a
/// program that titles in a loop must not drown those who listen for other panes.
const ANNOUNCED_EVERY: Duration = Duration::from_millis(100);

/// The latest title a program set, and what of it was announced.
#[derive(Debug, Default)]
pub struct Title {
    text: Option<String>,
    /// The last one that was announced, stripped, and when.
    announced: Option<String>,
    announced_at: Option<Instant>,
}

impl Title {
    /// A title that was announced before this process began.
    pub fn restored(text: Option<String>) -> Title {
        let mut title = Title::default();
        title.set(text);
        title.announced = title.stripped().map(str::to_owned);
        title
    }

    /// Takes a new title; an empty one is none.
    pub fn set(&mut self, text: Option<String>) {
        self.text = text.filter(|text| !text.is_empty());
    }

    /// The whole title.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The title without one leading activity glyph; none when nothing else is left.
    pub fn stripped(&self) -> Option<&str> {
        stripped(self.text()?)
    }

    /// Whether what is left without the glyph was not announced yet.
    pub fn is_news(&self) -> bool {
        self.stripped() != self.announced.as_deref()
    }

    /// Whether the last announcement is so long ago that the next need not wait for a rest.
    pub fn may_announce(&self, now: Instant) -> bool {
        self.announced_at
            .is_none_or(|at| now.saturating_duration_since(at) >= ANNOUNCED_EVERY)
    }

    /// Counts the present title as announced.
    pub fn mark_announced(&mut self, now: Instant) {
        self.announced = self.stripped().map(str::to_owned);
        self.announced_at = Some(now);
    }
}

/// Glyphs that agents put before a title to show that they are busy, besides Braille cells.
const ACTIVITY: &str = "·✢✳✶✻✽◐◓◑◒";

/// A title without one leading activity glyph, if that glyph stands alone or before white space.
/// None when nothing is left.
fn stripped(title: &str) -> Option<&str> {
    let mut rest = title.trim();
    if let Some(first) = rest.chars().next()
        && (ACTIVITY.contains(first) || ('\u{2800}'..='\u{28ff}').contains(&first))
    {
        let after = &rest[first.len_utf8()..];
        if after.is_empty() || after.starts_with(char::is_whitespace) {
            rest = after.trim();
        }
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_leading_activity_glyph_does_not_count() {
        assert_eq!(stripped("⠋ fix"), Some("fix"));
        assert_eq!(stripped("✻  two  words "), Some("two  words"));
        assert_eq!(stripped("⠋"), None);
        assert_eq!(stripped("✳ ⠋ x"), Some("⠋ x"), "only one");
        assert_eq!(stripped("·fix"), Some("·fix"), "it has to stand alone");
        assert_eq!(stripped("plain"), Some("plain"));
        assert_eq!(stripped("  "), None);
    }

    #[test]
    fn a_title_is_news_once_and_a_flood_of_titles_waits() {
        let start = Instant::now();
        let mut title = Title::default();
        assert!(!title.is_news());
        title.set(Some("build".into()));
        assert!(title.is_news() && title.may_announce(start));
        title.mark_announced(start);
        title.set(Some("⠋ build".into()));
        assert!(!title.is_news(), "only the glyph differs");
        title.set(Some("test".into()));
        assert!(title.is_news() && !title.may_announce(start));
        assert!(title.may_announce(start + ANNOUNCED_EVERY));
        title.set(Some(String::new()));
        assert_eq!((title.text(), title.is_news()), (None, true));
    }
}
