//! Lines in, lines out: how requests and answers are decoded and written.
//!
//! The envelope of a request is read without copying: strings without escapes and the parameters
//! stay slices of the line. Parameters are decoded straight into the type of the method, once the
//! method is known; nothing is buffered in between.

mod scan;

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::error::ApiError;
use super::method::{self, Method, Spec, Vocabulary};
use super::params::EmptyParams;
use super::results::ResponseResult;

pub use scan::IdScan;

/// A request whose envelope is sound and whose method exists. Its parameters were not looked into.
#[derive(Debug)]
pub struct Request<'line> {
    /// What the client calls this request; the answer repeats it. Any text, also none.
    pub id: Cow<'line, str>,
    /// The method it asks for.
    pub method: &'static Spec,
    /// The parameters as they stand on the line; [`Request::decode_params`] reads them.
    pub params: &'line RawValue,
    // Where `params` begins on the line, in bytes: errors count columns from the line's begin.
    params_offset: usize,
}

impl Request<'_> {
    /// Reads the parameters as those of a method.
    ///
    /// # Errors
    ///
    /// `invalid_request` with the decoder's words when a required member is missing, has the wrong
    /// type or is given twice, and when the parameters are not an object.
    pub fn decode_params<P: DeserializeOwned + JsonSchema>(&self) -> Result<P, ApiError> {
        decode_params(self.params, self.params_offset)
    }
}

impl<'line> Request<'line> {
    /// One text among the parameters, as it stands there: for a look at what a request names before
    /// its parameters are decoded. Dots lead into objects. None unless it is there exactly once and a
    /// string.
    pub fn text_parameter(&self, name: &str) -> Option<Cow<'line, str>> {
        let mut raw = self.params;
        for name in name.split('.') {
            let mut decoder = serde_json::Deserializer::from_str(raw.get());
            // What stands behind or is broken is the decoder's to complain about, later.
            raw = OneMember(name).deserialize(&mut decoder).ok()??;
        }
        let Text(text) = serde_json::from_str(raw.get()).ok()?;
        Some(text)
    }
}

/// Finds the one member of an object that has this name.
struct OneMember<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for OneMember<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneMember<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        let mut count = 0;
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            if key == self.0 {
                count += 1;
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found.filter(|_| count == 1))
    }
}

/// A line that is no request, and the answer it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecodable {
    /// The line's `id` where it has a usable one, else empty.
    pub id: String,
    pub error: ApiError,
}

/// Decodes one request line of herdr's protocol; see [`decode_as`].
///
/// # Errors
///
/// See there.
pub fn decode(line: &[u8]) -> Result<Request<'_>, Undecodable> {
    decode_as(line, &method::VOCABULARY)
}

/// Decodes one request line for a socket that answers these methods; white space around it and a line end are ignored.
///
/// # Errors
///
/// [`Undecodable`] is the answer to send: `invalid_request` with the decoder's words, or
/// `unknown_method` for a method of an earlier protocol. An unknown method is an invalid request
/// whose message lists every method there is.
pub fn decode_as<'line>(
    line: &'line [u8],
    vocabulary: &Vocabulary,
) -> Result<Request<'line>, Undecodable> {
    let text = std::str::from_utf8(line.trim_ascii()).map_err(|error| Undecodable {
        id: String::new(),
        error: undecodable(error),
    })?;
    let mut decoder = serde_json::Deserializer::from_str(text);
    let envelope = EnvelopeVisitor(vocabulary)
        .deserialize(&mut decoder)
        .and_then(|envelope| decoder.end().map(|()| envelope))
        .map_err(|error| Undecodable {
            id: id_of_refused(text),
            error: undecodable(error),
        })?;
    // Both are slices of the same text, so the difference is where one begins in the other.
    let params_offset = envelope.params.get().as_ptr() as usize - text.as_ptr() as usize;
    match envelope.method {
        Called::Known(method) => Ok(Request {
            id: envelope.id,
            method,
            params: envelope.params,
            params_offset,
        }),
        Called::Retired(name) => Err(Undecodable {
            id: envelope.id.into_owned(),
            error: match decode_params::<EmptyParams>(envelope.params, params_offset) {
                Ok(_) => ApiError::new("unknown_method", format!("unknown method: {name}")),
                Err(error) => error,
            },
        }),
    }
}

fn decode_params<P: DeserializeOwned + JsonSchema>(
    params: &RawValue,
    offset: usize,
) -> Result<P, ApiError> {
    let text = params.get();
    if let Some(column) = column_of_excess_nesting(text) {
        return Err(undecodable(format_args!(
            "recursion limit exceeded at line 1 column {}",
            offset + column
        )));
    }
    // serde would read an array member by member, in an order that nobody promised.
    if text.starts_with('[') {
        return Err(undecodable(format_args!(
            "invalid type: sequence, expected struct {} at line 1 column {offset}",
            P::schema_name()
        )));
    }
    serde_json::from_str(text).map_err(|error| {
        let words = error.to_string();
        let position = format!(" at line 1 column {}", error.column());
        undecodable(match words.strip_suffix(&position) {
            Some(words) => format!("{words} at line 1 column {}", offset + error.column()),
            None => words,
        })
    })
}

/// How deep objects and arrays may lie in parameters.
///
/// The deepest request with a meaning, a layout of 16 levels, needs 19; beyond that the methods
/// have messages of their own. The JSON library's limit of 127 is no help: decoding a tree takes up
/// to 4 KiB of stack a level, and a connection's thread has 256 KiB.
const MAX_NESTING: usize = 40;

/// Where a JSON text nests deeper than [`MAX_NESTING`], in bytes from its begin, if it does.
fn column_of_excess_nesting(json: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in json.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Some(at + 1);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn undecodable(words: impl fmt::Display) -> ApiError {
    ApiError::invalid_request(format!("invalid request: {words}"))
}

/// The `id` to answer a refused line with (herdr 0.9.2 and later): its `id` if the line is a JSON
/// object with exactly one, and that a string; else nothing.
fn id_of_refused(text: &str) -> String {
    struct Ids<'line>(Vec<&'line RawValue>);

    impl<'de> Deserialize<'de> for Ids<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ids<'de>, D::Error> {
            deserializer.deserialize_map(IdsVisitor)
        }
    }

    struct IdsVisitor;

    impl<'de> Visitor<'de> for IdsVisitor {
        type Value = Ids<'de>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ids<'de>, A::Error> {
            let mut ids = Vec::new();
            while let Some(member) = map.next_key::<Member>()? {
                match member {
                    // Two are as bad as a thousand: keep no more.
                    Member::Id if ids.len() < 2 => ids.push(map.next_value()?),
                    _ => {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Ok(Ids(ids))
        }
    }

    match serde_json::from_str::<Ids<'_>>(text) {
        Ok(Ids(ids)) if ids.len() == 1 => serde_json::from_str(ids[0].get()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The three members of a request line, borrowed from it.
struct Envelope<'line> {
    id: Cow<'line, str>,
    method: Called,
    params: &'line RawValue,
}

enum Called {
    Known(&'static Spec),
    Retired(&'static str),
}

impl Called {
    fn named(name: &str, vocabulary: &Vocabulary) -> Option<Called> {
        (vocabulary.find)(name).map(Called::Known).or_else(|| {
            let retired = vocabulary
                .retired
                .iter()
                .find(|retired| **retired == name)?;
            Some(Called::Retired(retired))
        })
    }
}

impl<'de> DeserializeSeed<'de> for EnvelopeVisitor<'_> {
    type Value = Envelope<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Envelope<'de>, D::Error> {
        deserializer.deserialize_struct("Request", &["id", "method", "params"], self)
    }
}

/// Not derived: a derived one would accept an array of three, and could not tell an unknown method
/// from a missing member in the protocol's order.
struct EnvelopeVisitor<'a>(&'a Vocabulary);

impl<'de> Visitor<'de> for EnvelopeVisitor<'_> {
    type Value = Envelope<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("struct Request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut id: Option<Text<'de>> = None;
        let mut method: Option<Text<'de>> = None;
        let mut params: Option<&'de RawValue> = None;
        while let Some(member) = map.next_key::<Member>()? {
            match member {
                Member::Id => set_once(&mut id, "id", &mut map)?,
                Member::Method => set_once(&mut method, "method", &mut map)?,
                Member::Params => set_once(&mut params, "params", &mut map)?,
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let Text(id) = id.ok_or_else(|| de::Error::missing_field("id"))?;
        let Text(method) = method.ok_or_else(|| de::Error::missing_field("method"))?;
        let method = Called::named(&method, self.0)
            .ok_or_else(|| de::Error::unknown_variant(&method, self.0.names))?;
        let params = params.ok_or_else(|| de::Error::missing_field("params"))?;
        Ok(Envelope { id, method, params })
    }
}

fn set_once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    slot: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if slot.is_some() {
        return Err(de::Error::duplicate_field(name));
    }
    *slot = Some(map.next_value()?);
    Ok(())
}

/// Text that is borrowed from the line unless it contains an escape.
#[derive(Deserialize)]
struct Text<'line>(#[serde(borrow)] Cow<'line, str>);

/// Which member of the envelope a key names.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Id,
    Method,
    Params,
    #[serde(other)]
    Other,
}

/// A successful answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuccessResponse {
    pub id: String,
    pub result: ResponseResult,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorResponse {
    pub id: String,
    pub error: ApiError,
}

/// The line of a successful answer, newline included. `result` is a [`ResponseResult`] or
/// something that writes itself as one.
pub fn success_line(id: &str, result: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Success<'a, R> {
        id: &'a str,
        result: &'a R,
    }

    match serde_json::to_string(&Success { id, result }) {
        Ok(line) => ended(line),
        Err(error) => error_line(
            id,
            &ApiError::internal(format!("failed to write the answer: {error}")),
        ),
    }
}

/// The line of a refusal, newline included.
pub fn error_line(id: &str, error: &ApiError) -> String {
    #[derive(Serialize)]
    struct Failure<'a> {
        id: &'a str,
        error: &'a ApiError,
    }

    ended(to_json(&Failure { id, error }))
}

/// The line of an event, newline included.
pub(super) fn event_line(event: &impl Serialize) -> String {
    ended(to_json(event))
}

/// The line of a request, newline included.
pub fn request_line<M: Method>(id: &str, params: &M::Params) -> String {
    #[derive(Serialize)]
    struct Line<'a, P> {
        id: &'a str,
        method: &'static str,
        params: &'a P,
    }

    ended(to_json(&Line {
        id,
        method: M::NAME,
        params,
    }))
}

fn to_json(value: &impl Serialize) -> String {
    // The types of this module tree have string keys and no fallible member, the only two reasons
    // for which writing JSON to memory fails.
    serde_json::to_string(value).expect("wire types are always writable")
}

fn ended(mut line: String) -> String {
    line.push('\n');
    line
}

#[cfg(test)]
mod tests;
