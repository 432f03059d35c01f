//! `ping`, `server.*` and `session.snapshot`.

use crate::api::params::{ClientShellSurfaceSetParams, EmptyParams, PingParams};
use crate::api::records::{ConfigReloadStatus, ServerCapabilities};
use crate::api::{self, ApiError, ResponseResult};
use crate::config;

use super::Call;

pub fn ping(call: &Call<'_>, _: PingParams) -> Result<ResponseResult, ApiError> {
    Ok(ResponseResult::Pong {
        version: api::VERSION.to_owned(),
        protocol: api::PROTOCOL,
        capabilities: Some(ServerCapabilities {
            detached_server_daemon: true,
            endpoint_protocol_generation: None,
            health_check: false,
            live_handoff: false,
            ssh_agent_registration: false,
            surface_interest: false,
        }),
        server: Some("drover".to_owned()),
        server_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        not_saved: call.shared.store.trouble(),
    })
}

/// Raises the stop; the daemon waits for this answer to be written before it ends.
pub fn stop(call: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    call.shared.stop.request();
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
