//! The text of panes over a cold start, where the user turned that on.

use std::sync::Arc;

use crate::pane::{Format, Pane, ReadRequest, Source};
use crate::store::Key;
use crate::world::PaneKey;

use super::Shared;

/// How many rows are kept of a pane: as many as one reading gives.
const ROWS: u32 = 1_000;

/// The longest text that is kept of a pane, in bytes: the end of it. A thousand rows of a wide
/// screen, each cell with colours of its own, would be more than anybody reads again.
const MOST_BYTES: usize = 256 * 1024;

impl Shared {
    /// Queues the text of the panes that printed something since it was last saved. Locks screens,
    /// so never under the world's lock.
    pub(super) fn save_scrollback(&self) {
        if !self.config().experimental.pane_history {
            return;
        }
        for runtime in self.look().runtimes() {
            let pane = &runtime.pane;
            if pane.has_exited() || !runtime.is_unsaved(pane.revision()) {
                continue;
            }
            let text = pane.screen().read_primary(&ReadRequest {
                source: Source::RecentUnwrapped,
                lines: Some(ROWS),
                format: Format::Ansi,
            });
            let text = last_lines(text.text, MOST_BYTES);
            self.store
                .put(Key::Scrollback(pane.key().number()), Some(text));
        }
    }

    /// Prints the saved text of a pane onto its screen, before its new program prints anything.
    pub(super) fn show_scrollback(&self, key: PaneKey, pane: &Arc<Pane>) {
        if !self.config().experimental.pane_history {
            return;
        }
        match self.store.scrollback(key.number()) {
            Ok(Some(text)) if !text.is_empty() => {
                // Whatever colours were last, the prompt begins without.
                let text = text.trim_end_matches('\n').replace('\n', "\r\n");
                pane.screen().feed(format!("{text}\x1b[m\r\n").as_bytes());
            }
            Ok(_) => {}
            Err(error) => log::warn!("the text of pane {key} is not restored: {error}"),
        }
    }
}

/// The end of a text, from the beginning of a line on.
fn last_lines(mut text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let mut start = text.len() - most;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let start = text[start..]
        .find('\n')
        .map_or(start, |end| start + end + 1);
    text.split_off(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_of_the_end_are_kept() {
        let cut = |text: &str, most| last_lines(text.to_owned(), most);
        assert_eq!(cut("one\ntwo\nthree", 99), "one\ntwo\nthree");
        assert_eq!(cut("one\ntwo\nthree", 7), "three");
        assert_eq!(cut("äöü", 5), "öü", "a line that is too long is cut");
        assert_eq!(cut("äöü", 3), "ü");
    }
}
