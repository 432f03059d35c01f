//! `drover man`: the manual pages.

use std::fs;
use std::path::Path;

use crate::command::{Answer, Caller, Failure, Outcome, Run, manual};

#[derive(clap::Args)]
pub(super) struct Man {
    /// Write every page to this directory instead
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
}

impl Run for Man {
    fn run(self, _: &Caller) -> Outcome {
        let pages = [
            manual::pages(&super::ROOT),
            manual::pages(&crate::herdr::ROOT),
        ]
        .concat();
        let Some(directory) = self.out else {
            // The first page is drover's own.
            return Ok(Answer::Text(
                pages
                    .into_iter()
                    .next()
                    .map(|page| page.text)
                    .unwrap_or_default(),
            ));
        };
        let mut text = String::new();
        for page in pages {
            let file = Path::new(&directory).join(&page.file);
            fs::write(&file, &page.text).map_err(|error| {
                Failure::Failed(format!("error: writing {}: {error}", file.display()))
            })?;
            text.push_str(&format!("wrote {}\n", file.display()));
        }
        Ok(Answer::Text(text))
    }
}
