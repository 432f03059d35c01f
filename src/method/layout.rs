//! `layout.*`: a tab as a tree, out and in.

use std::collections::BTreeMap;

use crate::api::params::{LayoutApplyParams, LayoutExportParams, LayoutSetSplitRatioParams};
use crate::api::records::{LayoutDescription, LayoutNode};
use crate::api::{ApiError, ResponseResult};
use crate::state::{Content, Launch, Leaf, Live, Place};
use crate::world::{Node, PaneKey, Split, TabId};

use super::workspace::{creation_failed, launch};
use super::{Call, arrange, find, label};

/// Panes of one tree (herdr 0.9.3, `layout.apply`).
const PANES_LIMIT: usize = 24;

/// How many splits may lie within each other (herdr 0.9.3, `layout.apply`).
const DEPTH_LIMIT: usize = 16;

pub fn export(call: &Call<'_>, p: LayoutExportParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let live = call.shared.look();
    let tab = target(&live, p.tab_id.as_deref(), p.pane_id.as_deref())?;
    Ok(ResponseResult::LayoutExport {
        layout: described(&live, tab)?,
    })
}

pub fn set_split_ratio(
    call: &Call<'_>,
    p: LayoutSetSplitRatioParams,
) -> Result<ResponseResult, ApiError> {
    if !p.ratio.is_finite() {
        return Err(ApiError::new("invalid_ratio", "ratio must be finite"));
    }
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let tab = target(&live, p.tab_id.as_deref(), p.pane_id.as_deref())?;
    let found = live
        .set_split_ratio(tab, &p.path, p.ratio)
        .map_err(|_| not_found())?;
    if !found {
        return Err(ApiError::new("split_not_found", "split path not found"));
    }
    Ok(ResponseResult::LayoutSplitRatioSet {
        layout: described(&live, tab)?,
    })
}

pub fn apply(call: &Call<'_>, p: LayoutApplyParams) -> Result<ResponseResult, ApiError> {
    let (place, root) = {
        let live = call.shared.look();
        let place = place(&live, p.tab_id.as_deref(), p.workspace_id.as_deref())?;
        check_shape(call, &p.root)?;
        (place, tree(&live, p.root, &mut Vec::new())?)
    };
    label::check(call, p.tab_label.as_deref())?;
    let root = prepared(call, root)?;
    let tab = call
        .shared
        .apply_layout(place, root, p.tab_label, p.focus)
        .map_err(|error| creation_failed(error, "layout_apply_failed"))?;
    call.shared.refresh_places();
    Ok(ResponseResult::LayoutApply {
        layout: described(&call.shared.look(), tab)?,
    })
}

/// The tab that is named, itself or by a pane; else the active one.
fn target(live: &Live, tab: Option<&str>, pane: Option<&str>) -> Result<TabId, ApiError> {
    let found = match (tab, pane) {
        (Some(_), Some(_)) => None,
        (Some(id), None) => live.world.find_tab(id),
        (None, Some(id)) => {
            let pane = live
                .world
                .find_pane(id)
                .and_then(|key| live.world.pane(key));
            pane.map(|pane| pane.tab())
        }
        (None, None) => live.world.focus().map(|focus| focus.tab),
    };
    found.ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::new("layout_not_found", "layout target not found")
}

fn described(live: &Live, tab: TabId) -> Result<LayoutDescription, ApiError> {
    live.layout_description(tab).ok_or_else(not_found)
}

/// Where the tree goes, checked in herdr 0.9.3's order.
fn place(live: &Live, tab: Option<&str>, workspace: Option<&str>) -> Result<Place, ApiError> {
    let instead_of = tab.map(|id| find::tab(live, id)).transpose()?;
    let workspace = match (instead_of, workspace) {
        (Some(_), Some(_)) => {
            return Err(ApiError::new(
                "invalid_target",
                "use either tab_id or workspace_id, not both",
            ));
        }
        (Some(tab), None) => tab.workspace,
        (None, Some(id)) => find::workspace(live, id)?,
        (None, None) => live
            .world
            .active_workspace()
            .ok_or_else(|| ApiError::new("workspace_not_found", "no active workspace"))?,
    };
    Ok(Place {
        workspace,
        instead_of,
    })
}

fn invalid(words: impl Into<String>) -> ApiError {
    ApiError::new("invalid_layout", words.into())
}

/// Refuses a tree that is too large, or has a leaf or a ratio that cannot be.
fn check_shape(call: &Call<'_>, root: &LayoutNode) -> Result<(), ApiError> {
    let mut panes = 0;
    // Level by level rather than by recursion: the decoder bounds the depth, but by its own number.
    let mut nodes = vec![(root, 0)];
    while let Some((node, depth)) = nodes.pop() {
        match node {
            LayoutNode::Pane { command, label, .. } => {
                panes += 1;
                if panes > PANES_LIMIT {
                    return Err(invalid(format!(
                        "a layout takes at most {PANES_LIMIT} panes"
                    )));
                }
                if command.as_ref().is_some_and(Vec::is_empty) {
                    return Err(invalid("pane command must not be empty"));
                }
                label::check(call, label.as_deref())?;
            }
            LayoutNode::Split {
                ratio,
                first,
                second,
                ..
            } => {
                if depth >= DEPTH_LIMIT {
                    return Err(invalid(format!(
                        "the splits of a layout lie at most {DEPTH_LIMIT} deep"
                    )));
                }
                if !ratio.is_finite() {
                    return Err(invalid("split ratio must be finite"));
                }
                nodes.push((second, depth + 1));
                nodes.push((first, depth + 1));
            }
        }
    }
    Ok(())
}

/// A leaf of a tree whose panes were looked up.
enum Found {
    /// It is there.
    Present(PaneKey),
    /// It is to be started.
    New {
        cwd: Option<String>,
        command: Option<Vec<String>>,
        env: BTreeMap<String, String>,
    },
}

/// The tree with its panes looked up, and what each is to be called: those that are there move, the
/// others are new. `seen` gathers the first kind.
fn tree(
    live: &Live,
    node: LayoutNode,
    seen: &mut Vec<PaneKey>,
) -> Result<Node<(Found, Option<String>)>, ApiError> {
    Ok(match node {
        LayoutNode::Pane {
            pane_id,
            label,
            cwd,
            command,
            env,
        } => {
            let present = pane_id.as_deref().and_then(|id| live.world.find_pane(id));
            let found = match present {
                Some(key) if seen.contains(&key) => {
                    let id = pane_id.unwrap_or_default();
                    return Err(invalid(format!("pane {id} appears more than once")));
                }
                Some(key) => {
                    seen.push(key);
                    Found::Present(key)
                }
                None => Found::New { cwd, command, env },
            };
            Node::Pane((found, label))
        }
        LayoutNode::Split {
            direction,
            ratio,
            first,
            second,
        } => Node::Split(Box::new(Split {
            axis: arrange::axis(direction),
            ratio,
            first: tree(live, *first, seen)?,
            second: tree(live, *second, seen)?,
        })),
    })
}

/// The tree with what its new panes are started with. Asks who is calling, hence without the lock.
fn prepared(call: &Call<'_>, root: Node<(Found, Option<String>)>) -> Result<Node<Leaf>, ApiError> {
    let mut refused = None;
    let root = root.map(&mut |(found, label)| {
        let content = match found {
            Found::Present(key) => Content::Present(key),
            Found::New { cwd, command, env } => match launch(call, cwd, env, None) {
                Ok(launch) => Content::New(Launch {
                    argv: command,
                    ..launch
                }),
                Err(error) => {
                    refused.get_or_insert(error);
                    Content::New(Launch::default())
                }
            },
        };
        Leaf { content, label }
    });
    match refused {
        Some(error) => Err(error),
        None => Ok(root),
    }
}
