//! One agent's rules: which file they come from, and what spoke against the others.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::agent::Kind;
use crate::agent::rules::{self, Manifest, Version};

use super::{AgentStatus, Places};

/// Bytes of a manifest file at most; the parser refuses longer ones too.
pub(super) const MAX_BYTES: u64 = 256 * 1024;

/// Where a manifest comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It comes with drover.
    Bundled,
    /// It was downloaded.
    Downloaded(PathBuf),
    /// The person put it there.
    Override(PathBuf),
    /// There is none for this agent.
    Nowhere,
}

impl Origin {
    /// As explanations and lists name it (herdr 0.9.3).
    pub fn name(&self) -> String {
        match self {
            Origin::Bundled => "bundled".to_owned(),
            Origin::Downloaded(path) => format!("remote:{}", path.display()),
            Origin::Override(path) => path.display().to_string(),
            Origin::Nowhere => "none".to_owned(),
        }
    }

    /// Its `source_kind` (herdr 0.9.3).
    pub fn kind(&self) -> &'static str {
        match self {
            Origin::Bundled => "bundled",
            Origin::Downloaded(_) => "remote",
            Origin::Override(_) => "local override",
            Origin::Nowhere => "none",
        }
    }
}

/// The rules that count for one agent.
#[derive(Debug)]
pub struct Chosen {
    /// None for an agent of which nothing is known to look for.
    pub manifest: Option<Manifest>,
    /// Where it comes from.
    pub origin: Origin,
    /// The version of a downloaded one, used or not.
    pub downloaded_version: Option<Version>,
    /// What came of the last download; none if it was never offered.
    pub download: Option<AgentStatus>,
    /// What was wrong with a file that was skipped, or is odd about the one that is used.
    pub warning: Option<String>,
}

impl Chosen {
    /// Whether the person's own file hides a downloaded one.
    pub fn shadows_download(&self) -> bool {
        matches!(self.origin, Origin::Override(_)) && self.downloaded_version.is_some()
    }

    /// The version of the rules in use.
    pub fn version(&self) -> Option<&str> {
        let manifest = self.manifest.as_ref()?;
        Some(manifest.version.as_ref()?.as_str())
    }
}

/// Chooses among the sources (herdr 0.9.3): a person's own file however old, then the newer of the
/// downloaded and the bundled one.
pub(super) fn choose(kind: Kind, places: &Places) -> Chosen {
    let mut warnings = Vec::new();
    let file = format!("{}.toml", kind.label());
    let own = places.overrides.iter().find_map(|directory| {
        let path = directory.join(&file);
        let manifest = read(&path, kind, &mut warnings)?;
        Some((manifest, Origin::Override(path)))
    });
    let bundled = rules::bundled(kind).and_then(|text| match Manifest::parse(text) {
        Ok(manifest) => Some(manifest),
        Err(error) => {
            // A test parses every one of them.
            warnings.push(format!("bundled rules: {error}"));
            None
        }
    });
    let downloaded = places.downloaded.as_ref().and_then(|directory| {
        let path = directory.join(&file);
        let manifest = read(&path, kind, &mut warnings)?;
        Some((manifest, Origin::Downloaded(path)))
    });
    let downloaded_version = downloaded
        .as_ref()
        .and_then(|(manifest, _)| manifest.version.clone());
    let newer = downloaded.filter(|_| {
        let shipped = bundled
            .as_ref()
            .and_then(|bundled| bundled.version.as_ref());
        downloaded_version.as_ref() >= shipped
    });
    let (manifest, origin) = match own.or(newer) {
        Some((manifest, origin)) => (Some(manifest), origin),
        None if bundled.is_some() => (bundled, Origin::Bundled),
        None => (None, Origin::Nowhere),
    };
    for warning in &warnings {
        log::warn!("detection rules of {}: {warning}", kind.label());
    }
    Chosen {
        manifest,
        origin,
        downloaded_version,
        download: places.status().agents.remove(kind.label()),
        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
    }
}

/// A manifest from a file, if there is a good one.
fn read(path: &Path, kind: Kind, warnings: &mut Vec<String>) -> Option<Manifest> {
    let mut refuse = |why: String| {
        warnings.push(format!("{}: {why}; skipped", path.display()));
        None
    };
    let text = match text(path, MAX_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return refuse(error.to_string()),
    };
    match Manifest::parse(&text) {
        Ok(manifest) if manifest.is_for(kind) => Some(manifest),
        Ok(manifest) => refuse(format!("it is for {}", manifest.id)),
        Err(error) => refuse(error.to_string()),
    }
}

/// The text of a file. Of one that is longer than `limit`, one byte more, so that who reads it sees
/// that it is too long.
pub(super) fn text(path: &Path, limit: u64) -> io::Result<String> {
    // Anything but a file could make the reader wait for ever.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = String::new();
    File::open(path)?
        .take(limit + 1)
        .read_to_string(&mut text)?;
    Ok(text)
}
