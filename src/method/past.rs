//! The past of a full-screen agent, which it keeps to itself: scrolled back for a reader, as a person
//! would with the wheel, and forth again (herdr 0.9.3, `agent.read` on the alternate screen).

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::agent::AgentState;
use crate::pane::{Format, Modes, MouseTracking, ReadRequest, Source};
use crate::state::Runtime;
use crate::sys::Wake;
use crate::world::PaneKey;

use super::Call;
use super::pages::Pages;
use super::wait::{self, Woken};

/// Time in all. herdr takes up to 15 s; whoever reads a screen waits for an answer.
const ALL: Duration = Duration::from_secs(5);

/// How soon a program must begin to show what was scrolled to; one that does not is at its top. A
/// machine that is busy with other things takes its time.
const BEGINS: Duration = Duration::from_millis(600);

/// Its picture is whole when nothing followed for so long.
const RESTS: Duration = Duration::from_millis(30);

/// A program that draws all the time has no rest; its picture is taken after so long.
const RESTLESS: Duration = Duration::from_millis(200);

/// Time for scrolling forth again, after whatever the rest took.
const BACK: Duration = Duration::from_millis(1500);

/// Notches of the wheel at one time, far more than a hand turns.
const NOTCHES: usize = 40;

/// Buttons of the wheel, as mouse reports name them.
const UP: u8 = 64;
const DOWN: u8 = 65;

/// How an agent's past can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Past {
    /// Its rows are in the scrollback, or nobody is there who could have a past.
    Kept,
    /// Only by scrolling, and that may be done.
    Scrolled,
    /// Only by scrolling, and it is busy with something: how it stands with it.
    Busy(AgentState),
}

/// How the past of the agent in a pane can be read, by somebody who wants `lines` rows.
pub fn past(call: &Call<'_>, key: PaneKey, runtime: &Runtime, lines: u32) -> Past {
    let state = {
        let live = call.shared.look();
        let view = live.pane(key).map(|entry| entry.agent.view());
        match view {
            Some(view) if view.kind.is_some() && view.in_foreground => view.state,
            _ => return Past::Kept,
        }
    };
    let (modes, rows) = {
        let screen = runtime.pane.screen();
        (screen.modes(), screen.size().rows)
    };
    let scrolls = modes.alternate_screen && modes.mouse != MouseTracking::Off;
    match scrolls && lines > u32::from(rows) {
        false => Past::Kept,
        true if state == AgentState::Idle => Past::Scrolled,
        true => Past::Busy(state),
    }
}

/// Scrolls back until there are `lines` rows, the program is at its top, or time is over, and forth
/// again. The rows, the oldest first, and whether there may be older ones; none if the caller may not
/// type there.
pub fn read(
    call: &Call<'_>,
    key: PaneKey,
    runtime: &Runtime,
    lines: usize,
) -> Option<(Vec<String>, bool)> {
    call.typing(key).ok()?;
    let wake = Arc::new(Wake::new().ok()?);
    let deadline = Instant::now() + ALL;
    // Nobody types a prompt into a page of the past.
    let place = runtime.prompts.line_up(&wake);
    while !place.is_first() {
        match wait::sleep(call.shared, call.client, Some(&wake), Some(deadline)) {
            Woken::Wake => {}
            Woken::Deadline | Woken::Over => return None,
        }
    }
    // Nor is it judged by one.
    let _unjudged = runtime.show_past();
    let wheel = Wheel {
        call,
        key,
        runtime,
        wake: &wake,
    };
    let mut pages = Pages::new(wheel.page());
    let (mut turned, mut notches, mut at_top) = (0, 1, false);
    while pages.len() < lines && Instant::now() < deadline {
        let idle = call
            .shared
            .look()
            .pane(key)
            .is_some_and(|entry| entry.agent.view().state == AgentState::Idle);
        if !idle || !wheel.turn(UP, notches) {
            break;
        }
        turned += notches;
        match wheel.settled().map(|page| (page.len(), pages.up(page))) {
            None | Some((_, Some(0))) => {
                at_top = true;
                break;
            }
            // Half a page at a time, so that the next page has enough in common with this one.
            Some((height, Some(rows))) => {
                let each = (rows / notches).max(1);
                notches = (height / 2 / each).clamp(1, NOTCHES);
            }
            Some((_, None)) => break,
        }
    }
    wheel.back(&pages, turned);
    let rows: Vec<String> = pages.rows().into_iter().map(str::to_owned).collect();
    let older = !at_top || rows.len() > lines;
    let first = rows.len().saturating_sub(lines);
    Some((rows[first..].to_vec(), older))
}

/// The wheel over a pane.
struct Wheel<'a> {
    call: &'a Call<'a>,
    key: PaneKey,
    runtime: &'a Runtime,
    wake: &'a Arc<Wake>,
}

impl Wheel<'_> {
    /// The rows on the screen, as many as it has.
    fn page(&self) -> Vec<String> {
        let request = ReadRequest {
            source: Source::Detection,
            lines: None,
            format: Format::Text,
        };
        let screen = self.runtime.pane.screen();
        let text = screen.read(&request).text;
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows.resize(screen.size().rows.into(), String::new());
        rows
    }

    /// Turns it by so many notches. False if that is not possible any more.
    fn turn(&self, button: u8, notches: usize) -> bool {
        let (modes, size) = {
            let screen = self.runtime.pane.screen();
            (screen.modes(), screen.size())
        };
        if modes.mouse == MouseTracking::Off {
            return false;
        }
        let bytes = notch(&modes, button, (size.cols / 2, size.rows / 2)).repeat(notches);
        match self.call.typing(self.key) {
            Ok(None) => self.runtime.pane.send(bytes).is_ok(),
            Ok(Some(check)) => self.runtime.pane.send_checked(bytes, check).is_ok(),
            Err(_) => false,
        }
    }

    /// What is shown once the program has shown it; none if it shows nothing new.
    fn settled(&self) -> Option<Vec<String>> {
        let pane = &self.runtime.pane;
        let watch = pane.watch(self.wake);
        let before = pane.revision();
        let began = Instant::now();
        let mut seen = before;
        loop {
            watch.arm();
            let now = pane.revision();
            let changed = now != before;
            if changed && began.elapsed() >= RESTLESS {
                return Some(self.page());
            }
            let pause = if changed { RESTS } else { BEGINS };
            let until = match changed {
                true => Instant::now() + pause,
                false => began + pause,
            };
            seen = now.max(seen);
            match wait::sleep(
                self.call.shared,
                self.call.client,
                Some(self.wake),
                Some(until),
            ) {
                Woken::Wake => {}
                Woken::Deadline if pane.revision() == seen => {
                    return changed.then(|| self.page());
                }
                Woken::Deadline => {}
                Woken::Over => return None,
            }
        }
    }

    /// Scrolls forth again, also for a reader that has left.
    fn back(&self, pages: &Pages, turned: usize) {
        let deadline = Instant::now() + BACK;
        let mut notches = turned;
        while notches > 0 && !pages.is_last(&self.page()) && Instant::now() < deadline {
            if !self.turn(DOWN, notches.min(NOTCHES)) {
                return;
            }
            notches = notches.saturating_sub(NOTCHES).max(1);
            if self.settled().is_none() {
                wait::rest(self.call.shared, Instant::now() + RESTS);
            }
        }
    }
}

/// One notch, as the program wants its mouse reported.
fn notch(modes: &Modes, button: u8, (column, row): (u16, u16)) -> Vec<u8> {
    if modes.sgr_mouse {
        let (column, row) = (u32::from(column) + 1, u32::from(row) + 1);
        return format!("\x1b[<{button};{column};{row}M").into_bytes();
    }
    // The old form has a byte for each.
    let place = |cell: u16| u8::try_from(u32::from(cell) + 33).unwrap_or(u8::MAX);
    vec![0x1b, b'[', b'M', button + 32, place(column), place(row)]
}
