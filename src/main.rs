//! Which name was I called by? `herdr` is herdr's command line; `drover` takes an applet.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
