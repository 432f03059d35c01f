//! `pane.move`.

use crate::api::params::{PaneMoveDestination, PaneMoveParams};
use crate::api::{ApiError, ResponseResult};
use crate::state::Live;
use crate::world::{DEFAULT_RATIO, Destination, PaneKey, WorldError};

use super::{Call, arrange, find, label};

pub fn move_to(call: &Call<'_>, p: PaneMoveParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    let mut live = call.shared.change();
    let key = live
        .world
        .find_pane(&p.pane_id)
        .ok_or_else(|| ApiError::new("pane_not_found", "source pane not found"))?;
    let destination = destination(call, &live, key, p.destination)?;
    let move_result = live
        .move_pane(key, destination, p.focus, &call.shared.deadlines)
        .map_err(|error| match error {
            WorldError::PaneGone => ApiError::new("pane_not_found", "source pane not found"),
            other => find::gone(other, "pane_move_failed"),
        })?;
    Ok(ResponseResult::PaneMove { move_result })
}

fn destination(
    call: &Call<'_>,
    live: &Live,
    key: PaneKey,
    wanted: PaneMoveDestination,
) -> Result<Destination, ApiError> {
    Ok(match wanted {
        PaneMoveDestination::Tab {
            tab_id,
            split,
            target_pane_id,
            ratio,
        } => {
            let id = find::tab(live, &tab_id)?;
            let tab = live.world.tab(id).ok_or_else(|| find::no_tab(&tab_id))?;
            let target = match target_pane_id {
                None => tab.focused(),
                Some(pane_id) => {
                    let refused = |words: String| ApiError::new("target_pane_not_found", words);
                    let target = live
                        .world
                        .find_pane(&pane_id)
                        .ok_or_else(|| refused(format!("target pane {pane_id} not found")))?;
                    if !tab.panes().contains(&target) {
                        return Err(refused(format!(
                            "target pane {pane_id} is not in tab {tab_id}"
                        )));
                    }
                    target
                }
            };
            Destination::Beside {
                target,
                axis: arrange::axis(split),
                ratio: ratio.unwrap_or(DEFAULT_RATIO),
            }
        }
        PaneMoveDestination::NewTab {
            workspace_id,
            label: name,
        } => {
            label::check(call, name.as_deref())?;
            let workspace = match workspace_id {
                Some(id) => find::workspace(live, &id)?,
                None => {
                    let place = live.world.pane(key).map(|pane| pane.tab().workspace);
                    place.ok_or_else(|| ApiError::new("pane_not_found", "source pane not found"))?
                }
            };
            Destination::NewTab {
                workspace,
                label: name,
            }
        }
        PaneMoveDestination::NewWorkspace {
            label: name,
            tab_label,
        } => {
            label::check(call, name.as_deref())?;
            label::check(call, tab_label.as_deref())?;
            Destination::NewWorkspace {
                label: name,
                tab_label,
            }
        }
    })
}
