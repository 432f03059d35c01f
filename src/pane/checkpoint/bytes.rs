//! The plain parts that a checkpoint is made of: numbers, byte strings and texts, written without
//! fail and read without trust.

use super::CheckpointError;

/// Appends to a checkpoint.
pub(in crate::pane) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Bytes after which what takes much room is left out.
    limit: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, limit: usize) -> Self {
        Writer { out, limit }
    }

    pub(super) fn length(&self) -> usize {
        self.out.len()
    }

    /// Takes back what was written beyond `length`.
    pub(super) fn truncate(&mut self, length: usize) {
        self.out.truncate(length);
    }

    /// Whether there is no room any more for what can be left out.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() >= self.limit
    }

    #[inline]
    pub(in crate::pane) fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    pub(in crate::pane) fn flag(&mut self, flag: bool) {
        self.byte(flag.into());
    }

    /// Seven bits a byte, the lowest first; small numbers take one byte.
    #[inline]
    pub(in crate::pane) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    pub(in crate::pane) fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    /// Bytes without their number.
    #[inline]
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// One byte of each item, without their number.
    #[inline]
    pub(super) fn raw_each(&mut self, bytes: impl Iterator<Item = u8>) {
        self.out.extend(bytes);
    }

    pub(super) fn character(&mut self, character: char) {
        self.out
            .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    pub(in crate::pane) fn bytes(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.raw(bytes);
    }

    pub(in crate::pane) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Nothing, or one item.
    pub(in crate::pane) fn option<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T),
    ) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Takes a checkpoint apart. Every function fails rather than going beyond the end or beyond the
/// bound it is given.
#[derive(Clone, Copy)]
pub(in crate::pane) struct Reader<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, CheckpointError>;

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn raw(&mut self, length: usize) -> Read<&'a [u8]> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(CheckpointError::Damaged)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(in crate::pane) fn byte(&mut self) -> Read<u8> {
        let (&byte, rest) = self.rest.split_first().ok_or(CheckpointError::Damaged)?;
        self.rest = rest;
        Ok(byte)
    }

    pub(in crate::pane) fn flag(&mut self) -> Read<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(CheckpointError::Damaged),
        }
    }

    pub(in crate::pane) fn number(&mut self) -> Read<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(CheckpointError::Damaged)
    }

    /// A number of at most `most`.
    pub(in crate::pane) fn size(&mut self, most: usize) -> Read<usize> {
        usize::try_from(self.number()?)
            .ok()
            .filter(|size| *size <= most)
            .ok_or(CheckpointError::Damaged)
    }

    /// The character at the start, which may be no control character but a tab: the grid holds no
    /// others.
    pub(super) fn character(&mut self) -> Read<char> {
        let length = match self.rest.first() {
            Some(0x00..=0x7f) => 1,
            Some(0xc2..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..=0xf4) => 4,
            _ => return Err(CheckpointError::Damaged),
        };
        let text = std::str::from_utf8(self.raw(length)?).map_err(|_| CheckpointError::Damaged)?;
        text.chars()
            .next()
            .filter(|character| *character == '\t' || !character.is_control())
            .ok_or(CheckpointError::Damaged)
    }

    pub(in crate::pane) fn bytes(&mut self, most: usize) -> Read<&'a [u8]> {
        let length = self.size(most)?;
        self.raw(length)
    }

    pub(in crate::pane) fn text(&mut self, most: usize) -> Read<&'a str> {
        std::str::from_utf8(self.bytes(most)?).map_err(|_| CheckpointError::Damaged)
    }

    pub(in crate::pane) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<Option<T>> {
        Ok(if self.flag()? {
            Some(read(self)?)
        } else {
            None
        })
    }
}
