//! Agents that run a command at their events: a script, and entries in a JSON file that run it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Plain, json};
use toml_edit::DocumentMut;

use super::Refusal;
use super::json::{Document, Step, Value};
use super::plan::{self, Plan};
use super::target::{Also, Entry, Hooks, Target, Word};

const SCRIPT: &str = include_str!("assets/hook.sh");

/// The script of a target, ready to run.
pub(super) fn script(target: &Target, reply: &str) -> String {
    let reply = match reply {
        "" => String::new(),
        reply => format!("\n# What the agent waits for.\nprintf '%s\\n' '{reply}'\n"),
    };
    SCRIPT
        .replace("@TARGET@", target.name)
        .replace("@TITLE@", target.title)
        .replace("@VERSION@", &target.version.to_string())
        .replace("@REPLY@", &reply)
}

/// The command line that runs a script with a word.
pub(super) fn command(script: &Path, word: Word) -> String {
    let quoted = script.display().to_string().replace('\'', r"'\''");
    format!("sh '{quoted}' {}", word.as_str())
}

fn entry(target: &Target, hooks: &Hooks, script: &Path, word: Word) -> Plain {
    let command = command(script, word);
    let handler = |timeout: u32| {
        let mut handler = Map::new();
        handler.insert("type".to_owned(), json!("command"));
        handler.insert("command".to_owned(), json!(command));
        handler.insert("timeout".to_owned(), json!(timeout));
        handler
    };
    match hooks.entry {
        Entry::Group {
            matcher,
            timeout,
            quiet,
        } => {
            let mut handler = handler(timeout);
            if quiet {
                handler.insert("quiet".to_owned(), json!(true));
            }
            let mut group = Map::new();
            if let Some(matcher) = matcher {
                group.insert("matcher".to_owned(), json!(matcher));
            }
            group.insert("hooks".to_owned(), json!([handler]));
            Plain::Object(group)
        }
        Entry::Handler { timeout, described } => {
            let mut handler = handler(timeout);
            if described {
                let description = format!("tells herdr how it stands with {}", target.title);
                handler.insert("description".to_owned(), json!(description));
            }
            Plain::Object(handler)
        }
        Entry::Bash { timeout } => {
            json!({ "type": "command", "bash": command, "timeoutSec": timeout })
        }
        Entry::Command => json!({ "command": command }),
    }
}

/// A file of JSON as it is.
struct Settings {
    path: PathBuf,
    before: Option<String>,
    document: Document,
}

impl Settings {
    fn read(path: PathBuf, what: &str) -> Result<Settings, Refusal> {
        let before = plan::text(&path)?;
        let document =
            Document::parse(before.as_deref().unwrap_or_default()).map_err(|broken| {
                let path = path.display();
                Refusal(format!(
                    "{what} at {path} cannot be read: {broken}. nothing was changed"
                ))
            })?;
        Ok(Settings {
            path,
            before,
            document,
        })
    }

    fn into_plan(self, plan: &mut Plan) {
        let text = self.document.text().to_owned();
        plan.settings(self.path, self.before, text);
    }
}

pub(super) fn plan_install(
    target: &Target,
    hooks: &Hooks,
    folder: &Path,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let name = target.name;
    let script_path = folder.join(hooks.script);
    let what = format!("{name} {}", hooks.noun);
    let mut settings = Settings::read(folder.join(hooks.settings), &what)?;
    if hooks.also == Also::Version
        && settings
            .document
            .root()
            .get(&[Step::Key("version")])
            .is_none()
    {
        settings.document.set(&[], "version", &json!(1));
    }
    register(target, hooks, &script_path, &mut settings)?;
    let feature = match hooks.also {
        Also::CodexFeature => Some(codex_feature(folder)?),
        _ => None,
    };
    let old = match hooks.also {
        Also::OldDroidFile => Some(strip_old(target, hooks, folder)?),
        _ => None,
    };

    plan.script(script_path.clone(), script(target, hooks.reply));
    plan.say(format!(
        "installed {name} integration hook to {}",
        script_path.display()
    ));
    let verb = match hooks.also {
        Also::Version => "updated",
        Also::OwnFile => "registered",
        _ => "ensured",
    };
    plan.say(format!("{verb} {what} at {}", settings.path.display()));
    settings.into_plan(plan);
    if let Some((settings, _)) = old {
        settings.into_plan(plan);
    }
    if let Some((path, before, text)) = feature {
        plan.say(format!("ensured {name} config at {}", path.display()));
        plan.settings(path, before, text);
    }
    Ok(())
}

pub(super) fn plan_removal(
    target: &Target,
    hooks: &Hooks,
    folder: &Path,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let name = target.name;
    let script_path = folder.join(hooks.script);
    let settings_path = folder.join(hooks.settings);
    let script_line = |there: bool| match there {
        true => format!("removed {name} hook at {}", script_path.display()),
        false => format!("no {name} hook found at {}", script_path.display()),
    };
    if hooks.also == Also::OwnFile {
        let there = plan.remove(script_path.clone());
        plan.say(script_line(there));
        let shown = settings_path.display().to_string();
        let line = match plan.remove(settings_path) {
            true => format!("removed {name} {} at {shown}", hooks.noun),
            false => format!("no {name} {} found at {shown}", hooks.noun),
        };
        plan.say(line);
        return Ok(());
    }
    let what = format!("{name} {}", hooks.noun);
    let mut settings = Settings::read(settings_path, &what)?;
    let removed = strip(&mut settings.document, hooks);
    let old = match hooks.also {
        Also::OldDroidFile => Some(strip_old(target, hooks, folder)?),
        _ => None,
    };

    let there = plan.remove(script_path.clone());
    plan.say(script_line(there));
    if let Some((settings, removed)) = old {
        let path = settings.path.display();
        plan.say(match removed {
            true => format!("removed legacy herdr {name} hook entries from {path}"),
            false => format!("no legacy herdr {name} hook entries found in {path}"),
        });
        if removed {
            settings.into_plan(plan);
        }
    }
    let path = settings.path.display();
    plan.say(match removed {
        true => format!("removed herdr {name} hook entries from {path}"),
        false => format!("no herdr {name} hook entries found in {path}"),
    });
    if hooks.also == Also::CodexFeature {
        // Other hooks of the person may need the feature.
        let path = folder.join(CODEX_CONFIG);
        plan.say(format!("left codex config unchanged at {}", path.display()));
    }
    if removed {
        settings.into_plan(plan);
    }
    Ok(())
}

/// Sees to it that each event has our entry, and only the one of now.
fn register(
    target: &Target,
    hooks: &Hooks,
    script: &Path,
    settings: &mut Settings,
) -> Result<(), Refusal> {
    let wanted: Vec<(&str, Plain)> = hooks
        .events
        .iter()
        .map(|(event, word)| (*event, entry(target, hooks, script, *word)))
        .collect();
    let found = ours(&settings.document, hooks);
    let as_wanted = found.len() == wanted.len()
        && wanted.iter().all(|(event, entry)| {
            found.iter().any(|found| {
                let at = [Step::Key(event), Step::At(found.element)];
                let element = events_of(&settings.document, hooks).and_then(|all| all.get(&at));
                found.event == *event && element.is_some_and(|element| element.plain() == *entry)
            })
        });
    if as_wanted {
        return Ok(());
    }
    strip(&mut settings.document, hooks);
    let mut path: Vec<Step<'_>> = Vec::new();
    for name in hooks.events_in {
        if settings
            .document
            .root()
            .get(&path)
            .is_some_and(|at| at.get(&[Step::Key(name)]).is_none())
        {
            settings.document.set(&path, name, &json!({}));
        }
        path.push(Step::Key(name));
    }
    for (event, entry) in &wanted {
        let list: Vec<Step<'_>> = path.iter().copied().chain([Step::Key(event)]).collect();
        let done = match settings.document.root().get(&list) {
            None => settings.document.set(&path, event, &json!([entry])),
            Some(_) => settings.document.push(&list, entry),
        };
        if !done {
            let place: Vec<&str> = hooks.events_in.iter().copied().chain([*event]).collect();
            let (what, path) = (place.join("."), settings.path.display());
            return Err(Refusal(format!(
                "{what} in {path} is not what {} reads there. nothing was changed",
                target.title
            )));
        }
    }
    Ok(())
}

/// An entry that runs our script.
struct Found {
    event: String,
    element: usize,
    /// In a group that has other handlers too.
    handler: Option<usize>,
}

fn events_of<'a>(document: &'a Document, hooks: &Hooks) -> Option<&'a Value> {
    let path: Vec<Step<'_>> = hooks.events_in.iter().map(|name| Step::Key(name)).collect();
    document.root().get(&path)
}

/// Our entries under any event: earlier versions had more of them.
fn ours(document: &Document, hooks: &Hooks) -> Vec<Found> {
    let Some(events) = events_of(document, hooks) else {
        return Vec::new();
    };
    let mark = mark(hooks);
    let runs_it = |handler: &Value| line(handler, &mark).is_some();
    let mut names: Vec<&str> = events.keys().into_iter().flatten().collect();
    names.sort_unstable();
    names.dedup();
    let mut found = Vec::new();
    for event in names {
        let list = events.get(&[Step::Key(event)]).and_then(Value::elements);
        for (element, value) in list.unwrap_or_default().iter().enumerate() {
            let entry = |handler| Found {
                event: event.to_owned(),
                element,
                handler,
            };
            if runs_it(value) {
                found.push(entry(None));
                continue;
            }
            let handlers = value.get(&[Step::Key("hooks")]).and_then(Value::elements);
            let handlers = handlers.unwrap_or_default();
            for (at, handler) in handlers.iter().enumerate() {
                if runs_it(handler) {
                    found.push(entry((handlers.len() > 1).then_some(at)));
                }
            }
        }
    }
    found
}

/// What command lines of ours have in them.
fn mark(hooks: &Hooks) -> String {
    let file = hooks.script.rsplit('/').next().unwrap_or(hooks.script);
    format!("/{file}")
}

/// The command line of a handler of ours.
fn line<'a>(handler: &'a Value, mark: &str) -> Option<&'a str> {
    let lines = ["command", "bash", "powershell"].into_iter();
    lines
        .filter_map(|key| handler.get(&[Step::Key(key)]).and_then(Value::as_str))
        .find(|line| line.contains(mark))
}

/// The command lines of ours in a settings file; none if there is no file.
///
/// # Errors
/// It cannot be read.
pub(super) fn registered(hooks: &Hooks, path: &Path) -> Result<Vec<String>, Refusal> {
    let settings = Settings::read(path.to_owned(), hooks.noun)?;
    let mark = mark(hooks);
    let mut lines = Vec::new();
    for found in ours(&settings.document, hooks) {
        let at = [Step::Key(&found.event), Step::At(found.element)];
        let Some(entry) = events_of(&settings.document, hooks).and_then(|all| all.get(&at)) else {
            continue;
        };
        let below = entry.get(&[Step::Key("hooks")]).and_then(Value::elements);
        let handlers = std::iter::once(entry).chain(below.unwrap_or_default());
        lines.extend(handlers.filter_map(|handler| line(handler, &mark).map(str::to_owned)));
    }
    Ok(lines)
}

/// Takes our entries out, and what is empty without them. Whether there were any.
fn strip(document: &mut Document, hooks: &Hooks) -> bool {
    let base: Vec<Step<'_>> = hooks.events_in.iter().map(|name| Step::Key(name)).collect();
    let mut removed = false;
    // One after the other: each removal moves the ones behind it.
    while let Some(found) = ours(document, hooks).into_iter().next() {
        let mut path = base.clone();
        path.extend([Step::Key(&found.event), Step::At(found.element)]);
        if let Some(handler) = found.handler {
            path.extend([Step::Key("hooks"), Step::At(handler)]);
        }
        if !document.remove(&path) {
            break;
        }
        removed = true;
        path.truncate(base.len() + 1);
        let is_empty = |value: Option<&Value>| {
            value
                .and_then(Value::elements)
                .is_some_and(<[Value]>::is_empty)
        };
        if is_empty(document.root().get(&path)) {
            document.remove(&path);
        }
    }
    let without_members =
        |value: &Value| value.keys().is_some_and(|mut keys| keys.next().is_none());
    if removed && !base.is_empty() && document.root().get(&base).is_some_and(without_members) {
        document.remove(&base);
    }
    removed
}

/// Droid's entries of before its settings file had hooks.
fn strip_old(target: &Target, hooks: &Hooks, folder: &Path) -> Result<(Settings, bool), Refusal> {
    let what = format!("{} hooks", target.name);
    let mut settings = Settings::read(folder.join("hooks.json"), &what)?;
    if settings.before.is_none() {
        // Nothing is to be made of it.
        settings.before = Some(settings.document.text().to_owned());
        return Ok((settings, false));
    }
    let mut removed = strip(&mut settings.document, hooks);
    let at_root = Hooks {
        events_in: &[],
        ..*hooks
    };
    removed |= strip(&mut settings.document, &at_root);
    Ok((settings, removed))
}

const CODEX_CONFIG: &str = "config.toml";

/// Codex runs hooks only with a feature switched on; its earlier name for it is not known any more.
fn codex_feature(folder: &Path) -> Result<(PathBuf, Option<String>, String), Refusal> {
    let path = folder.join(CODEX_CONFIG);
    let before = plan::text(&path)?;
    let text = before.as_deref().unwrap_or_default();
    let refuse = |why: String| {
        let path = path.display();
        Refusal(format!(
            "codex config at {path} cannot be read: {why}. nothing was changed"
        ))
    };
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| refuse(plan::toml_mistake(text, &error)))?;
    let features = document
        .entry("features")
        .or_insert_with(toml_edit::table)
        .as_table_like_mut()
        .ok_or_else(|| refuse("features is no table".to_owned()))?;
    features.remove("codex_hooks");
    if features.get("hooks").and_then(toml_edit::Item::as_bool) != Some(true) {
        features.insert("hooks", toml_edit::value(true));
    }
    let after = document.to_string();
    Ok((path, before, after))
}
