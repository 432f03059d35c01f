use super::*;
use proptest::prelude::*;

const HEAD: &str =
    "id = 'example.x'\nname = 'X'\nversion = '1.0.0'\nmin_herdr_version = '0.6.10'\n";

fn of(rest: &str) -> Result<Manifest, ApiError> {
    parse(&format!("{HEAD}{rest}"))
}

fn refused(rest: &str) -> (String, String) {
    let error = of(rest).unwrap_err();
    (error.code.into_owned(), error.message)
}

#[test]
fn a_whole_manifest_is_taken_as_it_is_written() {
    let manifest = of("description = 'd'\nplatforms = ['linux', 'macos', 'linux']\n\
        [[build]]\ncommand = ['make']\n\
        [[startup]]\ncommand = ['./start']\n\
        [[actions]]\nid = 'open'\ntitle = ' Open '\ncontexts = ['workspace']\ncommand = ['x', 'y z']\n\
        platforms = ['macos']\n\
        [[events]]\non = 'worktree.created'\ncommand = ['x']\n\
        [[panes]]\nid = 'board'\ntitle = 'Board'\nplacement = 'popup'\nwidth = '80%'\nheight = 20\n\
        command = ['x']\n\
        [[link_handlers]]\nid = 'pr'\ntitle = 'PR'\npattern = '^https://x/'\naction = 'open'\n")
    .unwrap();
    assert_eq!(manifest.id, "example.x");
    assert_eq!(manifest.warnings, Vec::<String>::new());
    assert_eq!(
        manifest.platforms,
        Some(vec![PluginPlatform::Linux, PluginPlatform::Macos])
    );
    assert_eq!(manifest.actions[0].title, "Open");
    assert_eq!(manifest.actions[0].command, ["x", "y z"]);
    assert_eq!(manifest.panes[0].width, Some(PopupSize::Percent(80)));
    assert_eq!(manifest.panes[0].height, Some(PopupSize::Cells(20)));
    assert_eq!(manifest.link_handlers[0].action, "open");
}

#[test]
fn what_is_unknown_is_warned_about_and_else_ignored() {
    let manifest = of(
        "later = 1\n[[events]]\non = 'nosuch.event'\ncommand = ['true']\nwhen = 'x'\n\
        [[events]]\non = 'pane.updated'\ncommand = ['true']\n",
    )
    .unwrap();
    assert_eq!(
        manifest.warnings,
        [
            "unknown event 'nosuch.event'",
            "event 'pane.updated' runs no hooks",
            "manifest does not declare platforms; platform support unknown",
            "unknown key 'later'",
            "unknown key 'when' in events",
        ]
    );
}

#[test]
fn each_mistake_has_its_code_and_its_place() {
    let action = "[[actions]]\nid = 'a'\ntitle = 'A'\ncommand = ['x']\n";
    for (rest, code, place) in [
        (
            "platforms = ['beos']\n",
            "invalid_plugin_platform",
            "(line 5, column 14)",
        ),
        (
            "[[build]]\ncommand = []\n",
            "invalid_plugin_command",
            "(line 6, column 11)",
        ),
        (
            "[[build]]\ncommand = ['x', '']\n",
            "invalid_plugin_command",
            "(line 6,",
        ),
        (
            "[[build]]\ncommand = [\"a\\u0000\"]\n",
            "invalid_plugin_command",
            "(line 6,",
        ),
        (
            "[[actions]]\nid = 'a.b'\ntitle = 'A'\ncommand = ['x']\n",
            "invalid_plugin_action_id",
            "(line 6, column 6)",
        ),
        (
            "[[actions]]\nid = 'a'\ntitle = ' '\ncommand = ['x']\n",
            "invalid_plugin_action_title",
            "(line 7,",
        ),
        (
            &format!("{action}{action}"),
            "duplicate_plugin_action_id",
            "(line 10, column 6)",
        ),
        (
            "[[events]]\non = ''\ncommand = ['x']\n",
            "invalid_plugin_event",
            "(line 6,",
        ),
        (
            "[[panes]]\nid = 'p'\ntitle = 'P'\nwidth = 9\ncommand = ['x']\n",
            "invalid_plugin_pane_size",
            "(line 8,",
        ),
        (
            "[[panes]]\nid = ''\ntitle = 'P'\ncommand = ['x']\n",
            "invalid_plugin_pane_id",
            "(line 6,",
        ),
        (
            &format!(
                "{action}[[link_handlers]]\nid = 'l'\ntitle = 'L'\npattern = '('\naction = 'a'\n"
            ),
            "invalid_plugin_link_handler_pattern",
            "(line 12,",
        ),
        (
            &format!(
                "{action}[[link_handlers]]\nid = 'l'\ntitle = 'L'\npattern = 'x{{9999}}{{9999}}'\naction = 'a'\n"
            ),
            "invalid_plugin_link_handler_pattern",
            "(line 12,",
        ),
        (
            &format!(
                "{action}[[link_handlers]]\nid = 'l'\ntitle = 'L'\npattern = 'x'\naction = 'b'\n"
            ),
            "invalid_plugin_link_handler_action",
            "(line 13,",
        ),
        (
            "name = 'again'\n",
            "plugin_manifest_parse_failed",
            "line 5, column 1",
        ),
        (
            "[[actions]]\nid = 'a'\n",
            "plugin_manifest_parse_failed",
            "line 5",
        ),
    ] {
        let (found, message) = refused(rest);
        assert_eq!(found, code, "{rest}: {message}");
        assert!(message.contains(place), "{rest}: {message}");
    }
    let error = parse("id = '..'").unwrap_err();
    assert!(error.message.contains("missing field `name`"), "{error}");
}

#[test]
fn a_plugin_for_a_newer_herdr_is_not_taken() {
    let with = |version: &str| parse(&HEAD.replace("0.6.10", version)).map(|_| ());
    for version in ["0.9.3", "0.9", "0", "0.9.3-rc.1"] {
        assert_eq!(with(version), Ok(()), "{version}");
    }
    let error = with("99.0.0").unwrap_err();
    assert_eq!(error.code, "plugin_requires_newer_herdr");
    assert_eq!(
        error.message,
        "plugin requires Herdr 99.0.0 or newer; current Herdr is 0.9.3"
    );
    for version in ["", "x", "1.", "1.2.3.4", "+1", "99999999999999999999999"] {
        let error = with(version).unwrap_err();
        assert_eq!(error.code, "invalid_plugin_min_herdr_version", "{version}");
    }
}

#[test]
fn lists_and_words_and_files_are_bounded() {
    let hooks = "[[events]]\non = 'tab.created'\ncommand = ['x']\n".repeat(ENTRIES + 1);
    assert!(refused(&hooks).1.contains("129 entries"));
    let words = format!("[[build]]\ncommand = [{}]\n", "'x',".repeat(WORDS + 1));
    assert_eq!(refused(&words).0, "invalid_plugin_command");
    let long = format!("description = '{}'\n", "x".repeat(TEXT + 1));
    assert_eq!(refused(&long).0, "plugin_manifest_parse_failed");
    let keys: String = (0..100).map(|n| format!("k{n} = 1\n")).collect();
    assert_eq!(of(&keys).unwrap().warnings.len(), WARNINGS);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(FILE);
    std::fs::write(&file, " ".repeat(BYTES + 1)).unwrap();
    let error = read(directory.path()).unwrap_err();
    assert_eq!(error.code, "plugin_manifest_read_failed");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        read(directory.path()).unwrap_err().code,
        "plugin_manifest_not_found"
    );
    nix::unistd::mkfifo(&file, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(
        read(&file).unwrap_err().message,
        format!("{}: it is not a file", file.display()),
        "a pipe is not waited for"
    );
}

#[test]
fn an_entry_narrows_where_its_plugin_runs() {
    let here = [platform()];
    assert!(runs_here(None, None));
    assert!(runs_here(Some(&here), None));
    assert!(runs_here(Some(&here), Some(&[])));
    assert!(!runs_here(None, Some(&[PluginPlatform::Windows])));
    assert!(!runs_here(Some(&[PluginPlatform::Windows]), Some(&here)));
}

proptest! {
    #[test]
    fn no_text_is_taken_for_more_than_it_says(text in "([a-z_]{1,8} = ('[^']{0,8}'|\\[\\]|1|true)\n|\\[\\[(actions|panes|events)\\]\\]\n|\\PC{0,4}\n){0,12}") {
        if let Ok(manifest) = of(&text) {
            prop_assert!(id::is_plugin(&manifest.id));
            for action in &manifest.actions {
                prop_assert!(id::is_inner(&action.id) && !action.command.is_empty());
            }
        }
    }
}
