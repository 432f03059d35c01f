//! The published schema is pinned: whoever changes the wire sees it in a review.

use std::path::{Path, PathBuf};

const UPDATE: &str = "DROVER_UPDATE_SCHEMA";
const WRITE: &str = "DROVER_WRITE_SCHEMA";

fn pinned() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/api-schema.json")
}

fn printed() -> String {
    let mut text = serde_json::to_string_pretty(&drover::api::schema::document())
        .expect("a JSON value can be written");
    text.push('\n');
    text
}

/// Run with `DROVER_UPDATE_SCHEMA=1` to accept a change on purpose, and with
/// `DROVER_WRITE_SCHEMA=path` to get a copy for `.ci/schema_diff.py`.
#[test]
fn the_schema_is_the_pinned_one() {
    let printed = printed();
    if let Some(path) = std::env::var_os(WRITE) {
        std::fs::write(path, &printed).expect("the copy can be written");
    }
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(pinned(), &printed).expect("the pinned schema can be written");
    }
    let pinned = std::fs::read_to_string(pinned()).expect("the pinned schema is in the project");
    if let Some((line, (ours, theirs))) = printed
        .lines()
        .zip(pinned.lines())
        .enumerate()
        .find(|(_, (ours, theirs))| ours != theirs)
    {
        panic!(
            "the schema changed at line {}: `{}` was `{}`; if that is meant, set {UPDATE}=1",
            line + 1,
            ours.trim(),
            theirs.trim(),
        );
    }
    assert_eq!(printed.len(), pinned.len(), "set {UPDATE}=1 to accept");
}
