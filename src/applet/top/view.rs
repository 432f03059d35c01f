//! The screen as lines of a given size: pure.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::calendar;
use super::model::{Agent, Model};

/// Columns below which there is no room beside the list.
const NARROW: usize = 60;

/// Columns of the list, of a hundred, and what it needs and can use.
const LIST_SHARE: usize = 50;
const LIST_LEAST: usize = 38;
const LIST_MOST: usize = 72;

/// Lines of one agent.
const LINES: usize = 2;

/// Sequences for 16 colours, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) colours: bool,
}

impl Style {
    fn of(self, status: &str) -> &'static str {
        match (self.colours, status) {
            (true, "blocked") => "\x1b[1;31m",
            (true, "done") => "\x1b[32m",
            (true, "working") => "\x1b[33m",
            (false, "blocked") => "\x1b[1m",
            _ => "",
        }
    }
}

const PLAIN: &str = "\x1b[m";
const REVERSE: &str = "\x1b[7m";
const BOLD: &str = "\x1b[1m";

/// The lines of a screen of `cols` by `rows`, each exactly as wide, as of `now` (milliseconds since 1970).
pub(super) fn draw(model: &Model, cols: usize, rows: usize, now: i64, style: Style) -> Vec<String> {
    let body = rows.saturating_sub(2);
    let mut lines = vec![format!("{BOLD}{}{PLAIN}", fitted(&heading(model), cols))];
    let list_width = if cols < NARROW {
        cols
    } else {
        (cols * LIST_SHARE / 100).clamp(LIST_LEAST, LIST_MOST)
    };
    let list = list(model, list_width, body, now, style);
    let beside = cols.saturating_sub(list_width + 3);
    let preview = preview(model, beside, body);
    for row in 0..body {
        let mut line = list
            .get(row)
            .cloned()
            .unwrap_or_else(|| " ".repeat(list_width));
        if cols >= NARROW {
            line.push_str(" \u{2502} ");
            let text = preview.get(row).map_or("", String::as_str);
            line.push_str(&fitted(text, beside));
        }
        lines.push(line);
    }
    lines.push(foot(model, cols));
    lines.truncate(rows);
    lines
}

fn heading(model: &Model) -> String {
    let count = |status: &str| model.agents.iter().filter(|a| a.status == status).count();
    let parts: Vec<String> = ["blocked", "done", "working", "idle"]
        .iter()
        .map(|status| (count(status), status))
        .filter(|(count, _)| *count > 0)
        .map(|(count, status)| format!("{count} {status}"))
        .collect();
    match model.agents.len() {
        0 => "drover  no agents".to_owned(),
        1 => format!("drover  1 agent: {}", parts.join(", ")),
        count => format!("drover  {count} agents: {}", parts.join(", ")),
    }
}

/// The lines of the list, of which those around the selected one are shown.
fn list(model: &Model, width: usize, height: usize, now: i64, style: Style) -> Vec<String> {
    let shown = (height / LINES).max(1);
    let selected = model.position();
    let first = selected.map_or(0, |at| (at + 1).saturating_sub(shown));
    let visible = model.agents.iter().enumerate().skip(first).take(shown);
    visible
        .flat_map(|(at, agent)| entry(agent, selected == Some(at), width, now, style))
        .collect()
}

fn entry(agent: &Agent, selected: bool, width: usize, now: i64, style: Style) -> [String; LINES] {
    let age = calendar::duration(now - agent.since);
    // The larger unit says enough.
    let age = age.split(' ').next().unwrap_or_default();
    let mark = if selected { '>' } else { ' ' };
    let status = match agent.blocked_kind.as_str() {
        "" => agent.status.clone(),
        kind => kind.to_owned(),
    };
    let sign = match agent.status.as_str() {
        "blocked" => '!',
        "done" => '*',
        "working" => '~',
        _ => ' ',
    };
    let mut called = agent.called();
    // As in `drover ps`: what blocks it says more than its own word.
    if agent.blocked_kind.is_empty() && !agent.phase.is_empty() {
        called = format!("{called}: {}", agent.phase);
    }
    if agent.focused {
        called.push_str(" [focused]");
    }
    if agent.muted {
        called.push_str(" [muted]");
    }
    let first = fitted(
        &format!("{mark}{sign} {status:<8} {age:>4}  {called}"),
        width,
    );
    let says = if agent.message.is_empty() {
        &agent.title
    } else {
        &agent.message
    };
    let second = match (agent.workspace.as_str(), says.as_str()) {
        ("", says) => says.to_owned(),
        (workspace, "") => workspace.to_owned(),
        (workspace, says) => format!("{workspace}: {says}"),
    };
    let second = fitted(&format!("{mark}  {second}"), width);
    let first_style = if selected {
        REVERSE
    } else {
        style.of(&agent.status)
    };
    let second_style = if selected { REVERSE } else { "" };
    [
        format!("{first_style}{first}{PLAIN}"),
        format!("{second_style}{second}{PLAIN}"),
    ]
}

/// The selected pane's name, and its last lines that fit.
fn preview(model: &Model, width: usize, height: usize) -> Vec<String> {
    let Some(agent) = model.position().map(|at| &model.agents[at]) else {
        return Vec::new();
    };
    let room = height.saturating_sub(2);
    let text = &model.preview[model.preview.len().saturating_sub(room)..];
    let mut lines = vec![
        format!("{} {}", agent.pane, agent.title),
        "\u{2500}".repeat(width),
    ];
    lines.extend(text.iter().cloned());
    lines
}

fn foot(model: &Model, cols: usize) -> String {
    if let Some((pane, line)) = &model.answer {
        let head = format!("to {pane}> ");
        // The end of what is written is what the person looks at.
        let room = cols.saturating_sub(head.width() + 1);
        let tail = last_columns(line, room);
        return fitted(&format!("{head}{tail}_"), cols);
    }
    let keys = "enter answer  f focus  a attach  m mute  q quit";
    let text = match (model.note.as_str(), model.agents.is_empty()) {
        ("", false) => keys.to_owned(),
        ("", true) => "agents appear here as they are noticed or report; q quit".to_owned(),
        (note, _) => note.to_owned(),
    };
    format!("{REVERSE}{}{PLAIN}", fitted(&text, cols))
}

/// Text cut or filled up to a width in columns.
fn fitted(text: &str, width: usize) -> String {
    let mut fitted = String::new();
    let mut columns = 0;
    for character in text.chars() {
        let character = if character == '\t' { ' ' } else { character };
        let wide = character.width().unwrap_or(0);
        if columns + wide > width {
            break;
        }
        columns += wide;
        fitted.push(character);
    }
    fitted.push_str(&" ".repeat(width - columns));
    fitted
}

fn last_columns(text: &str, width: usize) -> &str {
    let mut columns = 0;
    let mut from = text.len();
    for (at, character) in text.char_indices().rev() {
        columns += character.width().unwrap_or(0);
        if columns > width {
            break;
        }
        from = at;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::super::model::{Key, tests::three};
    use super::*;

    const NONE: Style = Style { colours: false };

    fn bare(lines: &[String]) -> Vec<String> {
        let bare = |line: &String| {
            let mut text = line.clone();
            for sequence in [PLAIN, REVERSE, BOLD, "\x1b[1;31m", "\x1b[32m", "\x1b[33m"] {
                text = text.replace(sequence, "");
            }
            text
        };
        lines.iter().map(bare).collect()
    }

    #[test]
    fn at_80_by_24_it_says_who_waits_since_when_for_what_and_shows_the_pane_beside() {
        let mut model = three();
        model.preview = (0..40).map(|n| format!("line {n}")).collect();
        let lines = bare(&draw(&model, 80, 24, 150_000, NONE));
        assert_eq!(lines.len(), 24);
        assert!(lines.iter().all(|line| line.width() == 80), "{lines:#?}");
        assert_eq!(
            lines[0].trim_end(),
            "drover  3 agents: 1 blocked, 1 done, 1 working"
        );
        assert!(
            lines[1].starts_with(">! approval   1m  codex (ann) "),
            "{}",
            lines[1]
        );
        assert!(lines[2].starts_with(">  api: run rm? "), "{}", lines[2]);
        assert!(
            lines[3].starts_with(" * done       2m  crush"),
            "{}",
            lines[3]
        );
        assert!(
            lines[5].starts_with(" ~ working    2m  claude: thinking"),
            "{}",
            lines[5]
        );
        assert!(lines[22].trim_end().ends_with("line 39"), "{}", lines[22]);
        assert!(lines[23].starts_with("enter answer"));
    }

    #[test]
    fn whatever_the_size_it_fits_and_the_selected_one_is_there() {
        let mut model = three();
        model.agents[0].title = "界".repeat(200);
        model.agents[0].message.clear();
        model.key(Key::Last);
        for cols in [1, 7, 20, 59, 60, 61, 200] {
            for rows in [1, 2, 3, 4, 5, 24] {
                let lines = bare(&draw(&model, cols, rows, 0, Style { colours: true }));
                assert!(lines.len() == rows && lines.iter().all(|line| line.width() == cols));
                if rows >= 4 && cols >= 20 {
                    assert!(
                        lines.iter().any(|line| line.starts_with('>')),
                        "{cols}x{rows}"
                    );
                }
            }
        }
    }

    #[test]
    fn colours_add_nothing_that_the_words_do_not_say_and_can_be_left_out() {
        let model = three();
        let coloured = draw(&model, 100, 20, 0, Style { colours: true });
        let plain = draw(&model, 100, 20, 0, NONE);
        assert_eq!(bare(&coloured), bare(&plain));
        assert!(coloured.concat().contains("\x1b[32m") && !plain.concat().contains("\x1b[3"));
    }

    #[test]
    fn the_end_of_a_long_answer_stays_in_sight() {
        let mut model = three();
        model.key(Key::Enter);
        for character in "0123456789".repeat(20).chars() {
            model.key(Key::Character(character));
        }
        let lines = draw(&model, 40, 10, 0, NONE);
        assert_eq!(lines[9], "to w1:p2> 12345678901234567890123456789_");
    }
}
