//! Texts that the executable carries: how it is updated, and what an agent has to know.

use drover::command::Entry;
use drover::herdr::ROOT;

use super::support::{End, Home};

#[test]
fn updating_is_explained_and_fails() {
    let home = Home::new();
    for words in [
        &["update"][..],
        &["update", "--handoff"],
        &["channel", "set", "preview"],
    ] {
        let end = home.herdr(words);
        assert_eq!((end.stdout.as_str(), end.code), ("", Some(1)), "{words:?}");
        assert!(end.stderr.contains("'drover upgrade'"), "{}", end.stderr);
    }
    assert_eq!(
        home.herdr(&["channel", "show"]),
        End::new("stable\n", "", 0)
    );
    let usage = "usage: herdr channel set <stable|preview>\n";
    assert_eq!(home.herdr(&["channel", "set"]), End::new("", usage, 2));
    assert_eq!(home.herdr(&["channel", "set", "x"]), End::new("", usage, 2));
    let unknown = "unknown update option: --now\nusage: herdr update [--handoff]\n";
    assert_eq!(home.herdr(&["update", "--now"]), End::new("", unknown, 2));
}

/// Follows words through the table of commands; none if they lead nowhere.
fn leads_to_a_command(words: &[&str]) -> bool {
    let mut group = &ROOT;
    for word in words {
        match group.find(word) {
            Some(Entry::Command(_)) => return true,
            Some(Entry::Group(inner)) => group = inner,
            None => return false,
        }
    }
    false
}

#[test]
fn the_skill_teaches_commands_that_there_are() {
    let home = Home::new();
    let end = home.herdr(&["--skill"]);
    assert_eq!((end.stderr.as_str(), end.code), ("", Some(0)));
    let mut taught = 0;
    for (at, _) in end.stdout.match_indices("herdr ") {
        let words: Vec<&str> = end.stdout[at..]
            .split([' ', '\n', '`'])
            .skip(1)
            .take(3)
            .collect();
        // In the running text `herdr` is also a name.
        if words[0].starts_with('<') || ROOT.find(words[0]).is_none() {
            continue;
        }
        assert!(leads_to_a_command(&words), "{words:?}");
        taught += 1;
    }
    assert!(taught > 15, "{taught} commands are taught");
}
