//! Editing JSON that a person keeps: comments, order and layout stay, and only what is named changes.
//!
//! A document is read into a tree that remembers where everything stands, and an edit is a piece of
//! text put in or taken out. Comments and commas before a closing bracket are taken as agents take
//! them; what is written here is plain JSON.

use std::fmt;
use std::ops::Range;

use serde_json::Value as Plain;

/// Bytes of a settings file. Those of people have a few KiB.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How deep values may lie in each other.
const MAX_DEPTH: usize = 64;

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What was found, or missing.
    pub why: &'static str,
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Broken { line, column, why } = self;
        write!(formatter, "line {line}, column {column}: {why}")
    }
}

/// A text and what it says.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    root: Value,
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    kind: Kind,
    span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Object(Vec<Member>),
    Array(Vec<Value>),
    String(String),
    /// A number, `true`, `false` or `null`.
    Other(Plain),
}

#[derive(Debug, Clone, PartialEq)]
struct Member {
    key: String,
    start: usize,
    value: Value,
}

/// One step from a value to one in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The member of this name; of several, the last, as everybody reads it.
    Key(&'a str),
    /// The element at this place.
    At(usize),
}

impl Value {
    /// The value that the steps lead to.
    pub fn get(&self, path: &[Step<'_>]) -> Option<&Value> {
        path.iter()
            .try_fold(self, |value, step| match (&value.kind, step) {
                (Kind::Object(members), Step::Key(key)) => members
                    .iter()
                    .rev()
                    .find(|member| member.key == *key)
                    .map(|member| &member.value),
                (Kind::Array(elements), Step::At(at)) => elements.get(*at),
                _ => None,
            })
    }

    /// The elements of an array.
    pub fn elements(&self) -> Option<&[Value]> {
        match &self.kind {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The names of an object's members.
    pub fn keys(&self) -> Option<impl Iterator<Item = &str>> {
        match &self.kind {
            Kind::Object(members) => Some(members.iter().map(|member| member.key.as_str())),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The same without places.
    pub fn plain(&self) -> Plain {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| (member.key.clone(), member.value.plain()))
                .collect(),
            Kind::Array(elements) => elements.iter().map(Value::plain).collect(),
            Kind::String(text) => Plain::String(text.clone()),
            Kind::Other(plain) => plain.clone(),
        }
    }

    /// Where the members or elements of a container stand, from the first byte of each to its end.
    fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| member.start..member.value.span.end)
                .collect(),
            Kind::Array(elements) => elements.iter().map(|value| value.span.clone()).collect(),
            Kind::String(_) | Kind::Other(_) => Vec::new(),
        }
    }
}

impl Document {
    /// Reads a text. One with nothing in it is an empty object.
    ///
    /// # Errors
    /// It is no JSON, or beyond all measure.
    pub fn parse(text: &str) -> Result<Document, Broken> {
        let text = if text.trim_start_matches('\u{feff}').trim().is_empty() {
            "{}\n"
        } else {
            text
        };
        let mut reader = Reader { text, at: 0 };
        if text.len() > MAX_BYTES {
            return Err(reader.broken("the file is too long for settings"));
        }
        reader.eat("\u{feff}");
        reader.skip()?;
        let root = reader.value(0)?;
        reader.skip()?;
        if reader.at < text.len() {
            return Err(reader.broken("there is something behind the end"));
        }
        Ok(Document {
            text: text.to_owned(),
            root,
        })
    }

    /// What it says.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The text as it stands now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts a member into the object at `path`, behind its last, or gives the one that is there
    /// another value. False, and nothing changed, if there is no object at `path`.
    pub fn set(&mut self, path: &[Step<'_>], key: &str, value: &Plain) -> bool {
        let Some(object) = self.root.get(path) else {
            return false;
        };
        if !matches!(object.kind, Kind::Object(_)) {
            return false;
        }
        let depth = path.len() + 1;
        if let Some(old) = object.get(&[Step::Key(key)]) {
            let (span, inline) = (old.span.clone(), !self.is_open(object));
            let text = self.rendered(value, depth, inline);
            self.splice(span, &text);
        } else {
            let name = Plain::from(key).to_string();
            self.insert(path, Some(&name), value);
        }
        true
    }

    /// Puts an element behind the last of the array at `path`. False, and nothing changed, if there is
    /// no array.
    pub fn push(&mut self, path: &[Step<'_>], value: &Plain) -> bool {
        let is_array = |value: &Value| matches!(value.kind, Kind::Array(_));
        let found = self.root.get(path).is_some_and(is_array);
        if found {
            self.insert(path, None, value);
        }
        found
    }

    /// Takes a member or element out, with its comma and its line. False if it is not there.
    pub fn remove(&mut self, path: &[Step<'_>]) -> bool {
        let Some((last, parent)) = path.split_last() else {
            return false;
        };
        let Some(container) = self.root.get(parent) else {
            return false;
        };
        let index = match (&container.kind, last) {
            (Kind::Object(members), Step::Key(key)) => {
                members.iter().rposition(|member| member.key == *key)
            }
            (Kind::Array(elements), Step::At(at)) => (*at < elements.len()).then_some(*at),
            _ => None,
        };
        let Some(index) = index else { return false };
        let items = container.items();
        let (start, end) = (items[index].start, items[index].end);
        let close = container.span.end - 1;
        let comma_behind = self.comma(end, close);
        // Of the last one the comma before it goes too, unless a comma may stand there.
        let comma_before = match (comma_behind, index.checked_sub(1)) {
            (None, Some(before)) => self.comma(items[before].end, start),
            _ => None,
        };
        let mut cut = start..comma_behind.map_or(end, |comma| comma + 1);
        let line = self.text[..cut.start].rfind('\n').map_or(0, |at| at + 1);
        let alone_before = self.text[line..cut.start].trim().is_empty() && line > 0;
        let rest = &self.text[cut.end..close];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if alone_before {
            match rest[blank..].chars().next() {
                // The whole line, together with the break before it.
                Some('\n' | '\r') => {
                    let break_ = if self.text[..line].ends_with("\r\n") {
                        2
                    } else {
                        1
                    };
                    cut = line - break_..cut.end + blank;
                }
                // The bracket stays on its line: the one before may end in a comment.
                None => cut = line..cut.end + blank,
                // Something else stands on the line; it stays where it is.
                Some(_) => cut.end += blank,
            }
        } else if comma_behind.is_some() {
            cut.end += blank;
        } else {
            // The blanks behind the comma that goes.
            let before = &self.text[..cut.start];
            cut.start = before.trim_end_matches([' ', '\t']).len();
        }
        // The latter first, so that the former's place stays right.
        self.text.replace_range(cut.clone(), "");
        if let Some(comma) = comma_before {
            self.text.replace_range(comma..=comma, "");
        }
        if items.len() == 1 {
            self.close_up(parent);
        } else {
            self.read_again();
        }
        true
    }

    /// Brings the brackets of a container together that has nothing in it any more.
    fn close_up(&mut self, path: &[Step<'_>]) {
        self.read_again();
        if let Some(container) = self.root.get(path) {
            let inside = container.span.start + 1..container.span.end - 1;
            if self.text[inside.clone()].trim().is_empty() {
                self.splice(inside, "");
            }
        }
    }

    /// Puts a member, with its quoted name, or an element behind the last of a container.
    fn insert(&mut self, path: &[Step<'_>], name: Option<&str>, value: &Plain) {
        let Some(container) = self.root.get(path) else {
            return;
        };
        let depth = path.len() + 1;
        let items = container.items();
        let close = container.span.end - 1;
        let open = self.is_open(container) || items.is_empty();
        let rendered = self.rendered(value, depth, !open);
        let item = match name {
            Some(name) => format!("{name}: {rendered}"),
            None => rendered,
        };
        let last = items.last().map(|last| last.end);
        let comma = last.and_then(|last| self.comma(last, close));
        let filled = self.text[..close].trim_end().len();
        if open {
            let break_ = self.line_break();
            let unit = self.indent_unit();
            let (inner, outer) = (unit.repeat(depth), unit.repeat(depth - 1));
            let own = self.own_indent(container, &items);
            let inner = own.unwrap_or(inner);
            let outer = inner
                .strip_suffix(unit.as_str())
                .map_or(outer, str::to_owned);
            let tail = if comma.is_some() { "," } else { "" };
            let text = format!("{break_}{inner}{item}{tail}{break_}{outer}");
            self.text.replace_range(filled..close, &text);
        } else {
            let (gap, tail) = match comma {
                Some(_) => (" ", ","),
                None => (" ", ""),
            };
            self.text
                .replace_range(filled..filled, &format!("{gap}{item}{tail}"));
        }
        if let (Some(last), None) = (last, comma) {
            self.text.insert(last, ',');
        }
        self.read_again();
    }

    fn splice(&mut self, span: Range<usize>, text: &str) {
        self.text.replace_range(span, text);
        self.read_again();
    }

    /// The tree of the text as it is now. Edits put valid JSON in the place of valid JSON, so it can be
    /// read; a test makes many of them.
    fn read_again(&mut self) {
        match Document::parse(&self.text) {
            Ok(document) => self.root = document.root,
            Err(broken) => debug_assert!(false, "an edit broke it: {broken}: {}", self.text),
        }
    }

    /// Whether a container is spread over lines.
    fn is_open(&self, container: &Value) -> bool {
        self.text[container.span.clone()].contains('\n')
    }

    /// The comma between two places, comments skipped.
    fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut reader = Reader {
            text: &self.text[..to],
            at: from,
        };
        reader.skip().ok()?;
        self.text[reader.at..to]
            .starts_with(',')
            .then_some(reader.at)
    }

    fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// What the file is indented by: as its first member, else two blanks.
    fn indent_unit(&self) -> String {
        let first = self.root.items().into_iter().next();
        first
            .and_then(|first| self.indent_before(first.start))
            .filter(|indent| !indent.is_empty())
            .unwrap_or_else(|| "  ".to_owned())
    }

    /// How the items of a container that begin a line are indented.
    fn own_indent(&self, container: &Value, items: &[Range<usize>]) -> Option<String> {
        debug_assert!(container.span.start < self.text.len());
        items
            .iter()
            .rev()
            .find_map(|item| self.indent_before(item.start))
    }

    /// The blanks before a place, if nothing else is before it on its line.
    fn indent_before(&self, at: usize) -> Option<String> {
        let line = self.text[..at].rfind('\n')? + 1;
        let before = &self.text[line..at];
        before
            .chars()
            .all(|character| matches!(character, ' ' | '\t'))
            .then(|| before.to_owned())
    }

    /// A value as text, its lines indented for `depth`.
    fn rendered(&self, value: &Plain, depth: usize, inline: bool) -> String {
        if inline {
            return spaced(value);
        }
        let unit = self.indent_unit();
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        if serde::Serialize::serialize(value, &mut serializer).is_err() {
            // Writing plain values to memory does not fail.
            return value.to_string();
        }
        let break_ = format!("{}{}", self.line_break(), unit.repeat(depth));
        String::from_utf8_lossy(&bytes).replace('\n', &break_)
    }
}

/// A value on one line, with blanks where people put them.
fn spaced(value: &Plain) -> String {
    match value {
        Plain::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(spaced).collect();
            format!("[{}]", elements.join(", "))
        }
        Plain::Object(members) if !members.is_empty() => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Plain::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        plain => plain.to_string(),
    }
}

/// Goes through a text.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn broken(&self, why: &'static str) -> Broken {
        let before = &self.text[..self.at];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        Broken {
            line: before.matches('\n').count() + 1,
            column: before[line..].chars().count() + 1,
            why,
        }
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), Broken> {
        loop {
            let rest = self.rest();
            let blank = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let length = rest.len() - blank.len();
            let comment = if blank.starts_with("//") {
                blank.find('\n').unwrap_or(blank.len())
            } else if let Some(inside) = blank.strip_prefix("/*") {
                match inside.find("*/") {
                    Some(end) => 2 + end + 2,
                    None => {
                        self.at += length;
                        return Err(self.broken("a comment has no end"));
                    }
                }
            } else {
                self.at += length;
                return Ok(());
            };
            self.at += length + comment;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Broken> {
        if depth > MAX_DEPTH {
            return Err(self.broken("it is nested too deep"));
        }
        let start = self.at;
        let kind = match self.rest().chars().next() {
            Some('{') => self.object(depth)?,
            Some('[') => self.array(depth)?,
            Some('"') => Kind::String(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.broken("a value is missing")),
        };
        Ok(Value {
            kind,
            span: start..self.at,
        })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Broken> {
        let mut members = Vec::new();
        self.eat("{");
        loop {
            self.skip()?;
            if self.eat("}") {
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            if !self.rest().starts_with('"') {
                return Err(self.broken("a name in double quotes, or }, is missing"));
            }
            let key = self.string()?;
            self.skip()?;
            if !self.eat(":") {
                return Err(self.broken("a colon is missing"));
            }
            self.skip()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, start, value });
            self.skip()?;
            if !self.eat(",") && !self.rest().starts_with('}') {
                return Err(self.broken("a comma, or }, is missing"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Broken> {
        let mut elements = Vec::new();
        self.eat("[");
        loop {
            self.skip()?;
            if self.eat("]") {
                return Ok(Kind::Array(elements));
            }
            elements.push(self.value(depth + 1)?);
            self.skip()?;
            if !self.eat(",") && !self.rest().starts_with(']') {
                return Err(self.broken("a comma, or ], is missing"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let mut escaped = false;
        let inside = self.rest().char_indices().skip(1);
        let end = inside
            .take_while(|(_, character)| *character != '\n')
            .find(|(_, character)| {
                let ends = *character == '"' && !escaped;
                escaped = *character == '\\' && !escaped;
                ends
            })
            .map(|(at, _)| at + 1);
        let Some(end) = end else {
            return Err(self.broken("a string has no end on its line"));
        };
        let quoted = &self.text[start..start + end];
        match serde_json::from_str(quoted) {
            Ok(text) => {
                self.at += end;
                Ok(text)
            }
            Err(_) => Err(self.broken("a string has a character or escape that may not be there")),
        }
    }

    fn word(&mut self) -> Result<Kind, Broken> {
        let rest = self.rest();
        let end = rest
            .find(|character: char| {
                character.is_whitespace() || matches!(character, ',' | ']' | '}' | ':' | '/')
            })
            .unwrap_or(rest.len());
        match serde_json::from_str::<Plain>(&rest[..end]) {
            Ok(plain) => {
                self.at += end;
                Ok(Kind::Other(plain))
            }
            Err(_) => Err(self.broken("this is no value")),
        }
    }
}

#[cfg(test)]
mod tests;
