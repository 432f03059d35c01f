//! Workspaces, tabs, panes, layout and focus as plain data: no I/O, no clock, no threads.
