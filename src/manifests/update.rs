//! Downloading rules: each file is checked before it takes the place of the last good one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::fetch::Fetcher;
use super::source::MAX_BYTES;
use super::status::{self, AgentStatus, Status};
use super::{Places, catalog, source};
use crate::agent::Kind;
use crate::agent::rules::Manifest;
use crate::replace::replace;

/// Time for a whole update: two dozen small files from one host.
const WHOLE_UPDATE: Duration = Duration::from_secs(60);

/// A new file's permissions: rules are no secret.
const MODE: u32 = 0o644;

/// Downloads what the catalog at `address` offers for known agents, into `places`. Rules that fail
/// leave those of before; what came of it is kept in the status file.
///
/// # Errors
/// There is no catalog, or nothing can be written, in one line. The status file then says so too, if
/// it can be written.
pub fn update(places: &Places, address: &str, now_unix: u64) -> Result<Status, String> {
    let https = match address.split_once("://") {
        Some(("https", _)) => true,
        Some(("http", _)) => false,
        _ => return Err(format!("{address:?} is no http or https address")),
    };
    let fetcher = Fetcher::new(https, WHOLE_UPDATE);
    update_with(places, address, now_unix, |address, limit| {
        fetcher.get(address, limit)
    })
}

fn update_with(
    places: &Places,
    address: &str,
    now_unix: u64,
    mut fetch: impl FnMut(&str, u64) -> Result<String, String>,
) -> Result<Status, String> {
    let folder = places
        .downloaded
        .as_deref()
        .ok_or("there is no state directory to keep them in")?;
    let describe = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(describe)?;
    let offers = fetch(address, catalog::MAX_BYTES).and_then(|text| catalog::parse(&text));
    let mut status = Status {
        last_check_unix: Some(now_unix),
        // What was learned of agents that are not offered any more is not forgotten.
        agents: places.status().agents,
        ..Status::default()
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let failure = match &offers {
        Ok(offers) => {
            for offer in offers {
                // A catalog may know agents that this program does not.
                let Some(kind) = Kind::find(&offer.id) else {
                    continue;
                };
                let taken = catalog::address(address, &offer.path)
                    .and_then(|address| fetch(&address, MAX_BYTES))
                    .and_then(|text| take(folder, kind, &text));
                let (result, error) = match taken {
                    Ok(result) => (result, None),
                    Err(error) => ("failed", Some(printable(&error))),
                };
                *counts.entry(result).or_default() += 1;
                let entry = AgentStatus {
                    checked_unix: now_unix,
                    result: result.to_owned(),
                    error,
                };
                status.agents.insert(kind.label().to_owned(), entry);
            }
            None
        }
        Err(error) => Some(printable(error)),
    };
    status.last_result = Some(match &failure {
        Some(error) => format!("failed: {error}"),
        None if counts.is_empty() => "nothing offered for a known agent".to_owned(),
        None => {
            let counts = counts
                .iter()
                .map(|(result, count)| format!("{count} {result}"));
            counts.collect::<Vec<_>>().join(", ")
        }
    });
    let kept = status::written(&status).and_then(|text| {
        replace(&places.status_file(folder), text.as_bytes(), MODE).map_err(describe)
    });
    match (failure, kept) {
        (Some(error), _) | (None, Err(error)) => Err(error),
        (None, Ok(())) => Ok(status),
    }
}

/// Characters of one reason at most.
const REASON: usize = 400;

/// A reason that may quote what was downloaded, fit for a terminal.
fn printable(reason: &str) -> String {
    let plain = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    reason.chars().take(REASON).map(plain).collect()
}

/// Checks downloaded rules and keeps them, if they are newer than what is kept: the word for what was
/// done.
fn take(folder: &Path, kind: Kind, text: &str) -> Result<&'static str, String> {
    let manifest = Manifest::parse(text).map_err(|error| error.to_string())?;
    if !manifest.is_for(kind) {
        return Err(format!("the file is for {}", manifest.id));
    }
    let Some(version) = &manifest.version else {
        return Err("the file has no version".to_owned());
    };
    if manifest.min_engine_version.is_none() {
        return Err("the file has no min_engine_version".to_owned());
    }
    let path = folder.join(format!("{}.toml", kind.label()));
    let kept = source::text(&path, MAX_BYTES).ok();
    if kept.as_deref() == Some(text) {
        return Ok("current");
    }
    let kept = kept.and_then(|text| Manifest::parse(&text).ok());
    if let Some(kept) = kept.and_then(|kept| kept.version)
        && kept > *version
    {
        return Ok("older");
    }
    replace(&path, text.as_bytes(), MODE)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok("updated")
}

#[cfg(test)]
mod tests;
