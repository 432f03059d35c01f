//! Pages of a program that scrolls its own text, put together into one text: pure.
//!
//! A full-screen program draws something around what it scrolls, such as an input field, and that
//! stays where it is. What is the same on two pages but so many rows further down has been scrolled.

/// Rows that two pages must share, further down on one, for it to be the same text. Fewer could be
/// alike by chance.
const ALIKE: usize = 3;

/// Rows at the top that may say something else on every page, such as how much is above.
const HEADING: usize = 3;

/// What was seen so far, from the last page upwards.
#[derive(Debug)]
pub struct Pages {
    last: Vec<String>,
    now: Vec<String>,
    above: Vec<String>,
    /// Rows at the top of a page that are not scrolled.
    heading: usize,
}

impl Pages {
    /// Begins with the page that the program shows by itself.
    pub fn new(page: Vec<String>) -> Pages {
        Pages {
            now: page.clone(),
            last: page,
            above: Vec::new(),
            heading: 0,
        }
    }

    /// Takes the page that came after scrolling up: how many rows of it are new. None if it has
    /// nothing in common with the one before.
    pub fn up(&mut self, page: Vec<String>) -> Option<usize> {
        if page == self.now {
            return Some(0);
        }
        let (heading, shift) = shift(&self.now, &page)?;
        self.heading = heading;
        let fresh = page[heading..heading + shift].iter().cloned();
        self.above.splice(0..0, fresh);
        self.now = page;
        Some(shift)
    }

    /// Rows there are.
    pub fn len(&self) -> usize {
        self.above.len() + self.last.len()
    }

    /// All of it, the oldest row first.
    pub fn rows(&self) -> Vec<&str> {
        let heading = if self.above.is_empty() {
            0
        } else {
            self.heading
        };
        let last = self.last.iter().skip(heading);
        self.above.iter().chain(last).map(String::as_str).collect()
    }

    /// Whether this is the page that was shown at first.
    pub fn is_last(&self, page: &[String]) -> bool {
        self.last == page
    }
}

/// How many rows at the top stay, and how far the text below has moved down from `old` to `new`.
fn shift(old: &[String], new: &[String]) -> Option<(usize, usize)> {
    let height = old.len().min(new.len());
    let same = (0..height).take_while(|at| old[*at] == new[*at]).count();
    let mut best: Option<(usize, usize, usize)> = None;
    for heading in same..(same + HEADING).min(height) {
        for shift in 1..height - heading {
            let alike = (heading..height - shift)
                .take_while(|at| old[*at] == new[*at + shift])
                .filter(|at| !old[*at].trim().is_empty())
                .count();
            if alike >= ALIKE && best.is_none_or(|(most, ..)| alike > most) {
                best = Some((alike, heading, shift));
            }
        }
    }
    best.map(|(_, heading, shift)| (heading, shift))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A page of a program that shows `height` rows from `top` of its text.
    fn page(top: usize, height: usize, heading: bool) -> Vec<String> {
        let mut rows = vec!["My agent".to_owned()];
        if heading {
            rows.push(format!("{top} rows above"));
        }
        rows.extend((top..top + height).map(|row| format!("row {row}")));
        rows.extend(["────────".to_owned(), "> ".to_owned(), String::new()]);
        rows
    }

    #[test]
    fn what_stays_around_the_text_is_not_taken_for_text() {
        let mut pages = Pages::new(page(90, 10, true));
        assert_eq!(pages.up(page(87, 10, true)), Some(3));
        assert_eq!(pages.up(page(82, 10, true)), Some(5));
        assert_eq!(pages.up(page(82, 10, true)), Some(0));
        let rows = pages.rows();
        let expected: Vec<String> = (82..100).map(|row| format!("row {row}")).collect();
        assert_eq!(rows[..18], expected);
        assert_eq!(rows[18..], ["────────", "> ", ""]);
        assert!(pages.is_last(&page(90, 10, true)) && !pages.is_last(&page(82, 10, true)));
    }

    #[test]
    fn a_page_that_has_nothing_in_common_is_not_guessed_at() {
        let mut pages = Pages::new(page(90, 10, false));
        assert_eq!(pages.up(page(50, 10, false)), None);
        assert_eq!(pages.rows().len(), pages.len());
        assert_eq!(Pages::new(Vec::new()).up(Vec::new()), Some(0));
        assert_eq!(Pages::new(Vec::new()).up(vec!["x".to_owned()]), None);
    }

    proptest! {
        /// However far it is scrolled at a time, every row is there once.
        #[test]
        fn no_row_is_lost_or_doubled(
            steps in prop::collection::vec(1_usize..16, 1..12), height in 20_usize..40,
            heading in any::<bool>(),
        ) {
            let mut top = 200;
            let mut pages = Pages::new(page(top, height, heading));
            for step in steps {
                top -= step;
                prop_assert_eq!(pages.up(page(top, height, heading)), Some(step));
            }
            let expected: Vec<String> =
                (top..200 + height).map(|row| format!("row {row}")).collect();
            let rows = pages.rows();
            let rows: Vec<&str> = rows.into_iter().filter(|row| row.starts_with("row")).collect();
            prop_assert_eq!(rows, expected);
        }
    }
}
