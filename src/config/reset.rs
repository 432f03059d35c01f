//! Taking a section out of a configuration file and leaving the rest as its owner wrote it.

use toml_edit::{DocumentMut, Item};

/// The text without the key or section `name` and everything below it; none if it has none.
///
/// The comment that stands right above the section goes with it, but not the one at the head of the file, which is
/// about the file.
///
/// # Errors
/// The text is no TOML.
pub fn without(text: &str, name: &str) -> Result<Option<String>, toml_edit::TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let Some(removed) = document.remove(name) else {
        return Ok(None);
    };
    let above = match &removed {
        Item::Table(table) => table.decor().prefix(),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .next()
            .and_then(|table| table.decor().prefix()),
        _ => None,
    };
    let head = above
        .and_then(|above| above.as_str())
        .filter(|above| text.starts_with(above))
        .and_then(|above| above.rfind("\n\n").map(|end| &above[..end + 1]))
        .unwrap_or("");
    Ok(Some(format!("{head}{document}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reset(text: &str) -> Option<String> {
        without(text, "keys").unwrap()
    }

    #[test]
    fn every_spelling_of_the_section_goes_and_nothing_else() {
        let kept = "# mine\n[ui]\npane_borders = false # narrow screens\n";
        for section in [
            "[keys]\nzoom = 'prefix+q'\n",
            "[keys]\nzoom = 'q'\n\n[keys.indexed]\ntab = 'alt'\n",
            "[[keys.command]]\nkey = 'x'\ncommand = \"\"\"\n[ui]\n\"\"\"\n[[keys.command]]\nkey = 'y'\n",
            "# what I press\n[keys]\n",
        ] {
            assert_eq!(
                reset(&format!("{kept}{section}")).as_deref(),
                Some(kept),
                "{section}"
            );
        }
        for line in ["keys.zoom = 'q'\n", "keys = { zoom = 'q' }\n"] {
            assert_eq!(
                reset(&format!("{line}{kept}")).as_deref(),
                Some(kept),
                "{line}"
            );
        }
    }

    #[test]
    fn the_comment_at_the_head_of_the_file_stays() {
        assert_eq!(
            reset("# my file\n\n# keys\n[keys]\na = 1\n[ui]\nx = 1\n").as_deref(),
            Some("# my file\n[ui]\nx = 1\n")
        );
    }

    #[test]
    fn a_file_without_the_section_is_left_alone() {
        assert_eq!(reset(""), None);
        assert_eq!(reset("[ui]\nkeys = 1\n"), None);
        assert!(without("= bad", "keys").is_err());
    }
}
