//! Sinks that take an HTTP request: webhooks, and topics of ntfy and its like.
//!
//! One attempt is one POST, or several where the server names another place for it. Nothing that is
//! said about a failure repeats an address, a header or an answer: any of them may hold a secret.

use std::io;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ureq::Agent;
use ureq::http::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use ureq::http::{Response, Uri};

use crate::config::{NotifySink, SinkKind, WebhookFormat};

use super::note::Note;
use super::secret;
use super::sink::{Again, Failure};

/// Places that a server may send a message on to before it counts as lost in a circle.
const MOST_REDIRECTS: usize = 4;

/// What says that two attempts are one message (draft-ietf-httpapi-idempotency-key-header).
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The fifth of ntfy's five priorities is for emergencies; a person who is waited for has the fourth.
const NTFY_URGENT: HeaderValue = HeaderValue::from_static("4");

/// One attempt: what took the message, or why it was not taken.
pub(super) fn post(sink: &NotifySink, note: &Note) -> Result<String, Failure> {
    let deadline = Instant::now() + Duration::from_millis(sink.timeout_ms);
    let first = address(sink)?;
    let request = Request::new(sink, note)?;
    let mut uri = first.clone();
    for _ in 0..=MOST_REDIRECTS {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late(sink));
        }
        // The person's own headers are for the place that they named.
        let headers = request.headers(same_origin(&first, &uri));
        let answer =
            send(&uri, headers, &request.body, left).map_err(|error| classify(&error, sink))?;
        match answer.status().as_u16() {
            // 303: it was taken, and there is something to look at elsewhere.
            status @ (200..=299 | 303) => return Ok(format!("HTTP {status}")),
            301 | 302 | 307 | 308 => uri = next(&uri, &answer)?,
            status => {
                return Err(Failure {
                    why: format!("HTTP {status}"),
                    again: match status {
                        408 | 425 | 429 | 500.. => Again::Later(retry_after(answer.headers())),
                        _ => Again::No,
                    },
                });
            }
        }
    }
    Err(Failure::for_good("it is sent on from place to place"))
}

/// What is posted, wherever.
struct Request {
    body: Vec<u8>,
    /// What says what the message is.
    plain: HeaderMap,
    /// What the person configured: may be secret.
    own: HeaderMap,
}

impl Request {
    fn new(sink: &NotifySink, note: &Note) -> Result<Request, Failure> {
        let mut plain = HeaderMap::new();
        let id = HeaderValue::from_str(&note.id);
        plain.extend(id.map(|id| (IDEMPOTENCY_KEY, id)));
        let json = sink.kind == SinkKind::Webhook && sink.format == WebhookFormat::Json;
        let body = match (sink.kind, json) {
            (_, true) => serde_json::to_vec(note).map_err(|error| {
                Failure::for_good(format!("it cannot be written as JSON: {error}"))
            })?,
            (SinkKind::Ntfy, _) => {
                plain.insert(HeaderName::from_static("title"), encoded(&note.title));
                let tag = match &*note.event {
                    "blocked" => "raised_hand",
                    "done" => "white_check_mark",
                    _ => "robot",
                };
                plain.insert(
                    HeaderName::from_static("tags"),
                    HeaderValue::from_static(tag),
                );
                if note.urgent {
                    plain.insert(HeaderName::from_static("priority"), NTFY_URGENT);
                }
                // ntfy shows a message without a body as one that was triggered by nobody.
                let body = if note.body.is_empty() {
                    &note.title
                } else {
                    &note.body
                };
                body.clone().into_bytes()
            }
            (_, false) => note.text.clone().into_bytes(),
        };
        plain.insert(
            CONTENT_TYPE,
            HeaderValue::from_static(if json {
                "application/json"
            } else {
                "text/plain; charset=utf-8"
            }),
        );
        Ok(Request {
            body,
            plain,
            own: own_headers(sink)?,
        })
    }

    fn headers(&self, own: bool) -> HeaderMap {
        let mut headers = self.plain.clone();
        if own {
            // In the place of ours where they have the same names.
            for (name, value) in &self.own {
                headers.insert(name, value.clone());
            }
        }
        headers
    }
}

/// Where to post to.
fn address(sink: &NotifySink) -> Result<Uri, Failure> {
    let kept = secret::read(&sink.url_file, &sink.url_env).map_err(Failure::for_good)?;
    let text = kept.as_deref().unwrap_or(&sink.url);
    let uri: Option<Uri> = text.parse().ok();
    uri.filter(is_http)
        .ok_or_else(|| Failure::for_good("its address is no http or https URL"))
}

/// Whether what is posted to a sink can be read on its way: http, and not to this machine.
///
/// # Errors
/// Why its address cannot be used.
pub(super) fn clear(sink: &NotifySink) -> Result<bool, String> {
    let uri = address(sink).map_err(|failure| failure.why)?;
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let here = host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    Ok(uri.scheme_str() == Some("http") && !here)
}

/// Whether the headers that the configuration adds can be sent.
///
/// # Errors
/// Why they cannot.
pub(super) fn sendable(sink: &NotifySink) -> Result<(), String> {
    own_headers(sink).map(drop).map_err(|failure| failure.why)
}

fn is_http(uri: &Uri) -> bool {
    matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
}

/// The headers that the configuration adds, the secret one among them.
fn own_headers(sink: &NotifySink) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (index, header) in sink.headers.iter().enumerate() {
        let (name, value) = header.split_once(':').unwrap_or_default();
        let wrong = || Failure::for_good(format!("header {} cannot be sent", index + 1));
        let name: HeaderName = name.trim().parse().map_err(|_| wrong())?;
        let mut value: HeaderValue = value.trim().parse().map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let secret = secret::read(&sink.secret_file, &sink.secret_env).map_err(Failure::for_good)?;
    if let Some(secret) = secret {
        let wrong = || Failure::for_good("the secret cannot be sent in a header of that name");
        let name: HeaderName = sink.secret_header.parse().map_err(|_| wrong())?;
        let text = if name == AUTHORIZATION && !secret.contains(' ') {
            format!("Bearer {secret}")
        } else {
            secret
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// A text as a header can carry it: as it is where that is possible, else as an encoded word (RFC 2047), which ntfy
/// reads.
fn encoded(text: &str) -> HeaderValue {
    if text.is_ascii()
        && let Ok(value) = HeaderValue::from_str(text)
    {
        return value;
    }
    let word = format!("=?UTF-8?B?{}?=", BASE64.encode(text));
    // Letters, digits and a few signs.
    HeaderValue::from_str(&word).unwrap_or(HeaderValue::from_static("drover"))
}

fn send(
    uri: &Uri,
    headers: HeaderMap,
    body: &[u8],
    time: Duration,
) -> Result<Response<ureq::Body>, ureq::Error> {
    // A new one for each message: they are minutes apart, and nothing of it stays in memory.
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(time))
        // Redirects are this module's: a POST must not become a GET, nor a secret go elsewhere.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .max_idle_connections(0)
        .user_agent(concat!("drover/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut request = agent.post(uri);
    for (name, value) in &headers {
        request = request.header(name, value);
    }
    request.send(body)
}

/// Where the server wants the message instead.
fn next(from: &Uri, answer: &Response<ureq::Body>) -> Result<Uri, Failure> {
    let lost = || Failure::for_good("it is sent on to no address");
    let place = answer
        .headers()
        .get(LOCATION)
        .and_then(|place| place.to_str().ok());
    let place = place.ok_or_else(lost)?;
    let (scheme, authority) = match (from.scheme_str(), from.authority()) {
        (Some(scheme), Some(authority)) => (scheme, authority.as_str()),
        _ => return Err(lost()),
    };
    let absolute = match place {
        place if place.starts_with("//") => format!("{scheme}:{place}"),
        place if place.starts_with('/') => format!("{scheme}://{authority}{place}"),
        place if place.contains("://") => place.to_owned(),
        place => {
            let (folder, _) = from.path().rsplit_once('/').unwrap_or_default();
            format!("{scheme}://{authority}{folder}/{place}")
        }
    };
    let to: Uri = absolute.parse().map_err(|_| lost())?;
    if !is_http(&to) {
        return Err(lost());
    }
    if from.scheme_str() == Some("https") && to.scheme_str() != Some("https") {
        return Err(Failure::for_good(
            "it is sent on to where it could be read on the way",
        ));
    }
    Ok(to)
}

/// Whether two addresses are of one server, so that what is meant for the first may go to the second.
fn same_origin(one: &Uri, other: &Uri) -> bool {
    let port = |uri: &Uri| {
        let usual = if uri.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        uri.port_u16().unwrap_or(usual)
    };
    let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
    one.scheme() == other.scheme() && host(one) == host(other) && port(one) == port(other)
}

/// The time that a server asks for, in seconds; as a date nobody writes it to programs.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse();
    Some(Duration::from_secs(seconds.ok()?))
}

fn late(sink: &NotifySink) -> Failure {
    Failure {
        why: format!("no answer within {} ms", sink.timeout_ms),
        again: Again::Unknown,
    }
}

/// What an error means, in words of our own: the library's may quote the address.
fn classify(error: &ureq::Error, sink: &NotifySink) -> Failure {
    use ureq::Error;
    let later = |why: &str| Failure {
        why: why.to_owned(),
        again: Again::Later(None),
    };
    let broken = || Failure {
        why: "the connection broke before the answer".to_owned(),
        again: Again::Unknown,
    };
    match error {
        Error::HostNotFound => later("its host is not found"),
        Error::ConnectionFailed => later("it takes no connection"),
        Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => {
            later("it does not take the connection in time")
        }
        Error::Timeout(_) => late(sink),
        Error::Io(error) => match error.kind() {
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::NetworkDown => later("it takes no connection"),
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => late(sink),
            _ => broken(),
        },
        // A portal in between, or a clock that is wrong: either may pass.
        Error::Tls(_) | Error::Rustls(_) => later("no secure connection is possible"),
        Error::Protocol(_) | Error::LargeResponseHeader(..) => Failure {
            why: "the answer is no HTTP".to_owned(),
            again: Again::Unknown,
        },
        _ => Failure::for_good("the request cannot be made"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn a_secret_goes_into_its_header_as_a_bearer_token_where_that_is_meant() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        std::fs::write(&path, "tk_1\n").unwrap();
        let mut sink = NotifySink {
            secret_file: path.to_str().unwrap().to_owned(),
            headers: vec!["X-Tag: a:b".to_owned()],
            ..NotifySink::default()
        };
        let headers = own_headers(&sink).unwrap();
        assert_eq!(headers["authorization"], "Bearer tk_1");
        assert_eq!(headers["x-tag"], "a:b");
        assert!(!format!("{headers:?}").contains("tk_1"), "sensitive");
        sink.secret_header = "X-Api-Key".to_owned();
        assert_eq!(own_headers(&sink).unwrap()["x-api-key"], "tk_1");
        std::fs::write(&path, "Basic abc").unwrap();
        sink.secret_header = "Authorization".to_owned();
        assert_eq!(own_headers(&sink).unwrap()["authorization"], "Basic abc");
        sink.headers = vec!["secret\u{7}: x".to_owned()];
        assert_eq!(
            own_headers(&sink).unwrap_err().why,
            "header 1 cannot be sent"
        );
    }

    #[test]
    fn what_ntfy_gets_has_its_title_in_a_header_whatever_letters_are_in_it() {
        let sink = NotifySink {
            kind: SinkKind::Ntfy,
            ..NotifySink::default()
        };
        let mut note = Note::of_test();
        note.title = "ann wartet für dich".to_owned();
        note.urgent = true;
        let request = Request::new(&sink, &note).unwrap();
        let headers = request.headers(true);
        assert_eq!(headers["title"], "=?UTF-8?B?YW5uIHdhcnRldCBmw7xyIGRpY2g=?=");
        assert_eq!(headers["priority"], "4");
        assert_eq!(request.body, note.body.as_bytes());
        assert_eq!(headers["idempotency-key"], note.id.as_str());
    }

    #[test]
    fn only_the_same_scheme_host_and_port_are_one_server() {
        let one = uri("https://Example.org/a");
        assert!(same_origin(&one, &uri("https://example.org:443/b")));
        for other in [
            "http://example.org/a",
            "https://example.org:444/",
            "https://example.com/",
        ] {
            assert!(!same_origin(&one, &uri(other)), "{other}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_posted_to_is_refused_without_being_repeated() {
        for url in ["secret", "file:///secret", "http://", "http://a b/secret"] {
            let sink = NotifySink {
                url: url.to_owned(),
                ..NotifySink::default()
            };
            let failure = post(&sink, &Note::of_test()).unwrap_err();
            assert_eq!(failure.why, "its address is no http or https URL", "{url}");
        }
    }
}
