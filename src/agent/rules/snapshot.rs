//! What rules are matched against: the bottom of the screen, the title, the progress.

use std::cell::OnceCell;

use super::region::Region;

/// What a pane shows at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Snapshot<'a> {
    /// The screen's rows, joined by newlines, without blank rows below the last text.
    pub screen: &'a str,
    /// The terminal title as the program set it; empty without one.
    pub title: &'a str,
    /// The last progress report in the form `4;STATE` or `4;STATE;PERCENT`; empty without one.
    pub progress: &'a str,
}

/// The text of one region, in the forms that matchers ask for.
#[derive(Debug, Default)]
pub(super) struct RegionText {
    pub(super) text: String,
    lower: OnceCell<String>,
}

impl RegionText {
    pub(super) fn new(text: String) -> RegionText {
        RegionText {
            text,
            lower: OnceCell::new(),
        }
    }

    /// The text in lower case, made when the first matcher asks.
    pub(super) fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_lowercase())
    }
}

/// The regions of one snapshot that were asked for so far. Manifests use a handful, again and
/// again.
#[derive(Debug)]
pub(super) struct Regions<'a> {
    snapshot: Snapshot<'a>,
    made: Vec<(Region, RegionText)>,
}

impl<'a> Regions<'a> {
    pub(super) fn new(snapshot: Snapshot<'a>) -> Regions<'a> {
        Regions {
            snapshot,
            made: Vec::new(),
        }
    }

    pub(super) fn get(&mut self, region: Region) -> &RegionText {
        let at = match self.made.iter().position(|(made, _)| *made == region) {
            Some(at) => at,
            None => {
                let text = region.of(&self.snapshot);
                self.made.push((region, RegionText::new(text)));
                self.made.len() - 1
            }
        };
        &self.made[at].1
    }
}
