//! Where messages go, and what can become of one attempt.

use std::sync::Arc;
use std::time::Duration;

use crate::config::{NotifySink, SinkKind};

use super::note::Note;
use super::{http, process};

/// What a desktop or a terminal may take; both answer in milliseconds or not at all.
const LOCAL_TIME: Duration = Duration::from_secs(5);

/// Terminals that people are attached with.
pub trait Terminals: Send + Sync {
    /// Shows a message in each; in how many. Only queues it.
    fn show(&self, note: &Note) -> usize;
}

/// Something that takes messages.
pub(super) enum Sink {
    Desktop,
    /// None where nobody can ever be attached: a test.
    Terminal(Option<Arc<dyn Terminals>>),
    Http(NotifySink),
    Command(NotifySink),
}

/// Why an attempt failed. The reason holds no secret: it says neither address nor header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) why: String,
    pub(super) again: Again,
}

/// Whether another attempt can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    No,
    /// The message was not taken, and may be later; the server may have said when.
    Later(Option<Duration>),
    /// Nobody knows whether the message was taken.
    Unknown,
}

impl Failure {
    pub(super) fn for_good(why: impl Into<String>) -> Failure {
        Failure {
            why: why.into(),
            again: Again::No,
        }
    }
}

impl Sink {
    pub(super) fn configured(sink: NotifySink) -> Sink {
        match sink.kind {
            SinkKind::Webhook | SinkKind::Ntfy => Sink::Http(sink),
            SinkKind::Command => Sink::Command(sink),
        }
    }

    /// What it is, in the configuration's word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Sink::Desktop => "desktop",
            Sink::Terminal(_) => "terminal",
            Sink::Command(_) => "command",
            Sink::Http(sink) => match sink.kind {
                SinkKind::Ntfy => "ntfy",
                _ => "webhook",
            },
        }
    }

    /// How long one attempt may take.
    pub(super) fn timeout(&self) -> Duration {
        match self {
            Sink::Desktop | Sink::Terminal(_) => LOCAL_TIME,
            Sink::Http(sink) | Sink::Command(sink) => Duration::from_millis(sink.timeout_ms),
        }
    }

    /// The pause before attempt number `attempt` after the first, counted from 1; none if there is to be no more.
    pub(super) fn pause(&self, attempt: u64, again: Again) -> Option<Duration> {
        /// Longer than this nobody waits for news.
        const LONGEST: Duration = Duration::from_secs(60);
        let Sink::Http(sink) = self else {
            return None;
        };
        let asked = match again {
            Again::No => return None,
            Again::Unknown if !sink.resend_unanswered => return None,
            Again::Unknown => None,
            Again::Later(asked) => asked,
        };
        if attempt > sink.retries {
            return None;
        }
        let doubled = sink.retry_ms.saturating_mul(1 << (attempt - 1).min(16));
        let pause = Duration::from_millis(doubled).max(asked.unwrap_or_default());
        Some(pause.min(LONGEST))
    }

    /// One attempt: what took the message, or why it was not taken.
    pub(super) fn send(&self, note: &Note) -> Result<String, Failure> {
        match self {
            Sink::Desktop => process::desktop(note, LOCAL_TIME),
            Sink::Terminal(terminals) => {
                let shown = terminals.as_ref().map_or(0, |all| all.show(note));
                match shown {
                    0 => Err(Failure::for_good("no attached terminal takes it")),
                    1 => Ok("shown in one terminal".to_owned()),
                    count => Ok(format!("shown in {count} terminals")),
                }
            }
            Sink::Http(sink) => http::post(sink, note),
            Sink::Command(sink) => process::command(sink, note),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_a_server_may_ask_for_longer_and_no_pause_is_endless() {
        let sink = |retries, resend_unanswered| {
            Sink::Http(NotifySink {
                retries,
                retry_ms: 100,
                resend_unanswered,
                ..NotifySink::default()
            })
        };
        let pauses: Vec<_> = (1..=4)
            .map(|attempt| sink(3, true).pause(attempt, Again::Later(None)))
            .collect();
        let milliseconds = |time| Some(Duration::from_millis(time));
        assert_eq!(
            pauses,
            [
                milliseconds(100),
                milliseconds(200),
                milliseconds(400),
                None
            ]
        );
        let asked = |seconds| Again::Later(Some(Duration::from_secs(seconds)));
        assert_eq!(sink(3, true).pause(1, asked(7)), milliseconds(7_000));
        assert_eq!(sink(3, true).pause(1, asked(9_999)), milliseconds(60_000));
        assert_eq!(
            sink(10, true).pause(10, Again::Unknown),
            milliseconds(51_200)
        );
        assert_eq!(sink(3, false).pause(1, Again::Unknown), None);
        assert_eq!(sink(3, true).pause(1, Again::No), None);
        assert_eq!(Sink::Desktop.pause(1, Again::Later(None)), None);
    }
}
