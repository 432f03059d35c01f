use super::*;

fn pairs<'a>(list: &'a [(&'a str, &'a str)]) -> BTreeMap<String, String> {
    list.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn inherited(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    list.iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)))
        .collect()
}

fn told() -> Told {
    Told {
        session: None,
        socket: PathBuf::from("/run/drover.sock.herdr"),
        executable: PathBuf::from("/run/bin/herdr"),
        link_folder: Some(PathBuf::from("/run/bin")),
        workspace: "w1".to_owned(),
        tab: "w1:t1".to_owned(),
        pane: "w1:p1".to_owned(),
    }
}

fn value<'a>(environment: &'a Environment, name: &str) -> Option<&'a str> {
    environment.get(name).map(|value| value.to_str().unwrap())
}

#[test]
fn a_told_pane_learns_where_it_lives() {
    let environment = Environment::build([], &pairs(&[]), [], Some(&told()));
    for (name, expected) in [
        ("HERDR_ENV", "1"),
        ("HERDR_SOCKET_PATH", "/run/drover.sock.herdr"),
        ("HERDR_BIN_PATH", "/run/bin/herdr"),
        ("HERDR_WORKSPACE_ID", "w1"),
        ("HERDR_TAB_ID", "w1:t1"),
        ("HERDR_PANE_ID", "w1:p1"),
    ] {
        assert_eq!(value(&environment, name), Some(expected), "{name}");
    }
}

#[test]
fn a_told_pane_of_a_named_session_learns_its_name_and_no_caller_forges_it() {
    let named = Told {
        session: Some("work".to_owned()),
        ..told()
    };
    let outer = inherited(&[("HERDR_SESSION", "outer")]);
    let forged = pairs(&[("HERDR_SESSION", "forged")]);
    let environment = Environment::build(outer.clone(), &forged, [], Some(&named));
    assert_eq!(value(&environment, "HERDR_SESSION"), Some("work"));
    let environment = Environment::build(outer, &forged, [], Some(&told()));
    assert_eq!(value(&environment, "HERDR_SESSION"), None);
}

#[test]
fn an_untold_pane_learns_of_no_herdr_at_all() {
    let outer = inherited(&[
        ("HERDR_ENV", "1"),
        ("HERDR_SOCKET_PATH", "/outer"),
        ("HERDR_PANE_ID", "w9:p9"),
        ("HERDR_SESSION", "outer"),
        ("HERDR_CLIENT_SOCKET_PATH", "/outer-client"),
        ("HERDR_PLUGIN_ID", "outer"),
        ("HERDR_AGENT", "codex"),
    ]);
    let environment = Environment::build(outer, &pairs(&[("HERDR_PANE_ID", "w1:p2")]), [], None);
    let left: Vec<_> = environment
        .iter()
        .filter(|(name, _)| name.as_bytes().starts_with(b"HERDR_"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_told_pane_hears_nothing_of_the_session_its_daemon_lives_in() {
    let outer = inherited(&[
        ("HERDR_SESSION", "outer"),
        ("HERDR_CLIENT_SOCKET_PATH", "/outer-client"),
    ]);
    let environment = Environment::build(outer, &pairs(&[]), [], Some(&told()));
    assert_eq!(value(&environment, "HERDR_SESSION"), None);
    assert_eq!(value(&environment, "HERDR_CLIENT_SOCKET_PATH"), None);
}

#[test]
fn marks_of_the_outer_terminal_are_gone_and_settings_stay() {
    let outer = inherited(&[
        ("TMUX", "/tmp/tmux,1,0"),
        ("ZELLIJ_SESSION_NAME", "z"),
        ("KITTY_WINDOW_ID", "4"),
        ("CLAUDECODE", "1"),
        ("DROVER_PANE", "x"),
        ("COLUMNS", "200"),
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("HERDR_CONFIG_PATH", "/config"),
        ("LANG", "C.UTF-8"),
    ]);
    let environment = Environment::build(outer, &pairs(&[]), [], None);
    let names: Vec<_> = environment
        .iter()
        .map(|(name, _)| name.to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "CLAUDE_CODE_USE_BEDROCK",
            "COLORTERM",
            "HERDR_CONFIG_PATH",
            "LANG",
            "TERM",
            "TERM_PROGRAM",
            "TERM_PROGRAM_VERSION",
        ]
    );
}

#[test]
fn the_caller_may_choose_the_terminal_but_not_the_host() {
    let caller = pairs(&[
        ("TERM", "vt100"),
        ("TERM_PROGRAM", "mine"),
        ("HERDR_PANE_ID", "w7:p7"),
        ("HERDR_NATIVE_CAPABILITY", "forged"),
        ("HERDR_AGENT", "codex"),
        ("TMUX", "my own"),
    ]);
    let host = [("HERDR_EXECUTION_ID", "e1")];
    let environment = Environment::build([], &caller, host, Some(&told()));
    assert_eq!(value(&environment, "TERM"), Some("vt100"));
    assert_eq!(value(&environment, "TERM_PROGRAM"), Some("mine"));
    assert_eq!(value(&environment, "COLORTERM"), Some("truecolor"));
    assert_eq!(value(&environment, "HERDR_PANE_ID"), Some("w1:p1"));
    assert_eq!(value(&environment, "HERDR_NATIVE_CAPABILITY"), None);
    assert_eq!(value(&environment, "HERDR_EXECUTION_ID"), Some("e1"));
    assert_eq!(value(&environment, "HERDR_AGENT"), Some("codex"));
    assert_eq!(value(&environment, "TMUX"), Some("my own"));
}

#[test]
fn the_link_comes_first_on_the_path_and_only_once() {
    let path = |outer: &[(&str, &str)], caller: &[(&str, &str)]| {
        let environment = Environment::build(inherited(outer), &pairs(caller), [], Some(&told()));
        value(&environment, "PATH").map(str::to_owned)
    };
    assert_eq!(
        path(&[("PATH", "/bin")], &[]).as_deref(),
        Some("/run/bin:/bin")
    );
    assert_eq!(
        path(&[("PATH", "/bin:/run/bin:/x")], &[]).as_deref(),
        Some("/run/bin:/bin:/x")
    );
    assert_eq!(
        path(&[("PATH", "/bin")], &[("PATH", "/mine")]).as_deref(),
        Some("/run/bin:/mine")
    );
    assert_eq!(
        path(&[], &[]).as_deref(),
        Some("/run/bin:/usr/local/bin:/usr/bin:/bin")
    );
}

#[test]
fn only_agents_that_report_by_themselves_are_told_in_mode_agents() {
    let command = |program: &str| Some(vec![program.to_owned(), "--flag".to_owned()]);
    for (program, expected) in [
        ("crush", true),
        ("/opt/bin/Kiro-CLI", true),
        ("xcsh.exe", true),
        ("bash", false),
        ("crush-wrapper", false),
        ("", false),
    ] {
        assert_eq!(
            Telling::Agents.tells(command(program).as_deref()),
            expected,
            "{program}"
        );
        assert!(Telling::Always.tells(command(program).as_deref()));
        assert!(!Telling::Off.tells(command(program).as_deref()));
    }
    assert!(!Telling::Agents.tells(None));
}

#[test]
fn an_environment_no_process_can_have_is_refused_by_name() {
    let message =
        |name: &str, text: &str| check(&pairs(&[(name, text)])).map_err(|error| error.to_string());
    assert_eq!(message("A", "b=c"), Ok(()));
    assert_eq!(
        message("", "x"),
        Err("env key must not be empty".to_owned())
    );
    assert_eq!(
        message("A=B", "x"),
        Err("env key A=B must not contain '='".to_owned())
    );
    assert_eq!(
        message("A\0", "x"),
        Err("env key must not contain NUL bytes".to_owned())
    );
    assert_eq!(
        message("A", "x\0"),
        Err("env value for A must not contain NUL bytes".to_owned())
    );
}
