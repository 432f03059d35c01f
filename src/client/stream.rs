//! A stream of events: one request, then lines until one side closes.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::call::CallError;
use super::exchange::{self, Patience};
use crate::api::params::EventsSubscribeParams;
use crate::api::subscription::Subscription;
use crate::api::{envelope, method};

/// An accepted `events.subscribe`. Iterating waits for the next event; the iteration ends when the daemon closes.
#[derive(Debug)]
pub struct EventStream {
    socket: PathBuf,
    stream: UnixStream,
    buffer: Vec<u8>,
    ended: bool,
}

impl EventStream {
    /// Subscribes. When this returns, every later event is in the stream.
    ///
    /// # Errors
    /// The daemon cannot be reached, does not answer as an ordinary request would have to be answered, or refuses.
    pub fn open(
        socket: &Path,
        id: &str,
        subscriptions: Vec<Subscription>,
    ) -> Result<Self, CallError> {
        let patience = Patience::ORDINARY;
        let deadline = patience.deadline();
        let failed = |error| CallError::from_io(socket, error, patience);
        let params = EventsSubscribeParams { subscriptions };
        let line = envelope::request_line::<method::EventsSubscribe>(id, &params);
        let mut stream = exchange::connect(socket, deadline).map_err(failed)?;
        exchange::send(&mut stream, line.as_bytes(), deadline).map_err(failed)?;
        let mut opened = Self {
            socket: socket.to_owned(),
            stream,
            buffer: Vec::new(),
            ended: false,
        };
        let answer =
            exchange::receive(&mut opened.stream, &mut opened.buffer, deadline).map_err(failed)?;
        if answer.is_empty() {
            return Err(CallError::NoAnswer {
                socket: socket.to_owned(),
            });
        }
        match parsed(&answer)? {
            answer if answer["result"]["type"] == "subscription_started" => Ok(opened),
            answer if answer.get("error").is_some() => Err(CallError::Refused(answer)),
            _ => Err(CallError::Unreadable(
                "it is no acknowledgement of a subscription".to_owned(),
            )),
        }
    }

    fn next_event(&mut self) -> Result<Option<Value>, CallError> {
        let patience = Patience::Endless;
        let line = exchange::receive(&mut self.stream, &mut self.buffer, patience.deadline())
            .map_err(|error| CallError::from_io(&self.socket, error, patience))?;
        if line.is_empty() {
            return Ok(None);
        }
        match parsed(&line)? {
            // The last line before the daemon gives a slow reader up, for one.
            event if event.get("error").is_some() => Err(CallError::Refused(event)),
            event => Ok(Some(event)),
        }
    }
}

impl Iterator for EventStream {
    type Item = Result<Value, CallError>;

    /// The next event: an object with `event` and `data`. After an error there is nothing more.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_event().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

fn parsed(line: &[u8]) -> Result<Value, CallError> {
    serde_json::from_slice(line).map_err(|error| CallError::Unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;

    /// Subscribes to a daemon that says `text` to the first request and closes.
    fn opened(text: &'static str) -> (String, Result<EventStream, CallError>) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("s");
        let listener = UnixListener::bind(&path).expect("bound");
        let daemon = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut line = String::new();
            BufReader::new(&stream)
                .read_line(&mut line)
                .expect("a line");
            stream.write_all(text.as_bytes()).expect("written");
            line
        });
        let opened = EventStream::open(&path, "e1", vec![Subscription::PaneCreated]);
        (daemon.join().expect("ended"), opened)
    }

    const STARTED: &str = r#"{"id":"e1","result":{"type":"subscription_started"}}"#;

    #[test]
    fn events_come_in_order_until_the_daemon_closes() {
        let text = concat!(
            r#"{"id":"e1","result":{"type":"subscription_started"}}"#,
            "\n{\"event\":\"a\",\"data\":{}}\n{\"event\":\"b\",\"data\":{}}\n"
        );
        let (request, stream) = opened(text);
        assert_eq!(
            request,
            "{\"id\":\"e1\",\"method\":\"events.subscribe\",\"params\":{\"subscriptions\":[{\"type\":\"pane.created\"}]}}\n"
        );
        assert!(text.starts_with(STARTED));
        let events: Vec<String> = stream
            .expect("a stream")
            .map(|event| event.expect("an event")["event"].to_string())
            .collect();
        assert_eq!(events, ["\"a\"", "\"b\""]);
    }

    #[test]
    fn an_error_line_ends_the_stream_as_an_error() {
        let (_, stream) = opened(concat!(
            r#"{"id":"e1","result":{"type":"subscription_started"}}"#,
            "\n",
            r#"{"id":"e1","error":{"code":"events_lost","message":"slow"}}"#,
            "\n{}\n"
        ));
        let events: Vec<_> = stream.expect("a stream").collect();
        assert_eq!(events.len(), 1);
        assert_eq!(
            events[0].as_ref().expect_err("an error").code(),
            Some("events_lost")
        );
    }

    #[test]
    fn a_refused_or_odd_subscription_is_no_stream() {
        let refused =
            opened("{\"id\":\"e1\",\"error\":{\"code\":\"pane_not_found\",\"message\":\"\"}}\n").1;
        assert_eq!(refused.expect_err("refused").code(), Some("pane_not_found"));
        for odd in [
            "",
            "{}\n",
            "x\n",
            "{\"id\":\"e1\",\"result\":{\"type\":\"ok\"}}\n",
        ] {
            assert!(opened(odd).1.is_err(), "{odd:?}");
        }
    }
}
