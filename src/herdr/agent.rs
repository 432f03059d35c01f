//! `herdr agent`: the panes that have an agent in them, by the agent's name or the pane's id.

use super::explain::Explain;
use super::start::Start;
use super::{ask, values};
use crate::api::method;
use crate::api::params::{
    AgentPromptParams, AgentPromptWaitOptions, AgentReadParams, AgentRenameParams,
    AgentSendKeysParams, AgentTarget, AgentWaitParams, EmptyParams,
};
use crate::api::records::{AgentStatus, ReadFormat, ReadSource};
use crate::command::words::first;
use crate::command::{
    self, Caller, Command, Entry, Failure, FreeWords, Group, HelpWords, Outcome, Run,
};

pub(super) const GROUP: Group = Group::new(
    "agent",
    "Agents: the panes that have one",
    &[
        Entry::Command(Command::new::<List>("list", "", "List the agents")),
        Entry::Command(Command::new::<Get>("get", "<target>", "Show an agent")),
        Entry::Command(Command::new::<Read>(
            "read",
            "<target> [--source visible|recent|recent-unwrapped] [--lines N] [--format text|ansi] [--ansi]",
            "Print text from an agent's pane",
        )),
        Entry::Command(Command::free::<SendKeys>(
            "send-keys",
            "<target> <key> [key ...]",
            "Press keys in an agent's pane",
        )),
        Entry::Command(Command::free::<Prompt>(
            "prompt",
            "<target> <text> [--wait] [--until STATUS]... [--timeout MS]",
            "Give an agent a prompt",
        )),
        Entry::Command(Command::free::<Start>(
            "start",
            "<name> --kind KIND --pane ID [--timeout MS] [-- <agent-args...>]",
            "Start an agent in a pane and wait until it is ready",
        )),
        Entry::Command(Command::free::<Rename>(
            "rename",
            "<target> <name>|--clear",
            "Give an agent a name, or take it away",
        )),
        Entry::Command(Command::new::<FocusOn>(
            "focus",
            "<target>",
            "Focus an agent's pane",
        )),
        Entry::Command(Command::new::<Attach>(
            "attach",
            "<target> [--takeover]",
            "Attach this terminal to an agent's pane; ctrl+b q detaches",
        )),
        Entry::Command(
            Command::new::<Wait>(
                "wait",
                "<target> [--until STATUS]... [--timeout MS]",
                "Wait until an agent has one of the given statuses",
            )
            .help_words(HelpWords::AfterFirst),
        ),
        Entry::Command(
            Command::new::<Explain>(
                "explain",
                "<target>|--file PATH --agent LABEL [--json] [--format text|json] [--verbose]",
                "Say how the state of an agent was found",
            )
            .help_words(HelpWords::Anywhere),
        ),
    ],
);

#[derive(clap::Args)]
struct List {}

impl Run for List {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::AgentList>(caller, "cli:agent:list", &EmptyParams {})
    }
}

#[derive(clap::Args)]
struct Get {
    /// The agent's name or its pane
    target: String,
}

impl Run for Get {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::AgentGet>(
            caller,
            "cli:agent:get",
            &AgentTarget {
                target: self.target,
            },
        )
    }
}

#[derive(clap::Args)]
struct Attach {
    /// The agent's name or its pane
    target: String,
    /// Take the place of other terminals that are attached to the pane
    #[arg(long)]
    takeover: bool,
}

impl Run for Attach {
    fn run(self, caller: &Caller) -> Outcome {
        super::attach(caller, &self.target, self.takeover)
    }
}

#[derive(clap::Args)]
struct FocusOn {
    /// The agent's name or its pane
    target: String,
}

impl Run for FocusOn {
    fn run(self, caller: &Caller) -> Outcome {
        let params = AgentTarget {
            target: self.target,
        };
        ask::print::<method::AgentFocus>(caller, "cli:agent:focus", &params)
    }
}

#[derive(clap::Args)]
struct Read {
    /// The agent's name or its pane
    target: String,
    /// What to read; recent by default
    #[arg(long, value_name = "SOURCE", value_parser = values::READ_SOURCE)]
    source: Option<ReadSource>,
    /// How many of the latest lines
    #[arg(long, value_name = "N")]
    lines: Option<u32>,
    /// How to write it; text by default
    #[arg(long, value_name = "FORMAT", value_parser = values::READ_FORMAT)]
    format: Option<ReadFormat>,
    /// The same as --format ansi
    #[arg(long)]
    ansi: bool,
}

impl Run for Read {
    fn run(self, caller: &Caller) -> Outcome {
        let params = AgentReadParams {
            target: self.target,
            source: self.source.unwrap_or(ReadSource::Recent),
            format: if self.ansi {
                ReadFormat::Ansi
            } else {
                self.format.unwrap_or_default()
            },
            lines: self.lines,
            strip_ansi: true,
        };
        ask::print_text::<method::AgentRead>(caller, "cli:agent:read", &params)
    }
}

#[derive(clap::Args)]
struct SendKeys {
    /// The agent's name or its pane
    target: String,
    /// Keys such as Enter, ctrl+c, f5 or a
    #[arg(required = true)]
    keys: Vec<String>,
}

impl FreeWords for SendKeys {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        match first(words)? {
            (_, keys) if keys.is_empty() => Err(Failure::Usage),
            (target, keys) => Ok(Self { target, keys }),
        }
    }
}

impl Run for SendKeys {
    fn run(self, caller: &Caller) -> Outcome {
        let params = AgentSendKeysParams {
            target: self.target,
            keys: self.keys,
        };
        ask::print::<method::AgentSendKeys>(caller, "cli:agent:send-keys", &params)
    }
}

#[derive(clap::Args)]
struct Rename {
    /// The agent's name or its pane
    target: String,
    /// Its new name
    name: Option<String>,
    /// Take the name away
    #[arg(long)]
    clear: bool,
}

impl FreeWords for Rename {
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        match <[String; 2]>::try_from(words) {
            Ok([target, word]) if word == "--clear" => Ok(Self {
                target,
                name: None,
                clear: true,
            }),
            Ok([target, name]) => Ok(Self {
                target,
                name: Some(name),
                clear: false,
            }),
            Err(_) => Err(Failure::Usage),
        }
    }
}

impl Run for Rename {
    fn run(self, caller: &Caller) -> Outcome {
        let params = AgentRenameParams {
            target: self.target,
            name: self.name,
        };
        ask::print::<method::AgentRename>(caller, "cli:agent:rename", &params)
    }
}

#[derive(clap::Args)]
struct Prompt {
    /// The agent's name or its pane
    target: String,
    /// The prompt, as one word; it may begin with a dash
    text: String,
    #[command(flatten)]
    options: PromptOptions,
}

#[derive(clap::Args)]
struct PromptOptions {
    /// Wait for the outcome
    #[arg(long)]
    wait: bool,
    /// With --wait: until this status; may be repeated [default: idle, done, blocked]
    #[arg(long, value_name = "STATUS", value_parser = values::AGENT_STATUS)]
    until: Vec<AgentStatus>,
    /// With --wait: give up after so many milliseconds
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
}

impl FreeWords for Prompt {
    /// The first two words are the target and the text, whatever they look like.
    fn from_words(words: Vec<String>) -> Result<Self, Failure> {
        let (target, words) = first(words)?;
        let (text, words) =
            first(words).map_err(|_| Failure::Misuse("agent prompt requires text".to_owned()))?;
        Ok(Self {
            target,
            text,
            options: command::parse(words)?,
        })
    }
}

impl Run for Prompt {
    fn run(self, caller: &Caller) -> Outcome {
        let PromptOptions {
            wait,
            until,
            timeout,
        } = self.options;
        let misuse = |line: &str| Err(Failure::Misuse(line.to_owned()));
        match (wait, until.is_empty(), timeout) {
            (false, false, _) => return misuse("--until requires --wait"),
            (false, _, Some(_)) => return misuse("--timeout requires --wait"),
            _ => {}
        }
        let options = AgentPromptWaitOptions {
            timeout_ms: timeout,
            until,
        };
        let params = AgentPromptParams {
            target: self.target,
            text: self.text,
            wait: wait.then_some(options),
        };
        let id = "cli:agent:prompt";
        match wait {
            true => ask::wait::<method::AgentPrompt>(caller, id, &params),
            false => ask::print::<method::AgentPrompt>(caller, id, &params),
        }
    }
}

#[derive(clap::Args)]
struct Wait {
    /// The agent's name or its pane
    target: String,
    /// Until this status; may be repeated [default: idle, done, blocked]
    #[arg(long, value_name = "STATUS", value_parser = values::AGENT_STATUS)]
    until: Vec<AgentStatus>,
    /// Give up after so many milliseconds; without it, never
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
}

impl Run for Wait {
    fn run(self, caller: &Caller) -> Outcome {
        let params = AgentWaitParams {
            target: self.target,
            timeout_ms: self.timeout,
            until: self.until,
            interactive_ready: false,
        };
        ask::wait::<method::AgentWait>(caller, "cli:agent:wait", &params)
    }
}
