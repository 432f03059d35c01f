//! Help: where it goes, and every word of it.

use std::fmt::Write as _;

use drover::command::{Entry, Group};

use super::support::{Home, run, snapshot};

/// Every text that the commands below a group give about themselves.
fn collect(home: &Home, group: &'static Group, path: &[&'static str], text: &mut String) {
    let mut show = |words: &[&str]| {
        let end = run(home.command(path[0]).args(words));
        writeln!(text, "$ {} {}", path[0], words.join(" ")).expect("written");
        writeln!(text, "{}{}", end.stdout, end.stderr).expect("written");
        assert_eq!(end.code, Some(0), "{path:?} {words:?}");
    };
    if path.len() > 1 {
        show(&[&path[1..], &["help"]].concat());
    }
    show(&[&path[1..], &["--help"]].concat());
    for entry in group.shown() {
        let path = [path, &[entry.name()]].concat();
        match entry {
            Entry::Group(group) => collect(home, group, &path, text),
            // What follows these words is the other program's, its help too.
            Entry::Command(_) if path == ["drover", "herdr"] => {}
            Entry::Command(_) => {
                let words = [&path[1..], &["--help"]].concat();
                let end = run(home.command(path[0]).args(&words));
                assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)), "{words:?}");
                assert!(
                    end.stdout.contains(&format!("Usage: {}", path.join(" "))),
                    "{}",
                    end.stdout
                );
                assert!(
                    end.stdout.ends_with("\n\n"),
                    "an empty line ends the help of {words:?}"
                );
                writeln!(text, "$ {}\n{}", path.join(" ") + " --help", end.stdout)
                    .expect("written");
            }
        }
    }
}

#[test]
fn every_help_text_is_as_committed() {
    for (name, root) in [
        ("herdr", &drover::herdr::ROOT),
        ("drover", &drover::applet::ROOT),
    ] {
        let home = Home::new();
        let mut text = String::new();
        collect(&home, root, &[name], &mut text);
        let text = text.replace(&home.path().display().to_string(), "$BASE");
        snapshot(&format!("tests/cli/snapshots/{name}-help.txt"), &text);
    }
}

#[test]
fn the_short_flag_gives_the_same_long_help() {
    let home = Home::new();
    assert_eq!(
        home.herdr(&["pane", "split", "-h"]),
        home.herdr(&["pane", "split", "--help"])
    );
    assert_eq!(home.herdr(&["-h"]), home.herdr(&["--help"]));
    assert_eq!(home.herdr(&["--nosuch", "--help"]), home.herdr(&["--help"]));
}

#[test]
fn some_commands_answer_help_words_among_their_arguments_with_their_usage() {
    let home = Home::new();
    for words in [
        ["agent", "wait", "ann", "help"],
        ["api", "schema", "--json", "-h"],
    ] {
        let end = home.herdr(&words);
        assert_eq!((end.stdout.as_str(), end.code), ("", Some(0)), "{words:?}");
        assert!(
            end.stderr
                .starts_with(&format!("usage: herdr {} {} ", words[0], words[1])),
            "{end:?}"
        );
    }
}

#[test]
fn the_version_is_the_one_that_ping_says() {
    let home = Home::new();
    for flag in ["--version", "-V"] {
        assert_eq!(
            home.herdr(&[flag]).stdout,
            format!("herdr {}\n", drover::api::VERSION)
        );
    }
    assert_eq!(
        home.drover(&["--version"]).stdout,
        format!("drover {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_are_as_committed_and_the_same_from_both_names() {
    let home = Home::new();
    for (shell, ending) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")] {
        let of = |name: &str| home.drover(&["completions", shell, "--name", name]).stdout;
        let herdr = home.herdr(&["completion", shell]).stdout;
        assert_eq!(herdr, of("herdr"));
        assert_eq!(herdr, home.herdr(&["completions", shell]).stdout);
        snapshot(&format!("completions/herdr.{ending}"), &herdr);
        snapshot(&format!("completions/drover.{ending}"), &of("drover"));
    }
    assert!(home.herdr(&["completion", "zsh"]).stdout.contains("_herdr"));
}

#[test]
fn manual_pages_are_as_committed() {
    let home = Home::new();
    let out = home.path().join("pages");
    std::fs::create_dir(&out).expect("a directory");
    let end = home.drover(&["man", "--out", out.to_str().expect("text")]);
    assert_eq!(end.code, Some(0), "{end:?}");
    let mut written = Vec::new();
    for entry in std::fs::read_dir(&out).expect("listed") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("text");
        snapshot(
            &format!("man/{name}"),
            &std::fs::read_to_string(entry.path()).expect("read"),
        );
        written.push(name);
    }
    written.sort();
    let committed = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let mut there: Vec<String> = std::fs::read_dir(committed)
        .expect("listed")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    there.sort();
    assert_eq!(written, there, "no page is missing, none is left over");
    assert_eq!(
        home.drover(&["man"]).stdout,
        std::fs::read_to_string(out.join("drover.1")).expect("read")
    );
}
