//! When a member is left out of a line, and the one default that is not its type's own.

/// For switches that are only written when they are on.
pub fn is_false(value: &bool) -> bool {
    !value
}

/// For members that are only written when they say something.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// For switches that are on unless a request turns them off.
pub fn yes() -> bool {
    true
}
