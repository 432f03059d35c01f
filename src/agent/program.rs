//! Which program is which known agent: by its name, by the package that it came in, by where it lies.

use super::kind::{Kind, base_name};

/// Names of processes beside an agent's executable and aliases. They are no labels: nobody may use
/// them to name an agent.
const PROCESS_NAMES: &[(&str, &str)] = &[
    (".cline", "cline"),
    ("gemini-cli", "gemini"),
    ("kilocode", "kilo"),
    ("kimi-cli", "kimi"),
    // As macOS cuts the name that it gives itself.
    ("kimi-co", "kimi"),
    ("kiro-cli-chat", "kiro"),
    ("letta-code", "letta"),
    ("muse-cli", "muse"),
    ("muse-code", "muse"),
];

/// Beginnings of names that end in a version.
const VERSIONED_NAMES: &[(&str, &str)] = &[("grok-", "grok"), ("muse-bin-", "muse")];

/// Packages of npm by agent. What is called like the agent itself needs no row.
const PACKAGES: &[(&str, &str)] = &[
    ("@ampcode/cli", "amp"),
    ("@cline/cli", "cline"),
    ("@earendil-works/pi-coding-agent", "pi"),
    ("@factory/cli", "droid"),
    ("@google/gemini-cli", "gemini"),
    ("@kilocode/cli", "kilo"),
    ("@mariozechner/pi-coding-agent", "pi"),
    ("opencode-ai", "opencode"),
];

/// Scripts of a package that are the agent. Packages without a row have no others.
const PACKAGE_SCRIPTS: &[(&str, &[&str])] = &[("pi", &["dist/cli.js", "dist/bundle/cli.js"])];

/// Folders in which nothing but this agent lies.
const FOLDERS: &[(&str, &str)] = &[
    ("/claude/versions/", "claude"),
    ("/cursor-agent/versions/", "cursor"),
    ("/.hermes/hermes-agent/", "hermes"),
];

/// Where a program that is only called `agent` lies, by agent.
const AGENT_FOLDERS: &[(&str, &str)] = &[
    ("/.grok/", "grok"),
    ("/.cursor/", "cursor"),
    ("/cursor-agent/", "cursor"),
];

/// Endings of scripts.
const EXTENSIONS: &[&str] = &[
    ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".cmd", ".bat", ".ps1",
];

/// Words with which an agent's program does something and ends, or serves others: no session that
/// anybody talks to.
const ERRANDS: &[(&str, &[&str])] = &[(
    "letta",
    &[
        "-p",
        "--prompt",
        "--print",
        "--output-format",
        "--input-format",
        "--ephemeral",
        "--max-turns",
        "--run",
        "--help",
        "--version",
        "agents",
        "server",
    ],
)];

fn row<'a>(table: &'a [(&str, &str)], key: &str) -> Option<&'a str> {
    table
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(key))
        .map(|(_, label)| *label)
}

/// An agent by the name of its executable, with or without a path, also as nix wraps it.
pub(super) fn by_name(text: &str) -> Option<Kind> {
    let name = unwrapped(base_name(text.strip_prefix('-').unwrap_or(text)));
    Kind::of_executable(name).or_else(|| {
        let versioned = || {
            let (_, label) = VERSIONED_NAMES.iter().find(|(beginning, _)| {
                let version = name.strip_prefix(beginning);
                version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
            })?;
            Some(*label)
        };
        Kind::find(row(PROCESS_NAMES, name).or_else(versioned)?)
    })
}

/// `.foo-wrapped`, as nix names the real program behind its wrapper, means `foo`, and so does
/// `foo-unwrapped`; the kernel may have cut the end of the name.
fn unwrapped(name: &str) -> &str {
    let dotted = name.strip_prefix('.').and_then(|name| {
        let (program, rest) = name.rsplit_once('-')?;
        let begins = |whole: &str| whole.starts_with(rest) && rest.len() > 1;
        (begins("wrapped") || begins("unwrapped")).then_some(program)
    });
    let plain = || {
        name.strip_suffix("-unwrapped")
            .or_else(|| name.strip_suffix("-wrapped"))
    };
    dotted.or_else(plain).unwrap_or(name)
}

/// An agent by the path of its program or script.
pub(super) fn by_path(path: &str) -> Option<Kind> {
    let inside = |folders: &[(&str, &str)]| {
        let (_, label) = folders.iter().find(|(folder, _)| path.contains(folder))?;
        Kind::find(label)
    };
    let name = base_name(path);
    if name == "agent" {
        return inside(AGENT_FOLDERS);
    }
    let stem = EXTENSIONS
        .iter()
        .find_map(|extension| name.strip_suffix(extension))
        .unwrap_or(name);
    by_name(stem).or_else(|| {
        let Some((_, below)) = path.rsplit_once("node_modules/") else {
            return inside(FOLDERS);
        };
        let end = match below.strip_prefix('@') {
            Some(scoped) => 1 + scoped.find('/')? + 1 + scoped.split('/').nth(1)?.len(),
            None => below.find('/')?,
        };
        let (package, script) = (below.get(..end)?, below.get(end + 1..)?);
        let kind = by_package(package)?;
        let known = PACKAGE_SCRIPTS
            .iter()
            .find(|(label, _)| *label == kind.label());
        known
            .is_none_or(|(_, scripts)| scripts.contains(&script))
            .then_some(kind)
    })
}

/// An agent by an npm or Python package such as `@openai/codex@latest`.
pub(super) fn by_package(package: &str) -> Option<Kind> {
    let end = package.get(1..).and_then(|rest| rest.find('@'));
    let package = end.map_or(package, |at| &package[..=at]);
    let package = package.split_once("==").map_or(package, |(name, _)| name);
    if let Some(label) = row(PACKAGES, package) {
        return Kind::find(label);
    }
    match package.strip_prefix('@') {
        Some(scoped) => by_name(scoped.split_once('/')?.1),
        None => by_name(package),
    }
}

/// Whether the program of `kind` with these words after its name only runs an errand.
pub(super) fn is_errand(kind: Kind, words: &[String]) -> bool {
    ERRANDS
        .iter()
        .filter(|(label, _)| *label == kind.label())
        .any(|(_, errands)| {
            words.iter().any(|word| {
                let option = word
                    .split_once('=')
                    .map_or(word.as_str(), |(option, _)| option);
                errands.contains(&option)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(kind: Option<Kind>) -> Option<&'static str> {
        kind.map(Kind::label)
    }

    #[test]
    fn every_row_is_about_a_known_agent() {
        let tables = [
            PROCESS_NAMES,
            VERSIONED_NAMES,
            PACKAGES,
            FOLDERS,
            AGENT_FOLDERS,
        ];
        for (key, row) in tables.into_iter().flatten() {
            assert_eq!(label(Kind::find(row)), Some(*row), "{key}");
        }
        for row in PACKAGE_SCRIPTS.iter().chain(ERRANDS) {
            assert_eq!(label(Kind::find(row.0)), Some(row.0));
        }
    }

    #[test]
    fn names_that_end_in_a_version_need_one() {
        assert_eq!(label(by_name("grok-1.4.2")), Some("grok"));
        assert_eq!(label(by_name("/opt/muse-bin-0.9")), Some("muse"));
        assert_eq!(by_name("grok-helper"), None);
        assert_eq!(by_name("muse-bin-"), None);
        assert_eq!(label(by_name("kiro-cli-chat")), Some("kiro"));
        assert_eq!(label(by_name("Kimi Code")), Some("kimi"));
    }

    #[test]
    fn nix_wrappers_are_known_even_with_a_cut_name() {
        for name in [
            ".claude-wrapped",
            ".claude-unwrapp",
            ".claude-wr",
            "claude-unwrapped",
            "claude-wrapped",
        ] {
            assert_eq!(label(by_name(name)), Some("claude"), "{name}");
        }
        assert_eq!(label(by_name(".opencode-wrapp")), Some("opencode"));
        for name in [".claude-work", ".claude-w", "claude-w", "claude-code-w"] {
            assert_eq!(by_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_package_is_known_by_its_whole_name() {
        for (path, expected) in [
            (
                "/l/node_modules/@anthropic-ai/claude-code/cli.js",
                Some("claude"),
            ),
            ("/l/node_modules/@openai/codex/bin/codex.js", Some("codex")),
            ("/l/node_modules/@factory/cli/index.js", Some("droid")),
            ("/l/node_modules/@kilocode/cli/dist/index.js", Some("kilo")),
            ("/l/node_modules/opencode-ai/bin/x.js", Some("opencode")),
            ("/l/node_modules/@someone/cli/index.js", None),
            ("/l/node_modules/mastracode/dist/cli.js", Some("mastracode")),
            (
                "/l/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
                Some("pi"),
            ),
            (
                "/l/node_modules/@earendil-works/pi-coding-agent/dist/server.js",
                None,
            ),
            ("/l/node_modules/@broken", None),
            ("/l/node_modules/", None),
        ] {
            assert_eq!(label(by_path(path)), expected, "{path}");
        }
        assert_eq!(label(by_package("@ampcode/cli@1.2")), Some("amp"));
        assert_eq!(label(by_package("kimi-cli==1.0")), Some("kimi"));
        assert_eq!(by_package("@"), None);
        assert_eq!(by_package(""), None);
    }

    #[test]
    fn what_is_only_called_agent_is_known_by_its_folder() {
        assert_eq!(label(by_path("/home/u/.grok/bin/agent")), Some("grok"));
        assert_eq!(
            label(by_path("/opt/cursor-agent/versions/1/agent")),
            Some("cursor")
        );
        assert_eq!(by_path("/usr/bin/agent"), None);
        assert_eq!(
            label(by_path("/home/u/.local/share/claude/versions/2.1.3")),
            Some("claude")
        );
    }

    #[test]
    fn an_errand_is_no_session() {
        let letta = Kind::find("letta").unwrap();
        let words = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        assert!(is_errand(letta, &words(&["--output-format=json"])));
        assert!(is_errand(letta, &words(&["server"])));
        assert!(!is_errand(letta, &words(&["--agent", "ann"])));
        let claude = Kind::find("claude").unwrap();
        assert!(!is_errand(claude, &words(&["-p"])));
    }
}
