//! The part of a process's environment that decides where things lie.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variables, the user and the temporary directory that the rules of this module look at.
///
/// A variable that is set to the empty string counts as not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, only when absolute, as the XDG base directory specification asks.
    pub xdg_config_home: Option<PathBuf>,
    /// `XDG_STATE_HOME`, only when absolute.
    pub xdg_state_home: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`, only when absolute.
    pub xdg_runtime_dir: Option<PathBuf>,
    /// `HERDR_CONFIG_PATH`.
    pub herdr_config_path: Option<PathBuf>,
    /// `HERDR_SOCKET_PATH`.
    pub herdr_socket_path: Option<PathBuf>,
    /// `HERDR_SESSION`, as given: not yet checked to be a session name.
    pub herdr_session: Option<String>,
    /// `HERDR_PANE_ID`: the pane that the calling process runs in. Blank counts as not set.
    pub herdr_pane_id: Option<String>,
    /// Whether `HERDR_ENV` is `1`: the calling process runs inside a pane.
    pub inside_pane: bool,
    /// Where temporary files go (`TMPDIR`, else `/tmp`).
    pub temp_dir: PathBuf,
    /// The numeric id of the user.
    pub uid: u32,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn from_process() -> Self {
        Self::from_lookup(
            |name| std::env::var_os(name),
            nix::unistd::getuid().as_raw(),
        )
    }

    /// Builds an environment from a function that knows the variables.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>, uid: u32) -> Self {
        let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let path = |name: &str| set(name).map(PathBuf::from);
        let absolute = |name: &str| path(name).filter(|path| path.is_absolute());
        let text = |name: &str| set(name).and_then(|value| value.into_string().ok());
        Self {
            home: path("HOME"),
            xdg_config_home: absolute("XDG_CONFIG_HOME"),
            xdg_state_home: absolute("XDG_STATE_HOME"),
            xdg_runtime_dir: absolute("XDG_RUNTIME_DIR"),
            herdr_config_path: path("HERDR_CONFIG_PATH"),
            herdr_socket_path: path("HERDR_SOCKET_PATH"),
            herdr_session: text("HERDR_SESSION"),
            herdr_pane_id: text("HERDR_PANE_ID").filter(|id| !id.trim().is_empty()),
            inside_pane: text("HERDR_ENV").as_deref() == Some("1"),
            temp_dir: path("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp")),
            uid,
        }
    }

    /// The same environment without what herdr's variables say, for drover's own commands, which go by
    /// `--session` alone. The configuration file's place is kept: it is not about which daemon to talk to.
    #[must_use]
    pub fn without_herdr(&self) -> Self {
        Self {
            herdr_socket_path: None,
            herdr_session: None,
            herdr_pane_id: None,
            ..self.clone()
        }
    }

    /// The base directory for configuration: `$XDG_CONFIG_HOME`, else `~/.config`, else a directory of the user's
    /// own below the temporary directory.
    pub(super) fn config_base(&self) -> PathBuf {
        self.base(self.xdg_config_home.as_deref(), ".config")
    }

    /// The base directory for state: `$XDG_STATE_HOME`, else `~/.local/state`, else as for configuration.
    pub(super) fn state_base(&self) -> PathBuf {
        self.base(self.xdg_state_home.as_deref(), ".local/state")
    }

    fn base(&self, xdg: Option<&Path>, below_home: &str) -> PathBuf {
        match (xdg, &self.home) {
            (Some(directory), _) => directory.to_owned(),
            (None, Some(home)) => home.join(below_home),
            // Without a home nothing is the user's for certain; the user's id keeps two users of one machine apart.
            (None, None) => self
                .temp_dir
                .join(format!("drover-{}", self.uid))
                .join(below_home),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(pairs: &'static [(&str, &str)]) -> Environment {
        let find = |name: &str| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        };
        Environment::from_lookup(find, 1000)
    }

    #[test]
    fn empty_variables_count_as_not_set() {
        let environment = lookup(&[
            ("HOME", ""),
            ("HERDR_SOCKET_PATH", ""),
            ("HERDR_SESSION", ""),
        ]);
        assert_eq!(environment, lookup(&[]));
        assert_eq!(environment.temp_dir, Path::new("/tmp"));
    }

    #[test]
    fn relative_xdg_directories_are_ignored_as_the_specification_asks() {
        let environment = lookup(&[("XDG_RUNTIME_DIR", "run"), ("XDG_STATE_HOME", "/state")]);
        assert_eq!(environment.xdg_runtime_dir, None);
        assert_eq!(
            environment.xdg_state_home.as_deref(),
            Some(Path::new("/state"))
        );
    }

    #[test]
    fn a_blank_pane_id_is_no_pane_id() {
        assert_eq!(lookup(&[("HERDR_PANE_ID", "  ")]).herdr_pane_id, None);
        assert_eq!(
            lookup(&[("HERDR_PANE_ID", "w1:p1")])
                .herdr_pane_id
                .as_deref(),
            Some("w1:p1")
        );
    }

    #[test]
    fn only_the_exact_value_one_means_inside_a_pane() {
        assert!(lookup(&[("HERDR_ENV", "1")]).inside_pane);
        assert!(!lookup(&[("HERDR_ENV", "true")]).inside_pane);
    }
}
