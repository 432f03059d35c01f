//! `integration.*`: hooks in the agents' own settings. The command line does the same without asking
//! a server; this is for programs that only have the socket.

use crate::api::params::{EmptyParams, IntegrationInstallParams, IntegrationUninstallParams};
use crate::api::records::{IntegrationInstallResult, IntegrationUninstallResult};
use crate::api::{ApiError, ResponseResult};
use crate::integration::{self, Surroundings, TARGETS, Target};
use crate::paths::Environment;

use super::Call;

/// Calls `act` with the daemon's own surroundings: its variables say where agents keep things.
fn with_surroundings<R>(act: impl FnOnce(&Surroundings<'_>) -> R) -> R {
    let environment = Environment::from_process();
    let variable = |name: &str| std::env::var_os(name);
    act(&Surroundings::new(&environment, &variable))
}

pub fn list(_: &Call<'_>, _: EmptyParams) -> Result<ResponseResult, ApiError> {
    let integrations = with_surroundings(|surroundings| {
        TARGETS
            .iter()
            .filter_map(|target| integration::info(target, surroundings))
            .collect()
    });
    Ok(ResponseResult::IntegrationList { integrations })
}

pub fn install(_: &Call<'_>, p: IntegrationInstallParams) -> Result<ResponseResult, ApiError> {
    let done = with_surroundings(|it| integration::install(Target::of(p.target), it));
    let messages =
        done.map_err(|refusal| ApiError::new("integration_install_failed", refusal.to_string()))?;
    Ok(ResponseResult::IntegrationInstall {
        target: p.target,
        details: IntegrationInstallResult { messages },
    })
}

pub fn uninstall(_: &Call<'_>, p: IntegrationUninstallParams) -> Result<ResponseResult, ApiError> {
    let done = with_surroundings(|it| integration::uninstall(Target::of(p.target), it));
    let messages =
        done.map_err(|refusal| ApiError::new("integration_uninstall_failed", refusal.to_string()))?;
    Ok(ResponseResult::IntegrationUninstall {
        target: p.target,
        details: IntegrationUninstallResult { messages },
    })
}
