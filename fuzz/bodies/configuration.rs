//! The configuration file: whatever is in it, what comes out is a configuration in range.

use drover::config::{self, Config, KEYS, Status};

/// # Panics
/// A mistake changes more than its own key, or reading the file that drover prints itself finds mistakes.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let current = Config::default();
    let loaded = config::read(text, &current);
    match loaded.status {
        Status::Failed => assert_eq!(loaded.config, current),
        Status::Applied => assert_eq!(loaded.diagnostics, []),
        Status::Partial => assert!(!loaded.diagnostics.is_empty()),
    }
    assert!((16..=65_536).contains(&loaded.config.limits.connections));
    assert!(loaded.config.terminal.scrollback_rows <= 1_000_000);
    for diagnostic in &loaded.diagnostics {
        if let Some((line, column)) = diagnostic.place {
            assert!(line >= 1 && line <= text.matches('\n').count() + 1);
            assert!(column >= 1 && column <= text.len() + 1);
        }
    }
    // The same file over what it says itself says the same again.
    assert_eq!(config::read(text, &loaded.config).status, loaded.status);
    assert!(!KEYS.is_empty());
}
