//! `server.agent_manifests`, `server.reload_agent_manifests`, `agent.explain`: the rules that read
//! agents' screens, and what they see.

use crate::agent::Kind;
use crate::api::params::{AgentTarget, EmptyParams};
use crate::api::records::AgentManifestInfo;
use crate::api::{ApiError, ResponseResult};
use crate::manifests::{self, Library};
use crate::state::Picture;

use super::{Call, find};

pub fn list(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    let status = call.shared.library.status();
    Ok(ResponseResult::AgentManifestStatus {
        manifests: infos(&call.shared.library),
        last_check_unix: status.last_check_unix,
        last_result: status.last_result,
    })
}

pub fn reload(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    call.shared.reload_manifests();
    Ok(ResponseResult::AgentManifestReload {
        manifests: infos(&call.shared.library),
    })
}

/// One entry per known agent (herdr 0.9.3).
fn infos(library: &Library) -> Vec<AgentManifestInfo> {
    Kind::all()
        .map(|kind| {
            let chosen = library.of(kind);
            let download = chosen.download.as_ref();
            AgentManifestInfo {
                agent: kind.label().to_owned(),
                source: chosen.origin.name(),
                source_kind: chosen.origin.kind().to_owned(),
                active_version: chosen.version().map(str::to_owned),
                cached_remote_version: chosen
                    .downloaded_version
                    .as_ref()
                    .map(|version| version.as_str().to_owned()),
                local_override_shadowing_remote: chosen.shadows_download(),
                remote_last_checked_unix: download.map(|download| download.checked_unix),
                remote_update_result: download.map(|download| download.result.clone()),
                remote_update_error: download.and_then(|download| download.error.clone()),
                warning: chosen.warning.clone(),
            }
        })
        .collect()
}

pub fn explain(call: &Call<'_>, p: AgentTarget) -> Result<ResponseResult, ApiError> {
    let (runtime, kind, state, skipped) = {
        let live = call.shared.look();
        let key = find::agent(&live, &p.target)?;
        let found = live.pane(key).and_then(|entry| {
            let view = entry.agent.view();
            Some((
                entry.runtime.clone(),
                view.kind?,
                view.state,
                view.screen_detection_skipped,
            ))
        });
        found.ok_or_else(|| {
            let message = format!(
                "agent target {} does not have a detected agent label",
                p.target
            );
            ApiError::new("agent_explain_unavailable", message)
        })?
    };
    let chosen = call.shared.library.of(kind);
    let explain = if skipped {
        manifests::skipped_explanation(kind, state.as_str(), &chosen)
    } else {
        manifests::explanation(kind, &chosen, &Picture::take(&runtime).snapshot())
    };
    Ok(ResponseResult::AgentExplain { explain })
}
