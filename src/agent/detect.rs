//! Which known agent a pane's foreground job is.

use super::kind::{Kind, base_name};
use super::program::{by_name, by_package, by_path, is_errand};

/// One process of the foreground job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForegroundProcess {
    /// The process id.
    pub pid: u32,
    /// The kernel's short name, which Linux cuts to 15 bytes.
    pub name: String,
    /// The argument vector; empty if it cannot be read.
    pub argv: Vec<String>,
    /// The value of `HERDR_AGENT` in the process's environment: an agent named explicitly.
    pub herdr_agent: Option<String>,
    /// The file that it runs, links followed, if known.
    pub executable: Option<String>,
    /// Where [`ForegroundProcess::script`] leads, links followed, if known.
    pub script_target: Option<String>,
}

/// How many processes of a job are looked at: a pipeline has a few, and an agent is among the
/// first.
const MAX_PROCESSES: usize = 64;
/// How many arguments are searched for the script of an interpreter. Options come first and are
/// few.
const MAX_ARGUMENTS: usize = 32;

/// Programs that run another program and are therefore looked through.
const INTERPRETERS: &[(&str, Interpreter)] = &[
    ("node", Interpreter::Script),
    ("nodejs", Interpreter::Script),
    ("bun", Interpreter::Script),
    ("bunx", Interpreter::Package),
    ("deno", Interpreter::Script),
    ("npx", Interpreter::Package),
    ("pnpx", Interpreter::Package),
    ("uvx", Interpreter::Package),
    ("python", Interpreter::Python),
    ("sh", Interpreter::Shell),
    ("dash", Interpreter::Shell),
    ("bash", Interpreter::Shell),
    ("zsh", Interpreter::Shell),
    ("fish", Interpreter::Shell),
];

/// Terminal multiplexers: what runs inside one is not this pane's agent.
const MULTIPLEXERS: &[&str] = &["tmux", "screen", "zellij"];

/// Options of JavaScript runtimes whose value is the next argument.
const OPTIONS_WITH_VALUE: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--config",
    "--env-file",
    "-p",
    "--package",
];
/// Verbs of bun and deno that stand before the script.
const RUN_VERBS: &[&str] = &["run", "x"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Interpreter {
    Script,
    Package,
    Python,
    Shell,
}

/// How sure a match is; a later one is surer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    Interpreted,
    Named,
    Explicit,
}

/// The known agent of a foreground job, whose processes are given with the leader first, and the
/// number of its process. The leader decides if it is an agent; else the surest match among the
/// others.
pub fn detect(processes: &[ForegroundProcess]) -> Option<(Kind, u32)> {
    let (leader, members) = processes.split_first()?;
    if let Some((_, kind)) = classify(leader) {
        return Some((kind, leader.pid));
    }
    if MULTIPLEXERS.contains(&program(leader)) {
        return None;
    }
    let mut best: Option<(Certainty, Kind, u32)> = None;
    for process in members.iter().take(MAX_PROCESSES) {
        if let Some((certainty, kind)) = classify(process)
            && best.is_none_or(|(former, ..)| certainty > former)
        {
            best = Some((certainty, kind, process.pid));
        }
    }
    best.map(|(_, kind, pid)| (kind, pid))
}

fn classify(process: &ForegroundProcess) -> Option<(Certainty, Kind)> {
    if let Some(kind) = process.herdr_agent.as_deref().and_then(Kind::find) {
        return Some((Certainty::Explicit, kind));
    }
    let first = process.argv.first().map_or("", String::as_str);
    let rest = process.argv.get(1..).unwrap_or_default();
    let executable = || by_path(process.executable.as_deref()?);
    let (certainty, kind) = by_name(&process.name)
        .or_else(|| by_name(first))
        .map(|kind| (Certainty::Named, kind))
        .or_else(|| {
            let kind = match process.interpreted()? {
                Script::Module(module) => by_name(module.split('.').next().unwrap_or(module))
                    .or_else(|| by_name(&module.replace('_', "-"))),
                Script::Package(package) => by_package(package),
                Script::Path(path) => {
                    by_path(path).or_else(|| by_path(process.script_target.as_deref()?))
                }
            };
            Some((Certainty::Interpreted, kind?))
        })
        .or_else(|| Some((Certainty::Named, executable()?)))?;
    (!is_errand(kind, rest)).then_some((certainty, kind))
}

fn program(process: &ForegroundProcess) -> &str {
    let name = base_name(&process.name);
    // tmux names its client process "tmux: client".
    name.split_once(':').map_or(name, |(program, _)| program)
}

fn interpreter(text: &str) -> Option<Interpreter> {
    let name = base_name(text.strip_prefix('-').unwrap_or(text));
    // python3, python3.12
    let name = match name.strip_prefix("python") {
        Some(version)
            if version
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            "python"
        }
        _ => name,
    };
    INTERPRETERS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, interpreter)| *interpreter)
}

/// What an interpreter runs.
#[derive(Clone, Copy)]
enum Script<'a> {
    /// `-m` of Python.
    Module(&'a str),
    /// One that is fetched if need be.
    Package(&'a str),
    /// A file.
    Path(&'a str),
}

impl ForegroundProcess {
    /// The path of the script that an interpreter runs, as its arguments have it: it may be a link
    /// whose target tells more.
    pub fn script(&self) -> Option<&str> {
        match self.interpreted()? {
            Script::Path(path) => Some(path),
            Script::Module(_) | Script::Package(_) => None,
        }
    }

    fn interpreted(&self) -> Option<Script<'_>> {
        let first = self.argv.first().map_or("", String::as_str);
        let interpreter = interpreter(&self.name).or_else(|| interpreter(first))?;
        interpreted(interpreter, self.argv.get(1..)?)
    }
}

fn interpreted(interpreter: Interpreter, arguments: &[String]) -> Option<Script<'_>> {
    let mut arguments = arguments.iter().take(MAX_ARGUMENTS).map(String::as_str);
    while let Some(argument) = arguments.next() {
        match argument {
            // A command line given as text is not a script.
            "-c" if interpreter != Interpreter::Package => return None,
            "-e" | "--eval" => return None,
            "-m" if interpreter == Interpreter::Python => {
                return Some(Script::Module(arguments.next()?));
            }
            _ if OPTIONS_WITH_VALUE.contains(&argument) && takes_values(interpreter) => {
                arguments.next();
            }
            _ if argument.starts_with('-') => {}
            _ if interpreter == Interpreter::Script && RUN_VERBS.contains(&argument) => {}
            _ if interpreter == Interpreter::Package => return Some(Script::Package(argument)),
            _ => return Some(Script::Path(argument)),
        }
    }
    None
}

fn takes_values(interpreter: Interpreter) -> bool {
    matches!(interpreter, Interpreter::Script | Interpreter::Package)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(name: &str, argv: &[&str]) -> ForegroundProcess {
        ForegroundProcess {
            pid: 100,
            name: name.into(),
            argv: argv.iter().map(|argument| argument.to_string()).collect(),
            ..ForegroundProcess::default()
        }
    }

    fn label(processes: &[ForegroundProcess]) -> Option<&'static str> {
        detect(processes).map(|(kind, _)| kind.label())
    }

    fn alone(name: &str, argv: &[&str]) -> Option<&'static str> {
        label(&[process(name, argv)])
    }

    #[test]
    fn an_agent_is_known_by_its_process_name_or_its_first_argument() {
        assert_eq!(alone("claude", &["claude"]), Some("claude"));
        assert_eq!(alone("MainThread", &["/opt/bin/codex"]), Some("codex"));
        assert_eq!(alone("crush", &[]), Some("crush"));
        assert_eq!(alone("vim", &["vim", "claude"]), None);
        assert_eq!(label(&[]), None);
    }

    #[test]
    fn interpreters_are_looked_through() {
        for (argv, expected) in [
            (&["node", "/usr/bin/claude"][..], Some("claude")),
            (
                &["node", "--no-warnings", "-r", "x.js", "/x/codex.js"],
                Some("codex"),
            ),
            (
                &["node", "/l/node_modules/@anthropic-ai/claude-code/cli.js"],
                Some("claude"),
            ),
            (&["bun", "run", "/x/bin/opencode"], Some("opencode")),
            (&["deno", "run", "-A", "pi.ts"], Some("pi")),
            (&["python3.12", "/home/u/.local/bin/kimi"], Some("kimi")),
            (&["python3", "-u", "-m", "hermes_agent"], Some("hermes")),
            (&["python", "-m", "kimi.cli"], Some("kimi")),
            (&["/bin/bash", "-e", "/usr/local/bin/amp"], None),
            (&["bash", "/usr/local/bin/amp"], Some("amp")),
            (&["fish", "droid"], Some("droid")),
            (&["npx", "-y", "@openai/codex@latest", "x"], Some("codex")),
            (&["uvx", "kimi-code==1.0"], Some("kimi")),
            (&["bash", "-c", "claude"], None),
            (&["bash"], None),
            (&["node"], None),
            (&["node", "-e", "claude"], None),
            (&["node", "server.js", "claude"], None),
            (&["python3", "-m"], None),
        ] {
            assert_eq!(alone("", argv), expected, "{argv:?}");
        }
    }

    #[test]
    fn a_link_is_known_by_where_it_leads() {
        let mut linked = process("node", &["node", "/usr/local/bin/cc"]);
        assert_eq!(label(std::slice::from_ref(&linked)), None);
        assert_eq!(linked.script(), Some("/usr/local/bin/cc"));
        linked.script_target = Some("/l/node_modules/@anthropic-ai/claude-code/cli.js".into());
        assert_eq!(label(&[linked]), Some("claude"));
        let mut agent = process("agent", &["agent"]);
        assert_eq!(label(std::slice::from_ref(&agent)), None);
        agent.executable = Some("/home/u/.grok/bin/agent".into());
        assert_eq!(label(&[agent]), Some("grok"));
        // The kernel's name of the native build is its version.
        let mut versioned = process("2.1.3", &["cc"]);
        versioned.executable = Some("/home/u/.local/share/claude/versions/2.1.3".into());
        assert_eq!(label(&[versioned]), Some("claude"));
    }

    #[test]
    fn a_program_on_an_errand_is_no_agent() {
        assert_eq!(alone("letta", &["letta"]), Some("letta"));
        assert_eq!(alone("letta", &["letta", "-p", "hello"]), None);
        assert_eq!(alone("letta", &["letta", "server"]), None);
    }

    #[test]
    fn the_leader_decides_before_its_members() {
        let members = [process("claude", &[]), process("codex", &[])];
        assert_eq!(label(&members), Some("claude"));
        let members = [process("cat", &[]), process("codex", &[])];
        assert_eq!(label(&members), Some("codex"));
    }

    #[test]
    fn a_named_member_is_surer_than_an_interpreted_one() {
        let members = [
            process("sudo", &[]),
            process("node", &["node", "claude"]),
            process("codex", &[]),
        ];
        assert_eq!(label(&members), Some("codex"));
    }

    #[test]
    fn what_runs_inside_a_multiplexer_is_not_this_panes_agent() {
        for name in ["tmux", "tmux: client", "screen"] {
            let members = [process(name, &["tmux", "attach"]), process("claude", &[])];
            assert_eq!(label(&members), None, "{name}");
        }
    }

    #[test]
    fn the_environment_names_an_agent_explicitly() {
        let mut wrapped = process("my-wrapper", &["my-wrapper"]);
        wrapped.herdr_agent = Some("claude-code".into());
        assert_eq!(label(&[wrapped.clone()]), Some("claude"));
        wrapped.herdr_agent = Some("nonsense".into());
        assert_eq!(label(&[wrapped]), None);
    }
}
