//! `ping`, `server.*` and `session.snapshot`.

use std::path::PathBuf;

use crate::api::params::{
    ClientShellSurfaceSetParams, EmptyParams, PingParams, ServerLiveHandoffParams,
};
use crate::api::records::{ConfigReloadStatus, ServerCapabilities};
use crate::api::{self, ApiError, ResponseResult};
use crate::config;
use crate::sys;

use super::Call;

pub fn ping(call: &Call<'_>, _: PingParams) -> Result<ResponseResult, ApiError> {
    let tracked = is_tracked(call);
    Ok(ResponseResult::Pong {
        version: api::VERSION.to_owned(),
        protocol: api::PROTOCOL,
        capabilities: Some(ServerCapabilities {
            detached_server_daemon: true,
            endpoint_protocol_generation: None,
            health_check: false,
            live_handoff: call.shared.keeper.get().is_some(),
            ssh_agent_registration: call.shared.ssh_agents.get().is_some(),
            surface_interest: false,
            tracked_executions: true,
            agent_turn_journal: true,
            agent_interactions: tracked.then_some(1),
            xcsh_semantic_tracking: tracked.then_some(1),
        }),
        server: Some("drover".to_owned()),
        server_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        not_saved: call.shared.store.trouble(),
    })
}

/// Whether the caller is in a tracked execution. Others are asked nothing while there is none.
fn is_tracked(call: &Call<'_>) -> bool {
    call.shared.turns.any_running()
        && call.place().pane().is_some_and(|key| {
            call.shared
                .ledger(|ledger| ledger.running_in(key.number()).is_some())
        })
}

/// Raises the stop; the daemon waits for this answer to be written before it ends.
pub fn stop(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    call.shared.stop.request();
    Ok(ResponseResult::Ok)
}

/// Another executable takes over, with all panes (herdr 0.9.3, `server.live_handoff`). By default the one that is
/// installed where this one was. Answered when it serves; other requests get `server_unavailable` meanwhile, or wait
/// to be accepted.
pub fn live_handoff(
    call: &Call<'_>,
    params: ServerLiveHandoffParams,
) -> Result<ResponseResult, ApiError> {
    let failed = |message: String| ApiError::new("handoff_failed", message);
    let keeper =
        call.shared.keeper.get().ok_or_else(|| {
            failed("this daemon has no keeper that could hold its panes".to_owned())
        })?;
    let executable = match params.import_exe {
        Some(path) => PathBuf::from(path),
        None => sys::installed_executable()
            .map_err(|error| failed(format!("drover's own executable is not known: {error}")))?,
    };
    // Relative to nothing that the caller knows.
    if !executable.is_absolute() {
        let path = executable.display();
        return Err(failed(format!(
            "import_exe must be a whole path, not {path}"
        )));
    }
    let hello = keeper.prepare_upgrade(&executable).map_err(|error| {
        let path = executable.display();
        failed(format!(
            "failed to spawn handoff import server at {path}: {error}"
        ))
    })?;
    let mismatch = |what: &str, expected: &str, found: &str| {
        keeper.cancel_upgrade();
        failed(format!(
            "{} has {what} {found}, expected was {expected}",
            executable.display()
        ))
    };
    if let Some(expected) = params.expected_protocol
        && expected != hello.wire
    {
        let found = hello.wire.to_string();
        return Err(mismatch("protocol", &expected.to_string(), &found));
    }
    if let Some(expected) = &params.expected_version
        && *expected != hello.version
        // herdr's own, to which drover adds its name.
        && hello.version.split('+').next() != Some(expected)
    {
        return Err(mismatch("version", expected, &hello.version));
    }
    // What is only in memory ends with this process, so it goes on as long as the disk takes nothing.
    call.shared.save_all().map_err(|why| {
        keeper.cancel_upgrade();
        failed(format!(
            "nothing was handed over, for what changed lately is only in memory and would be lost: {why}. This daemon goes \
             on; see that {} can be written (room on its disk, permissions), then try again",
            call.shared.store.path().display()
        ))
    })?;
    call.shared.stop.hand_over().map_err(|error| {
        keeper.cancel_upgrade();
        failed(error)
    })?;
    Ok(ResponseResult::Ok)
}

pub fn reload_config(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    let reload = call.shared.reload_config();
    Ok(ResponseResult::ConfigReload {
        status: match reload.status {
            config::Status::Applied => ConfigReloadStatus::Applied,
            config::Status::Partial => ConfigReloadStatus::Partial,
            config::Status::Failed => ConfigReloadStatus::Failed,
        },
        diagnostics: reload.diagnostics.iter().map(ToString::to_string).collect(),
    })
}

/// Only a full-screen client's own connection has a surface (herdr 0.9.3).
pub fn surface_set(
    _: &Call<'_>,
    _: ClientShellSurfaceSetParams,
) -> Result<ResponseResult, ApiError> {
    Err(ApiError::new(
        "connection_local_only",
        "client_shell.surface.set is only available through a client shell endpoint",
    ))
}

pub fn snapshot(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    call.shared.refresh_places();
    Ok(ResponseResult::SessionSnapshot {
        snapshot: call.shared.look().snapshot(),
    })
}
