//! What a terminal keeps beside its grid, in a checkpoint. Answers and notes are not: they are on
//! their way already.

use super::{CHARSETS, CheckpointError, Reader, Writer};
use crate::pane::dispatch::DCS_MAX;
use crate::pane::osc::{LINK_MAX, PARTS_MAX};
use crate::pane::side::{
    KITTY_STACK_MAX, KittyKeyboard, PartialNotification, Progress, Said, Side, TITLE_MAX,
    TITLE_STACK_MAX,
};

/// Bytes of a title: four a character.
const TITLE_BYTES: usize = TITLE_MAX * 4;

pub(super) fn save_said(said: &Said, writer: &mut Writer) {
    writer.option(said.title.as_deref(), |writer, title| writer.text(title));
    writer.option(said.progress, |writer, progress| {
        let (kind, percent) = match progress {
            Progress::None => (0, 0),
            Progress::Running(percent) => (1, percent),
            Progress::Failed(percent) => (2, percent),
            Progress::Indeterminate => (3, 0),
            Progress::Paused(percent) => (4, percent),
        };
        writer.byte(kind);
        writer.byte(percent);
    });
}

pub(super) fn restore_said(reader: &mut Reader) -> Result<Said, CheckpointError> {
    let title = reader.option(|reader| Ok(reader.text(TITLE_BYTES)?.to_owned()))?;
    let progress = reader.option(|reader| {
        let (kind, percent) = (reader.byte()?, reader.byte()?);
        match (kind, percent) {
            (0, 0) => Ok(Progress::None),
            (1, 0..=100) => Ok(Progress::Running(percent)),
            (2, 0..=100) => Ok(Progress::Failed(percent)),
            (3, 0) => Ok(Progress::Indeterminate),
            (4, 0..=100) => Ok(Progress::Paused(percent)),
            _ => Err(CheckpointError::Damaged),
        }
    })?;
    Ok(Said { title, progress })
}

impl Side {
    pub(super) fn save(&self, writer: &mut Writer) {
        let title = |writer: &mut Writer, title: &Option<String>| {
            writer.option(title.as_deref(), |writer, title| writer.text(title));
        };
        title(writer, &self.title);
        writer.size(self.titles_aside.len());
        for aside in &self.titles_aside {
            title(writer, aside);
        }
        for kitty in &self.kitty {
            writer.byte(kitty.flags);
            writer.bytes(&kitty.aside);
        }
        writer.flag(self.synchronized_output);
        writer.byte(self.active_charset as u8);
        writer.option(self.last_printed, |writer, character| {
            writer.number(character.into());
        });
        writer.size(self.scroll_region.0);
        writer.size(self.scroll_region.1);
        let stops = self.tabs.columns();
        for eight in stops.chunks(8) {
            let bits = eight.iter().enumerate();
            writer.byte(bits.fold(0, |byte, (bit, stop)| byte | u8::from(*stop) << bit));
        }
        writer.text(&self.partial_notification.id);
        writer.text(&self.partial_notification.title);
        writer.text(&self.partial_notification.body);
        writer.option(self.query.as_deref(), |writer, query| writer.bytes(query));
    }

    pub(super) fn restore(
        reader: &mut Reader,
        columns: usize,
        rows: usize,
    ) -> Result<Side, CheckpointError> {
        let title =
            |reader: &mut Reader| reader.option(|reader| Ok(reader.text(TITLE_BYTES)?.to_owned()));
        let mut side = Side::new(columns, rows);
        side.title = title(reader)?;
        for _ in 0..reader.size(TITLE_STACK_MAX)? {
            side.titles_aside.push(title(reader)?);
        }
        for kitty in &mut side.kitty {
            *kitty = KittyKeyboard {
                flags: reader.byte()?,
                aside: reader.bytes(KITTY_STACK_MAX)?.to_vec(),
            };
        }
        side.synchronized_output = reader.flag()?;
        side.active_charset = *CHARSETS
            .get(usize::from(reader.byte()?))
            .ok_or(CheckpointError::Damaged)?;
        side.last_printed = reader.option(|reader| {
            u32::try_from(reader.number()?)
                .ok()
                .and_then(char::from_u32)
                .ok_or(CheckpointError::Damaged)
        })?;
        let (top, bottom) = (reader.size(rows - 1)?, reader.size(rows - 1)?);
        // A region of one row can only be the last.
        if top > bottom || (top == bottom && bottom + 1 < rows) {
            return Err(CheckpointError::Damaged);
        }
        side.scroll_region = (top, bottom);
        for first in (0..columns).step_by(8) {
            let bits = reader.byte()?;
            for bit in 0..8 {
                side.tabs.set(first + bit, bits >> bit & 1 == 1);
            }
        }
        side.partial_notification = PartialNotification {
            id: reader.text(LINK_MAX)?.to_owned(),
            title: reader.text(PARTS_MAX)?.to_owned(),
            body: reader.text(PARTS_MAX)?.to_owned(),
        };
        side.query = reader.option(|reader| Ok(reader.bytes(DCS_MAX)?.to_vec()))?;
        Ok(side)
    }
}
