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
