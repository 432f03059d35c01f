//! Stand-in.
#![allow(missing_docs)]
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    Title(String),
    Cwd(PathBuf),
    EngineReset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScrollMetrics {
    pub offset_from_bottom: u64,
    pub max_offset_from_bottom: u64,
    pub viewport_rows: u64,
}

pub struct Screen {
    size: Size,
    revision: u64,
    pub text: Vec<u8>,
}

impl Screen {
    pub fn new(size: Size, _scrollback_rows: usize) -> Screen {
        Screen {
            size,
            revision: 0,
            text: Vec::new(),
        }
    }
    pub fn feed(&mut self, bytes: &[u8]) {
        self.revision += 1;
        self.text.extend_from_slice(bytes);
        let excess = self.text.len().saturating_sub(1 << 20);
        self.text.drain(..excess);
    }
    pub fn take_replies(&mut self) -> Vec<u8> {
        Vec::new()
    }
    pub fn take_notes(&mut self) -> Vec<Note> {
        Vec::new()
    }
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.revision += 1;
    }
    pub fn scroll_metrics(&self) -> ScrollMetrics {
        ScrollMetrics {
            viewport_rows: u64::from(self.size.rows),
            ..Default::default()
        }
    }
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
