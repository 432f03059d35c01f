//! What a program finds when it starts in a pane.

use super::*;
use crate::pane::environment::Told;
use std::path::PathBuf;

fn in_environment(script: &str, environment: Environment) -> TestPane {
    let arguments = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    TestPane::open(Launch {
        environment,
        ..launch(Program::Command(arguments))
    })
}

#[test]
fn a_told_child_sees_where_it_lives() {
    let told = Told {
        session: None,
        socket: PathBuf::from("/run/d.sock.herdr"),
        executable: PathBuf::from("/run/bin/herdr"),
        link_folder: Some(PathBuf::from("/run/bin")),
        workspace: "w1".to_owned(),
        tab: "w1:t2".to_owned(),
        pane: "w1:p3".to_owned(),
    };
    let script = "echo \"<$HERDR_ENV $HERDR_SOCKET_PATH $HERDR_BIN_PATH $HERDR_WORKSPACE_ID $HERDR_TAB_ID \
                  $HERDR_PANE_ID ${PATH%%:*} $MINE>\"";
    let test = in_environment(
        script,
        environment(&[("MINE", "too"), ("HERDR_PANE_ID", "w9:p9")], Some(&told)),
    );
    test.recorder.wait_for_exit();
    let text = test.text().replace("\r\n", "");
    assert!(
        text.contains("<1 /run/d.sock.herdr /run/bin/herdr w1 w1:t2 w1:p3 /run/bin too>"),
        "{text}"
    );
}

#[test]
fn an_untold_child_sees_nothing_of_the_terminal_its_daemon_was_started_in() {
    let outer = [
        ("PATH", "/usr/bin:/bin"),
        ("TMUX", "/tmp/tmux"),
        ("TMUX_PANE", "%1"),
        ("HERDR_ENV", "1"),
        ("HERDR_SOCKET_PATH", "/outer"),
        ("HERDR_SESSION", "outer"),
        ("KEPT", "yes"),
    ];
    let outer = outer.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let test = in_environment(
        "env | sort; echo end",
        Environment::build(outer, &BTreeMap::new(), [], None),
    );
    test.recorder.wait_for_exit();
    let text = test.text();
    assert!(text.contains("KEPT=yes"), "{text}");
    assert!(text.contains("TERM=xterm-256color"), "{text}");
    assert!(!text.contains("TMUX") && !text.contains("HERDR"), "{text}");
}

#[test]
fn the_size_is_there_before_the_first_output() {
    let test = TestPane::command(&["stty", "size"]);
    test.recorder.wait_for_exit();
    assert!(test.text().contains("24 80"));
}

#[test]
fn the_terminal_erases_whole_characters() {
    let test = TestPane::shell("stty -a");
    test.recorder.wait_for_exit();
    let text = test.text();
    assert!(text.contains("iutf8") && !text.contains("-iutf8"), "{text}");
}

#[test]
fn the_program_leads_its_session_in_the_foreground_of_its_terminal() {
    let test = TestPane::shell("read line");
    let job = test.recorder.wait_for_foreground("sh");
    let pid = test.pane.shell_pid();
    assert_eq!((job.shell_pid, job.group), (pid, pid));
    let facts = crate::sys::process_facts(pid).unwrap();
    assert_eq!((facts.session, facts.group), (pid, pid));
    assert_eq!(facts.terminal, Some(test.pane.terminal()));
}

#[test]
fn a_directory_that_cannot_be_entered_becomes_home() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for wanted in ["/no/such/directory", "relative", "~", "/etc/passwd"] {
        let test = TestPane::open(Launch {
            directory: Some(PathBuf::from(wanted)),
            environment: environment(&[("HOME", home.to_str().unwrap())], None),
            ..launch(Program::Command(vec!["pwd".to_owned()]))
        });
        test.recorder.wait_for_exit();
        assert_eq!(test.pane.start_directory(), home);
        let text = test.text().replace("\r\n", "");
        assert!(text.contains(home.to_str().unwrap()), "{wanted}: {text}");
    }
}

#[test]
fn without_a_home_the_root_is_left() {
    let test = TestPane::open(Launch {
        environment: environment(&[("HOME", "/no/such/home")], None),
        ..launch(Program::Command(vec!["pwd".to_owned()]))
    });
    assert_eq!(test.pane.start_directory(), PathBuf::from("/"));
    test.recorder.wait_for_exit();
}

#[test]
fn a_login_shell_is_called_by_the_name_that_says_so() {
    for (mode, expected) in [
        (ShellMode::Login, "<-sh>"),
        (ShellMode::NonLogin, "</bin/sh>"),
    ] {
        let test = TestPane::open(launch(Program::Shell {
            path: OsString::from("/bin/sh"),
            mode,
        }));
        test.pane.send("echo \"<$0>\"\n").unwrap();
        test.wait_for_text(expected);
    }
}

#[test]
fn a_shell_that_cannot_be_run_is_not_taken_from_the_environment() {
    let test = TestPane::open(Launch {
        environment: environment(&[("SHELL", "/no/such/shell")], None),
        ..launch(Program::Shell {
            path: OsString::new(),
            mode: ShellMode::NonLogin,
        })
    });
    test.pane.send("echo \"<$0>\"\n").unwrap();
    test.wait_for_text("</bin/sh>");
}

#[test]
fn what_does_not_exist_or_is_nothing_is_an_error() {
    for arguments in [
        vec!["/no/such/program".to_owned()],
        vec![String::new()],
        vec![],
    ] {
        let launch = launch(Program::Command(arguments));
        assert!(Pane::open(PaneKey::new(1), &launch, 100).is_err());
    }
}
