//! herdr's command line: one file a command group, one function a command.
