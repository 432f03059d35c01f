//! The documents say what the program does: parts that are made from tables are compared with them.

use std::path::{Path, PathBuf};

use drover::api::method::ALL;

const UPDATE: &str = "DROVER_UPDATE_SNAPSHOTS";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Run with `DROVER_UPDATE_SNAPSHOTS=1` to write the page anew.
#[test]
fn the_configuration_page_is_the_table_of_keys() {
    let name = "docs/configuration.md";
    let page = drover::config::reference_page();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(file(name), &page).expect("the page can be written");
    }
    assert!(
        read(name) == page,
        "{name} is not current; run this test with {UPDATE}=1"
    );
}

/// The rows of the method table and of its names have one order, which a test beside the table makes sure of.
#[test]
fn the_methods_listed_as_unsupported_are_the_unsupported_ones() {
    let source = read("src/method/table.rs");
    let rows: Vec<&str> = source
        .lines()
        .map(str::trim)
        .filter(|line| {
            ["answers!(", "streams!(", "unsupported!("]
                .iter()
                .any(|kind| line.starts_with(kind))
        })
        .collect();
    assert_eq!(rows.len(), ALL.len(), "a row for every method");
    let unsupported: Vec<&str> = rows
        .iter()
        .zip(ALL.iter())
        .filter(|(row, _)| row.starts_with("unsupported!("))
        .map(|(_, method)| method.name)
        .collect();
    let page = read("docs/differences.md");
    let listed: Vec<&str> = page
        .lines()
        .skip_while(|line| *line != "```text")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert_eq!(listed, unsupported, "docs/differences.md, the last list");
}

/// Whoever follows a link must arrive.
#[test]
fn links_between_the_documents_lead_somewhere() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "docs/benchmarks.md",
        "docs/configuration.md",
        "docs/differences.md",
    ];
    let mut links = 0;
    for document in documents {
        let folder = file(document);
        let folder = folder.parent().expect("a file is in a folder");
        for piece in read(document).split("](").skip(1) {
            let target = piece.split(')').next().unwrap_or_default();
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let path = target.split('#').next().unwrap_or_default();
            assert!(folder.join(path).exists(), "{document} links to {target}");
            links += 1;
        }
    }
    assert!(links > 0);
}
