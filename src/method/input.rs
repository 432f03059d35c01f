//! `pane.send_text`, `pane.send_keys`, `pane.send_input`: typing into a pane.
//!
//! What one call types is one piece: it is queued whole, and nothing else comes in between.

use std::sync::Arc;

use crate::api::params::{PaneSendInputParams, PaneSendKeysParams, PaneSendTextParams};
use crate::api::{ApiError, ResponseResult};
use crate::pane::{Modes, Pane, keys, paste};

use super::{Call, find};

pub fn send_text(call: &Call<'_>, p: PaneSendTextParams) -> Result<ResponseResult, ApiError> {
    let pane = pane(call, &p.pane_id)?;
    let bytes = text_bytes(&p.text, &pane.screen().modes());
    write(call, &pane, bytes, "pane_send_failed")
}

pub fn send_keys(call: &Call<'_>, p: PaneSendKeysParams) -> Result<ResponseResult, ApiError> {
    let pane = pane(call, &p.pane_id)?;
    let bytes = key_bytes(&p.keys, &pane.screen().modes())?;
    write(call, &pane, bytes, "pane_send_failed")
}

pub fn send_input(call: &Call<'_>, p: PaneSendInputParams) -> Result<ResponseResult, ApiError> {
    let pane = pane(call, &p.pane_id)?;
    let modes = pane.screen().modes();
    let keys = key_bytes(&p.keys, &modes)?;
    let mut bytes = pasted(&p.text, &modes);
    bytes.extend(keys);
    write(call, &pane, bytes, "pane_send_failed")
}

/// A text of several lines is a paste where the program takes pastes, so that a shell or an agent
/// gets it as one piece instead of running it line by line. Any other text goes as it is.
fn text_bytes(text: &str, modes: &Modes) -> Vec<u8> {
    if text.trim_end_matches(['\r', '\n']).contains(['\r', '\n']) {
        pasted(text, modes)
    } else {
        text.as_bytes().to_vec()
    }
}

/// Text as a paste if the program takes pastes, else as it is.
fn pasted(text: &str, modes: &Modes) -> Vec<u8> {
    if modes.bracketed_paste {
        paste::bracketed(text, modes)
    } else {
        text.as_bytes().to_vec()
    }
}

/// The bytes of all keys; nothing is written if one of them is not a key.
pub fn key_bytes(keys: &[String], modes: &Modes) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    for name in keys {
        let key = keys::parse(name)
            .ok_or_else(|| ApiError::new("invalid_key", format!("unsupported key {name}")))?;
        bytes.extend(keys::encode(&key, modes));
    }
    Ok(bytes)
}

/// Queues bytes for the program of a pane, if the caller may type there now and still may when they
/// are written.
pub fn write(
    call: &Call<'_>,
    pane: &Arc<Pane>,
    bytes: Vec<u8>,
    code: &'static str,
) -> Result<ResponseResult, ApiError> {
    let check = call.typing(pane.key())?;
    if !bytes.is_empty() {
        match check {
            None => pane.send(bytes),
            Some(check) => pane.send_checked(bytes, check),
        }
        .map_err(|error| ApiError::new(code, error.to_string()))?;
    }
    Ok(ResponseResult::Ok)
}

fn pane(call: &Call<'_>, id: &str) -> Result<Arc<Pane>, ApiError> {
    let live = call.shared.look();
    let key = find::pane(&live, id)?;
    let entry = live.pane(key).ok_or_else(|| find::no_pane(id))?;
    Ok(entry.runtime.pane.clone())
}
