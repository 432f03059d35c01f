//! Commands of plugins that run when something happens: when the daemon starts, and on events.
//!
//! One thread listens as any subscriber does, with a bounded queue, and only for what some plugin
//! waits for: without such plugins nothing is listened to. A hook that finds no room among the running
//! commands waits for it, with the events behind it in the queue; what the queue has no room for is
//! lost, and the plugins' logs say so. Nobody who makes an event ever waits for a hook.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::Value;

use super::hub::{Behind, Listener, Wants};
use super::plugins::CalledFrom;
use super::{Live, Shared};
use crate::api::events::EventKind;
use crate::api::records::{InstalledPluginInfo, PluginInvocationContext, PluginPlatform};
use crate::plugin::{Plugin, event, manifest};
use crate::sync::lock;
use crate::sys::{FolderWatch, Wake};

/// Who listens for hooks.
#[derive(Debug, Default)]
pub(super) struct Hooks {
    /// Tells the thread that runs them; none before that is there.
    wake: Option<Arc<Wake>>,
    /// What is listened to now.
    listening: Option<(Vec<EventKind>, Arc<Listener>)>,
    /// Listeners before that, with what they heard.
    before: Vec<Arc<Listener>>,
}

/// The event of a command that runs at the start (herdr 0.9.3).
const STARTUP: &str = "startup";

/// Starts the thread that runs hooks. With `starting` the session begins, rather than goes on, and
/// startup hooks run first.
///
/// # Errors
/// No thread or descriptor is left.
pub fn start(shared: &Arc<Shared>, starting: bool) -> io::Result<()> {
    let wake = Arc::new(Wake::new()?);
    lock(&shared.plugins.hooks).wake = Some(wake.clone());
    // Before anybody is served, who could make an event.
    shared.look_at_plugins();
    let (stop, left) = (shared.stop.wake.clone(), shared.stop.left.clone());
    let shared = Arc::downgrade(shared);
    thread::Builder::new()
        .name("plugin-hooks".to_owned())
        .spawn(move || {
            if starting && let Some(shared) = shared.upgrade() {
                shared.run_startup_hooks();
            }
            if let Err(error) = run(&shared, &wake, &[&stop, &left]) {
                log::error!("plugins' hooks do not run any more: {error}");
            }
        })?;
    Ok(())
}

/// Runs hooks until the daemon stops.
fn run(shared: &Weak<Shared>, wake: &Wake, ends: &[&Wake]) -> io::Result<()> {
    let mut watch = None;
    loop {
        let Some(now) = shared.upgrade() else {
            return Ok(());
        };
        if now.stop.requested() || now.stop.is_handover() {
            return Ok(());
        }
        if watch.is_none() {
            let folder = &now.plugins.registry.paths().folder;
            watch = FolderWatch::new(&[folder])
                .inspect_err(|error| log::warn!("changes of plugins may go unnoticed: {error}"))
                .ok();
            // After the watch began, so that nothing goes unnoticed in between.
            now.look_at_plugins();
        }
        wake.drain();
        now.run_event_hooks();
        drop(now);
        let mut sources: Vec<PollFd<'_>> = ends
            .iter()
            .map(|end| PollFd::new(end.as_fd(), PollFlags::POLLIN))
            .collect();
        sources.push(PollFd::new(wake.as_fd(), PollFlags::POLLIN));
        if let Some(watch) = &watch {
            sources.push(PollFd::new(watch.as_fd(), PollFlags::POLLIN));
        }
        match poll(&mut sources, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |source: &PollFd<'_>| source.revents().is_some_and(|it| !it.is_empty());
        let is_changed = sources.get(ends.len() + 1).is_some_and(ready);
        drop(sources);
        if is_changed {
            // Made anew: a folder that is replaced is another folder.
            watch = None;
        }
    }
}

impl Shared {
    /// The plugins that may run, with their manifests as they are now.
    fn enabled_plugins(&self) -> Vec<InstalledPluginInfo> {
        let plugins = self.plugins.registry.list().unwrap_or_else(|error| {
            log::warn!("plugins' hooks do not run: {error}");
            Vec::new()
        });
        plugins
            .into_iter()
            .filter(|plugin| plugin.info.enabled && plugin.broken.is_none())
            .map(|Plugin { info, .. }| info)
            .collect()
    }

    fn run_startup_hooks(&self) {
        for plugin in self.enabled_plugins() {
            for hook in &plugin.startup {
                if runs_here(&hook.platforms, &plugin) {
                    let context = self.hook_context(CalledFrom::default(), STARTUP);
                    self.run_hook(&plugin, &hook.command, (STARTUP, None), &context);
                }
            }
        }
    }

    /// Listens for what the enabled plugins wait for now, from this moment on, and for nothing if they
    /// wait for nothing. Reads files.
    pub fn look_at_plugins(&self) {
        let _one_at_a_time = lock(&self.plugins.looking);
        let plugins = self.enabled_plugins();
        let waited_for = |kind: &&EventKind| {
            event::runs_hooks(**kind)
                && plugins.iter().any(|plugin| {
                    let mut hooks = plugin.events.iter();
                    hooks.any(|hook| {
                        event::named(&hook.on) == Some(**kind) && runs_here(&hook.platforms, plugin)
                    })
                })
        };
        let kinds: Vec<EventKind> = EventKind::ALL.iter().filter(waited_for).copied().collect();
        let limit = Behind::from(&self.config().limits);
        let mut live = self.look();
        let mut hooks = lock(&self.plugins.hooks);
        let Some(wake) = hooks.wake.clone() else {
            return;
        };
        let known = hooks.listening.as_ref().map(|(kinds, _)| kinds.as_slice());
        if known.unwrap_or_default() == kinds {
            return;
        }
        let listening = (!kinds.is_empty()).then(|| {
            let wants = Wants {
                kinds: kinds.clone(),
                statuses: Vec::new(),
            };
            (kinds, live.hub.listen(wants, limit, wake.clone()))
        });
        let before = std::mem::replace(&mut hooks.listening, listening);
        // What both of them would hear, the new one does.
        if let Some((_, before)) = before {
            before.mute();
            hooks.before.push(before);
        }
        drop((hooks, live));
        wake.notify();
    }

    /// Runs the hooks of what was heard, and begins anew where some of it was lost.
    fn run_event_hooks(&self) {
        let heard: Vec<Arc<Listener>> = {
            let mut hooks = lock(&self.plugins.hooks);
            let before = std::mem::take(&mut hooks.before);
            let now = hooks
                .listening
                .as_ref()
                .map(|(_, listener)| listener.clone());
            before.into_iter().chain(now).collect()
        };
        for listener in heard {
            let drained = listener.drain();
            if drained.lines.is_empty() && !drained.overrun {
                continue;
            }
            // Nobody is told of what a crash could still take back.
            self.commit();
            for line in &drained.lines {
                if self.stop.requested() {
                    return;
                }
                self.run_hooks_of(line);
            }
            if drained.overrun {
                self.events_were_lost();
            }
        }
    }

    /// Says so in the log of every plugin that waited for some, and listens anew.
    fn events_were_lost(&self) {
        for plugin in self.enabled_plugins() {
            if !plugin.events.is_empty() {
                let why = "events were lost: more happened than its hooks kept up with";
                let commands = &self.plugins.commands;
                commands.note(&plugin.plugin_id, "events_lost", why.to_owned());
            }
        }
        lock(&self.plugins.hooks).listening = None;
        self.look_at_plugins();
    }

    fn run_hooks_of(&self, line: &str) {
        let Ok(happened) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let Some(kind) = happened["event"]
            .as_str()
            .and_then(|kind| kind.parse().ok())
        else {
            return;
        };
        let name = event::dotted(kind);
        for plugin in self.enabled_plugins() {
            for hook in &plugin.events {
                if event::named(&hook.on) == Some(kind) && runs_here(&hook.platforms, &plugin) {
                    let from = self.look().named_in(&happened["data"]);
                    let context = self.hook_context(from, "event");
                    let told = (name.as_str(), Some(line.trim_end()));
                    self.run_hook(&plugin, &hook.command, told, &context);
                }
            }
        }
    }

    fn hook_context(&self, from: CalledFrom, source: &str) -> PluginInvocationContext {
        PluginInvocationContext {
            invocation_source: Some(source.to_owned()),
            ..self.look().plugin_context(from)
        }
    }

    /// Runs one hook as soon as there is room for it.
    fn run_hook(
        &self,
        plugin: &InstalledPluginInfo,
        command: &[String],
        event: (&str, Option<&str>),
        context: &PluginInvocationContext,
    ) {
        loop {
            self.plugins.commands.wait_for_room();
            let started = self.start_plugin_command(plugin, command, (None, Some(event)), context);
            match started {
                Ok(_) => return,
                // Somebody else was faster.
                Err(error) if error.code == "plugin_command_limit_reached" => {}
                Err(error) => {
                    let commands = &self.plugins.commands;
                    return commands.note(&plugin.plugin_id, event.0, error.to_string());
                }
            }
        }
    }
}

impl Live {
    /// The place that an event is about, as far as it is there.
    fn named_in(&self, data: &Value) -> CalledFrom {
        let text = |member: &str, inner: &str| {
            let of = |value: &Value| value.as_str().map(str::to_owned);
            of(&data[inner]).or_else(|| of(&data[member][inner]))
        };
        let pane = text("pane", "pane_id");
        let tab = text("tab", "tab_id").or_else(|| text("pane", "tab_id"));
        let workspace = ["workspace", "tab", "pane"]
            .iter()
            .find_map(|member| text(member, "workspace_id"));
        CalledFrom {
            pane: pane.and_then(|id| self.world.find_pane(&id)),
            tab: tab.and_then(|id| self.world.find_tab(&id)),
            workspace: workspace.and_then(|id| self.world.find_workspace(&id)),
        }
    }
}

fn runs_here(platforms: &Option<Vec<PluginPlatform>>, plugin: &InstalledPluginInfo) -> bool {
    manifest::runs_here(platforms.as_deref(), plugin.platforms.as_deref())
}
