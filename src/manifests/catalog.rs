//! The list of rules that can be downloaded, and where each lies.

use serde::Deserialize;

/// Where herdr offers its own rules (herdr 0.9.3).
pub const DEFAULT_CATALOG: &str = "https://herdr.dev/agent-detection/index.toml";

/// The variable that names another catalog (herdr 0.9.3).
pub const CATALOG_VARIABLE: &str = "HERDR_AGENT_DETECTION_MANIFEST_CATALOG_URL";

/// Bytes of a catalog: a line or two for each agent.
pub const MAX_BYTES: u64 = 64 * 1024;

/// Agents in a catalog; five times as many as are known.
const MAX_AGENTS: usize = 128;

/// The only form of a catalog there is (herdr 0.9.3).
const SCHEMA_VERSION: u32 = 1;

/// One agent's rules.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Offer {
    /// The agent's label or an alias.
    pub id: String,
    /// Where its rules lie, seen from the catalog.
    pub path: String,
}

#[derive(Deserialize)]
struct Written {
    schema_version: u32,
    #[serde(default)]
    agents: Vec<Offer>,
}

/// Reads a catalog. What later versions may add is ignored.
///
/// # Errors
/// What is wrong with it, in one line.
pub fn parse(text: &str) -> Result<Vec<Offer>, String> {
    let written: Written =
        toml::from_str(text).map_err(|error| format!("the catalog: {}", error.message()))?;
    if written.schema_version != SCHEMA_VERSION {
        return Err(format!(
            "the catalog has schema_version {}, and {SCHEMA_VERSION} is known here",
            written.schema_version
        ));
    }
    if written.agents.len() > MAX_AGENTS {
        return Err(format!("the catalog lists more than {MAX_AGENTS} agents"));
    }
    Ok(written.agents)
}

/// The address of a path that a catalog names. It stays below the catalog's own folder.
///
/// # Errors
/// The path leads elsewhere.
pub fn address(catalog: &str, path: &str) -> Result<String, String> {
    let plain = |component: &str| {
        !component.is_empty()
            && component
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
            && !component.starts_with('.')
    };
    if !path.split('/').all(plain) {
        return Err(format!("{path:?} is no plain path below the catalog"));
    }
    // The address of a catalog has been fetched, so it has a host; a query is none of a folder's.
    let without_query = catalog.split(['?', '#']).next().unwrap_or(catalog);
    let folder = match without_query.split_once("://") {
        Some((_, rest)) => match rest.rfind('/') {
            Some(end) => &without_query[..without_query.len() - rest.len() + end],
            None => without_query,
        },
        None => return Err(format!("{catalog:?} is no address")),
    };
    Ok(format!("{folder}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_lists_agents_and_their_files() {
        let text = "schema_version = 1\nlater = true\n[[agents]]\nid = \"claude\"\npath = \"claude.toml\"\nnew = 1\n";
        let offers = parse(text).unwrap();
        assert_eq!(
            (offers[0].id.as_str(), offers[0].path.as_str()),
            ("claude", "claude.toml")
        );
        assert!(
            parse("schema_version = 2\n")
                .unwrap_err()
                .contains("schema_version 2")
        );
        assert!(parse("agents = 1").is_err());
        assert!(parse("<html>").is_err());
        let many = "[[agents]]\nid = \"x\"\npath = \"x\"\n".repeat(MAX_AGENTS + 1);
        assert!(parse(&format!("schema_version = 1\n{many}")).is_err());
    }

    #[test]
    fn a_path_leads_nowhere_but_below_the_catalog() {
        let catalog = "https://example.org/rules/index.toml?x=/y";
        assert_eq!(
            address(catalog, "v3/claude.toml").unwrap(),
            "https://example.org/rules/v3/claude.toml"
        );
        assert_eq!(
            address("http://127.0.0.1:1", "a.toml").unwrap(),
            "http://127.0.0.1:1/a.toml"
        );
        for path in [
            "",
            "/etc/passwd",
            "../secret",
            "a/../b",
            "a//b",
            "https://elsewhere/x",
            "a?b",
            "a%2f..",
            ".hidden",
            "a b",
        ] {
            assert!(address(catalog, path).is_err(), "{path:?}");
        }
    }
}
