//! Names of plugins and of what is in them (herdr 0.9.3).

use crate::api::ApiError;

/// Characters of an id.
const LENGTH: usize = 120;

/// The id of a plugin, without the blanks around it.
///
/// # Errors
/// `invalid_plugin_id`, in the words of herdr 0.9.3.
pub fn plugin(text: &str) -> Result<&str, ApiError> {
    let id = text.trim();
    if is_plugin(id) {
        return Ok(id);
    }
    Err(ApiError::new(
        "invalid_plugin_id",
        "plugin id must be non-empty, <= 120 characters, and contain only ASCII letters, digits, \
         colon, dot, underscore, or hyphen",
    ))
}

/// Whether this is the id of a plugin.
pub(super) fn is_plugin(id: &str) -> bool {
    is_of(id, |byte| byte == b'.')
}

/// Whether this is the id of an action, a pane or a link handler: without a dot, which ends the
/// plugin's part of a qualified id.
pub fn is_inner(id: &str) -> bool {
    is_of(id, |_| false)
}

fn is_of(id: &str, more: fn(u8) -> bool) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-') || more(byte);
    (1..=LENGTH).contains(&id.len()) && id.bytes().all(allowed)
}

/// The id as the name of a folder of its own: `.` and `..` are ids, and not such names.
pub fn folder(id: &str) -> String {
    match id.strip_prefix('.') {
        // No id has a per cent sign, so no other id has this folder.
        Some(rest) => format!("%2E{rest}"),
        None => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_of_plain_characters_and_of_bounded_length() {
        let long = "a".repeat(LENGTH);
        for id in ["a", "example.smoke", "A:b_c-9", " padded ", &long] {
            assert_eq!(plugin(id), Ok(id.trim()));
        }
        let longer = "a".repeat(LENGTH + 1);
        for id in ["", " ", "a b", "a/b", "é", "a\n", &longer] {
            let refused = plugin(id.trim_end_matches(' ')).map_err(|error| error.code);
            // Blanks around an id are none of it, a line feed among them.
            match id {
                "a\n" => assert_eq!(refused, Ok("a")),
                _ => assert_eq!(refused, Err("invalid_plugin_id".into()), "{id:?}"),
            }
        }
        assert!(is_inner("list-all"));
        assert!(!is_inner("list.all"));
    }

    #[test]
    fn no_id_leads_out_of_the_folder_it_names_one_in() {
        for id in [".", "..", "...", ".git", "a..", "a.b"] {
            let name = folder(id);
            assert!(!name.starts_with('.') && !name.contains('/'), "{name}");
        }
        assert_ne!(folder("."), folder(".."));
    }
}
