//! What the daemon costs, each figure beside the floor that the machine sets in the same minutes.
//!
//! Run with `cargo bench --bench daemon [-- SECTION...]`; `docs/benchmarks.md` says what each
//! section measures. Figures of different machines, or of different hours, say little: compare the
//! ratios. A missed goal is no error; only a measurement that fails is.

mod attach;
mod command;
mod daemon;
mod drain;
mod echo;
mod events;
mod figure;
mod footprint;
mod hostile;
mod machine;
mod measure;
mod output;
mod process;
mod requests;
mod screens;
mod text;
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;

use figure::Figure;
use machine::Machine;

/// A group of figures that are measured together.
struct Section {
    name: &'static str,
    about: &'static str,
    run: fn(&Plan) -> Result<Vec<Figure>>,
}

/// Every section, in the order in which they run.
const SECTIONS: [Section; 15] = [
    Section {
        name: "ping",
        about: "the smallest request, beside a bare thread-per-connection server",
        run: requests::ping,
    },
    Section {
        name: "lists",
        about: "pane.list and session.snapshot of 50 panes, beside ping",
        run: requests::lists,
    },
    Section {
        name: "report",
        about: "pane.report_agent, each a change of state, beside ping",
        run: requests::report,
    },
    Section {
        name: "event",
        about: "from a request to the line that a subscriber or a wait gets",
        run: events::run,
    },
    Section {
        name: "command",
        about: "the process of a hook, beside an empty program",
        run: command::run,
    },
    Section {
        name: "pty",
        about: "text that a pane takes in, beside a terminal that is only drained",
        run: output::throughput,
    },
    Section {
        name: "flood",
        about: "ping while a pane prints as fast as it can",
        run: output::flood,
    },
    Section {
        name: "waits",
        about: "what a pending wait costs the pane it looks at",
        run: output::waits,
    },
    Section {
        name: "screens",
        about: "what reading its screen costs while an agent floods it",
        run: screens::run,
    },
    Section {
        name: "hostile",
        about: "ping while 800 clients misbehave, beside ping alone",
        run: hostile::run,
    },
    Section {
        name: "echo",
        about: "from a key to its echo at an attached terminal, beside a bare one",
        run: attach::echo,
    },
    Section {
        name: "stream",
        about: "bytes that a viewer gets of what a pane prints",
        run: attach::bytes,
    },
    Section {
        name: "attached",
        about: "what a terminal costs that is attached while nothing happens",
        run: attach::idle,
    },
    Section {
        name: "memory",
        about: "memory at start, with 50 panes, and for a full history",
        run: footprint::memory,
    },
    Section {
        name: "idle",
        about: "what 50 panes cost in which nothing happens",
        run: footprint::idle,
    },
];

/// Measures the daemon.
#[derive(Parser)]
#[command(after_help = sections_help())]
struct Arguments {
    /// The sections to run; all when none is named
    #[arg(value_name = "SECTION")]
    sections: Vec<String>,
    /// Also write the figures into this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure this executable instead of the one just built
    #[arg(long, value_name = "FILE", default_value = env!("CARGO_BIN_EXE_drover"))]
    drover: PathBuf,
    /// How much text a pane prints, in megabytes (10^6 bytes)
    #[arg(long, value_name = "MB", default_value_t = 100)]
    megabytes: u32,
    /// How often each comparison is repeated
    #[arg(long, value_name = "N", default_value_t = 7)]
    pairs: usize,
    /// Everything once and little of it: shows that the measurements work, not what they say
    #[arg(long)]
    quick: bool,
    /// Given by `cargo bench`. Without it, as under `cargo test`, everything is quick
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the bare server at this socket
    #[arg(long, hide = true, requires = "answer")]
    echo: Option<PathBuf>,
    /// What the bare server answers
    #[arg(long, hide = true)]
    answer: Option<String>,
    /// Be hostile clients of the daemon at this socket
    #[arg(long, hide = true, requires = "kind")]
    hostile: Option<PathBuf>,
    /// What they do
    #[arg(long, hide = true)]
    kind: Option<hostile::Kind>,
    /// How many
    #[arg(long, hide = true, default_value_t = 1)]
    clients: usize,
}

fn sections_help() -> String {
    let mut text = "Sections:\n".to_owned();
    for section in &SECTIONS {
        text += &format!("  {:9} {}\n", section.name, section.about);
    }
    text
}

/// How much is measured, and of what.
struct Plan {
    drover: PathBuf,
    /// Size of what a pane prints, in bytes.
    text_bytes: usize,
    /// Rounds of every comparison.
    pairs: usize,
    /// Divides the number of requests and the times of waiting.
    quick: bool,
}

impl Plan {
    /// `full`, or next to nothing of it in a quick run.
    fn count(&self, full: usize) -> usize {
        if self.quick { full.div_ceil(20) } else { full }
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    if let (Some(socket), Some(answer)) = (&arguments.echo, &arguments.answer) {
        return echo::serve(socket, answer);
    }
    if let (Some(socket), Some(kind)) = (&arguments.hostile, arguments.kind) {
        return hostile::be(socket, kind, arguments.clients);
    }
    for name in &arguments.sections {
        if !SECTIONS.iter().any(|section| section.name == name) {
            bail!("there is no section {name}\n\n{}", sections_help());
        }
    }
    let quick = arguments.quick || !arguments.bench;
    let drover = arguments.drover.canonicalize();
    let plan = Plan {
        drover: drover.with_context(|| format!("looking for {}", arguments.drover.display()))?,
        text_bytes: if quick {
            4
        } else {
            arguments.megabytes as usize
        } * 1_000_000,
        pairs: if quick { 1 } else { arguments.pairs.max(1) },
        quick,
    };
    let machine = Machine::look();
    println!("{machine}");
    println!("{}\n", plan.drover.display());
    println!("{}", figure::heading());
    let mut figures = Vec::new();
    for section in &SECTIONS {
        if !arguments.sections.is_empty() && !arguments.sections.iter().any(|n| n == section.name) {
            continue;
        }
        let measured =
            (section.run)(&plan).with_context(|| format!("measuring {}", section.name))?;
        for figure in &measured {
            println!("{}", figure.row(section.name));
        }
        figures.extend(measured.into_iter().map(|figure| (section.name, figure)));
    }
    if let Some(file) = &arguments.json {
        let json = machine.json(&plan.drover, &figures);
        std::fs::write(file, format!("{json:#}\n"))
            .with_context(|| format!("writing {}", file.display()))?;
    }
    Ok(())
}
