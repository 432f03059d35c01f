//! drover's own commands, for the person at the keyboard.
