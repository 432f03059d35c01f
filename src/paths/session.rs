//! Session names: which are allowed, and which one means the default session.

use std::fmt;

/// The longest session name, in bytes (herdr 0.9.3). It keeps the socket path below the 108 bytes of `sun_path`
/// for usual runtime directories.
const MAX_NAME_BYTES: usize = 64;

/// The word that names the unnamed session on every command line.
const DEFAULT_NAME: &str = "default";

/// One daemon's world: the default one, or a named one beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Session {
    /// The session without a name.
    #[default]
    Default,
    /// A named session.
    Named(SessionName),
}

impl Session {
    /// Reads a name from a command line or a variable: `default` is the unnamed session.
    pub fn parse(name: &str) -> Result<Self, SessionNameError> {
        match name {
            DEFAULT_NAME => Ok(Self::Default),
            name => SessionName::parse(name).map(Self::Named),
        }
    }

    /// The name as people type it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Default => DEFAULT_NAME,
            Self::Named(name) => name.as_str(),
        }
    }
}

impl fmt::Display for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A valid name of a named session: safe as one path component, and never `default`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionName(String);

impl SessionName {
    /// Checks a name against herdr's rules (herdr 0.9.3, session names).
    pub fn parse(name: &str) -> Result<Self, SessionNameError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        match name {
            "" => Err(SessionNameError::Empty),
            "." | ".." => Err(SessionNameError::Dots),
            DEFAULT_NAME => Err(SessionNameError::Reserved),
            name if name.len() > MAX_NAME_BYTES => Err(SessionNameError::TooLong),
            name if !name.bytes().all(allowed) => Err(SessionNameError::Characters),
            name => Ok(Self(name.to_owned())),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a session name was refused. The texts are herdr 0.9.3's, which scripts may match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionNameError {
    /// No characters at all.
    Empty,
    /// More than 64 bytes.
    TooLong,
    /// `.` or `..`, which are directories already.
    Dots,
    /// A character outside `A-Z a-z 0-9 . _ -`.
    Characters,
    /// `default` where only a named session can stand.
    Reserved,
}

impl fmt::Display for SessionNameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "session name cannot be empty",
            Self::TooLong => "session name cannot be longer than 64 bytes",
            Self::Dots => "session name cannot be . or ..",
            Self::Characters => {
                "session name may only contain ASCII letters, numbers, '.', '_' and '-'"
            }
            Self::Reserved => "session name default is reserved for the default session",
        })
    }
}

impl std::error::Error for SessionNameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_is_the_unnamed_session() {
        assert_eq!(Session::parse("default"), Ok(Session::Default));
        assert_eq!(Session::Default.to_string(), "default");
        assert_eq!(
            SessionName::parse("default"),
            Err(SessionNameError::Reserved)
        );
    }

    #[test]
    fn names_keep_to_one_safe_path_component() {
        let longest = "a".repeat(64);
        for name in ["a", "A.b_c-9", "...", "-", longest.as_str()] {
            assert_eq!(Session::parse(name).expect(name).name(), name);
        }
        for (name, error) in [
            ("", SessionNameError::Empty),
            (".", SessionNameError::Dots),
            ("..", SessionNameError::Dots),
            ("a/b", SessionNameError::Characters),
            ("a b", SessionNameError::Characters),
            ("ä", SessionNameError::Characters),
            ("a\0", SessionNameError::Characters),
        ] {
            assert_eq!(Session::parse(name), Err(error), "{name:?}");
        }
        assert_eq!(
            Session::parse(&"a".repeat(65)),
            Err(SessionNameError::TooLong)
        );
    }
}
