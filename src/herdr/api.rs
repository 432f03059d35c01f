//! `herdr api`: the protocol itself.

use serde_json::Value;

use super::ask;
use crate::api::params::EmptyParams;
use crate::api::{PROTOCOL, method, schema};
use crate::command::{Answer, Caller, Command, Entry, Failure, Group, HelpWords, Outcome, Run};

pub(super) const GROUP: Group = Group::new(
    "api",
    "The socket protocol",
    &[
        Entry::Command(Command::new::<Snapshot>(
            "snapshot",
            "",
            "Print everything there is, once",
        )),
        Entry::Command(
            Command::new::<Schema>(
                "schema",
                "[--json | --output PATH]",
                "Print the JSON Schema of the protocol",
            )
            .help_words(HelpWords::Anywhere),
        ),
    ],
);

#[derive(clap::Args)]
struct Snapshot {}

impl Run for Snapshot {
    fn run(self, caller: &Caller) -> Outcome {
        ask::print::<method::SessionSnapshot>(caller, "cli:api:snapshot", &EmptyParams {})
    }
}

#[derive(clap::Args)]
struct Schema {
    /// Print the whole schema
    #[arg(long)]
    json: bool,
    /// Write it to a file
    #[arg(long, value_name = "PATH")]
    output: Option<String>,
}

impl Run for Schema {
    fn run(self, _: &Caller) -> Outcome {
        let document = schema::document();
        match self.output {
            Some(path) => {
                std::fs::write(&path, pretty(&document)).map_err(|error| {
                    Failure::Failed(format!("error: writing the API schema to {path}: {error}"))
                })?;
                Ok(Answer::Text(format!("wrote API schema to {path}\n")))
            }
            None if self.json => Ok(Answer::Text(pretty(&document))),
            None => Ok(Answer::Text(summary(&document))),
        }
    }
}

fn pretty(document: &Value) -> String {
    format!("{document:#}\n")
}

fn summary(document: &Value) -> String {
    let schemas: Vec<&str> = document["schemas"]
        .as_object()
        .map(|schemas| schemas.keys().map(String::as_str).collect())
        .unwrap_or_default();
    format!(
        "{}\nprotocol: {PROTOCOL}\nschema_version: {}\nschemas: {}\n\n\
         herdr api schema --json prints the whole schema\n\
         herdr api schema --output PATH writes it to a file\n",
        document["title"].as_str().unwrap_or("API"),
        schema::SCHEMA_VERSION,
        schemas.join(", "),
    )
}
