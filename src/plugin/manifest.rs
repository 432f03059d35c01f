//! `herdr-plugin.toml`: what a plugin says of itself (herdr 0.9.3). It is somebody else's file, so
//! everything in it is bounded and checked before any of it is used.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use toml::Spanned;

use super::event;
use super::id;
use crate::api::records::{
    PluginActionContext, PluginManifestAction, PluginManifestBuild, PluginManifestEventHook,
    PluginManifestLinkHandler, PluginManifestPane, PluginManifestStartup, PluginPanePlacement,
    PluginPlatform, PopupSize,
};
use crate::api::{ApiError, VERSION};

/// Its name in the plugin's folder.
pub const FILE: &str = "herdr-plugin.toml";

/// Bytes of a manifest. One with a hundred actions has about twenty thousand.
const BYTES: usize = 256 * 1024;

/// Entries of each list: more than a person would look through.
const ENTRIES: usize = 128;

/// Words of a command.
const WORDS: usize = 128;

/// Bytes of a title, a description, a word of a command: all of them are in every list of plugins.
const TEXT: usize = 4096;

/// Warnings that are kept of one manifest.
const WARNINGS: usize = 16;

/// Memory that the pattern of a link handler may take when compiled. The patterns of all handlers
/// are tried on a click.
const PATTERN: usize = 256 * 1024;

/// What a plugin is and can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub id: String,
    pub name: String,
    pub version: String,
    pub min_herdr_version: String,
    pub description: Option<String>,
    pub platforms: Option<Vec<PluginPlatform>>,
    pub build: Vec<PluginManifestBuild>,
    pub startup: Vec<PluginManifestStartup>,
    pub actions: Vec<PluginManifestAction>,
    pub events: Vec<PluginManifestEventHook>,
    pub panes: Vec<PluginManifestPane>,
    pub link_handlers: Vec<PluginManifestLinkHandler>,
    /// For a person; the plugin works nevertheless.
    pub warnings: Vec<String>,
}

type Text = Spanned<String>;
type Words = Spanned<Vec<String>>;
type Platforms = Option<Vec<Text>>;

#[derive(Deserialize)]
struct Raw {
    id: Text,
    name: Text,
    version: Text,
    min_herdr_version: Text,
    description: Option<Text>,
    platforms: Platforms,
    #[serde(default)]
    build: Vec<RawCommand>,
    #[serde(default)]
    startup: Vec<RawCommand>,
    #[serde(default)]
    actions: Vec<RawAction>,
    #[serde(default)]
    events: Vec<RawEvent>,
    #[serde(default)]
    panes: Vec<RawPane>,
    #[serde(default)]
    link_handlers: Vec<RawLinkHandler>,
}

#[derive(Deserialize)]
struct RawCommand {
    command: Words,
    platforms: Platforms,
}

#[derive(Deserialize)]
struct RawAction {
    id: Text,
    title: Text,
    description: Option<Text>,
    #[serde(default)]
    contexts: Vec<PluginActionContext>,
    command: Words,
    platforms: Platforms,
}

#[derive(Deserialize)]
struct RawEvent {
    on: Text,
    command: Words,
    platforms: Platforms,
}

#[derive(Deserialize)]
struct RawPane {
    id: Text,
    title: Text,
    description: Option<Text>,
    #[serde(default)]
    placement: PluginPanePlacement,
    width: Option<Spanned<PopupSize>>,
    height: Option<Spanned<PopupSize>>,
    command: Words,
    platforms: Platforms,
}

#[derive(Deserialize)]
struct RawLinkHandler {
    id: Text,
    title: Text,
    pattern: Text,
    action: Text,
    platforms: Platforms,
}

/// The keys of a manifest and of the entries of its lists. Others are warned about and else ignored:
/// a manifest may be for a newer herdr as well.
const KEYS: [&str; 12] = [
    "id",
    "name",
    "version",
    "min_herdr_version",
    "description",
    "platforms",
    "build",
    "startup",
    "actions",
    "events",
    "panes",
    "link_handlers",
];
const ENTRY_KEYS: [(&str, &[&str]); 6] = [
    ("build", &["command", "platforms"]),
    ("startup", &["command", "platforms"]),
    (
        "actions",
        &[
            "id",
            "title",
            "description",
            "contexts",
            "command",
            "platforms",
        ],
    ),
    ("events", &["on", "command", "platforms"]),
    (
        "panes",
        &[
            "id",
            "title",
            "description",
            "placement",
            "width",
            "height",
            "command",
            "platforms",
        ],
    ),
    (
        "link_handlers",
        &["id", "title", "pattern", "action", "platforms"],
    ),
];

/// The manifest that `path` names, a file or the folder it is in: where it is, and what it says.
///
/// # Errors
/// The one of herdr 0.9.3 that fits, with the place in the file where there is one.
pub fn read(path: &Path) -> Result<(PathBuf, Manifest), ApiError> {
    let file = match path.metadata() {
        Ok(found) if found.is_dir() => path.join(FILE),
        Ok(_) => path.to_owned(),
        Err(error) => return Err(not_read(path, &error)),
    };
    let text = contents(&file).map_err(|error| not_read(&file, &error))?;
    Ok((file, parse(&text)?))
}

fn not_read(path: &Path, error: &io::Error) -> ApiError {
    let code = match error.kind() {
        io::ErrorKind::NotFound => "plugin_manifest_not_found",
        _ => "plugin_manifest_read_failed",
    };
    ApiError::new(code, format!("{}: {error}", path.display()))
}

/// The text of a file, if it is one: a pipe would be waited for, and a device never ends.
fn contents(path: &Path) -> io::Result<String> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlag::O_NONBLOCK.bits())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > BYTES {
        return Err(io::Error::other(format!(
            "it has more than the {BYTES} bytes that a manifest may have"
        )));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// What a manifest of this text says.
///
/// # Errors
/// See [`read`].
pub fn parse(text: &str) -> Result<Manifest, ApiError> {
    if text.len() > BYTES {
        let message = format!("a manifest has at most {BYTES} bytes");
        return Err(ApiError::new("plugin_manifest_parse_failed", message));
    }
    let unreadable =
        |error: toml::de::Error| ApiError::new("plugin_manifest_parse_failed", error.to_string());
    let raw: Raw = toml::from_str(text).map_err(unreadable)?;
    let table: toml::Table = toml::from_str(text).map_err(unreadable)?;
    Reader {
        text,
        warnings: Vec::new(),
    }
    .manifest(raw, &table)
}

struct Reader<'a> {
    text: &'a str,
    warnings: Vec<String>,
}

impl Reader<'_> {
    fn manifest(mut self, raw: Raw, table: &toml::Table) -> Result<Manifest, ApiError> {
        let trimmed = raw.id.get_ref().trim();
        if !id::is_plugin(trimmed) {
            return Err(self.at(&raw.id, "invalid_plugin_id", "invalid plugin id"));
        }
        let name = self.filled(&raw.name, "invalid_plugin_name", "plugin name")?;
        let version = self.filled(&raw.version, "invalid_plugin_version", "plugin version")?;
        let minimum = self.minimum(&raw.min_herdr_version)?;
        let description = self.description(raw.description)?;
        let platforms = self.platforms(raw.platforms)?;
        let counts = [
            ("build", raw.build.len()),
            ("startup", raw.startup.len()),
            ("actions", raw.actions.len()),
            ("events", raw.events.len()),
            ("panes", raw.panes.len()),
            ("link_handlers", raw.link_handlers.len()),
        ];
        if let Some((list, count)) = counts.into_iter().find(|(_, count)| *count > ENTRIES) {
            let message = format!("{list} has {count} entries; it may have {ENTRIES}");
            return Err(ApiError::new("plugin_manifest_parse_failed", message));
        }
        let build = self.commands(raw.build)?;
        let startup = self.commands(raw.startup)?;
        let actions = self.actions(raw.actions)?;
        let events = self.events(raw.events)?;
        let panes = self.panes(raw.panes)?;
        let link_handlers = self.link_handlers(raw.link_handlers, &actions)?;
        if platforms.is_none() {
            self.warn("manifest does not declare platforms; platform support unknown".to_owned());
        }
        self.warn_of_unknown_keys(table);
        Ok(Manifest {
            id: trimmed.to_owned(),
            name,
            version,
            min_herdr_version: minimum,
            description,
            platforms,
            build: build
                .into_iter()
                .map(|(command, platforms)| PluginManifestBuild { command, platforms })
                .collect(),
            startup: startup
                .into_iter()
                .map(|(command, platforms)| PluginManifestStartup { command, platforms })
                .collect(),
            actions,
            events,
            panes,
            link_handlers,
            warnings: self.warnings,
        })
    }

    /// A refusal with the line and the column of what is wrong, both counted from 1.
    fn at<T>(&self, what: &Spanned<T>, code: &'static str, message: &str) -> ApiError {
        let before = &self.text.as_bytes()[..what.span().start.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n');
        let column = before.len() - start.map_or(0, |at| at + 1) + 1;
        ApiError::new(code, format!("{message} (line {line}, column {column})"))
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < WARNINGS {
            self.warnings.push(warning);
        }
    }

    /// A text that is there and of bounded length, without the blanks around it.
    fn filled(&self, text: &Text, code: &'static str, what: &str) -> Result<String, ApiError> {
        let trimmed = text.get_ref().trim();
        if trimmed.is_empty() {
            return Err(self.at(text, code, &format!("{what} must not be empty")));
        }
        if trimmed.len() > TEXT {
            let message = format!("{what} has more than {TEXT} bytes");
            return Err(self.at(text, code, &message));
        }
        Ok(trimmed.to_owned())
    }

    fn description(&self, text: Option<Text>) -> Result<Option<String>, ApiError> {
        match text {
            Some(text) if text.get_ref().len() > TEXT => {
                let message = format!("the description has more than {TEXT} bytes");
                Err(self.at(&text, "plugin_manifest_parse_failed", &message))
            }
            text => Ok(text.map(Spanned::into_inner)),
        }
    }

    fn minimum(&self, text: &Text) -> Result<String, ApiError> {
        let wanted = text.get_ref().trim();
        let Some(needed) = numbers(wanted) else {
            return Err(self.at(
                text,
                "invalid_plugin_min_herdr_version",
                "min_herdr_version must be a version such as 0.9.3",
            ));
        };
        if numbers(VERSION).is_some_and(|current| current < needed) {
            let current = VERSION.split('+').next().unwrap_or(VERSION);
            let message =
                format!("plugin requires Herdr {wanted} or newer; current Herdr is {current}");
            return Err(ApiError::new("plugin_requires_newer_herdr", message));
        }
        Ok(wanted.to_owned())
    }

    fn platforms(&self, names: Platforms) -> Result<Option<Vec<PluginPlatform>>, ApiError> {
        let Some(names) = names else { return Ok(None) };
        let mut platforms = Vec::new();
        for name in &names {
            let platform: PluginPlatform = name.get_ref().parse().map_err(|_| {
                let message = format!(
                    "unknown platform '{}'; there are linux, macos and windows",
                    shortened(name.get_ref())
                );
                self.at(name, "invalid_plugin_platform", &message)
            })?;
            if !platforms.contains(&platform) {
                platforms.push(platform);
            }
        }
        Ok(Some(platforms))
    }

    fn command(&self, words: Words) -> Result<Vec<String>, ApiError> {
        let list = words.get_ref();
        let fits = |word: &String| !word.is_empty() && !word.contains('\0') && word.len() <= TEXT;
        let named = list
            .first()
            .is_some_and(|program| !program.trim().is_empty());
        if !named || !list.iter().all(fits) {
            let message = "command must contain non-empty argv strings";
            return Err(self.at(&words, "invalid_plugin_command", message));
        }
        if list.len() > WORDS {
            let message = format!("command has more than {WORDS} words");
            return Err(self.at(&words, "invalid_plugin_command", &message));
        }
        Ok(words.into_inner())
    }

    #[allow(
        clippy::type_complexity,
        reason = "the two members of both kinds of entry"
    )]
    fn commands(
        &self,
        raw: Vec<RawCommand>,
    ) -> Result<Vec<(Vec<String>, Option<Vec<PluginPlatform>>)>, ApiError> {
        raw.into_iter()
            .map(|raw| Ok((self.command(raw.command)?, self.platforms(raw.platforms)?)))
            .collect()
    }

    /// The id of an entry, which no other of its list has.
    fn inner_id(
        &self,
        text: &Text,
        known: &mut HashSet<String>,
        (kind, invalid, twice): (&str, &'static str, &'static str),
    ) -> Result<String, ApiError> {
        let id = text.get_ref().trim();
        if !id::is_inner(id) {
            return Err(self.at(text, invalid, &format!("invalid plugin {kind} id")));
        }
        if !known.insert(id.to_owned()) {
            let message = format!("plugin {kind} id '{id}' is used twice");
            return Err(self.at(text, twice, &message));
        }
        Ok(id.to_owned())
    }

    fn actions(&self, raw: Vec<RawAction>) -> Result<Vec<PluginManifestAction>, ApiError> {
        let mut known = HashSet::new();
        let codes = (
            "action",
            "invalid_plugin_action_id",
            "duplicate_plugin_action_id",
        );
        raw.into_iter()
            .map(|raw| {
                Ok(PluginManifestAction {
                    id: self.inner_id(&raw.id, &mut known, codes)?,
                    title: self.filled(
                        &raw.title,
                        "invalid_plugin_action_title",
                        "action title",
                    )?,
                    description: self.description(raw.description)?,
                    command: self.command(raw.command)?,
                    contexts: raw.contexts,
                    platforms: self.platforms(raw.platforms)?,
                })
            })
            .collect()
    }

    fn events(&mut self, raw: Vec<RawEvent>) -> Result<Vec<PluginManifestEventHook>, ApiError> {
        let mut hooks = Vec::new();
        for raw in raw {
            let on = self.filled(&raw.on, "invalid_plugin_event", "event")?;
            match event::named(&on) {
                None => self.warn(format!("unknown event '{}'", shortened(&on))),
                Some(kind) if !event::runs_hooks(kind) => {
                    self.warn(format!("event '{on}' runs no hooks"));
                }
                Some(_) => {}
            }
            hooks.push(PluginManifestEventHook {
                on,
                command: self.command(raw.command)?,
                platforms: self.platforms(raw.platforms)?,
            });
        }
        Ok(hooks)
    }

    fn panes(&self, raw: Vec<RawPane>) -> Result<Vec<PluginManifestPane>, ApiError> {
        let mut known = HashSet::new();
        let codes = ("pane", "invalid_plugin_pane_id", "duplicate_plugin_pane_id");
        raw.into_iter()
            .map(|raw| {
                let size = raw.width.as_ref().or(raw.height.as_ref());
                if let Some(size) = size
                    && raw.placement != PluginPanePlacement::Popup
                {
                    let message =
                        "pane width and height are only supported when placement is popup";
                    return Err(self.at(size, "invalid_plugin_pane_size", message));
                }
                Ok(PluginManifestPane {
                    id: self.inner_id(&raw.id, &mut known, codes)?,
                    title: self.filled(&raw.title, "invalid_plugin_pane_title", "pane title")?,
                    description: self.description(raw.description)?,
                    command: self.command(raw.command)?,
                    placement: raw.placement,
                    width: raw.width.map(Spanned::into_inner),
                    height: raw.height.map(Spanned::into_inner),
                    platforms: self.platforms(raw.platforms)?,
                })
            })
            .collect()
    }

    fn link_handlers(
        &self,
        raw: Vec<RawLinkHandler>,
        actions: &[PluginManifestAction],
    ) -> Result<Vec<PluginManifestLinkHandler>, ApiError> {
        let mut known = HashSet::new();
        let codes = (
            "link handler",
            "invalid_plugin_link_handler_id",
            "duplicate_plugin_link_handler_id",
        );
        raw.into_iter()
            .map(|raw| {
                let id = self.inner_id(&raw.id, &mut known, codes)?;
                let title = self.filled(
                    &raw.title,
                    "invalid_plugin_link_handler_title",
                    "link handler title",
                )?;
                let code = "invalid_plugin_link_handler_pattern";
                let text = self.filled(&raw.pattern, code, "link handler pattern")?;
                if let Err(error) = pattern(&text) {
                    return Err(self.at(&raw.pattern, code, &error.to_string()));
                }
                let action = raw.action.get_ref().trim().to_owned();
                if !actions.iter().any(|known| known.id == action) {
                    let message = "a link handler's action must be one of the manifest's actions";
                    return Err(self.at(
                        &raw.action,
                        "invalid_plugin_link_handler_action",
                        message,
                    ));
                }
                Ok(PluginManifestLinkHandler {
                    id,
                    title,
                    pattern: text,
                    action,
                    platforms: self.platforms(raw.platforms)?,
                })
            })
            .collect()
    }

    fn warn_of_unknown_keys(&mut self, table: &toml::Table) {
        for key in table.keys() {
            if !KEYS.contains(&key.as_str()) {
                self.warn(format!("unknown key '{}'", shortened(key)));
            }
        }
        for (list, keys) in ENTRY_KEYS {
            let entries = table.get(list).and_then(toml::Value::as_array);
            for entry in entries.into_iter().flatten() {
                for key in entry.as_table().into_iter().flat_map(toml::Table::keys) {
                    if !keys.contains(&key.as_str()) {
                        self.warn(format!("unknown key '{}' in {list}", shortened(key)));
                    }
                }
            }
        }
    }
}

/// A name as a message quotes it.
fn shortened(text: &str) -> String {
    crate::printable::short_line(text, 64)
}

/// The numbers of a version, `0.9` being `0.9.0`. What follows them, such as `-rc.1`, does not count.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let plain = version.split(['-', '+']).next()?;
    let mut numbers = [0; 3];
    let mut parts = plain.split('.');
    for number in &mut numbers {
        let Some(part) = parts.next() else { break };
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// The pattern of a link handler, compiled.
///
/// # Errors
/// It is none, or one that takes too much memory.
pub fn pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(PATTERN).build()
}

/// The platform that this program runs on.
pub fn platform() -> PluginPlatform {
    match std::env::consts::OS {
        "macos" => PluginPlatform::Macos,
        "windows" => PluginPlatform::Windows,
        // drover is built for these only.
        _ => PluginPlatform::Linux,
    }
}

/// Whether what has these platforms runs here: an entry's own if it names some, else its plugin's; who
/// names none runs everywhere.
pub fn runs_here(entry: Option<&[PluginPlatform]>, plugin: Option<&[PluginPlatform]>) -> bool {
    entry
        .or(plugin)
        .is_none_or(|platforms| platforms.contains(&platform()))
}

#[cfg(test)]
mod tests;
