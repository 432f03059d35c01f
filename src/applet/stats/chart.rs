//! The table for people, with a bar for each row.

use super::super::calendar::duration;
use super::super::{columns, control};
use super::tally::Row;
use serde_json::json;

/// Columns of the longest bar; with the other columns a row fits into 110, and into 80 without names
/// that are long.
const BAR: i64 = 20;

/// What fills a bar. Told apart without colours, and by people who see none.
const WORKING: char = '█';
const BLOCKED: char = '▓';
const IDLE: char = '░';

/// The rows, the bars of which have one scale.
pub(super) fn table(rows: &[Row]) -> String {
    let longest = rows.iter().map(Row::total).max().unwrap_or(1).max(1);
    let heading = [
        "DAY",
        "AGENT",
        "WORKING",
        "BLOCKED",
        "IDLE",
        "PROMPTS",
        "WAIT (LONGEST)",
        "",
    ];
    let mut cells = vec![heading.map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        [
            row.day.to_string(),
            control::text(&json!(row.agent)),
            duration(row.working),
            duration(row.blocked),
            duration(row.idle),
            row.prompts.to_string(),
            match row.prompts {
                0 => String::new(),
                _ => format!(
                    "{} ({})",
                    duration(row.average_wait()),
                    duration(row.longest)
                ),
            },
            bar(row, longest),
        ]
    }));
    // The last column needs no heading, and an empty cell would be shown as a dash.
    let table = columns::aligned(&cells);
    let table = match table.split_once('\n') {
        Some((heading, rest)) => format!("{}\n{rest}", heading.trim_end_matches(['-', ' '])),
        None => table,
    };
    format!("{table}\n{WORKING} working  {BLOCKED} blocked  {IDLE} idle\n")
}

/// A bar of a row. What there was at all has a column at least.
fn bar(row: &Row, longest: i64) -> String {
    let part = |time: i64, fill: char| {
        let columns = (time * BAR + longest / 2) / longest;
        let columns = if time > 0 { columns.max(1) } else { 0 };
        String::from(fill).repeat(usize::try_from(columns).unwrap_or(0))
    };
    format!(
        "{}{}{}",
        part(row.working, WORKING),
        part(row.blocked, BLOCKED),
        part(row.idle, IDLE)
    )
}

#[cfg(test)]
mod tests {
    use super::super::tally::{rows, spans, tests::state};
    use super::*;
    use crate::api::records::AgentStatus::{Blocked, Idle, Working};

    #[test]
    fn a_bar_shows_the_parts_and_what_was_short_has_a_column_too() {
        let hour = 3_600_000;
        let records = [
            state(0, 1, Working),
            state(2 * hour, 1, Blocked),
            state(2 * hour + 1_000, 1, Idle),
        ];
        let rows = rows(&spans(&records, 0, 4 * hour), &|_| 0);
        let table = table(&rows);
        assert_eq!(
            table,
            "DAY         AGENT   WORKING  BLOCKED  IDLE    PROMPTS  WAIT (LONGEST)\n\
             1970-01-01  claude  2h 00m   1s       1h 59m  1        1s (1s)         ██████████▓░░░░░░░░░░\n\
             \n█ working  ▓ blocked  ░ idle\n"
        );
    }
}
