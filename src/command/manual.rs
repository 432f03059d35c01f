//! Manual pages, made from the table: one for the program, and one for each of its groups.

use clap::builder::PossibleValue;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::{Command, Entry, Group};

/// A page, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its file name: `herdr-pane.1`.
    pub file: String,
    /// Its text, in man(7).
    pub text: String,
}

/// The pages of a table's program; the program's own is the first.
#[must_use]
pub fn pages(root: &'static Group) -> Vec<Page> {
    let mut pages = vec![program(root)];
    for entry in root.shown() {
        if let Entry::Group(group) = entry {
            pages.push(of_group(root.name, group));
        }
    }
    pages
}

fn program(root: &'static Group) -> Page {
    let mut roff = head(root.name, root.about);
    roff.control("SH", ["SYNOPSIS"]);
    roff.text([
        bold(root.name),
        roman(" [--session NAME] COMMAND [ARGUMENTS]"),
    ]);
    roff.control("SH", ["COMMANDS"]);
    for entry in root.shown() {
        match entry {
            Entry::Group(group) => {
                roff.control("TP", []);
                roff.text([bold(format!("{} {}", root.name, group.name))]);
                roff.text([
                    roman(format!("{}. See ", group.about)),
                    bold(format!("{}-{}", root.name, group.name)),
                    roman("(1)."),
                ]);
            }
            Entry::Command(command) => describe(
                &mut roff,
                &format!("{} {}", root.name, command.name),
                command,
            ),
        }
    }
    common(&mut roff);
    page(root.name.to_owned(), &roff)
}

fn of_group(program: &str, group: &'static Group) -> Page {
    let name = format!("{program}-{}", group.name);
    let mut roff = head(&name, group.about);
    roff.control("SH", ["SYNOPSIS"]);
    roff.text([
        bold(format!("{program} {}", group.name)),
        roman(" COMMAND [ARGUMENTS]"),
    ]);
    roff.control("SH", ["COMMANDS"]);
    group.for_each(
        &format!("{program} {}", group.name),
        &mut |path, command| {
            describe(&mut roff, path, command);
        },
    );
    common(&mut roff);
    page(name, &roff)
}

fn head(name: &str, about: &str) -> Roff {
    let mut roff = Roff::default();
    roff.control(
        "TH",
        [
            name,
            "1",
            "",
            concat!("drover ", env!("CARGO_PKG_VERSION")),
            "",
        ],
    );
    roff.control("SH", ["NAME"]);
    // man(1) and apropos(1) take the words after the dash.
    roff.text([roman(format!("{name} - {about}"))]);
    roff
}

/// One command: how it is written, what it does, what its arguments mean.
fn describe(roff: &mut Roff, path: &str, command: &Command) {
    roff.control("SS", [path]);
    for alternative in command.synopsis.split('\n') {
        roff.text([bold(path), roman(" "), roman(alternative)]);
        roff.control("br", []);
    }
    roff.control("PP", []);
    roff.text([roman(format!("{}.", command.about))]);
    for argument in command
        .parser()
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
    {
        roff.control("TP", []);
        roff.text(spelling(argument));
        let help = argument
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        roff.text([roman(format!("{help}."))]);
        let values = argument.get_possible_values();
        // A flag has the words true and false, which nobody writes.
        if argument.get_action().takes_values() && !values.is_empty() {
            let words: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            roff.text([roman(format!("One of: {}.", words.join(", ")))]);
        }
    }
}

fn spelling(argument: &clap::Arg) -> Vec<Inline> {
    let value = || match argument.get_value_names() {
        Some([name, ..]) => name.to_string(),
        _ => argument.get_id().as_str().to_uppercase(),
    };
    match argument.get_long() {
        Some(long) if argument.get_action().takes_values() => {
            vec![bold(format!("--{long}")), roman(" "), italic(value())]
        }
        Some(long) => vec![bold(format!("--{long}"))],
        None => vec![italic(value())],
    }
}

fn common(roff: &mut Roff) {
    roff.control("SH", ["EXIT STATUS"]);
    roff.text([roman(
        "0: done. 1: refused by the daemon, or the daemon cannot be reached. 2: written wrongly.",
    )]);
}

fn page(name: String, roff: &Roff) -> Page {
    Page {
        file: format!("{name}.1"),
        text: roff.render(),
    }
}
