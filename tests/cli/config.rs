//! The configuration file, as the command line shows it.

use super::support::{End, Home, run};

#[test]
fn a_file_is_checked_with_code_one_for_issues() {
    let home = Home::new();
    assert_eq!(
        home.herdr(&["config", "check"]),
        End::new("config: ok\n", "", 0)
    );
    let file = home.path().join("c.toml");
    std::fs::write(&file, "[ui]\npane_borders = 3\n").expect("written");
    let end = run(home
        .command("herdr")
        .env("HERDR_CONFIG_PATH", &file)
        .args(["config", "check"]));
    assert_eq!(
        end,
        End::new(
            "config: issues found\ninvalid ui config: pane_borders must be true or false; keeping current pane_borders \
             (line 2, column 16)\n",
            "",
            1
        )
    );
}

#[test]
fn the_default_file_is_printed_and_says_what_holds_anyway() {
    let home = Home::new();
    let end = home.herdr(&["--default-config"]);
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)));
    let file = home.path().join("home/.config/drover/config.toml");
    std::fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
    std::fs::write(file, end.stdout).expect("written");
    assert_eq!(
        home.herdr(&["config", "check"]),
        End::new("config: ok\n", "", 0)
    );
}

#[test]
fn key_bindings_are_taken_out_and_the_file_is_kept_as_it_was() {
    let home = Home::new();
    let file = home.path().join("c.toml");
    let reset = || {
        run(home
            .command("herdr")
            .env("HERDR_CONFIG_PATH", &file)
            .args(["config", "reset-keys"]))
    };
    let nothing = format!("No [keys] config found in {}.\n", file.display());
    assert_eq!(reset(), End::new(&nothing, "", 0), "there is no file");

    let text =
        "# mine\n[ui]\npane_borders = false\n[keys]\nzoom = 'x'\n[[keys.command]]\nkey = 'y'\n";
    std::fs::write(&file, text).expect("written");
    let end = reset();
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)));
    let backup = end
        .stdout
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("Created backup: "));
    let backup = backup.expect("the first line names the backup");
    assert!(backup.contains("c.toml.bak-keybind-v2-"), "{backup}");
    assert_eq!(std::fs::read_to_string(backup).expect("the backup"), text);
    assert_eq!(
        std::fs::read_to_string(&file).expect("the file"),
        "# mine\n[ui]\npane_borders = false\n"
    );
    assert_eq!(reset(), End::new(&nothing, "", 0), "a second time");

    // Each time there is another copy, however soon.
    let mut copies = std::collections::BTreeSet::from([backup.to_owned()]);
    for number in 0..5 {
        std::fs::write(&file, format!("[keys]\nzoom = {number}\n")).expect("written");
        let end = reset();
        let line = end.stdout.lines().next().unwrap_or_default();
        assert!(
            copies.insert(line.replacen("Created backup: ", "", 1)),
            "{line}"
        );
    }
    for copy in copies {
        let kept = std::fs::read_to_string(&copy).expect("every copy is there");
        assert!(kept.contains("zoom"), "{copy}");
    }

    std::fs::write(&file, "#".repeat(2_000_000)).expect("written");
    assert!(reset().stderr.contains("more than the 1048576 bytes"));

    std::fs::write(&file, "= bad\n").expect("written");
    let end = reset();
    assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)));
    assert!(end.stderr.contains("nothing was changed"), "{}", end.stderr);
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "= bad\n");
    assert_eq!(home.herdr(&["config", "reset-keys", "x"]).code, Some(2));
}
