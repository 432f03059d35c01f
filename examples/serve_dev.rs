use drover::{daemon, paths};
fn main() {
    let env = paths::Environment::from_process();
    let chosen = paths::choose(&env, None).unwrap();
    let paths = paths::session_paths(&env, &paths::Session::Default).with_protocol_socket(&env, &chosen.protocol_socket);
    drover::log::start(&drover::log::Destination::Stderr, drover::log::level_from_environment()).unwrap();
    daemon::serve(daemon::ServeOptions { paths, config_file: paths::config_file(&env), at_herdr: false, herdr_socket: "/nonexistent/herdr.sock".into(), on_ready: Box::new(|| eprintln!("ready")) }).unwrap();
}
