//! `drover ps`: the panes and what runs in them.

mod watch;

use std::io::IsTerminal;
use std::path::Path;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::api::method;
use crate::api::params::EmptyParams;
use crate::client::{self, CallError, Patience};
use crate::command::{Answer, Caller, Failure, Outcome, Run};

use super::control::text;

/// The widest a title is shown in a table, in columns: beyond it the directory would leave the screen.
const TITLE_WIDTH: usize = 40;

#[derive(clap::Args)]
pub(super) struct Ps {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print a line each time an agent comes, changes its status or goes
    #[arg(long)]
    watch: bool,
    /// Print every pane, also while a view of the agents is set
    #[arg(long)]
    all: bool,
}

impl Run for Ps {
    /// While a view of the agents is set (`agent.view.set`), only the agents that it shows are printed, in its order;
    /// `--all` and `--watch` take no notice of it. Without a terminal the lines are tab-separated and have no heading: pane, workspace, agent, status, what blocks
    /// it, title, directory. `--watch` prints the same columns.
    fn run(self, caller: &Caller) -> Outcome {
        if self.watch {
            let terminal = std::io::stdout().is_terminal();
            return watch::watch(caller, |row| match (self.json, terminal) {
                (true, _) => format!("{}\n", row.record()),
                (false, true) => row.news(),
                (false, false) => row.line(),
            });
        }
        let found = snapshot(&caller.socket()?).map_err(|error| failure(error, caller))?;
        let all = rows(&found);
        let view = View::of(&found).filter(|_| !self.all);
        let rows = match &view {
            Some(view) => view.select(&all),
            None => all.clone(),
        };
        if self.json {
            let panes: Vec<Value> = rows.iter().map(Row::record).collect();
            let view =
                view.map(|view| json!({ "source": view.source, "label": known(&view.label) }));
            return Ok(Answer::Json(json!({ "panes": panes, "view": view })));
        }
        Ok(Answer::Text(
            match (std::io::stdout().is_terminal(), view) {
                (false, _) => rows.iter().map(Row::line).collect(),
                (true, None) => table(&rows, caller.environment.home.as_deref()),
                (true, Some(view)) if rows.is_empty() => view.line(0, all.len()),
                (true, Some(view)) => {
                    let table = table(&rows, caller.environment.home.as_deref());
                    table + &view.line(rows.len(), all.len())
                }
            },
        ))
    }
}

/// The view of the agents that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct View {
    source: String,
    label: String,
    panes: Vec<String>,
}

impl View {
    fn of(snapshot: &Value) -> Option<View> {
        let view = snapshot["agent_view"].as_object()?;
        let panes = view.get("pane_ids").and_then(Value::as_array);
        Some(View {
            source: view.get("source").map(text).unwrap_or_default(),
            label: view.get("label").map(text).unwrap_or_default(),
            panes: panes.into_iter().flatten().map(text).collect(),
        })
    }

    /// The rows that it shows, in its order.
    fn select(&self, rows: &[Row]) -> Vec<Row> {
        let row = |pane: &String| rows.iter().find(|row| row.pane == *pane).cloned();
        self.panes.iter().filter_map(row).collect()
    }

    /// What stands below the table, so that nobody takes the view for everything.
    fn line(&self, shown: usize, of: usize) -> String {
        let name = match self.label.as_str() {
            "" => self.source.clone(),
            label => format!("{label} ({})", self.source),
        };
        format!("view {name}: {shown} of {of} panes; --all shows every one\n")
    }
}

/// The daemon's snapshot.
fn snapshot(socket: &Path) -> Result<Value, CallError> {
    let mut answer = client::call::<method::SessionSnapshot>(
        socket,
        "drover:ps",
        &EmptyParams {},
        Patience::ORDINARY,
    )?;
    Ok(answer["result"]["snapshot"].take())
}

fn failure(error: CallError, caller: &Caller) -> Failure {
    let hint = match (&error, &caller.session) {
        (CallError::NotRunning { .. }, Some(session)) => {
            format!("\nstart it with `drover up --session {session}`")
        }
        (CallError::NotRunning { .. }, None) => "\nstart it with `drover up`".to_owned(),
        _ => String::new(),
    };
    Failure::Failed(format!("error: {error}{hint}"))
}

/// One pane. Empty texts stand for what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    pane: String,
    workspace: String,
    agent: String,
    status: String,
    blocked_kind: String,
    /// What the agent itself calls its status.
    phase: String,
    title: String,
    directory: String,
}

impl Row {
    fn cells(&self) -> [&str; 7] {
        [
            &self.pane,
            &self.workspace,
            &self.agent,
            &self.status,
            &self.blocked_kind,
            &self.title,
            &self.directory,
        ]
    }

    fn line(&self) -> String {
        format!("{}\n", self.cells().join("\t"))
    }

    /// A line of `--watch` for people. The columns cannot wait for what is still to come, so most rows fit, not all.
    fn news(&self) -> String {
        let line = format!(
            "{:<8}  {:<20}  {:<20}  {}",
            self.pane,
            self.agent,
            self.shown_status(),
            shortened(&self.title)
        );
        format!("{}\n", line.trim_end())
    }

    /// The status with what blocks it, or else with the agent's own word for it. A shell without an agent has no status worth a word.
    fn shown_status(&self) -> String {
        let detail = match self.blocked_kind.as_str() {
            "" => self.phase.as_str(),
            kind => kind,
        };
        match (self.status.as_str(), detail) {
            ("unknown", _) if self.agent.is_empty() => "-".to_owned(),
            (status, "") => status.to_owned(),
            (status, detail) => format!("{status} ({detail})"),
        }
    }

    fn record(&self) -> Value {
        json!({
            "pane_id": self.pane,
            "workspace": self.workspace,
            "agent": known(&self.agent),
            "agent_status": self.status,
            "blocked_kind": known(&self.blocked_kind),
            "phase": known(&self.phase),
            "title": known(&self.title),
            "cwd": known(&self.directory),
        })
    }
}

fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The panes of a snapshot, in its order.
fn rows(snapshot: &Value) -> Vec<Row> {
    let list = |name: &str| {
        snapshot[name]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    };
    let label_of = |workspace: &Value| {
        let found = list("workspaces")
            .iter()
            .find(|other| other["workspace_id"] == *workspace);
        found
            .map(|workspace| text(&workspace["label"]))
            .unwrap_or_default()
    };
    let name_of = |pane: &Value| {
        let agent = list("agents")
            .iter()
            .find(|agent| agent["pane_id"] == pane["pane_id"]);
        agent.map(|agent| text(&agent["name"])).unwrap_or_default()
    };
    let row = |pane: &Value| {
        let first = |names: &[&str]| {
            names
                .iter()
                .map(|name| text(&pane[name]))
                .find(|text| !text.is_empty())
        };
        let agent = first(&["display_agent", "agent"]).unwrap_or_default();
        let name = name_of(pane);
        Row {
            pane: text(&pane["pane_id"]),
            workspace: label_of(&pane["workspace_id"]),
            agent: match (agent.is_empty(), name.is_empty()) {
                (false, false) => format!("{agent} ({name})"),
                (true, false) => name,
                _ => agent,
            },
            status: text(&pane["agent_status"]),
            blocked_kind: text(&pane["blocked_kind"]),
            phase: pane["agent_status"]
                .as_str()
                .map(|status| text(&pane["state_labels"][status]))
                .unwrap_or_default(),
            title: first(&[
                "label",
                "title",
                "terminal_title_stripped",
                "terminal_title",
            ])
            .unwrap_or_default(),
            directory: first(&["foreground_cwd", "cwd"]).unwrap_or_default(),
        }
    };
    list("panes").iter().map(row).collect()
}

/// A table for people.
fn table(rows: &[Row], home: Option<&Path>) -> String {
    if rows.is_empty() {
        return "no panes; make one with `drover up` or `herdr workspace create`\n".to_owned();
    }
    let heading = ["PANE", "WORKSPACE", "AGENT", "STATUS", "TITLE", "DIRECTORY"];
    let mut lines: Vec<[String; 6]> = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        let dash = |text: &str| {
            if text.is_empty() {
                "-".to_owned()
            } else {
                text.to_owned()
            }
        };
        [
            row.pane.clone(),
            dash(&row.workspace),
            dash(&row.agent),
            row.shown_status(),
            dash(&shortened(&row.title)),
            dash(&below_home(&row.directory, home)),
        ]
    }));
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| line[column].width())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let mut padded = String::new();
        for (cell, width) in line.iter().zip(widths) {
            padded.push_str(cell);
            // The format machinery pads by characters, and titles have wide ones.
            padded.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(padded.trim_end());
        text.push('\n');
    }
    text
}

fn shortened(title: &str) -> String {
    if title.width() <= TITLE_WIDTH {
        return title.to_owned();
    }
    let mut short = String::new();
    for character in title.chars() {
        short.push(character);
        if short.width() >= TITLE_WIDTH {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

fn below_home(directory: &str, home: Option<&Path>) -> String {
    match home.and_then(|home| Path::new(directory).strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => directory.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Value {
        json!({
            "workspaces": [{ "workspace_id": "w1", "label": "api" }],
            "panes": [
                {
                    "pane_id": "w1:p1", "workspace_id": "w1", "agent": "claude",
                    "agent_status": "blocked", "blocked_kind": "approval",
                    "terminal_title": "fix\tthe \u{1b}[2Jbug", "cwd": "/home/u/api",
                },
                { "pane_id": "w1:p2", "workspace_id": "w1", "agent_status": "unknown" },
            ],
            "agents": [{ "pane_id": "w1:p1", "name": "ann" }],
        })
    }

    #[test]
    fn lines_have_seven_columns_whatever_the_titles_hold() {
        let lines: Vec<String> = rows(&snapshot()).iter().map(Row::line).collect();
        assert_eq!(
            lines,
            [
                "w1:p1\tapi\tclaude (ann)\tblocked\tapproval\tfix the  [2Jbug\t/home/u/api\n",
                "w1:p2\tapi\t\tunknown\t\t\t\n",
            ]
        );
    }

    #[test]
    fn the_table_lines_up_and_says_what_blocks() {
        let text = table(&rows(&snapshot()), Some(Path::new("/home/u")));
        assert_eq!(
            text,
            "PANE   WORKSPACE  AGENT         STATUS              TITLE            DIRECTORY\n\
             w1:p1  api        claude (ann)  blocked (approval)  fix the  [2Jbug  ~/api\n\
             w1:p2  api        -             -                   -                -\n"
        );
        assert!(table(&[], None).starts_with("no panes"));
    }

    #[test]
    fn a_view_picks_and_orders_the_rows_and_says_so() {
        let mut snapshot = snapshot();
        assert_eq!(View::of(&snapshot), None);
        let ids = ["w1:p2", "w1:p1", "w9:p9"];
        snapshot["agent_view"] = json!({ "source": "me", "label": "Mine", "pane_ids": ids });
        let view = View::of(&snapshot).unwrap();
        let shown = view.select(&rows(&snapshot));
        let panes: Vec<&str> = shown.iter().map(|row| row.pane.as_str()).collect();
        assert_eq!(panes, ["w1:p2", "w1:p1"]);
        assert_eq!(
            view.line(1, 2),
            "view Mine (me): 1 of 2 panes; --all shows every one\n"
        );
    }

    #[test]
    fn long_titles_are_cut_by_columns_not_characters() {
        assert_eq!(shortened(&"界".repeat(40)).width(), TITLE_WIDTH - 1);
        assert_eq!(shortened(&"a".repeat(41)).width(), TITLE_WIDTH);
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn a_record_has_null_for_what_is_not_known() {
        let record = rows(&snapshot())[1].record();
        assert_eq!(record["agent"], Value::Null);
        assert_eq!(record["pane_id"], "w1:p2");
    }

    #[test]
    fn odd_answers_give_no_rows_instead_of_a_panic() {
        assert_eq!(rows(&Value::Null), []);
        assert_eq!(rows(&json!({ "panes": [1] })), [Row::default()]);
    }
}
