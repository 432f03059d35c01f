//! `drover grants`: what panes may do to others. Only outside every pane.

use serde_json::{Value, json};

use super::{columns, control};
use crate::api::control::{
    GrantsExplain, GrantsExplainParams, GrantsList, GrantsSet, GrantsSetParams,
};
use crate::api::params::EmptyParams;
use crate::authority::{Grant, Grants};
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "grants",
    "Say what panes may do to others",
    &[
        Entry::Command(Command::new::<List>(
            "list",
            "[--json]",
            "Show what every pane holds, and what holds by default",
        )),
        Entry::Command(Command::new::<Set>(
            "set",
            "<pane> <grant>...\n<pane> none\n<pane> default\ndefault <grant>...\ndefault none\ndefault configured",
            "Give a pane grants, or change what holds by default",
        )),
        Entry::Command(Command::new::<Explain>(
            "explain",
            "<pane> [<method> [<target>]] [--json]",
            "Say what a pane may do, and whether a method would be let through",
        )),
    ],
);

#[derive(clap::Args)]
struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for List {
    /// The columns are: pane, what it holds, whether that was given to it or is the default, its agent, and the pane
    /// that created it.
    fn run(self, caller: &Caller) -> Outcome {
        let found = control::ask::<GrantsList>(caller, "drover:grants:list", &EmptyParams {})?;
        if self.json {
            return Ok(Answer::Json(
                json!({ "default": found["default"], "panes": found["panes"] }),
            ));
        }
        let mut rows = vec![["PANE", "GRANTS", "FROM", "AGENT", "CREATED BY"].map(str::to_owned)];
        for pane in found["panes"].as_array().into_iter().flatten() {
            let from = if pane["given"] == true {
                "given"
            } else {
                "default"
            };
            rows.push([
                control::text(&pane["pane_id"]),
                control::text(&pane["grants"]),
                from.to_owned(),
                control::text(&pane["agent"]),
                control::text(&pane["created_by"]),
            ]);
        }
        let default = default_lines(&found["default"]);
        Ok(Answer::Text(format!(
            "{default}\n{}",
            columns::aligned(&rows)
        )))
    }
}

/// What holds by default, and what the configuration would add.
fn default_lines(default: &Value) -> String {
    let text = |name: &str| control::text(&default[name]);
    let mut lines = format!(
        "default: {}\nreports: {}\n",
        text("grants"),
        text("reports")
    );
    let waits = default["grants"] != default["configured_grants"]
        || default["reports"] != default["configured_reports"];
    if waits {
        lines.push_str(&format!(
            "the configuration says {} and {}; take it with `drover grants set default configured`\n",
            text("configured_grants"),
            text("configured_reports"),
        ));
    }
    lines
}

#[derive(clap::Args)]
struct Set {
    /// The pane, or default for what holds where nothing was given
    #[arg(value_name = "PANE")]
    pane: String,
    /// read, write, fan, respond, admin; or none; or, for a pane, default, and for the default, configured
    #[arg(required = true, value_name = "GRANT")]
    grants: Vec<String>,
}

impl Run for Set {
    fn run(self, caller: &Caller) -> Outcome {
        let of_default = self.pane == "default";
        let back = if of_default { "configured" } else { "default" };
        let grants = match &self.grants[..] {
            [word] if word == back => None,
            words => {
                let grants: Grants = words
                    .join(" ")
                    .parse()
                    .map_err(|error| Failure::Misuse(format!("error: {error}")))?;
                Some(grants.to_string())
            }
        };
        let params = GrantsSetParams {
            pane_id: (!of_default).then_some(self.pane),
            grants,
        };
        let found = control::ask::<GrantsSet>(caller, "drover:grants:set", &params)?;
        Ok(Answer::Text(if of_default {
            default_lines(&found["default"])
        } else {
            format!("{}\n", holds(&found["pane"]))
        }))
    }
}

fn holds(pane: &Value) -> String {
    format!(
        "{} holds {}{}",
        control::text(&pane["pane_id"]),
        control::text(&pane["grants"]),
        if pane["given"] == true {
            ""
        } else {
            " by default"
        },
    )
}

#[derive(clap::Args)]
struct Explain {
    /// The pane that would call
    #[arg(value_name = "PANE")]
    pane: String,
    /// A method, such as pane.send_text
    method: Option<String>,
    /// What the method would name, such as the id of another pane
    target: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run for Explain {
    /// With a method, the exit code is 1 if it would be refused.
    fn run(self, caller: &Caller) -> Outcome {
        let params = GrantsExplainParams {
            pane_id: self.pane,
            method: self.method,
            target: self.target,
        };
        let found = control::ask::<GrantsExplain>(caller, "drover:grants:explain", &params)?;
        let decision = &found["decision"];
        let refused = decision["allowed"] == false;
        if self.json {
            let mut answer = json!({ "pane": found["pane"] });
            if !decision.is_null() {
                answer["decision"] = decision.clone();
            }
            return Ok(if refused {
                Answer::Found(format!("{answer}\n"))
            } else {
                Answer::Json(answer)
            });
        }
        let mut text = format!("{}\n", holds(&found["pane"]));
        if decision.is_null() {
            text.push_str(&rights(&control::text(&found["pane"]["grants"])));
            return Ok(Answer::Text(text));
        }
        let method = control::text(&decision["method"]);
        if refused {
            text.push_str(&format!("no: {}\n", control::text(&decision["reason"])));
            Ok(Answer::Found(text))
        } else {
            text.push_str(&format!("yes: {method} is let through\n"));
            Ok(Answer::Text(text))
        }
    }
}

/// A line for every grant: whether it is held, and what it is for.
fn rights(held: &str) -> String {
    let held: Grants = held.parse().unwrap_or_default();
    let line = |grant: Grant| {
        let mark = if held.holds(grant) { "yes" } else { "no" };
        [
            grant.word().to_owned(),
            mark.to_owned(),
            grant.meaning().to_owned(),
        ]
    };
    columns::aligned(&Grant::ALL.map(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_configuration_that_waits_is_said() {
        let mut default = json!({
            "grants": "read", "configured_grants": "read",
            "reports": "own-pane", "configured_reports": "own-pane",
        });
        assert_eq!(
            default_lines(&default),
            "default: read\nreports: own-pane\n"
        );
        default["configured_grants"] = json!("admin");
        assert!(default_lines(&default).contains("drover grants set default configured"));
    }

    #[test]
    fn every_grant_is_explained_with_what_is_held() {
        let text = rights("admin");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), Grant::ALL.len());
        assert!(lines[0].starts_with("read     yes"), "{text}");
        assert!(lines[3].starts_with("respond  no"), "{text}");
    }
}
