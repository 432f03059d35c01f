//! One name in a list of a YAML file: the only thing that is ever changed in one. Lines that are not
//! understood are left to the person.

/// A list two keys deep, such as `plugins` and `enabled`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub outer: &'static str,
    pub inner: &'static str,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unclear {
    /// From 1.
    pub line: usize,
}

/// Where things stand, as numbers of lines.
enum Found {
    /// Neither key.
    Nothing,
    /// The outer key, and the end of its block.
    Outer { line: usize, end: usize },
    /// The inner key with a list of lines, its items, and their indent.
    Block {
        inner: usize,
        items: Vec<usize>,
        indent: String,
    },
    /// The inner key with a list in brackets on its line.
    Flow { inner: usize },
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn says_nothing(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// What stands behind `key:` on a line, without a comment.
fn behind<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let line = line.trim();
    let quoted = [
        format!("{key}:"),
        format!("\"{key}\":"),
        format!("'{key}':"),
    ];
    let rest = quoted
        .iter()
        .find_map(|head| line.strip_prefix(head.as_str()))?;
    if rest.starts_with('#') {
        return Some("");
    }
    let rest = rest.split(" #").next().unwrap_or(rest);
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

/// The name on a line of a list.
fn item(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("- ")?;
    let rest = rest.split(" #").next().unwrap_or(rest).trim();
    Some(rest.trim_matches(['"', '\'']))
}

fn find(lines: &[&str], place: Place) -> Result<Found, Unclear> {
    let unclear = |line: usize| Unclear { line: line + 1 };
    if let Some(tab) = lines.iter().position(|line| {
        let blank = line.len() - line.trim_start().len();
        line[..blank].contains('\t') && !says_nothing(line)
    }) {
        return Err(unclear(tab));
    }
    if let Some(flow) = lines.iter().position(|line| line.starts_with('{')) {
        return Err(unclear(flow));
    }
    let outer = lines
        .iter()
        .position(|line| indent(line) == 0 && behind(line, place.outer).is_some());
    let Some(outer) = outer else {
        return Ok(Found::Nothing);
    };
    if behind(lines[outer], place.outer) != Some("") {
        return Err(unclear(outer));
    }
    let end = (outer + 1..lines.len())
        .find(|at| !says_nothing(lines[*at]) && indent(lines[*at]) == 0)
        .unwrap_or(lines.len());
    let inner = (outer + 1..end).find(|at| behind(lines[*at], place.inner).is_some());
    let Some(inner) = inner else {
        return Ok(Found::Outer { line: outer, end });
    };
    let first = (outer + 1..end).find(|at| !says_nothing(lines[*at]));
    // Deeper down it is somebody else's key.
    if first.is_some_and(|first| indent(lines[first]) != indent(lines[inner])) {
        return Err(unclear(inner));
    }
    let value = behind(lines[inner], place.inner).unwrap_or_default();
    if value.starts_with('[') && value.ends_with(']') {
        return Ok(Found::Flow { inner });
    }
    if !value.is_empty() {
        return Err(unclear(inner));
    }
    let mut items = Vec::new();
    let mut deep = None;
    for at in inner + 1..end {
        let line = lines[at];
        if says_nothing(line) {
            continue;
        }
        let is_item = line.trim_start().starts_with("- ");
        if !is_item && indent(line) <= indent(lines[inner]) {
            break;
        }
        if !is_item || deep.is_some_and(|deep| deep != indent(line)) {
            return Err(unclear(at));
        }
        if indent(line) < indent(lines[inner]) {
            break;
        }
        deep = Some(indent(line));
        items.push(at);
    }
    let deep = deep.unwrap_or(indent(lines[inner]) + 2);
    Ok(Found::Block {
        inner,
        items,
        indent: " ".repeat(deep),
    })
}

/// The names of a list in brackets, quoted as they are.
fn names(value: &str) -> Vec<&str> {
    let inside = value.trim_matches(['[', ']']);
    let names = inside.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).collect()
}

fn is(written: &str, name: &str) -> bool {
    written.trim_matches(['"', '\'']) == name
}

/// The text with `name` in the list, as it was if it is there already.
pub(super) fn with(text: &str, place: Place, name: &str) -> Result<String, Unclear> {
    let break_ = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    match find(&lines, place)? {
        Found::Nothing => {
            out.push(format!("{}:", place.outer));
            out.push(format!("  {}:", place.inner));
            out.push(format!("    - {name}"));
        }
        Found::Outer { line, end } => {
            let deep = (line + 1..end).find(|at| !says_nothing(lines[*at]));
            let deep = " ".repeat(deep.map_or(2, |at| indent(lines[at])));
            out.insert(line + 1, format!("{deep}  - {name}"));
            out.insert(line + 1, format!("{deep}{}:", place.inner));
        }
        Found::Block {
            inner,
            items,
            indent,
        } => {
            if items.iter().any(|at| item(lines[*at]) == Some(name)) {
                return Ok(text.to_owned());
            }
            let behind = items.last().copied().unwrap_or(inner);
            out.insert(behind + 1, format!("{indent}- {name}"));
        }
        Found::Flow { inner } => {
            let line = lines[inner];
            let value = behind(line, place.inner).unwrap_or_default();
            if names(value).iter().any(|known| is(known, name)) {
                return Ok(text.to_owned());
            }
            let gap = if names(value).is_empty() { "" } else { ", " };
            let close = line
                .find(value)
                .map_or(line.len(), |at| at + value.len() - 1);
            out[inner].insert_str(close, &format!("{gap}{name}"));
        }
    }
    let mut text = out.join(break_);
    text += break_;
    Ok(text)
}

/// The text without `name` in the list, and whether it was there.
pub(super) fn without(text: &str, place: Place, name: &str) -> Result<(String, bool), Unclear> {
    let break_ = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    match find(&lines, place)? {
        Found::Nothing | Found::Outer { .. } => return Ok((text.to_owned(), false)),
        Found::Block { inner, items, .. } => {
            let Some(at) = items.iter().find(|at| item(lines[**at]) == Some(name)) else {
                return Ok((text.to_owned(), false));
            };
            out.remove(*at);
            if items.len() == 1 {
                // A key without a list would be no list any more.
                let key = out[inner].trim_end().to_owned();
                out[inner] = match key.split_once(" #") {
                    Some((key, comment)) => format!("{} [] #{comment}", key.trim_end()),
                    None => format!("{key} []"),
                };
            }
        }
        Found::Flow { inner } => {
            let line = lines[inner];
            let value = behind(line, place.inner).unwrap_or_default();
            let mut kept = names(value);
            if !kept.iter().any(|known| is(known, name)) {
                return Ok((text.to_owned(), false));
            }
            kept.retain(|known| !is(known, name));
            out[inner] = line.replacen(value, &format!("[{}]", kept.join(", ")), 1);
        }
    }
    let mut text = out.join(break_);
    text += break_;
    Ok((text, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place {
        outer: "plugins",
        inner: "enabled",
    };

    fn round(text: &str, with_it: &str, without_it: &str) {
        let added = with(text, PLACE, "herdr").unwrap();
        assert_eq!(added, with_it);
        assert_eq!(with(&added, PLACE, "herdr").unwrap(), added);
        let (removed, found) = without(&added, PLACE, "herdr").unwrap();
        assert!(found);
        assert_eq!(removed, without_it);
        assert_eq!(
            without(&removed, PLACE, "herdr").unwrap(),
            (removed.clone(), false)
        );
    }

    #[test]
    fn a_name_goes_in_and_out_and_all_else_stays() {
        round(
            "",
            "plugins:\n  enabled:\n    - herdr\n",
            "plugins:\n  enabled: []\n",
        );
        round(
            "model: x # best\n",
            "model: x # best\nplugins:\n  enabled:\n    - herdr\n",
            "model: x # best\nplugins:\n  enabled: []\n",
        );
        round(
            "plugins:\n  # mine\n  enabled:\n  - a # first\n  - 'b'\n  other: 1\nz: 1\n",
            "plugins:\n  # mine\n  enabled:\n  - a # first\n  - 'b'\n  - herdr\n  other: 1\nz: 1\n",
            "plugins:\n  # mine\n  enabled:\n  - a # first\n  - 'b'\n  other: 1\nz: 1\n",
        );
        round(
            "plugins:\n    enabled: [a, \"b\"] # two\n",
            "plugins:\n    enabled: [a, \"b\", herdr] # two\n",
            "plugins:\n    enabled: [a, \"b\"] # two\n",
        );
        round(
            "plugins:\r\n  enabled: []\r\n",
            "plugins:\r\n  enabled: [herdr]\r\n",
            "plugins:\r\n  enabled: []\r\n",
        );
        round(
            "plugins:\n  path: x\n",
            "plugins:\n  enabled:\n    - herdr\n  path: x\n",
            "plugins:\n  enabled: []\n  path: x\n",
        );
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for (text, line) in [
            ("a: 1\nplugins: {enabled: [x]}\n", 2),
            ("plugins: *all\n", 1),
            ("plugins:\n\tenabled:\n", 2),
            ("plugins:\n  enabled: &x\n    - a\n", 2),
            ("plugins:\n  enabled:\n    - a\n      - b\n", 4),
            ("plugins:\n  more:\n    enabled: [x]\n", 3),
            ("{plugins: {}}\n", 1),
        ] {
            assert_eq!(with(text, PLACE, "herdr"), Err(Unclear { line }), "{text}");
            assert!(without(text, PLACE, "herdr").is_err());
        }
    }
}
