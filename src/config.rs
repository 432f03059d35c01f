//! The configuration file: keys, defaults, diagnostics.
