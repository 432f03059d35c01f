//! The daemon: start and stop, sockets, one thread per connection, limits, the clock thread.
//!
//! It is two processes, see [`crate::keeper`]. The keeper has one thread (`keep`), the worker these:
//!
//! | thread | what it does |
//! |---|---|
//! | main | waits for the stop, then ends panes |
//! | signals | turns SIGTERM into a stop; other signals are the keeper's |
//! | keeper | hears the keeper: stops, reloads, answers; starts another when it has died |
//! | accept (two) | one for each socket |
//! | refusals | tells clients that there is no room |
//! | connection | one for each connection, for as long as that lasts |
//! | clock | sleeps until the next deadline |
//! | store | writes what nobody waits for, see [`crate::store`] |
//! | pane | one for each pane, see [`crate::pane`] |

mod connection;
mod files;
mod keep;
mod line;
mod listen;
mod pool;
mod refuse;
mod service;
mod signals;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::os::unix::net::UnixListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use signal_hook::iterator::Signals;

use crate::agent::WorkspaceTokens;
use crate::api::control::HistoryEvent;
use crate::config::{self, Config};
use crate::keeper::client::{Client, Joined, Order, Succession};
use crate::keeper::message::Which;
use crate::keeper::start::{self, Half};
use crate::manifests::Places;
use crate::method;
use crate::pane::{Pane, StartingPane, Terminals};
use crate::paths::{Environment, SessionPaths};
use crate::state::{
    Due, Ended, Identity, Limits, SSH_AGENT_VARIABLE, SavedState, Shared, Slots, SshAgents, Stop,
    start_hooks,
};
use crate::store::{OpenError, Store};
use crate::sync::lock;
use crate::sys::{self, Wake};
use crate::world::PaneKey;

pub use files::AlreadyRunning;

use files::Link;
use pool::Pool;
use refuse::Refusals;

/// Time that a stop gives to answers that are being written.
const ANSWERS_TIME: Duration = Duration::from_secs(1);

/// Time that a stop gives to the panes' processes. Each is killed after half a second, so this is
/// only reached when the kernel cannot end one.
const PANES_TIME: Duration = Duration::from_secs(3);

/// What a daemon is started with.
pub struct ServeOptions {
    /// Which of the daemon's two processes this is.
    pub half: Half,
    /// Where everything of its session lies.
    pub paths: SessionPaths,
    /// The configuration file; it need not exist.
    pub config_file: PathBuf,
    /// Put a link to the protocol socket at `herdr_socket`, whatever the configuration says.
    pub at_herdr: bool,
    /// Keep what is saved aside and begin anew.
    pub fresh: bool,
    /// Where herdr itself has the protocol socket of this session.
    pub herdr_socket: PathBuf,
    /// Called once, in the first half, when both sockets accept connections.
    pub on_ready: Box<dyn FnOnce() + Send>,
}

/// Runs one half of a daemon until it is stopped.
///
/// # Errors
/// It cannot start: another one is running ([`AlreadyRunning`]), or a directory or socket cannot
/// be made.
pub fn serve(options: ServeOptions) -> Result<()> {
    log_panics();
    let end = match options.half {
        Half::First => keep::begin(options),
        Half::Keeper(left) => keep::go_on(options, left),
        Half::Worker => work(options),
    };
    if end
        .as_ref()
        .is_err_and(|error| error.is::<keep::StoppedAtOnce>())
    {
        // The log has said so, and the files are gone.
        std::process::exit(1);
    }
    end
}

/// The worker: everything but what the keeper holds.
fn work(options: ServeOptions) -> Result<()> {
    sys::tune_allocator();
    sys::restrict_umask();
    sys::outlive_file_limit();
    let signals = signals::catch()?;
    if let Err(error) = sys::raise_descriptor_limit() {
        log::warn!("the limit of open descriptors stays low: {error}");
    }
    let channel = start::channel().context("this is started by drover's keeper only")?;
    let joined = match Client::join(channel) {
        Ok(joined) => joined,
        Err(error) => {
            // It was asked what it is and not wanted, or its keeper has died: nobody waits for it.
            log::debug!("this worker is not wanted: {error}");
            return Ok(());
        }
    };
    let client = Arc::clone(&joined.client);
    match start_worker(&options, joined, signals) {
        Ok(shared) => run_until_ended(&shared, &client),
        // The keeper says it to whom it concerns.
        Err(error) => client.cannot_start(&format!("{error:#}")),
    }
    Ok(())
}

fn start_worker(options: &ServeOptions, joined: Joined, signals: Signals) -> Result<Arc<Shared>> {
    let Joined {
        client,
        protocol,
        control,
        panes,
        before,
        alone,
    } = joined;
    let loaded = config::load(&options.config_file, &Config::default());
    for diagnostic in &loaded.diagnostics {
        log::warn!("{}: {diagnostic}", options.config_file.display());
    }
    let paths = &options.paths;
    // Before anything else is made: what is saved may be a reason not to start.
    let (store, saved) = open_session(options, alone && !panes.is_empty())?;
    if let Some(why) = store
        .trouble()
        .filter(|_| store.is_unread() && !panes.is_empty())
    {
        // Without it the panes would be nobody's. They live on until it can be read.
        bail!("the saved session cannot be read: {why}");
    }
    let mut links = Vec::new();
    let (herdr_executable, link_dir) = place_herdr(paths, &mut links)?;
    if options.at_herdr || loaded.config.socket_location == config::SocketLocation::Herdr {
        links.extend(link_beside_herdr(options));
    }
    let identity = Identity {
        session: paths.session.clone(),
        protocol_socket: paths.protocol_socket.clone(),
        herdr_executable,
        link_dir,
        config_file: options.config_file.clone(),
        home: std::env::var_os("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from),
        start_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        manifests: Places::of(&Environment::from_process()),
        plugins: crate::paths::plugin_paths(&Environment::from_process()),
    };
    let slots = Slots::new(Limits::from(&loaded.config.limits));
    let stop = Stop::new().context("making the descriptor that ends waits")?;
    let terminals: Arc<dyn Terminals> = Arc::new(Arc::clone(&client));
    let shared = Shared::new(identity, loaded.config, slots, stop, terminals, store);
    // Nobody else sets it.
    let _ = shared.keeper.set(Arc::clone(&client));
    follow_ssh_agents(&shared, paths);
    shared.continue_access_log();
    // Also where a service manager held the panes over the end of the whole daemon.
    shared.restore_authority(before > 0 || !panes.is_empty());
    let refusals = Refusals::start().context("starting the thread for refusals")?;
    let accepting = Arc::new(Mutex::new(Accepting {
        pool: Pool::new(),
        refusals,
        replaced: [None, None],
    }));
    let (obeying, opened) = (shared.clone(), accepting.clone());
    // Before panes are started, which it answers.
    client
        .listen(succession(), move |order| obey(&obeying, &opened, order))
        .context("starting the thread that hears the keeper")?;
    shared
        .store
        .start()
        .context("starting the store's thread")?;
    // Those that were closed are ended.
    let running = take_over(&shared, &client, panes);
    shared.load_turns(|pane| running.contains_key(&pane))?;
    let goes_on = !running.is_empty();
    let begins = !goes_on && before == 0;
    if !goes_on {
        shared.note_session(HistoryEvent::Started);
    }
    let saved =
        SavedState::with_running(saved, &running).context("putting panes into the session")?;
    if let Some(saved) = saved {
        shared
            .restore(saved, running)
            .context("restoring the session")?;
    }
    shared.notifier.take_over(goes_on);
    start_threads(&shared, &accepting, signals, protocol, control)?;
    start_hooks(&shared, begins).context("starting the thread that runs plugins' hooks")?;
    client.ready(links.into_iter().map(Link::hand_over).collect());
    shared.store.serves();
    sys::forget_start();
    Ok(shared)
}

/// The session's database and what is saved in it. One that must not be used is a reason not to start, but not to leave
/// panes to themselves that `run`: then it is kept aside.
fn open_session(
    options: &ServeOptions,
    run: bool,
) -> Result<(Store, Option<SavedState>), OpenError> {
    let open = |fresh| {
        let paths = &options.paths;
        let store = Store::open(&paths.database, Some(&paths.runtime_dir), fresh)?;
        let saved = SavedState::load(&store)?;
        Ok((store, saved))
    };
    match open(options.fresh) {
        Err(error @ OpenError::Refused(..)) if run => {
            log::error!("{error}; panes still run, so it is kept aside now");
            open(true)
        }
        opened => opened,
    }
}

/// Who goes on with the panes when the keeper has died.
fn succession() -> Succession {
    match service::holds_descriptors() {
        Some(_) => Succession::ServiceManager,
        None => Succession::Own,
    }
}

/// The panes that run already, which the worker before this one had.
fn take_over(
    shared: &Shared,
    client: &Arc<Client>,
    panes: Vec<PaneKey>,
) -> BTreeMap<PaneKey, StartingPane> {
    let rows = shared.config().terminal.scrollback_rows;
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let take = |key: PaneKey| {
        let (spawned, area) = client.take(key)?;
        Pane::take_over(client, key, spawned, area, rows)
    };
    panes
        .into_iter()
        .filter_map(|key| match take(key) {
            Ok(pane) => Some((key, pane)),
            Err(error) => {
                log::error!("pane {key:?} cannot be taken over: {error}");
                None
            }
        })
        .collect()
}

/// What panes run as `herdr`, and the folder of the link by that name; without a link it is this
/// executable.
fn place_herdr(paths: &SessionPaths, links: &mut Vec<Link>) -> Result<(PathBuf, Option<PathBuf>)> {
    let executable = sys::installed_executable().context("finding drover's own executable")?;
    match Link::place(&paths.herdr_link, &executable) {
        Ok(link) => {
            links.push(link);
            Ok((paths.herdr_link.clone(), Some(paths.link_dir.clone())))
        }
        Err(error) => {
            log::warn!("panes get no `herdr` on PATH: {error:#}");
            Ok((executable, None))
        }
    }
}

/// The link that panes find the SSH agent of the latest client at. Without it they have the daemon's, if that has one.
fn follow_ssh_agents(shared: &Shared, paths: &SessionPaths) {
    let own = std::env::var_os(SSH_AGENT_VARIABLE);
    match SshAgents::new(paths.ssh_agent_link.clone(), own) {
        // Nobody else sets it.
        Ok(agents) => drop(shared.ssh_agents.set(agents)),
        Err(error) => log::warn!(
            "panes do not follow clients' SSH agents: linking {}: {error}",
            paths.ssh_agent_link.display()
        ),
    }
}

/// The link to the protocol socket where herdr itself has its own, unless that is the socket.
fn link_beside_herdr(options: &ServeOptions) -> Option<Link> {
    let socket = &options.paths.protocol_socket;
    if options.herdr_socket == *socket {
        return None;
    }
    Link::place_beside_herdr(&options.herdr_socket, socket)
        .inspect_err(|error| log::warn!("no link at herdr's own place: {error:#}"))
        .ok()
}

fn start_threads(
    shared: &Arc<Shared>,
    accepting: &Mutex<Accepting>,
    signals: Signals,
    protocol: UnixListener,
    control: UnixListener,
) -> Result<()> {
    signals::start(signals, shared.clone())?;
    start_clock(shared.clone())?;
    let mut accepting = lock(accepting);
    accepting
        .open(shared, Which::Protocol, protocol)
        .and_then(|()| accepting.open(shared, Which::Control, control))
        .context("starting the threads that accept connections")
}

/// The threads that accept connections.
struct Accepting {
    pool: Arc<Pool>,
    refusals: Arc<Refusals>,
    /// By socket: what ends the thread that accepts there now.
    replaced: [Option<Arc<Wake>>; 2],
}

impl Accepting {
    /// Accepts at `listener` instead of where it was before.
    fn open(
        &mut self,
        shared: &Arc<Shared>,
        which: Which,
        listener: UnixListener,
    ) -> io::Result<()> {
        let replaced = Arc::new(Wake::new()?);
        let (name, door) = match which {
            Which::Protocol => ("protocol", &method::PROTOCOL),
            Which::Control => ("control", &method::CONTROL),
        };
        listen::start(
            name,
            listener,
            shared.clone(),
            self.pool.clone(),
            self.refusals.clone(),
            replaced.clone(),
            door,
        )?;
        if let Some(before) = self.replaced[which as usize].replace(replaced) {
            before.notify();
        }
        Ok(())
    }
}

/// Does what the keeper says.
fn obey(shared: &Arc<Shared>, accepting: &Mutex<Accepting>, order: Order) {
    match order {
        Order::Stop => {
            shared.stop.request();
        }
        Order::Reload => {
            let reload = shared.reload_config();
            shared.reload_manifests();
            log::info!("configuration read again: {:?}", reload.status);
        }
        Order::LetGo => {
            shared.stop.let_go();
        }
        Order::Listen(which, listener) => {
            if let Err(error) = lock(accepting).open(shared, which, listener) {
                log::error!("nobody accepts connections at the new socket: {error}");
            }
        }
    }
}

fn run_until_ended(shared: &Shared, client: &Client) {
    match shared.stop.wait() {
        Ended::Stop => stop(shared, client),
        Ended::Handover => hand_over(shared, client),
        Ended::LetGo => let_go(shared, client),
    }
}

fn stop(shared: &Shared, client: &Client) {
    client.stopping();
    shared
        .stop
        .wait_for_answers(0, Instant::now() + ANSWERS_TIME);
    shared.deadlines.close();
    shared.notifier.stop();
    shared.plugins.commands.stop();
    // Before the panes end, or their end would be saved.
    shared.note_session(HistoryEvent::Stopped);
    let _ = close_store(shared);
    end_panes(shared);
    if let Some(agents) = shared.ssh_agents.get() {
        agents.close();
    }
    client.stopped();
}

/// Leaves everything to another executable's worker, and ends when that serves.
fn hand_over(shared: &Shared, client: &Client) {
    log::info!("another executable takes over");
    // All but the one that asked for this, which is answered last.
    let saved = leave(shared, client, 1);
    let outcome = client.leave().map_err(|error| error.to_string());
    if let Err(error) = &outcome {
        log::error!("nobody took over: {error}");
    }
    // It could be saved when this was asked for; a disk may fill between the two.
    let outcome = outcome.and_then(|()| {
        saved.map_err(|why| {
            format!("the other executable serves, but without the last changes, which could not be saved: {why}")
        })
    });
    shared.stop.handed_over(outcome);
    shared
        .stop
        .wait_for_answers(0, Instant::now() + ANSWERS_TIME);
}

/// Leaves everything to whoever holds the panes' descriptors.
fn let_go(shared: &Shared, client: &Client) {
    log::info!("the panes are left to the service manager");
    // The log has what could not be saved; there is nobody to answer.
    let _ = leave(shared, client, 0);
    client.stopped();
}

/// Lets go of everything in a state that another process can go on from. `asking` requests are not waited for.
///
/// # Errors
/// Why the last changes were not saved.
fn leave(shared: &Shared, client: &Client, asking: usize) -> Result<(), String> {
    client.leaving();
    if let Some(agents) = shared.ssh_agents.get() {
        agents.leave();
    }
    shared
        .stop
        .wait_for_answers(asking, Instant::now() + ANSWERS_TIME);
    shared.deadlines.close();
    shared.notifier.leave();
    // They are this process's own, and their logs go with it. So is the popup.
    shared.plugins.commands.stop();
    shared.close_popup();
    let panes = all_panes(shared);
    for pane in &panes {
        pane.suspend();
    }
    let deadline = Instant::now() + PANES_TIME;
    for pane in panes {
        if !pane.wait_finished(deadline) {
            log::warn!(
                "the thread of pane process {} does not let go of it",
                pane.shell_pid()
            );
        }
    }
    close_store(shared)
}

/// Saves everything and lets go of the database. The error is in the log already.
fn close_store(shared: &Shared) -> Result<(), String> {
    // Closing tries once more, and says what is left.
    let _ = shared.save_all();
    shared.store.close()
}

/// Ends every pane's processes and waits until they are gone.
fn end_panes(shared: &Shared) {
    let panes = all_panes(shared);
    for pane in &panes {
        pane.close();
    }
    let deadline = Instant::now() + PANES_TIME;
    for pane in panes {
        if !pane.wait_finished(deadline) {
            log::warn!("process {} of a pane does not end", pane.shell_pid());
        }
    }
}

/// The panes of the world, and those that left it whose processes may still be there.
fn all_panes(shared: &Shared) -> Vec<Arc<Pane>> {
    let live = shared.look();
    let mut panes = live.dying();
    panes.extend(live.runtimes().iter().map(|runtime| runtime.pane.clone()));
    drop(live);
    panes.extend(shared.popup_pane());
    panes
}

fn start_clock(shared: Arc<Shared>) -> Result<()> {
    thread::Builder::new()
        .name("clock".to_owned())
        .spawn(move || {
            while let Some(due) = shared.deadlines.next() {
                // A fault in one look must not stop all later ones; the hook has logged it.
                let _ = catch_unwind(AssertUnwindSafe(|| look_at(&shared, due)));
            }
        })
        .context("starting the clock")?;
    Ok(())
}

/// Does what a deadline was set for.
fn look_at(shared: &Shared, due: Due) {
    match due {
        Due::Save => shared.save_places(),
        Due::Resume => shared.resume_due(),
        Due::TurnAction => shared.turn_actions_due(),
        Due::Sizes => shared.fit_all(),
        Due::Agent(pane) => shared.agent_due(pane),
        Due::Workspace(workspace) => {
            let expire =
                |tokens: &mut WorkspaceTokens| Ok::<_, Infallible>(tokens.expire(Instant::now()));
            let mut live = shared.change();
            let Ok(()) = live.change_workspace_tokens(workspace, &shared.deadlines, expire);
        }
    }
}

/// Panics are caught where they harm nothing else; here they get into the log, with their place.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = thread::current();
        log::error!(
            "thread {}: {panic}",
            thread.name().unwrap_or("without a name")
        );
    }));
}
