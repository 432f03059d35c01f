//! What is known of the programs inside a pane.

use super::*;
use crate::pane::process::{GroupSignal, signal};

fn interactive_shell() -> TestPane {
    TestPane::open(launch(Program::Shell {
        path: OsString::from("/bin/sh"),
        mode: ShellMode::NonLogin,
    }))
}

#[test]
fn a_job_comes_to_the_foreground_and_the_shell_comes_back() {
    let test = interactive_shell();
    test.recorder.wait_for_foreground("sh");
    test.pane.send("sleep 1000\n").unwrap();
    let job = test.recorder.wait_for_foreground("sleep");
    assert_ne!(job.group, test.pane.shell_pid());
    assert_eq!(job.processes.len(), 1);
    assert_eq!(job.processes[0].arguments, ["sleep", "1000"]);
    assert_eq!(job.processes[0].agent, None);
    assert_eq!(test.pane.process_info().foreground.as_ref(), Some(&*job));
    signal(job.group, GroupSignal::Kill);
    test.recorder.wait_for("the shell's return", |seen| {
        (seen.jobs.last()?.group == test.pane.shell_pid()).then_some(())
    });
}

#[test]
fn a_program_that_replaces_itself_is_noticed() {
    let test = interactive_shell();
    test.recorder.wait_for_foreground("sh");
    test.pane.send("exec sleep 1000\n").unwrap();
    let job = test.recorder.wait_for_foreground("sleep");
    assert_eq!(job.group, test.pane.shell_pid());
}

#[test]
fn a_launcher_that_starts_its_program_later_is_noticed() {
    let test = TestPane::shell("read line; sleep 1000; :");
    let alone = test.recorder.wait_for_foreground("sh");
    assert_eq!(alone.processes.len(), 1);
    test.pane.send("\n").unwrap();
    let names = test.recorder.wait_for("the program", |seen| {
        let processes = &seen.jobs.last()?.processes;
        (processes.len() == 2).then(|| {
            processes
                .iter()
                .map(|process| process.name.clone())
                .collect::<Vec<_>>()
        })
    });
    assert_eq!(names, ["sh", "sleep"]);
}

#[test]
fn a_program_may_say_which_agent_it_is() {
    let test = interactive_shell();
    test.pane.send("HERDR_AGENT=codex sleep 1000\n").unwrap();
    let job = test.recorder.wait_for_foreground("sleep");
    assert_eq!(job.processes[0].agent.as_deref(), Some("codex"));
}

#[test]
fn directories_follow_the_shell_and_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let below = folder.join("below");
    std::fs::create_dir(&below).unwrap();
    let test = interactive_shell();
    assert_eq!(
        test.pane.directories().cwd,
        Some(std::path::PathBuf::from("/"))
    );
    test.pane
        .send(format!("cd '{}'; echo mo''ved\n", folder.display()))
        .unwrap();
    test.wait_for_text("moved");
    let directories = test.pane.directories();
    assert_eq!(directories.cwd.as_ref(), Some(&folder));
    assert_eq!(directories.foreground_cwd.as_ref(), Some(&folder));

    // The leader stays where the shell is; a member of its group does not.
    test.pane
        .send("sh -c '(cd below; exec sleep 1000); :'\n")
        .unwrap();
    test.recorder.wait_for("both", |seen| {
        (seen.jobs.last()?.processes.len() == 2).then_some(())
    });
    let directories = test.pane.directories();
    assert_eq!(directories.cwd.as_ref(), Some(&folder));
    assert_eq!(directories.leader_cwd.as_ref(), Some(&folder));
    assert_eq!(directories.foreground_cwd.as_ref(), Some(&below));
}

#[test]
fn a_directory_the_shell_reports_counts_if_it_is_on_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let report = |host: &str| format!("printf '\\033]7;file://{host}{}\\007'", folder.display());
    for (host, expected) in [
        ("", folder.as_path()),
        ("far.example", std::path::Path::new("/")),
    ] {
        let script = format!(
            "{}; echo done; read line; echo over; read line",
            report(host)
        );
        let test = TestPane::shell(&script);
        test.wait_for_text("done");
        // What came with the text is dealt with before the next text is read.
        test.pane.send("\n").unwrap();
        test.wait_for_text("over");
        assert_eq!(
            test.pane.directories().cwd.as_deref(),
            Some(expected),
            "host '{host}'"
        );
    }
}
