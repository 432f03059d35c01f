//! The document hangs together and marks what herdr does not have.

use super::*;

fn definition_names(section: &Value) -> Vec<&String> {
    section["$defs"].as_object().unwrap().keys().collect()
}

#[test]
fn every_reference_leads_to_a_definition_of_its_own_section() {
    fn check(document: &Value, section: &str, value: &Value, found: &mut usize) {
        match value {
            Value::Object(members) => {
                if let Some(reference) = members.get("$ref") {
                    let reference = reference.as_str().unwrap();
                    let prefix = format!("#/schemas/{section}/$defs/");
                    assert!(reference.starts_with(&prefix), "{reference}");
                    assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
                    *found += 1;
                }
                for member in members.values() {
                    check(document, section, member, found);
                }
            }
            Value::Array(items) => {
                for item in items {
                    check(document, section, item, found);
                }
            }
            _ => {}
        }
    }

    let document = document();
    for (name, section) in document["schemas"].as_object().unwrap() {
        let mut found = 0;
        check(&document, name, section, &mut found);
        assert!(found > 0, "{name} refers to nothing");
    }
}

#[test]
fn the_document_has_the_five_schemas_and_their_versions() {
    let document = document();
    assert_eq!(document["protocol"], 22);
    assert_eq!(document["schema_version"], 1);
    assert_eq!(document["title"], "Herdr API");
    let names: Vec<_> = document["schemas"].as_object().unwrap().keys().collect();
    let expected = [
        "error_response",
        "event",
        "request",
        "subscription_event",
        "success_response",
    ];
    assert_eq!(names, expected);
}

#[test]
fn comments_of_the_code_stay_out_of_the_document() {
    assert!(!document().to_string().contains("\"description\":\""));
}

#[test]
fn methods_and_answers_that_herdr_does_not_have_are_marked_as_a_whole() {
    let document = document();
    let marked = |forms: &Value, tag: &str| -> Vec<String> {
        let forms = forms.as_array().unwrap().iter();
        forms
            .filter(|form| form[ADDITION_MARK] == true)
            .map(|form| form["properties"][tag]["const"].as_str().unwrap().to_owned())
            .collect()
    };
    let request = &document["schemas"]["request"];
    let added: Vec<_> = method::NAMES[method::OF_HERDR..].to_vec();
    assert_eq!(marked(&request["oneOf"], "method"), added);
    assert_eq!(method::OF_HERDR, 102);
    let answers = &document["schemas"]["success_response"]["$defs"]["ResponseResult"];
    assert_eq!(marked(&answers["oneOf"], "type"), ADDED_ANSWERS);
}

#[test]
fn every_addition_is_marked_wherever_its_definition_appears() {
    for (definition, variant, member) in ADDITIONS {
        let mut marked = 0;
        for section in document()["schemas"].as_object().unwrap().values() {
            if !definition_names(section).contains(&&definition.to_owned()) {
                continue;
            }
            let definition = &section["$defs"][definition];
            let object = match variant {
                None => definition,
                Some(variant) => definition["oneOf"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|form| is_variant(form, variant))
                    .unwrap(),
            };
            assert_eq!(object["properties"][member][ADDITION_MARK], true);
            marked += 1;
        }
        assert!(marked > 0, "{definition}.{member} is nowhere");
    }
}
