//! What differs between operating systems, and all unsafe code.
