//! Workspaces, tabs, panes, their layout and the focus, as plain data.
//!
//! Nothing here does I/O, reads a clock or starts a thread. Creation has two phases: `reserve_*`
//! hands out ids, so that a process can be started under them, and `insert_*` makes the result
//! visible. Reserved ids are spent even when the process could not be started. Every mutation
//! says in its answer what happened; turning that into events is the caller's business.

mod arrange;
mod close;
mod create;
mod focus;
mod geometry;
mod ids;
mod layout;
mod neighbour;
mod rebuild;
mod relocate;
mod resize;
mod saved;
mod snapshot;
mod spelling;
mod tab;
mod tree;
mod workspace;

#[cfg(test)]
mod properties;

pub use arrange::{BlockError, SwapRefusal, ZoomChange, ZoomMode, ZoomRefusal};
pub use close::{Extent, Removal};
pub use create::{NewPane, NewTab, NewWorkspace};
pub use focus::{Focus, FocusSignature};
pub use geometry::{DEFAULT_AREA, Geometry, Rect, TerminalSize, terminal_size};
pub use ids::{PaneId, PaneKey, TabId, WorkspaceId};
pub use layout::{
    Axis, DEFAULT_RATIO, Layout, MAX_PANES_PER_TAB, MAX_RATIO, MIN_RATIO, Node, Split, SplitPlace,
    clamp_ratio,
};
pub use neighbour::Side;
pub use rebuild::{NewLayout, splitting_order};
pub use relocate::{Destination, Relocation, Unmoved};
pub use resize::resize_amount;
pub use saved::{Inconsistent, SavedNode, SavedOrder, SavedPlace, SavedTab, SavedWorkspace};
pub use snapshot::{LayoutSnapshot, PanePlace};
pub use tab::Tab;
pub use tree::{Pane, World, WorldError};
pub use workspace::Workspace;
