//! How panes end.

use super::*;
use crate::sys;
use std::os::unix::process::ExitStatusExt;

#[test]
fn all_output_is_on_the_screen_when_the_exit_is_reported() {
    let test = TestPane::shell(
        "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; printf end; exit 3",
    );
    assert_eq!(test.recorder.wait_for_exit().unwrap().code(), Some(3));
    assert!(test.text().trim_end().ends_with("line 1999\nend"));
    assert_eq!(test.pane.exit_status().unwrap().code(), Some(3));
}

#[test]
fn a_program_ended_by_a_signal_is_reported_so() {
    let test = TestPane::shell("kill -9 $$");
    assert_eq!(test.recorder.wait_for_exit().unwrap().signal(), Some(9));
}

#[test]
fn a_pane_that_has_exited_refuses_input_and_keeps_its_last_directory() {
    let test = TestPane::shell("exit 0");
    test.recorder.wait_for_exit();
    assert_eq!(test.pane.send("x"), Err(SendError::Gone));
    assert_eq!(
        test.pane.directories().cwd,
        Some(std::path::PathBuf::from("/"))
    );
    assert_eq!(test.pane.process_info().foreground, None);
}

#[test]
fn the_exit_is_reported_although_a_background_process_keeps_the_terminal() {
    let test = TestPane::shell("(trap '' HUP; exec sleep 1000) & echo \"<$!>\"; exit 4");
    assert_eq!(test.recorder.wait_for_exit().unwrap().code(), Some(4));
    let text = test.text();
    let pid = between(&text, "<", ">");
    crate::pane::process::signal(pid, crate::pane::process::GroupSignal::Kill);
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(pid),
        nix::sys::signal::Signal::SIGKILL,
    )
    .unwrap();
}

#[test]
fn closing_ends_a_willing_program_at_once() {
    let test = TestPane::shell("echo ready; read line");
    test.wait_for_text("ready");
    test.pane.close();
    test.pane.close();
    assert_eq!(test.pane.send("x"), Err(SendError::Gone));
    assert_eq!(test.recorder.wait_for_exit().unwrap().signal(), Some(1));
}

#[test]
fn a_program_may_use_its_time_to_clean_up() {
    let test =
        TestPane::shell("trap 'echo cleaned; exit 6' HUP; echo ready; while :; do read line; done");
    test.wait_for_text("ready");
    test.pane.close();
    assert_eq!(test.recorder.wait_for_exit().unwrap().code(), Some(6));
    assert!(test.text().contains("cleaned"));
}

#[test]
fn a_stubborn_program_is_killed_when_its_time_is_up() {
    let test = TestPane::shell("trap '' HUP; echo ready; while :; do sleep 0.05; done");
    test.wait_for_text("ready");
    let asked = Instant::now();
    test.pane.close();
    assert_eq!(test.recorder.wait_for_exit().unwrap().signal(), Some(9));
    assert!(asked.elapsed() >= Duration::from_millis(500));
}

#[test]
fn a_stubborn_foreground_job_goes_with_the_shell_that_started_it() {
    let test = TestPane::open(launch(Program::Shell {
        path: OsString::from("/bin/sh"),
        mode: ShellMode::NonLogin,
    }));
    test.pane
        .send("sh -c 'trap \"\" HUP; echo \"<\"$$\">\"; exec sleep 1000'\n")
        .unwrap();
    let job = test.recorder.wait_for_foreground("sleep");
    assert_ne!(job.group, test.pane.shell_pid());
    test.pane.close();
    assert!(test.pane.wait_finished(Instant::now() + PATIENCE));
    let deadline = Instant::now() + PATIENCE;
    // Not our child: its new parent collects it in its own time.
    while sys::process_facts(job.group).is_some_and(|facts| !facts.zombie) {
        assert!(Instant::now() < deadline, "the job was left behind");
        std::thread::yield_now();
    }
}

#[test]
fn a_pane_that_is_never_begun_leaves_no_process() {
    let arguments = ["/bin/sh", "-c", "read line"].map(str::to_owned).to_vec();
    let new = Pane::open(PaneKey::new(1), &launch(Program::Command(arguments)), 100).unwrap();
    let pane = Arc::clone(new.pane());
    drop(new);
    assert!(pane.wait_finished(Instant::now() + PATIENCE));
    assert_eq!(sys::process_facts(pane.shell_pid()), None);
}

#[test]
fn waiting_for_an_end_that_does_not_come_stops_at_the_deadline() {
    let test = TestPane::shell("read line");
    assert!(
        !test
            .pane
            .wait_finished(Instant::now() + Duration::from_millis(20))
    );
}
