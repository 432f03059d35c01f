//! What the program in a pane has asked of its terminal, as far as the writers of input and the
//! drawers of output need to know it.

use alacritty_terminal::term::TermMode;

/// Which mouse events the program wants to be told about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseTracking {
    /// None.
    #[default]
    Off,
    /// Presses and releases (DECSET 1000).
    Click,
    /// The same and movement while a button is down (DECSET 1002).
    Drag,
    /// The same and every movement (DECSET 1003).
    Motion,
}

/// The modes of a pane's terminal at one moment.
///
/// A plain copy: it stays as it was when the screen changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    /// Pasted text is to be wrapped in paste markers (DECSET 2004).
    pub bracketed_paste: bool,
    /// Cursor keys are sent as `ESC O x` (DECCKM).
    pub application_cursor: bool,
    /// The keypad sends application sequences (DECKPAM).
    pub application_keypad: bool,
    /// Flags of the kitty keyboard protocol on the screen that is up: 0 to 31, 0 is the legacy
    /// encoding.
    pub kitty_keyboard: u8,
    /// Which mouse events are wanted.
    pub mouse: MouseTracking,
    /// Mouse events are wanted in the SGR form (DECSET 1006).
    pub sgr_mouse: bool,
    /// The program wants to know when it gains and loses the focus (DECSET 1004).
    pub focus_events: bool,
    /// The alternate screen is up.
    pub alternate_screen: bool,
    /// The wheel is to be sent as cursor keys on the alternate screen (DECSET 1007).
    pub alternate_scroll: bool,
    /// The cursor is shown (DECTCEM).
    pub cursor_visible: bool,
    /// The program is in the middle of a frame and asks not to be drawn (DECSET 2026).
    /// The screen is up to date nevertheless.
    pub synchronized_output: bool,
}

impl Modes {
    /// Those of a terminal that was just started.
    pub fn fresh() -> Modes {
        Modes {
            alternate_scroll: true,
            cursor_visible: true,
            ..Modes::default()
        }
    }

    /// Whether nobody in the pane wants the wheel, so that it can scroll the viewport.
    pub fn leaves_wheel(&self) -> bool {
        self.mouse == MouseTracking::Off && !self.alternate_screen
    }

    pub(super) fn new(mode: &TermMode, kitty_keyboard: u8, synchronized_output: bool) -> Self {
        let mouse = if mode.contains(TermMode::MOUSE_MOTION) {
            MouseTracking::Motion
        } else if mode.contains(TermMode::MOUSE_DRAG) {
            MouseTracking::Drag
        } else if mode.contains(TermMode::MOUSE_REPORT_CLICK) {
            MouseTracking::Click
        } else {
            MouseTracking::Off
        };
        Modes {
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            application_cursor: mode.contains(TermMode::APP_CURSOR),
            application_keypad: mode.contains(TermMode::APP_KEYPAD),
            kitty_keyboard,
            mouse,
            sgr_mouse: mode.contains(TermMode::SGR_MOUSE),
            focus_events: mode.contains(TermMode::FOCUS_IN_OUT),
            alternate_screen: mode.contains(TermMode::ALT_SCREEN),
            alternate_scroll: mode.contains(TermMode::ALTERNATE_SCROLL),
            cursor_visible: mode.contains(TermMode::SHOW_CURSOR),
            synchronized_output,
        }
    }
}
