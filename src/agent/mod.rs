//! Who works in a pane and how it goes: claims, order, status, metadata, the foreground look-up. Pure.
