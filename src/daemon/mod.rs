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
mod refuse;
mod signals;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::os::unix::net::UnixListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use signal_hook::iterator::Signals;

use crate::agent::WorkspaceTokens;
use crate::config::{self, Config};
use crate::keeper::client::{Client, Joined, Order};
use crate::keeper::message::Which;
use crate::keeper::start::{self, Half};
use crate::manifests::Places;
use crate::method;
use crate::pane::{Pane, Terminals};
use crate::paths::{Environment, SessionPaths};
use crate::state::{Due, Identity, Limits, SavedState, Shared, Slots, Stop};
use crate::store::Store;
use crate::sys;

pub use files::AlreadyRunning;

use files::Link;
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
        Half::Keeper => keep::go_on(options),
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
        Ok(shared) => run_until_stopped(&shared, &client),
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
        before: _,
    } = joined;
    let loaded = config::load(&options.config_file, &Config::default());
    for diagnostic in &loaded.diagnostics {
        log::warn!("{}: {diagnostic}", options.config_file.display());
    }
    let paths = &options.paths;
    let store = Store::open(&paths.database, options.fresh)?;
    // Before anything else is made: what is saved may be a reason not to start.
    let saved = SavedState::load(&store)?;
    let mut links = Vec::new();
    let (herdr_executable, link_dir) = place_herdr(paths, &mut links)?;
    if options.at_herdr || loaded.config.socket_location == config::SocketLocation::Herdr {
        links.extend(link_beside_herdr(options));
    }
    let identity = Identity {
        protocol_socket: paths.protocol_socket.clone(),
        herdr_executable,
        link_dir,
        config_file: options.config_file.clone(),
        home: std::env::var_os("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from),
        start_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        manifests: Places::of(&Environment::from_process()),
    };
    let slots = Slots::new(Limits::from(&loaded.config.limits));
    let stop = Stop::new().context("making the descriptor that ends waits")?;
    let terminals: Arc<dyn Terminals> = Arc::new(Arc::clone(&client));
    let shared = Shared::new(identity, loaded.config, slots, stop, terminals, store);
    for pane in panes {
        client.forget(pane);
    }
    let refusals = Refusals::start().context("starting the thread for refusals")?;
    let (obeying, refusing) = (shared.clone(), refusals.clone());
    // Before panes are started, which it answers.
    client
        .listen(move |order| obey(&obeying, &refusing, order))
        .context("starting the thread that hears the keeper")?;
    shared
        .store
        .start()
        .context("starting the store's thread")?;
    if let Some(saved) = saved {
        shared
            .restore(saved, BTreeMap::new())
            .context("restoring the session")?;
    }
    start_threads(&shared, &refusals, signals, protocol, control)?;
    client.ready(links.into_iter().map(Link::hand_over).collect());
    Ok(shared)
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
    refusals: &Arc<Refusals>,
    signals: Signals,
    protocol: UnixListener,
    control: UnixListener,
) -> Result<()> {
    signals::start(signals, shared.clone())?;
    start_clock(shared.clone())?;
    accept(shared, refusals, Which::Protocol, protocol)
        .and_then(|()| accept(shared, refusals, Which::Control, control))
        .context("starting the threads that accept connections")
}

fn accept(
    shared: &Arc<Shared>,
    refusals: &Arc<Refusals>,
    which: Which,
    listener: UnixListener,
) -> io::Result<()> {
    let (name, door) = match which {
        Which::Protocol => ("protocol", &method::PROTOCOL),
        Which::Control => ("control", &method::CONTROL),
    };
    listen::start(name, listener, shared.clone(), refusals.clone(), door)
}

/// Does what the keeper says.
fn obey(shared: &Arc<Shared>, refusals: &Arc<Refusals>, order: Order) {
    match order {
        Order::Stop => {
            shared.stop.request();
        }
        Order::Reload => {
            let reload = shared.reload_config();
            shared.reload_manifests();
            log::info!("configuration read again: {:?}", reload.status);
        }
        Order::Listen(which, listener) => {
            if let Err(error) = accept(shared, refusals, which, listener) {
                log::error!("nobody accepts connections at the new socket: {error}");
            }
        }
    }
}

fn run_until_stopped(shared: &Shared, client: &Client) {
    shared.stop.wait();
    client.stopping();
    shared.stop.wait_for_answers(Instant::now() + ANSWERS_TIME);
    shared.deadlines.close();
    // Before the panes end, or their end would be saved.
    shared.save_all();
    shared.store.close();
    end_panes(shared);
    client.stopped();
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
