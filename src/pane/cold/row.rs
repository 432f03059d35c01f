//! What is read of packed scrollback: rows at some width, and lines as they are kept.

use std::ops::Range;

use alacritty_terminal::term::cell::Hyperlink;

use super::chunk::{Linked, Run};
use crate::pane::pen::Pen;

/// One row of packed scrollback at some width.
#[derive(Debug, Clone, Copy)]
pub(in crate::pane) struct ColdRow<'a> {
    pub(super) text: &'a str,
    /// The runs of the whole line, of which the first `skip` bytes lie in rows above.
    pub(super) runs: &'a [Run],
    pub(super) pens: &'a [Pen],
    pub(super) skip: usize,
    /// The links of the whole chunk, in whose text the row's begins at `start`.
    pub(super) links: &'a [Linked],
    pub(super) start: usize,
    pub(super) wrapped: bool,
}

impl<'a> ColdRow<'a> {
    /// The row's text, with blanks where it was drawn as blanks.
    pub(in crate::pane) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the row below goes on with the same logical line.
    pub(in crate::pane) fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// Gives the row's pieces of equal look and of one link, or none, left to right.
    pub(in crate::pane) fn visit_pieces(
        &self,
        mut visit: impl FnMut(&'a str, Pen, Option<&'a Hyperlink>),
    ) {
        let mut at = self.start;
        self.visit_runs(|run, pen| {
            let mut rest = run;
            while !rest.is_empty() {
                let (length, link) = self.link_at(at, rest.len());
                // Links begin and end where characters do; what is damaged is no link.
                let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
                visit(piece, pen, link);
                at += piece.len();
                rest = behind;
            }
        });
    }

    /// How many of the next bytes of text, at most `most`, are one link or none, and which.
    fn link_at(&self, at: usize, most: usize) -> (usize, Option<&'a Hyperlink>) {
        let next = self.links.partition_point(|piece| piece.end as usize <= at);
        match self.links.get(next) {
            None => (most, None),
            Some(piece) if piece.start as usize <= at => {
                (most.min(piece.end as usize - at), Some(&piece.link))
            }
            Some(piece) => (most.min(piece.start as usize - at), None),
        }
    }

    /// Gives the row's pieces of equal look, left to right.
    pub(in crate::pane) fn visit_runs(&self, mut visit: impl FnMut(&'a str, Pen)) {
        if self.runs.is_empty() {
            visit(self.text, Pen::default());
            return;
        }
        let row_end = self.skip + self.text.len();
        let mut run_start = 0;
        // Runs end where rows once ended, so two in a row may look the same.
        let mut piece = 0..0;
        let mut drawn = Pen::default();
        for run in self.runs {
            let run_end = run_start + usize::from(run.bytes);
            let (from, to) = (run_start.max(self.skip), run_end.min(row_end));
            if from < to {
                let pen = self
                    .pens
                    .get(usize::from(run.pen))
                    .copied()
                    .unwrap_or_default();
                if pen != drawn && !piece.is_empty() {
                    visit(&self.text[piece.clone()], drawn);
                    piece.start = piece.end;
                }
                drawn = pen;
                piece.end = to - self.skip;
            }
            if run_end >= row_end {
                break;
            }
            run_start = run_end;
        }
        if !piece.is_empty() {
            visit(&self.text[piece], drawn);
        }
    }
}

/// A line as it is kept, or a piece of one where a chunk ended within it.
#[derive(Debug, Clone, Copy)]
pub(in crate::pane) struct Piece<'a> {
    /// UTF-8.
    pub(in crate::pane) text: &'a [u8],
    /// None if all of it is in the default pen.
    pub(in crate::pane) runs: &'a [Run],
    /// What the runs' numbers mean; the same slice in all pieces of a chunk.
    pub(in crate::pane) pens: &'a [Pen],
    /// The links of the whole chunk, in whose text this one's begins at `start`.
    pub(super) links: &'a [Linked],
    pub(super) start: usize,
    /// As in [`Line`].
    pub(in crate::pane) continues: bool,
    /// As in [`Line`].
    pub(in crate::pane) blank_end: bool,
}

impl<'a> Piece<'a> {
    /// Which bytes of the text are links.
    pub(in crate::pane) fn links(&self) -> impl Iterator<Item = (Range<usize>, &'a Hyperlink)> {
        let (start, end) = (self.start, self.start + self.text.len());
        let first = self
            .links
            .partition_point(|piece| piece.end as usize <= start);
        self.links[first..]
            .iter()
            .take_while(move |piece| (piece.start as usize) < end)
            .map(move |piece| {
                let from = (piece.start as usize).max(start) - start;
                let to = (piece.end as usize).min(end) - start;
                (from..to, &piece.link)
            })
    }
}
