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
