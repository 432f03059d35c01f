//! What goes on without a daemon: the registry is a file of the user's (herdr 0.9.3). A daemon that is
//! there is asked all the same, because it knows who may.

use serde_json::{Value, json};

use super::super::ask;
use super::ID;
use crate::api::params::{PluginLinkParams, PluginListParams, PluginUnlinkParams};
use crate::api::{ApiError, Method, ResponseResult, envelope, method};
use crate::client::{self, CallError, Patience};
use crate::command::{Caller, Failure};
use crate::paths::plugin_paths;
use crate::plugin::Registry;

/// The user's registry.
pub(super) fn registry(caller: &Caller) -> Registry {
    Registry::new(plugin_paths(&caller.environment))
}

pub(super) fn link(caller: &Caller, params: &PluginLinkParams) -> Result<Value, Failure> {
    ask_or::<method::PluginLink>(caller, params, |registry| {
        let plugin = registry.link(&params.path, params.enabled, params.source.clone())?;
        Ok(ResponseResult::PluginLinked { plugin })
    })
}

pub(super) fn unlink(caller: &Caller, params: &PluginUnlinkParams) -> Result<Value, Failure> {
    ask_or::<method::PluginUnlink>(caller, params, |registry| {
        let plugin_id = params.plugin_id.clone();
        let removed = registry.unlink(&plugin_id)?;
        Ok(ResponseResult::PluginUnlinked { plugin_id, removed })
    })
}

pub(super) fn list(caller: &Caller, params: &PluginListParams) -> Result<Value, Failure> {
    ask_or::<method::PluginList>(caller, params, |registry| {
        let plugins = registry.list()?.into_iter().map(|plugin| plugin.info);
        let wanted = params.plugin_id.as_deref();
        let plugins = plugins.filter(|info| wanted.is_none_or(|id| info.plugin_id == id));
        Ok(ResponseResult::PluginList {
            plugins: plugins.collect(),
        })
    })
}

/// Asks the daemon; where none runs, and none of another machine is meant, does it here.
fn ask_or<M: Method>(
    caller: &Caller,
    params: &M::Params,
    here: impl FnOnce(&Registry) -> Result<ResponseResult, ApiError>,
) -> Result<Value, Failure> {
    let chosen = caller.chosen()?;
    match client::call::<M>(&chosen.protocol_socket, ID, params, Patience::ORDINARY) {
        Ok(answer) => Ok(answer),
        Err(CallError::NotRunning { .. }) if caller.far.is_none() => {
            let result = here(&registry(caller))
                .map_err(|error| Failure::Refused(envelope::error_line(ID, &error)))?;
            Ok(json!({ "id": ID, "result": result }))
        }
        Err(error) => Err(ask::failure(ID, error, &chosen)),
    }
}
