//! `pane.read` and `pane.wait_for_output`, and the matching that subscriptions share with them.

use std::sync::Arc;
use std::time::Instant;

use regex::{Regex, RegexBuilder};

use crate::api::params::{OutputMatch, PaneReadParams, PaneWaitForOutputParams};
use crate::api::records::{PaneReadResult, ReadFormat, ReadSource};
use crate::api::{ApiError, ResponseResult};
use crate::authority::rules::{PANE, read_own};
use crate::pane::{Format, Pane, ReadRequest, Source};
use crate::state::Live;
use crate::sys::Wake;
use crate::world::PaneKey;

use super::wait::{self, Pace, Woken};
use super::{Call, Ended, find};

/// Bytes that a compiled pattern may take, and the tables that matching makes of it.
const COMPILED_LIMIT: usize = 1 << 20;

/// Bytes of a pattern, far more than a person writes. Reading one takes up to three thousand times
/// its length, all before [`COMPILED_LIMIT`] is looked at.
const PATTERN_LIMIT: usize = 8 * 1024;

/// How deep the groups of a pattern may lie. The compiler goes down them on the stack of a
/// connection's thread, which its own limit of 250 overflows: that would end the daemon.
const NESTING_LIMIT: u32 = 64;

pub fn read(call: &Call<'_>, p: PaneReadParams) -> Result<ResponseResult, ApiError> {
    let readable = {
        let live = call.shared.look();
        let key = find::pane(&live, &p.pane_id)?;
        Readable::of(&live, key).ok_or_else(|| find::no_pane(&p.pane_id))?
    };
    Ok(ResponseResult::PaneRead {
        read: readable.read(p.source, p.lines, p.format),
    })
}

/// A pane to read, with the ids that go into the record.
#[derive(Debug, Clone)]
pub struct Readable {
    pub pane: Arc<Pane>,
    pub pane_id: String,
    workspace_id: String,
    tab_id: String,
}

impl Readable {
    pub fn of(live: &Live, key: PaneKey) -> Option<Readable> {
        let place = live.world.pane(key)?;
        Some(Readable {
            pane: live.pane(key)?.runtime.pane.clone(),
            pane_id: place.id().to_string(),
            workspace_id: place.tab().workspace.to_string(),
            tab_id: place.tab().to_string(),
        })
    }

    /// Reads text. `source` is what the record says as well.
    pub fn read(
        &self,
        source: ReadSource,
        lines: Option<u32>,
        format: ReadFormat,
    ) -> PaneReadResult {
        let request = ReadRequest {
            source: match source {
                ReadSource::Visible => Source::Visible,
                ReadSource::Recent => Source::Recent,
                ReadSource::RecentUnwrapped => Source::RecentUnwrapped,
                ReadSource::Detection => Source::Detection,
            },
            lines,
            format: match format {
                ReadFormat::Text => Format::Text,
                ReadFormat::Ansi => Format::Ansi,
            },
        };
        let (output, revision) = {
            let screen = self.pane.screen();
            (screen.read(&request), screen.revision())
        };
        PaneReadResult {
            pane_id: self.pane_id.clone(),
            workspace_id: self.workspace_id.clone(),
            tab_id: self.tab_id.clone(),
            source,
            format,
            text: output.text,
            revision,
            truncated: output.truncated,
        }
    }
}

/// What a wait or a subscription looks for, in which part of a pane.
#[derive(Debug)]
pub struct Search {
    source: ReadSource,
    lines: Option<u32>,
    pattern: Pattern,
}

#[derive(Debug)]
enum Pattern {
    Substring(String),
    Regex(Regex),
}

impl Search {
    /// # Errors
    /// `invalid_regex`, with the compiler's words.
    pub fn new(
        source: ReadSource,
        lines: Option<u32>,
        matcher: &OutputMatch,
    ) -> Result<Search, ApiError> {
        let pattern = match matcher {
            OutputMatch::Substring { value } => Pattern::Substring(value.clone()),
            OutputMatch::Regex { value } => Pattern::Regex(compiled(value)?),
        };
        // A line that the terminal wrapped is one line to look in (herdr 0.9.3).
        let source = match source {
            ReadSource::Recent => ReadSource::RecentUnwrapped,
            other => other,
        };
        Ok(Search {
            source,
            lines,
            pattern,
        })
    }

    /// The first line that matches, from the top, and what was read.
    pub fn look(&self, readable: &Readable) -> Option<(String, PaneReadResult)> {
        let read = readable.read(self.source, self.lines, ReadFormat::Text);
        let line = read.text.lines().find(|line| match &self.pattern {
            Pattern::Substring(text) => line.contains(text.as_str()),
            Pattern::Regex(regex) => regex.is_match(line),
        })?;
        Some((line.to_owned(), read))
    }
}

fn compiled(pattern: &str) -> Result<Regex, ApiError> {
    let refused = |words: String| ApiError::new("invalid_regex", words);
    if pattern.len() > PATTERN_LIMIT {
        return Err(refused(format!(
            "a pattern takes at most {PATTERN_LIMIT} bytes"
        )));
    }
    RegexBuilder::new(pattern)
        .size_limit(COMPILED_LIMIT)
        .dfa_size_limit(COMPILED_LIMIT)
        .nest_limit(NESTING_LIMIT)
        .build()
        .map_err(|error| refused(error.to_string()))
}

pub fn wait_for_output(
    call: &Call<'_>,
    p: PaneWaitForOutputParams,
) -> Result<ResponseResult, Ended> {
    let start = Instant::now();
    let deadline = wait::deadline(call, start, p.timeout_ms)?;
    let search = Search::new(p.source, p.lines, &p.matcher)?;
    let (key, readable) = {
        let live = call.shared.look();
        let key = find::pane(&live, &p.pane_id)?;
        (
            key,
            Readable::of(&live, key).ok_or_else(|| find::no_pane(&p.pane_id))?,
        )
    };
    let wake = Arc::new(Wake::new().map_err(|e| ApiError::internal(format!("no wake: {e}")))?);
    let watch = readable.pane.watch(&wake);
    let mut pace = Pace::new(start);
    loop {
        watch.arm();
        if let Some((line, read)) = search.look(&readable) {
            call.may(&read_own(PANE), Some(key))?;
            return Ok(ResponseResult::OutputMatched {
                pane_id: readable.pane_id.clone(),
                revision: read.revision,
                matched_line: Some(line),
                read,
            });
        }
        if call.shared.look().pane(key).is_none() {
            return Err(find::no_pane(&p.pane_id).into());
        }
        match wait::sleep(call.shared, call.client, Some(&wake), deadline) {
            Woken::Wake => {}
            Woken::Deadline => {
                let message = "timed out waiting for output match";
                return Err(ApiError::new("timeout", message).into());
            }
            Woken::Over => return Err(Ended::Silent),
        }
        // Output tends to come in bursts: the next look is at what has gathered.
        let pause = pace.next_look(Instant::now());
        if wait::sleep(call.shared, call.client, None, Some(pause)) == Woken::Over {
            return Err(Ended::Silent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome of compiling and running a pattern with no more stack than a connection has.
    fn outcome(pattern: String) -> Result<bool, ApiError> {
        std::thread::Builder::new()
            .stack_size(256 * 1024)
            .spawn(move || compiled(&pattern).map(|regex| regex.is_match("xay")))
            .unwrap()
            .join()
            .unwrap()
    }

    #[test]
    fn no_pattern_takes_more_stack_than_a_connection_has() {
        // A stack that overflows ends this process, and the test with it.
        for (open, close) in [("(", ")"), ("(?:b|", ")"), ("(?i:b|", "c)*"), ("[", "]")] {
            for depth in [20, 63, 64, 65, 249, 1000] {
                let pattern = format!("{}a{}", open.repeat(depth), close.repeat(depth));
                if let Err(error) = outcome(pattern) {
                    assert_eq!(error.code, "invalid_regex");
                }
            }
        }
        assert!(outcome(format!("{}a{}", "(".repeat(60), ")".repeat(60))).unwrap());
        assert!(outcome(format!("{}a{}", "(".repeat(65), ")".repeat(65))).is_err());
    }

    #[test]
    fn a_pattern_is_bounded_before_it_is_read() {
        assert!(outcome("a".repeat(PATTERN_LIMIT)).is_ok());
        let error = outcome("\\w".repeat(PATTERN_LIMIT)).unwrap_err();
        assert_eq!(error.message, "a pattern takes at most 8192 bytes");
    }
}
