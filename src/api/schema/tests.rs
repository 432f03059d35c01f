use super::*;

#[test]
fn writes_the_document_where_it_is_asked_to() {
    let Some(path) = std::env::var_os("DROVER_WRITE_SCHEMA") else {
        return;
    };
    let text = serde_json::to_string_pretty(&document()).unwrap();
    std::fs::write(path, text + "\n").unwrap();
}
