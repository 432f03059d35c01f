//! A picture of days: one lane for each agent's pane, from midnight to midnight (SVG 1.1).

use std::fmt::Write as _;

use super::super::calendar::{Day, Zone, duration};
use super::tally::{self, Doing, Span};

/// Sizes in pixels: of the column of names, of a day, of a lane, of what is around.
const NAMES: i64 = 180;
const WIDTH: i64 = 960;
const LANE: i64 = 24;
const MARGIN: i64 = 20;
/// Of a day's heading with its hours.
const HEAD: i64 = 44;

/// Colours that those who do not see red and green tell apart, on white and on paper without colour.
fn colour(doing: Doing) -> &'static str {
    match doing {
        Doing::Working => "#2b7bba",
        Doing::Blocked => "#d95f02",
        Doing::Idle => "#d9d9d9",
    }
}

fn word(doing: Doing) -> &'static str {
    match doing {
        Doing::Working => "working",
        Doing::Blocked => "blocked",
        Doing::Idle => "idle",
    }
}

/// Draws every day from `since` to `until` on which an agent did something; the last one in any case.
pub(super) fn draw(spans: &[Span], since: i64, until: i64, zone: Zone<'_>) -> String {
    let parts = tally::by_day(spans, zone);
    let mut days: Vec<Day> = parts.iter().map(|(day, _)| *day).collect();
    days.push(Day::of(until.max(since), zone));
    days.sort();
    days.dedup();
    let mut y = MARGIN;
    let mut body = String::new();
    for day in days {
        let of_day: Vec<&Span> = parts
            .iter()
            .filter(|(other, _)| *other == day)
            .map(|(_, span)| span)
            .collect();
        y = draw_day(&mut body, day, &of_day, y, zone);
    }
    legend(&mut body, y);
    let (width, height) = (NAMES + WIDTH + 2 * MARGIN, y + LANE + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>What the agents did</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Draws one day below `top`; where the next thing begins.
fn draw_day(body: &mut String, day: Day, spans: &[&Span], top: i64, zone: Zone<'_>) -> i64 {
    let mut lanes: Vec<(u64, &str)> = spans
        .iter()
        .map(|span| (span.pane, span.agent.as_str()))
        .collect();
    lanes.sort_unstable();
    lanes.dedup();
    let (start, end) = (day.start(zone), day.next().start(zone));
    let x = |at: i64| NAMES + MARGIN + (at - start) * WIDTH / (end - start).max(1);
    let bottom = top + HEAD + LANE * lanes.len().max(1) as i64;
    line(
        body,
        &format!(
            "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"14\" font-weight=\"bold\">{day}</text>",
            top + 14
        ),
    );
    for hour in (0..=24).step_by(3) {
        // By the clock's hours where they do not change, which is nearly always.
        let at = start + (end - start) * hour / 24;
        line(
            body,
            &format!(
                "<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{bottom}\" stroke=\"#cccccc\"/>\
                 <text x=\"{0}\" y=\"{2}\" text-anchor=\"middle\" fill=\"#666666\">{hour}:00</text>",
                x(at),
                top + HEAD - 8,
                top + HEAD - 12
            ),
        );
    }
    for (index, (pane, agent)) in lanes.iter().enumerate() {
        let lane = top + HEAD + LANE * index as i64;
        let of_lane = || {
            spans
                .iter()
                .filter(|span| span.pane == *pane && span.agent == *agent)
        };
        let called = of_lane().next_back().map_or_else(String::new, |span| {
            let name = span.name.as_deref().unwrap_or(&span.agent);
            format!("{name} {}", span.pane_id)
        });
        line(
            body,
            &format!(
                "<text x=\"{MARGIN}\" y=\"{}\">{}</text>",
                lane + 16,
                escaped(&called)
            ),
        );
        for span in of_lane() {
            let (from, to) = (x(span.from), x(span.to));
            line(
                body,
                &format!(
                    "<rect x=\"{from}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{} for {}</title></rect>",
                    lane + 4,
                    (to - from).max(1),
                    LANE - 8,
                    colour(span.doing),
                    word(span.doing),
                    duration(span.to - span.from)
                ),
            );
        }
    }
    bottom + MARGIN
}

fn legend(body: &mut String, top: i64) {
    for (index, doing) in [Doing::Working, Doing::Blocked, Doing::Idle]
        .into_iter()
        .enumerate()
    {
        let x = NAMES + MARGIN + 110 * index as i64;
        line(
            body,
            &format!(
                "<rect x=\"{x}\" y=\"{top}\" width=\"14\" height=\"14\" fill=\"{}\"/>\
                 <text x=\"{}\" y=\"{}\">{}</text>",
                colour(doing),
                x + 20,
                top + 12,
                word(doing)
            ),
        );
    }
}

fn line(body: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(body, "{line}");
}

/// A text as it stands between tags; characters that XML does not have are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {}
            other if other.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::tally::{spans, tests::state};
    use super::*;
    use crate::api::records::AgentStatus::{Blocked, Working};

    const HOUR: i64 = 3_600_000;

    #[test]
    fn a_span_lies_where_its_hours_are_and_names_are_text() {
        let mut records = [state(6 * HOUR, 1, Working), state(12 * HOUR, 1, Blocked)];
        for record in &mut records {
            record.name = Some("a<script>&".to_owned());
        }
        let picture = draw(&spans(&records, 0, 18 * HOUR), 0, 18 * HOUR, &|_| 0);
        let (quarter, half) = (NAMES + MARGIN + WIDTH / 4, NAMES + MARGIN + WIDTH / 2);
        let working = format!("<rect x=\"{quarter}\" y=\"68\" width=\"{}\"", WIDTH / 4);
        let blocked = format!("<rect x=\"{half}\" y=\"68\" width=\"{}\"", WIDTH / 4);
        assert!(
            picture.contains(&working) && picture.contains(&blocked),
            "{picture}"
        );
        assert!(picture.contains("a&lt;script&gt;&amp; w1:p1"));
        assert!(picture.contains("<title>working for 6h 00m</title>"));
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    }

    #[test]
    fn a_day_without_agents_is_a_picture_too() {
        let picture = draw(&[], 0, HOUR, &|_| 0);
        assert!(picture.contains(">1970-01-01</text>") && picture.contains(">idle</text>"));
    }
}
