//! A plugin's manifest: whatever is in it, what is taken of it is bounded.

use drover::plugin::{id, manifest};

/// # Panics
/// Something is taken that is longer than it may be, or cannot be run; or a refusal has no code of its own.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let manifest = match manifest::parse(text) {
        Ok(manifest) => manifest,
        Err(error) => {
            assert!(error.code.contains("plugin"), "{error}");
            assert!(!error.message.is_empty());
            return;
        }
    };
    assert_eq!(
        id::plugin(&manifest.id).as_deref(),
        Ok(manifest.id.as_str())
    );
    assert!(!id::folder(&manifest.id).starts_with('.'));
    assert!(manifest.warnings.len() <= 16);
    let builds = manifest.build.iter().map(|entry| &entry.command);
    let commands = builds
        .chain(manifest.startup.iter().map(|entry| &entry.command))
        .chain(manifest.actions.iter().map(|entry| &entry.command))
        .chain(manifest.events.iter().map(|entry| &entry.command))
        .chain(manifest.panes.iter().map(|entry| &entry.command));
    for command in commands {
        assert!((1..=128).contains(&command.len()));
        assert!(
            command
                .iter()
                .all(|word| !word.is_empty() && !word.contains('\0'))
        );
    }
    for (at, action) in manifest.actions.iter().enumerate() {
        assert!(id::is_inner(&action.id) && !action.title.is_empty());
        let mut others = manifest.actions[..at].iter();
        assert!(others.all(|other| other.id != action.id));
    }
    for handler in &manifest.link_handlers {
        assert!(manifest::pattern(&handler.pattern).is_ok());
        assert!(
            manifest
                .actions
                .iter()
                .any(|action| action.id == handler.action)
        );
    }
}
