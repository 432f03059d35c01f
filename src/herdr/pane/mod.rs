//! `herdr pane`: a terminal each, what is in it, and where it lies.

mod arrange;
mod report;
mod show;
mod text;

use crate::command::{Command, Entry, Group};

pub(super) const GROUP: Group = Group::new(
    "pane",
    "Panes: a terminal each",
    &[
        Entry::Command(Command::new::<show::List>(
            "list",
            "[--workspace <workspace_id>]",
            "List the panes of one workspace or of all",
        )),
        Entry::Command(Command::new::<show::Current>(
            "current",
            "[--pane ID|--current]",
            "Show the pane this command runs in, else the focused one",
        )),
        Entry::Command(Command::new::<show::Get>("get", "<pane_id>", "Show a pane")),
        Entry::Command(Command::new::<show::Layout>(
            "layout",
            "[--pane ID|--current]",
            "Show where the panes of a tab lie",
        )),
        Entry::Command(Command::new::<show::ProcessInfo>(
            "process-info",
            "[--pane ID|--current]",
            "Show what runs in a pane",
        )),
        Entry::Command(Command::new::<show::Edges>(
            "edges",
            "[--pane ID|--current]",
            "Show which edges of its tab a pane touches",
        )),
        Entry::Command(Command::new::<show::Neighbor>(
            "neighbor",
            "--direction left|right|up|down [--pane ID|--current]",
            "Show the pane next to another",
        )),
        Entry::Command(Command::new::<arrange::FocusDirection>(
            "focus",
            "--direction left|right|up|down [--pane ID|--current]",
            "Focus the pane next to another",
        )),
        Entry::Command(Command::new::<arrange::Resize>(
            "resize",
            "--direction left|right|up|down [--amount FLOAT] [--pane ID|--current]",
            "Make a pane larger or smaller",
        )),
        Entry::Command(Command::new::<arrange::Zoom>(
            "zoom",
            "[<pane_id>|--pane ID|--current] [--toggle|--on|--off]",
            "Let a pane fill its tab, or end that",
        )),
        Entry::Command(Command::free::<arrange::Rename>(
            "rename",
            "<pane_id> <label>|--clear",
            "Give a pane a name, or take it away",
        )),
        Entry::Command(Command::new::<arrange::Input>(
            "input",
            "[<pane_id>|--pane ID|--current] --right-click herdr|pane",
            "Say who gets right clicks in a pane",
        )),
        Entry::Command(Command::new::<arrange::Split>(
            "split",
            "[<pane_id>|--pane ID|--current] --direction right|down [--ratio FLOAT] [--cwd PATH] \
             [--env KEY=VALUE] [--grants WORDS] [--right-click herdr|pane] [--focus] [--no-focus]",
            "Split a pane and start a shell in the new half",
        )),
        Entry::Command(Command::new::<arrange::Swap>(
            "swap",
            "--direction left|right|up|down [--pane ID|--current]\n\
             --source-pane ID --target-pane ID",
            "Exchange the places of two panes",
        )),
        Entry::Command(Command::new::<arrange::Move>(
            "move",
            "<pane_id> --tab <tab_id> --split right|down [--target-pane ID] [--ratio FLOAT] [--focus|--no-focus]\n\
             <pane_id> --new-tab [--workspace ID] [--label TEXT] [--focus|--no-focus]\n\
             <pane_id> --new-workspace [--label TEXT] [--tab-label TEXT] [--focus|--no-focus]",
            "Move a pane to another tab or workspace while its program runs on",
        )),
        Entry::Command(Command::new::<arrange::Close>(
            "close",
            "<pane_id>",
            "Close a pane; its program ends",
        )),
        Entry::Command(Command::new::<text::Read>(
            "read",
            "<pane_id> [--source visible|recent|recent-unwrapped|detection] [--lines N] \
             [--format text|ansi] [--ansi] [--raw]",
            "Print text from a pane",
        )),
        Entry::Command(Command::free::<text::SendText>(
            "send-text",
            "<pane_id> <text>",
            "Type text into a pane, without Enter",
        )),
        Entry::Command(Command::free::<text::SendKeys>(
            "send-keys",
            "<pane_id> <key> [key ...]",
            "Press keys in a pane",
        )),
        Entry::Command(Command::free::<text::RunCommand>(
            "run",
            "<pane_id> <command>",
            "Type a command into a pane and press Enter",
        )),
        Entry::Command(Command::new::<text::WaitOutput>(
            "wait-output",
            "<pane_id> (--match TEXT | --regex PATTERN) [--source visible|recent|recent-unwrapped] \
             [--lines N] [--timeout MS] [--raw]",
            "Wait until a pane shows a text",
        )),
        Entry::Command(Command::new::<report::ReportAgent>(
            "report-agent",
            "<pane_id> --source ID --agent LABEL --state idle|working|blocked|unknown [--message TEXT] [--seq N] \
             [--agent-session-id ID] [--agent-session-path PATH] [-- <resume-command...>]",
            "Report what the agent in a pane is doing",
        )),
        Entry::Command(Command::new::<report::ReportAgentSession>(
            "report-agent-session",
            "<pane_id> --source ID --agent LABEL [--seq N] [--agent-session-id ID] [--agent-session-path PATH] \
             [--session-start-source SOURCE] [-- <resume-command...>]",
            "Report which session the agent in a pane has open",
        )),
        Entry::Command(Command::new::<report::ReleaseAgent>(
            "release-agent",
            "<pane_id> --source ID --agent LABEL [--seq N]",
            "Report that the agent in a pane has left",
        )),
        Entry::Command(Command::new::<report::ReportMetadata>(
            "report-metadata",
            "<pane_id> --source ID [--agent LABEL] [--applies-to-source ID] [--title TEXT|--clear-title] \
             [--display-agent TEXT|--clear-display-agent] [--state-label STATUS=TEXT] [--clear-state-labels] \
             [--token NAME=VALUE] [--clear-token NAME] [--seq N] [--ttl-ms N]",
            "Set or clear what is shown about the agent in a pane",
        )),
    ],
);
