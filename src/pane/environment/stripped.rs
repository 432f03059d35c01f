//! What a pane's process does not inherit from the daemon's environment: the union of what tuios
//! and herdr 0.9.3 strip, and what else names the place the daemon was started in.

use std::ffi::OsStr;

/// Variables that name the terminal, pane or session the daemon was started from. In a pane they
/// would be lies: tools would type into, draw over or report for a place that is somewhere else.
const STRIPPED: &[&str] = &[
    // Multiplexers.
    "TMUX",
    "TMUX_PANE",
    "STY",
    "WINDOW",
    // Where another herdr, or another drover, told its pane to report, and what it told it about
    // itself.
    "HERDR_ENV",
    "HERDR_SOCKET_PATH",
    "HERDR_BIN_PATH",
    "HERDR_WORKSPACE_ID",
    "HERDR_TAB_ID",
    "HERDR_PANE_ID",
    "HERDR_SESSION",
    "HERDR_CLIENT_SOCKET_PATH",
    "HERDR_AGENT",
    "HERDR_STARTUP_CWD",
    "HERDR_KITTY_GRAPHICS",
    "HERDR_EXECUTION_ID",
    "HERDR_EXECUTION_GENERATION",
    "HERDR_NATIVE_CAPABILITY",
    "HERDR_CONTEXT_CAPABILITY",
    "DROVER_PANE_TOKEN",
    // What a service manager gave to the daemon alone.
    "FDSTORE",
    "LISTEN_FDNAMES",
    "LISTEN_FDS",
    "LISTEN_PID",
    "NOTIFY_SOCKET",
    // Windows of terminal emulators.
    "ALACRITTY_LOG",
    "ALACRITTY_SOCKET",
    "ALACRITTY_WINDOW_ID",
    "GNOME_TERMINAL_SCREEN",
    "GNOME_TERMINAL_SERVICE",
    "ITERM_PROFILE",
    "ITERM_SESSION_ID",
    "KITTY_LISTEN_ON",
    "KITTY_PID",
    "KITTY_WINDOW_ID",
    "KONSOLE_DBUS_SERVICE",
    "KONSOLE_DBUS_SESSION",
    "KONSOLE_DBUS_WINDOW",
    "TERMINATOR_UUID",
    "TERM_SESSION_ID",
    "TILIX_ID",
    "VTE_VERSION",
    "WEZTERM_PANE",
    "WEZTERM_UNIX_SOCKET",
    "WINDOWID",
    "WT_PROFILE_ID",
    "WT_SESSION",
    // Sizes of that terminal: programs believe them rather than ask.
    "COLUMNS",
    "LINES",
    // Agents: the marks of the session that started the daemon.
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_THREAD_ID",
    // Belongs with PWD, which is set anew.
    "OLDPWD",
];

/// Families of such variables.
const STRIPPED_PREFIXES: &[&str] = &[
    "DROVER_",
    "HERDR_ACTIVE_",
    "HERDR_PLUGIN_",
    "TUIOS_",
    "ZELLIJ",
];

/// Whether a pane must not inherit the variable `name`.
pub(super) fn is_stripped(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    STRIPPED.contains(&name)
        || STRIPPED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}
