//! Asks the linker for relative relocations in their packed form where the C library of this machine knows it: the
//! executable is called for every report of a hook, and unpacked ones are a good part of what its start takes.

use std::env;
use std::process::Command;

/// The first glibc that reads them; an older one refuses to start the program.
const READS_PACKED: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let runs_here = variable("HOST") == variable("TARGET");
    let is_glibc =
        variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if runs_here && is_glibc && glibc().is_some_and(|version| version >= READS_PACKED) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let asked = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    // "glibc 2.41"
    let text = String::from_utf8(asked.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
