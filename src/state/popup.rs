//! The one popup: a plugin's program on a terminal of its own, over the active workspace (herdr
//! 0.9.3). It is in no tab, has no id, makes no events and is not saved.

use std::process::ExitStatus;
use std::sync::{Arc, Weak};

use super::create::Ids;
use super::runtime::cells;
use super::{CreateError, Launch, Shared};
use crate::api::records::PopupSize;
use crate::authority::is_of_shell;
use crate::pane::{self, ForegroundJob, Note, Pane, PaneEvents, Program};
use crate::sync::lock;
use crate::sys::ProcessFacts;
use crate::world::{PaneId, PaneKey, Rect, TerminalSize};

/// What a popup has at least, with its frame: columns and rows.
const LEAST: (u16, u16) = (6, 4);

/// What its frame takes of it, in columns and rows; the scrollbar takes one column more.
const FRAME: (u16, u16) = (3, 2);

/// The popup that is open.
#[derive(Debug)]
pub struct Popup {
    key: PaneKey,
    /// None while its program is being started.
    pane: Option<Arc<Pane>>,
}

/// Why no popup was opened. Displays in the words of herdr 0.9.3.
#[derive(Debug)]
pub enum PopupError {
    AlreadyOpen,
    NoWorkspace,
    TooSmall,
    Create(CreateError),
}

/// What a popup's thread reports. It does not keep the daemon's state alive.
struct Ending(Weak<Shared>);

impl PaneEvents for Ending {
    fn output(&self, _: PaneKey, _: Vec<Note>) {}

    fn settled(&self, _: PaneKey) {}

    fn foreground_changed(&self, _: PaneKey, _: Arc<ForegroundJob>) {}

    fn exited(&self, pane: PaneKey, status: Option<ExitStatus>) {
        log::debug!("the popup's process ended: {status:?}");
        if let Some(shared) = self.0.upgrade() {
            shared.take_popup(|popup| popup.key == pane);
        }
    }
}

impl Shared {
    /// Starts a program in the popup.
    ///
    /// # Errors
    /// See [`PopupError`].
    pub fn open_popup(
        &self,
        launch: &Launch,
        (width, height): (Option<PopupSize>, Option<PopupSize>),
    ) -> Result<(), PopupError> {
        let failed = |error| PopupError::Create(CreateError::World(error));
        let (ids, area) = {
            let mut live = self.look();
            let focus = live.world.focus().ok_or(PopupError::NoWorkspace)?;
            let key = live.world.reserve_key().map_err(failed)?;
            let pane = PaneId {
                workspace: focus.workspace,
                // No pane has it.
                number: 0,
            };
            let tab = focus.tab;
            (Ids { key, pane, tab }, live.geometry().area)
        };
        let size = size(area, width, height).ok_or(PopupError::TooSmall)?;
        {
            let mut popup = lock(&self.plugins.popup);
            if popup.is_some() {
                return Err(PopupError::AlreadyOpen);
            }
            *popup = Some(Popup {
                key: ids.key,
                pane: None,
            });
        }
        self.start_popup(&ids, launch, size).inspect_err(|_| {
            self.take_popup(|popup| popup.key == ids.key);
        })
    }

    fn start_popup(
        &self,
        ids: &Ids,
        launch: &Launch,
        size: TerminalSize,
    ) -> Result<(), PopupError> {
        let spawn = |error| PopupError::Create(CreateError::Spawn(error));
        let config = self.config();
        self.room_for(1).map_err(PopupError::Create)?;
        let token = self.new_token().map_err(spawn)?;
        let mut environment = self.environment(&config, ids, launch, &token);
        environment.remove("HERDR_PANE_ID");
        let launched = pane::Launch {
            program: Program::Command(launch.argv.clone().unwrap_or_default()),
            directory: launch.cwd.clone(),
            environment,
            size: cells(size),
        };
        let rows = usize::try_from(config.terminal.scrollback_rows).unwrap_or(usize::MAX);
        // Before there is a process that could call.
        let _start = self.starts.open();
        let starting = Pane::open_in(&*self.terminals, ids.key, &launched, rows).map_err(spawn)?;
        let still_wanted = {
            let mut popup = lock(&self.plugins.popup);
            match &mut *popup {
                Some(popup) if popup.key == ids.key => {
                    popup.pane = Some(starting.pane().clone());
                    true
                }
                _ => false,
            }
        };
        // One that was closed meanwhile is ended by being dropped.
        if still_wanted {
            starting.begin(Arc::new(Ending(self.this.clone())));
        }
        Ok(())
    }

    /// Ends the popup; false if there is none.
    pub fn close_popup(&self) -> bool {
        match self.take_popup(|_| true) {
            None => false,
            Some(popup) => {
                if let Some(pane) = popup.pane {
                    pane.close();
                    let mut live = self.look();
                    live.dying.retain(|pane| pane.strong_count() > 0);
                    live.dying.push(Arc::downgrade(&pane));
                }
                true
            }
        }
    }

    /// The popup's pane, to end it with the daemon.
    pub fn popup_pane(&self) -> Option<Arc<Pane>> {
        lock(&self.plugins.popup).as_ref()?.pane.clone()
    }

    fn take_popup(&self, which: impl Fn(&Popup) -> bool) -> Option<Popup> {
        lock(&self.plugins.popup).take_if(|popup| which(popup))
    }

    /// Whether a process is in the popup.
    pub(super) fn is_of_popup(&self, facts: &ProcessFacts) -> bool {
        self.popup_pane()
            .is_some_and(|pane| is_of_shell(facts, pane.shell_pid(), pane.shell_started()))
    }
}

/// The terminal of a popup over `area`, half of it where nothing else is asked for; none if the area
/// has no room for one.
fn size(area: Rect, width: Option<PopupSize>, height: Option<PopupSize>) -> Option<TerminalSize> {
    let (least_cols, least_rows) = LEAST;
    if area.width < least_cols || area.height < least_rows {
        return None;
    }
    let cells = |wanted: Option<PopupSize>, least: u16, whole: u16| {
        let cells = match wanted.unwrap_or(PopupSize::Percent(50)) {
            PopupSize::Cells(cells) => cells,
            // A share of 16 bits is one of them.
            PopupSize::Percent(share) => (u32::from(whole) * u32::from(share) / 100) as u16,
        };
        cells.clamp(least, whole)
    };
    Some(TerminalSize {
        cols: cells(width, least_cols, area.width) - FRAME.0,
        rows: cells(height, least_rows, area.height) - FRAME.1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        (width, height): (u16, u16),
        cols: Option<PopupSize>,
        rows: Option<PopupSize>,
    ) -> Option<(u16, u16)> {
        let area = Rect {
            x: 0,
            y: 0,
            width,
            height,
        };
        size(area, cols, rows).map(|size| (size.cols, size.rows))
    }

    #[test]
    fn a_popup_has_half_the_area_or_what_was_asked_for_as_far_as_there_is_room() {
        use PopupSize::{Cells, Percent};
        assert_eq!(of((120, 40), None, None), Some((57, 18)));
        let whole = (Some(Percent(100)), Some(Percent(100)));
        assert_eq!(of((120, 40), whole.0, whole.1), Some((117, 38)));
        let huge = (Some(Cells(u16::MAX)), Some(Cells(u16::MAX)));
        assert_eq!(of((120, 40), huge.0, huge.1), Some((117, 38)));
        assert_eq!(
            of((120, 40), Some(Cells(0)), Some(Percent(1))),
            Some((3, 2))
        );
        assert_eq!(of((6, 4), None, None), Some((3, 2)));
        assert_eq!(of((5, 40), None, None), None);
        assert_eq!(
            of((u16::MAX, u16::MAX), whole.0, whole.1),
            Some((65532, 65533))
        );
    }
}
