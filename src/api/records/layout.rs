//! Where panes lie: the measured snapshot of a tab, and the tree that can rebuild one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::records::SplitDirection;

/// Where the panes and splits of one tab lie, in cells (herdr 0.9.3, `pane.layout`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLayoutSnapshot {
    pub workspace_id: String,
    pub tab_id: String,
    pub zoomed: bool,
    pub area: PaneLayoutRect,
    /// Focused within the tab, whether or not the tab is active.
    pub focused_pane_id: String,
    /// In tree order, with their unzoomed places also while zoomed.
    pub panes: Vec<PaneLayoutPane>,
    /// In pre-order.
    pub splits: Vec<PaneLayoutSplit>,
}

/// An area of the screen in cells, counted from its top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PaneLayoutRect {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

/// A pane's place in its tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLayoutPane {
    pub pane_id: String,
    /// Focused within the tab, whether or not the tab is active.
    pub focused: bool,
    /// Includes the pane's border cells.
    pub rect: PaneLayoutRect,
}

/// A split's place in its tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLayoutSplit {
    /// `split_<pre-order index>_<path>`; the path is `root` or one digit a level, 0 for the first
    /// child.
    pub id: String,
    pub direction: SplitDirection,
    /// Share of the first child, 0.1 to 0.9.
    pub ratio: f32,
    /// The area it divides, before borders.
    pub rect: PaneLayoutRect,
}

/// A tab as a tree that `layout.apply` can build again (herdr 0.9.3, `layout.export`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutDescription {
    pub workspace_id: String,
    pub tab_id: String,
    pub zoomed: bool,
    pub focused_pane_id: String,
    pub root: LayoutNode,
}

/// One node of a layout tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LayoutNode {
    /// A pane.
    Pane {
        /// Given on output, ignored on input.
        #[serde(skip_serializing_if = "Option::is_none")]
        pane_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// Argument vector, run without a shell.
        #[serde(skip_serializing_if = "Option::is_none")]
        command: Option<Vec<String>>,
        /// Read on input, never given on output.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
    },
    /// Two nodes side by side or one above the other.
    Split {
        direction: SplitDirection,
        /// Share of `first`; clamped to 0.1 to 0.9.
        ratio: f32,
        first: Box<LayoutNode>,
        second: Box<LayoutNode>,
    },
}
