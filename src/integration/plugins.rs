//! Agents that load code: extensions of Pi and omp, plugins of OpenCode, Kilo and Hermes.

use std::path::Path;

use serde_json::json;

use super::Refusal;
use super::json::{Document, Step, Value};
use super::plan::{self, Plan};
use super::target::{Extension, Target};
use super::yaml::{self, Place};

const TRANSPORT: &str = include_str!("assets/transport.js");
const PI: &str = include_str!("assets/pi.js");
const OMP: &str = include_str!("assets/omp.js");
const OPENCODE: &str = include_str!("assets/opencode.js");
const OPENCODE_SCREEN: &str = include_str!("assets/opencode-screen.js");
const HERMES: &str = include_str!("assets/hermes.py");

pub(super) const OPENCODE_PLUGIN: &str = "plugins/herdr-agent-state.js";
const OPENCODE_SCREEN_PLUGIN: &str = "herdr-tui-session.js";
pub(super) const OPENCODE_SCREEN_CONFIG: &str = "tui.jsonc";
pub(super) const KILO_PLUGIN: &str = "plugin/herdr-agent-state.js";
const HERMES_FOLDER: &str = "plugins/herdr-agent-state";
const HERMES_MANIFEST: &str = "plugins/herdr-agent-state/plugin.yaml";
pub(super) const HERMES_MODULE: &str = "plugins/herdr-agent-state/__init__.py";
pub(super) const HERMES_CONFIG: &str = "config.yaml";
const HERMES_NAME: &str = "herdr-agent-state";

/// Where Hermes lists the plugins that it loads.
const HERMES_ENABLED: Place = Place {
    outer: "plugins",
    inner: "enabled",
};

/// JavaScript of a target: who it is for, how it talks, and what it does.
fn module(target: &Target, body: &str) -> String {
    let mut text = heading(target, "//");
    text += TRANSPORT;
    text += body;
    text.replace("@SOURCE@", &target.source())
        .replace("@AGENT@", target.agent)
}

fn heading(target: &Target, comment: &str) -> String {
    let Target {
        name,
        title,
        version,
        ..
    } = target;
    format!(
        "{comment} HERDR_INTEGRATION_ID={name}\n\
         {comment} HERDR_INTEGRATION_VERSION={version}\n\
         {comment}\n\
         {comment} Tells the terminal that this runs in how it stands with {title}. `herdr integration install\n\
         {comment} {name}` writes this file anew, and `herdr integration uninstall {name}` removes it: changes\n\
         {comment} are lost.\n\n"
    )
}

/// The file of an extension, seen from the agent's folder.
pub(super) fn extension_file(extension: Extension) -> &'static str {
    match extension {
        Extension::Pi => "extensions/herdr-agent-state.ts",
        Extension::Omp => "extensions/herdr-omp-agent-state.ts",
    }
}

fn extension_name(extension: Extension) -> &'static str {
    match extension {
        Extension::Pi => "pi",
        Extension::Omp => "omp",
    }
}

pub(super) fn install_extension(
    target: &Target,
    extension: Extension,
    folder: &Path,
    plan: &mut Plan,
) {
    let path = folder.join(extension_file(extension));
    let body = match extension {
        Extension::Pi => PI,
        Extension::Omp => OMP,
    };
    let name = extension_name(extension);
    plan.say(format!(
        "installed {name} integration to {}",
        path.display()
    ));
    plan.own(path, module(target, body));
}

pub(super) fn remove_extension(extension: Extension, folder: &Path, plan: &mut Plan) {
    let path = folder.join(extension_file(extension));
    let name = extension_name(extension);
    remove(plan, &path, &format!("{name} integration extension"));
}

fn remove(plan: &mut Plan, path: &Path, what: &str) {
    let line = match plan.remove(path.to_owned()) {
        true => format!("removed {what} at {}", path.display()),
        false => format!("no {what} found at {}", path.display()),
    };
    plan.say(line);
}

pub(super) fn install_kilo(target: &Target, folder: &Path, plan: &mut Plan) {
    let path = folder.join(KILO_PLUGIN);
    plan.say(format!(
        "installed kilo integration plugin to {}",
        path.display()
    ));
    let names_start = "const NAMES_START = true;\n\n";
    plan.own(path, module(target, &format!("{names_start}{OPENCODE}")));
}

pub(super) fn remove_kilo(folder: &Path, plan: &mut Plan) {
    let path = folder.join(KILO_PLUGIN);
    remove(plan, &path, "kilo integration plugin");
}

/// The list of screen plugins, and the place of ours in it.
fn screen_plugins(folder: &Path) -> Result<(Option<String>, Document, Option<usize>), Refusal> {
    let path = folder.join(OPENCODE_SCREEN_CONFIG);
    let before = plan::text(&path)?;
    let document = Document::parse(before.as_deref().unwrap_or_default()).map_err(|broken| {
        Refusal(format!(
            "opencode tui plugin config at {} cannot be read: {broken}. nothing was changed",
            path.display()
        ))
    })?;
    let list = document.root().get(&[Step::Key("plugin")]);
    let at = list.and_then(Value::elements).and_then(|list| {
        let is_ours = |value: &Value| {
            let path = value.as_str();
            path.is_some_and(|path| path.ends_with(OPENCODE_SCREEN_PLUGIN))
        };
        list.iter().position(is_ours)
    });
    Ok((before, document, at))
}

/// Our screen plugin as OpenCode's list names it; none if it is not there.
///
/// # Errors
/// The list cannot be read.
pub(super) fn screen_plugin(folder: &Path) -> Result<Option<String>, Refusal> {
    let (_, document, at) = screen_plugins(folder)?;
    let named = at.and_then(|at| document.root().get(&[Step::Key("plugin"), Step::At(at)]));
    Ok(named.and_then(Value::as_str).map(str::to_owned))
}

/// Whether Hermes is told to load our plugin.
///
/// # Errors
/// Its list cannot be read.
pub(super) fn hermes_enabled(folder: &Path) -> Result<bool, Refusal> {
    let config = folder.join(HERMES_CONFIG);
    let text = plan::text(&config)?.unwrap_or_default();
    let (_, found) = yaml::without(&text, HERMES_ENABLED, HERMES_NAME)
        .map_err(|found| unclear(&config, found.line))?;
    Ok(found)
}

pub(super) fn install_opencode(
    target: &Target,
    folder: &Path,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let (before, mut document, at) = screen_plugins(folder)?;
    let config = folder.join(OPENCODE_SCREEN_CONFIG);
    if at.is_none() {
        let entry = json!(format!("./{OPENCODE_SCREEN_PLUGIN}"));
        let list = [Step::Key("plugin")];
        let done = match document.root().get(&list) {
            None => document.set(&[], "plugin", &json!([entry])),
            Some(_) => document.push(&list, &entry),
        };
        if !done {
            return Err(Refusal(format!(
                "plugin in {} is not what OpenCode reads there. nothing was changed",
                config.display()
            )));
        }
    }
    let plugin = folder.join(OPENCODE_PLUGIN);
    let screen = folder.join(OPENCODE_SCREEN_PLUGIN);
    plan.say(format!(
        "installed opencode integration plugin to {}",
        plugin.display()
    ));
    plan.say(format!(
        "installed opencode tui integration plugin to {}",
        screen.display()
    ));
    plan.say(format!(
        "ensured opencode tui plugin config at {}",
        config.display()
    ));
    let names_start = "const NAMES_START = false;\n\n";
    plan.own(plugin, module(target, &format!("{names_start}{OPENCODE}")));
    plan.own(screen, module(target, OPENCODE_SCREEN));
    plan.settings(config, before, document.text().to_owned());
    Ok(())
}

pub(super) fn remove_opencode(folder: &Path, plan: &mut Plan) -> Result<(), Refusal> {
    let (before, mut document, at) = screen_plugins(folder)?;
    let plugin = folder.join(OPENCODE_PLUGIN);
    let screen = folder.join(OPENCODE_SCREEN_PLUGIN);
    remove(plan, &plugin, "opencode integration plugin");
    remove(plan, &screen, "opencode tui integration plugin");
    if let Some(at) = at {
        let list = [Step::Key("plugin")];
        document.remove(&[list[0], Step::At(at)]);
        let left = document.root().get(&list).and_then(Value::elements);
        if left.is_some_and(<[Value]>::is_empty) {
            document.remove(&list);
        }
        let config = folder.join(OPENCODE_SCREEN_CONFIG);
        plan.say(format!(
            "removed herdr opencode plugin entry from {}",
            config.display()
        ));
        plan.settings(config, before, document.text().to_owned());
    }
    Ok(())
}

fn unclear(path: &Path, line: usize) -> Refusal {
    let Place { outer, inner } = HERMES_ENABLED;
    Refusal(format!(
        "hermes config at {}, line {line}, column 1, is written in a way that is not understood here: \
         {outer}.{inner} has to be edited by hand, for {HERMES_NAME}. nothing was changed",
        path.display()
    ))
}

pub(super) fn install_hermes(
    target: &Target,
    folder: &Path,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let config = folder.join(HERMES_CONFIG);
    let before = plan::text(&config)?;
    let text = yaml::with(
        before.as_deref().unwrap_or_default(),
        HERMES_ENABLED,
        HERMES_NAME,
    )
    .map_err(|found| unclear(&config, found.line))?;
    let manifest = format!(
        "{}name: {HERMES_NAME}\nversion: \"{}\"\ndescription: Tells the terminal which session is open.\n",
        heading(target, "#"),
        target.version
    );
    let module = heading(target, "#") + HERMES;
    plan.own(folder.join(HERMES_MANIFEST), manifest);
    plan.own(
        folder.join(HERMES_MODULE),
        module.replace("@SOURCE@", &target.source()),
    );
    plan.say(format!(
        "installed hermes integration plugin to {}",
        folder.join(HERMES_FOLDER).display()
    ));
    plan.say(format!("enabled hermes plugin in {}", config.display()));
    plan.settings(config, before, text);
    Ok(())
}

pub(super) fn remove_hermes(folder: &Path, plan: &mut Plan) -> Result<(), Refusal> {
    let config = folder.join(HERMES_CONFIG);
    let before = plan::text(&config)?;
    let (text, found) = yaml::without(
        before.as_deref().unwrap_or_default(),
        HERMES_ENABLED,
        HERMES_NAME,
    )
    .map_err(|found| unclear(&config, found.line))?;
    let there = plan.remove(folder.join(HERMES_MODULE));
    let there = plan.remove(folder.join(HERMES_MANIFEST)) || there;
    // What Python keeps of it.
    if let Ok(cached) = std::fs::read_dir(folder.join(HERMES_FOLDER).join("__pycache__")) {
        for file in cached.flatten() {
            plan.remove(file.path());
        }
        plan.remove_folder(folder.join(HERMES_FOLDER).join("__pycache__"));
    }
    let plugin = folder.join(HERMES_FOLDER);
    let shown = plugin.display();
    plan.say(match there {
        true => format!("removed hermes integration plugin at {shown}"),
        false => format!("no hermes integration plugin found at {shown}"),
    });
    plan.remove_folder(plugin);
    plan.say(match found {
        true => format!("disabled hermes plugin in {}", config.display()),
        false => format!("no hermes plugin entry found in {}", config.display()),
    });
    if found {
        plan.settings(config, before, text);
    }
    Ok(())
}
