//! The agents that hooks can be installed for: where each keeps what, in one table.

use crate::api::records::IntegrationTarget as Wire;

/// An agent, and what is installed for it.
#[derive(Debug)]
pub struct Target {
    /// As the command line calls it; hooks and messages use it too.
    pub name: &'static str,
    /// As the protocol calls it; none for one that only the command line knows (herdr 0.9.3).
    pub wire: Option<Wire>,
    /// For people.
    pub title: &'static str,
    /// The agent's label in reports.
    pub agent: &'static str,
    /// The program that is looked for on `PATH`.
    pub command: &'static str,
    /// Of what is installed; raised with every change of it.
    pub version: u32,
    /// Where the agent keeps its settings.
    pub folder: Folder,
    /// What is put there.
    pub kind: Kind,
}

/// A folder of an agent's.
#[derive(Debug)]
pub struct Folder {
    /// The agent's own variables for it, the first that is set counts.
    pub variables: &'static [&'static str],
    /// Without them: below the home directory, or below the configuration directory.
    pub default: Below,
    /// How its lack is told: what is missing, and what to install first. None: it is made.
    pub missing: Option<(&'static str, &'static str)>,
}

/// Where a folder lies when no variable says so.
#[derive(Debug)]
pub enum Below {
    /// In the home directory.
    Home(&'static str),
    /// In `$XDG_CONFIG_HOME`, else in `~/.config`.
    Config(&'static str),
    /// In the home directory, in the folder that a variable names, by default the second.
    NamedHome(&'static str, &'static str, &'static str),
}

/// What is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A script, and entries in a settings file that run it.
    Hooks(&'static Hooks),
    /// A script, and a block of TOML that runs it.
    Kimi,
    /// One file that the agent loads by itself, called thus.
    Extension(Extension),
    /// Plugins of opencode: one for its server, one for its screen.
    Opencode,
    /// The same server plugin for Kilo.
    Kilo,
    /// A plugin folder and its entry in a list.
    Hermes,
}

/// Extensions that agents load from a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    Pi,
    Omp,
}

/// How a script is made to run.
#[derive(Debug, PartialEq, Eq)]
pub struct Hooks {
    /// The script, seen from the agent's folder.
    pub script: &'static str,
    /// The settings file, seen from there.
    pub settings: &'static str,
    /// What the file is called in messages: `ensured claude settings at`.
    pub noun: &'static str,
    /// The object that has the events, as names from the root.
    pub events_in: &'static [&'static str],
    /// The agent's events, and the word that the script gets for each.
    pub events: &'static [(&'static str, Word)],
    /// How an entry is written.
    pub entry: Entry,
    /// What the agent wants to read on the script's output.
    pub reply: &'static str,
    /// What else there is to do.
    pub also: Also,
}

/// What a hook tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Which session is open.
    Session,
    Working,
    Blocked,
    Idle,
}

impl Word {
    /// As scripts get it.
    pub fn as_str(self) -> &'static str {
        match self {
            Word::Session => "session",
            Word::Working => "working",
            Word::Blocked => "blocked",
            Word::Idle => "idle",
        }
    }

    /// The word that is written thus.
    pub fn find(text: &str) -> Option<Word> {
        [Word::Session, Word::Working, Word::Blocked, Word::Idle]
            .into_iter()
            .find(|word| word.as_str() == text)
    }
}

/// The form of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A group with one handler, and a pattern of what it is for.
    Group {
        matcher: Option<&'static str>,
        timeout: u32,
        quiet: bool,
    },
    /// A handler.
    Handler { timeout: u32, described: bool },
    /// A handler in Copilot's words.
    Bash { timeout: u32 },
    /// Just the command.
    Command,
}

/// What an agent needs beside its script and entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Also {
    Nothing,
    /// `version = 1` in the settings file.
    Version,
    /// The feature is switched on in another file.
    CodexFeature,
    /// Entries of earlier versions lie in another file.
    OldDroidFile,
    /// The settings file is ours alone.
    OwnFile,
}

const fn home(
    variables: &'static [&'static str],
    folder: &'static str,
    what: &'static str,
    install: &'static str,
) -> Folder {
    Folder {
        variables,
        default: Below::Home(folder),
        missing: Some((what, install)),
    }
}

const fn group(matcher: Option<&'static str>, timeout: u32) -> Entry {
    Entry::Group {
        matcher,
        timeout,
        quiet: false,
    }
}

/// Events of agents that call the start of a session so.
const SESSION_START: &[(&str, Word)] = &[("SessionStart", Word::Session)];

const STATE_SCRIPT: &str = "hooks/herdr-agent-state.sh";

const fn hooks(settings: &'static str, noun: &'static str, entry: Entry) -> Hooks {
    Hooks {
        script: STATE_SCRIPT,
        settings,
        noun,
        events_in: &["hooks"],
        events: SESSION_START,
        entry,
        reply: "",
        also: Also::Nothing,
    }
}

/// Every target, in the order of the protocol. Versions are those of herdr 0.9.3's, so that either
/// program knows what it finds.
pub static TARGETS: &[Target] = &[
    Target {
        name: "pi",
        wire: Some(Wire::Pi),
        title: "Pi",
        agent: "pi",
        command: "pi",
        version: 8,
        folder: home(
            &["PI_CODING_AGENT_DIR"],
            ".pi/agent",
            "pi extension directory",
            "pi",
        ),
        kind: Kind::Extension(Extension::Pi),
    },
    Target {
        name: "omp",
        wire: Some(Wire::Omp),
        title: "oh-my-pi",
        agent: "omp",
        command: "omp",
        version: 8,
        folder: Folder {
            variables: &["PI_CODING_AGENT_DIR"],
            default: Below::NamedHome("PI_CONFIG_DIR", ".omp", "agent"),
            missing: Some(("omp extension directory", "omp")),
        },
        kind: Kind::Extension(Extension::Omp),
    },
    Target {
        name: "claude",
        wire: Some(Wire::Claude),
        title: "Claude Code",
        agent: "claude",
        command: "claude",
        version: 10,
        folder: home(
            &["CLAUDE_CONFIG_DIR"],
            ".claude",
            "claude directory",
            "claude code",
        ),
        kind: Kind::Hooks(&hooks(
            "settings.json",
            "settings",
            group(Some("startup|resume|clear|compact|fork"), 10),
        )),
    },
    Target {
        name: "codex",
        wire: Some(Wire::Codex),
        title: "Codex",
        agent: "codex",
        command: "codex",
        version: 8,
        folder: home(&["CODEX_HOME"], ".codex", "codex config directory", "codex"),
        kind: Kind::Hooks(&Hooks {
            script: "herdr-agent-state.sh",
            also: Also::CodexFeature,
            ..hooks("hooks.json", "hooks", group(None, 10))
        }),
    },
    Target {
        name: "copilot",
        wire: Some(Wire::Copilot),
        title: "GitHub Copilot CLI",
        agent: "copilot",
        command: "copilot",
        version: 3,
        folder: home(
            &["COPILOT_HOME"],
            ".copilot",
            "copilot config directory",
            "github copilot cli",
        ),
        kind: Kind::Hooks(&hooks(
            "settings.json",
            "settings",
            Entry::Bash { timeout: 10 },
        )),
    },
    Target {
        name: "devin",
        wire: Some(Wire::Devin),
        title: "Devin CLI",
        agent: "devin",
        command: "devin",
        version: 2,
        folder: Folder {
            variables: &[],
            default: Below::Config("devin"),
            missing: Some(("devin config directory", "devin cli")),
        },
        kind: Kind::Hooks(&Hooks {
            script: "herdr-agent-state.sh",
            // Whichever comes first tells; it does not always say which session it starts.
            events: &[
                ("SessionStart", Word::Session),
                ("UserPromptSubmit", Word::Session),
                ("PreToolUse", Word::Session),
                ("PostToolUse", Word::Session),
                ("PermissionRequest", Word::Session),
                ("Stop", Word::Session),
            ],
            ..hooks("config.json", "config", group(None, 10))
        }),
    },
    Target {
        name: "droid",
        wire: Some(Wire::Droid),
        title: "Factory Droid",
        agent: "droid",
        command: "droid",
        version: 3,
        folder: home(&[], ".factory", "droid config directory", "droid"),
        kind: Kind::Hooks(&Hooks {
            also: Also::OldDroidFile,
            ..hooks("settings.json", "hooks", group(None, 10))
        }),
    },
    Target {
        name: "kimi",
        wire: Some(Wire::Kimi),
        title: "Kimi Code",
        agent: "kimi",
        command: "kimi",
        version: 7,
        folder: home(
            &["KIMI_CODE_HOME"],
            ".kimi-code",
            "kimi code config directory",
            "kimi code",
        ),
        kind: Kind::Kimi,
    },
    Target {
        name: "opencode",
        wire: Some(Wire::Opencode),
        title: "OpenCode",
        agent: "opencode",
        command: "opencode",
        version: 10,
        folder: home(
            &[],
            ".config/opencode",
            "opencode config directory",
            "opencode",
        ),
        kind: Kind::Opencode,
    },
    Target {
        name: "kilo",
        wire: Some(Wire::Kilo),
        title: "Kilo Code",
        agent: "kilo",
        command: "kilo",
        version: 4,
        folder: home(&[], ".config/kilo", "kilo config directory", "kilo"),
        kind: Kind::Kilo,
    },
    Target {
        name: "hermes",
        wire: Some(Wire::Hermes),
        title: "Hermes Agent",
        agent: "hermes",
        command: "hermes",
        version: 5,
        folder: home(
            &["HERMES_HOME"],
            ".hermes",
            "hermes config directory",
            "hermes agent",
        ),
        kind: Kind::Hermes,
    },
    Target {
        name: "qodercli",
        wire: Some(Wire::Qodercli),
        title: "Qoder CLI",
        agent: "qodercli",
        command: "qodercli",
        version: 3,
        folder: home(
            &["QODER_CONFIG_DIR"],
            ".qoder",
            "qodercli config directory",
            "qodercli",
        ),
        kind: Kind::Hooks(&hooks("settings.json", "settings", group(Some("*"), 10))),
    },
    Target {
        name: "qwen",
        wire: Some(Wire::Qwen),
        title: "Qwen Code",
        agent: "qwen",
        command: "qwen",
        version: 1,
        folder: home(
            &["QWEN_HOME"],
            ".qwen",
            "qwen code config directory",
            "qwen code",
        ),
        kind: Kind::Hooks(&Hooks {
            script: "hooks/herdr-agent-session.sh",
            // Milliseconds.
            ..hooks("settings.json", "settings", group(Some("*"), 10_000))
        }),
    },
    Target {
        name: "cursor",
        wire: Some(Wire::Cursor),
        title: "Cursor Agent",
        agent: "cursor",
        command: "cursor-agent",
        version: 1,
        folder: home(
            &["CURSOR_CONFIG_DIR"],
            ".cursor",
            "cursor config directory",
            "cursor agent cli",
        ),
        kind: Kind::Hooks(&Hooks {
            script: "herdr-agent-state.sh",
            events: &[("sessionStart", Word::Session)],
            also: Also::Version,
            ..hooks("hooks.json", "hooks", Entry::Command)
        }),
    },
    Target {
        name: "mastracode",
        wire: Some(Wire::Mastracode),
        title: "Mastra Code",
        agent: "mastracode",
        command: "mastracode",
        version: 2,
        folder: Folder {
            variables: &[],
            default: Below::Home(".mastracode"),
            missing: None,
        },
        kind: Kind::Hooks(&Hooks {
            events_in: &[],
            events: &[
                ("SessionStart", Word::Session),
                ("UserPromptSubmit", Word::Working),
                ("AgentStart", Word::Working),
                ("PreToolUse", Word::Working),
                ("PermissionResult", Word::Working),
                ("SubagentStart", Word::Working),
                ("SubagentEnd", Word::Working),
                ("PermissionRequest", Word::Blocked),
                ("Interrupt", Word::Idle),
                ("AgentEnd", Word::Idle),
                ("Stop", Word::Idle),
            ],
            ..hooks(
                "hooks.json",
                "hooks",
                // Milliseconds.
                Entry::Handler {
                    timeout: 10_000,
                    described: true,
                },
            )
        }),
    },
    Target {
        name: "antigravity-cli",
        wire: Some(Wire::AntigravityCli),
        title: "Antigravity CLI",
        agent: "agy",
        command: "agy",
        version: 2,
        folder: home(
            &["ANTIGRAVITY_CLI_CONFIG_DIR"],
            ".gemini/config",
            "antigravity cli config directory",
            "antigravity cli",
        ),
        kind: Kind::Hooks(&Hooks {
            events_in: &["herdr"],
            events: &[("PreInvocation", Word::Session)],
            reply: "{}",
            ..hooks(
                "hooks.json",
                "hooks",
                Entry::Handler {
                    timeout: 10,
                    described: false,
                },
            )
        }),
    },
    Target {
        name: "grok",
        wire: Some(Wire::Grok),
        title: "Grok Build",
        agent: "grok",
        command: "grok",
        version: 1,
        folder: home(
            &["GROK_CONFIG_DIR", "GROK_HOME"],
            ".grok",
            "grok config directory",
            "grok cli",
        ),
        kind: Kind::Hooks(&Hooks {
            also: Also::OwnFile,
            ..hooks("hooks/herdr.json", "hook config", group(None, 10))
        }),
    },
    Target {
        name: "letta",
        wire: None,
        title: "Letta Code",
        agent: "letta",
        command: "letta",
        version: 1,
        folder: home(&[], ".letta", "letta config directory", "letta code"),
        kind: Kind::Hooks(&hooks(
            "settings.json",
            "settings",
            Entry::Group {
                matcher: None,
                // Milliseconds.
                timeout: 10_000,
                quiet: true,
            },
        )),
    },
];

impl Target {
    /// The target of this name; the protocol's spelling is taken as well.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| {
            let wire = target.wire.map(Wire::as_str);
            target.name == name || wire == Some(name)
        })
    }

    /// The target that the protocol means.
    pub fn of(wire: Wire) -> &'static Target {
        TARGETS
            .iter()
            .find(|target| target.wire == Some(wire))
            // A test finds every one; the first is as wrong as any other.
            .unwrap_or(&TARGETS[0])
    }

    /// Who reports through what is installed (herdr 0.9.3).
    pub fn source(&self) -> String {
        match self.wire {
            Some(wire) => format!("herdr:{}", wire.as_str()),
            None => format!("herdr:{}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent;

    #[test]
    fn every_target_of_the_protocol_has_a_row_of_its_own() {
        for wire in Wire::ALL {
            assert_eq!(Target::of(*wire).wire, Some(*wire));
            assert_eq!(Target::find(wire.as_str()).unwrap().wire, Some(*wire));
        }
        assert_eq!(TARGETS.len(), Wire::ALL.len() + 1);
        assert_eq!(Target::find("antigravity-cli").unwrap().agent, "agy");
        assert_eq!(Target::find("letta").unwrap().source(), "herdr:letta");
        assert!(Target::find("muse").is_none());
    }

    #[test]
    fn every_target_is_a_known_agent() {
        for target in TARGETS {
            let kind = agent::Kind::find(target.agent).unwrap();
            assert_eq!(kind.label(), target.agent);
            assert_eq!(kind.executable(), target.command);
        }
    }
}
