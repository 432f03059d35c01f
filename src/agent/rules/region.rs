//! Regions: the part of what a pane shows that a rule looks at (herdr 0.9.3's names).
//!
//! herdr's documents name the regions and not every edge of them. Where they are silent: a region
//! whose landmark is missing is empty, and [`Region::AfterLastHorizontalRule`] of a screen without
//! a rule is the whole screen, because then all of it comes after.

use super::snapshot::Snapshot;

/// Rows of a region that is counted in rows; a screen has 1,024 at most.
const MAX_ROWS: usize = 1024;

/// Which part of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    WholeRecent,
    BottomLines(usize),
    BottomNonEmptyLines(usize),
    TopNonEmptyLines(usize),
    OscTitle,
    OscProgress,
    AfterLastHorizontalRule,
    /// Between the last two rules, where some agents draw their input.
    PromptBoxBody,
    AbovePromptBox,
    LastNonEmptyAbovePromptBox,
    /// From the sign of the last prompt on.
    AfterLastPromptMarker,
    BeforeCurrentPromptMarker,
    /// The whole screen while no current prompt is drawn, else nothing.
    WholeRecentWithoutCurrentPromptMarker,
    /// The head of the last block before the current prompt.
    CurrentPromptBlockMarker,
    /// What stands between that head and the prompt.
    AfterCurrentPromptBlockMarker,
}

/// Names without a number.
const NAMES: &[(&str, Region)] = &[
    ("whole_recent", Region::WholeRecent),
    ("osc_title", Region::OscTitle),
    ("osc_progress", Region::OscProgress),
    (
        "after_last_horizontal_rule",
        Region::AfterLastHorizontalRule,
    ),
    ("prompt_box_body", Region::PromptBoxBody),
    ("above_prompt_box", Region::AbovePromptBox),
    (
        "last_non_empty_above_prompt_box",
        Region::LastNonEmptyAbovePromptBox,
    ),
    ("after_last_prompt_marker", Region::AfterLastPromptMarker),
    (
        "before_current_prompt_marker",
        Region::BeforeCurrentPromptMarker,
    ),
    (
        "whole_recent_without_current_prompt_marker",
        Region::WholeRecentWithoutCurrentPromptMarker,
    ),
    (
        "current_prompt_block_marker",
        Region::CurrentPromptBlockMarker,
    ),
    (
        "after_current_prompt_block_marker",
        Region::AfterCurrentPromptBlockMarker,
    ),
];

/// The sign before a prompt, in the first column (Codex and its like).
const PROMPT_SIGN: char = '›';
/// Signs that begin a block of the transcript, in the first column.
const BLOCK_SIGNS: &[char] = &['•', '■', '✗', '✓'];
/// What a rule is drawn with.
const RULE: char = '─';
/// Signs in a row that make a rule: more than any text has, less than the narrowest pane.
const SHORTEST_RULE: usize = 8;

impl Region {
    /// The region with this name.
    pub(super) fn parse(name: &str) -> Option<Region> {
        if let Some((_, region)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*region);
        }
        let (name, count) = name.strip_suffix(')')?.split_once('(')?;
        let count = count.trim().parse().ok()?;
        let counted = (1..=MAX_ROWS).contains(&count);
        match name {
            _ if !counted => None,
            "bottom_lines" => Some(Region::BottomLines(count)),
            "bottom_non_empty_lines" => Some(Region::BottomNonEmptyLines(count)),
            "top_non_empty_lines" => Some(Region::TopNonEmptyLines(count)),
            _ => None,
        }
    }

    /// The first engine version that knows it (herdr 0.9.3).
    pub(super) fn since_engine(self) -> u32 {
        match self {
            Region::TopNonEmptyLines(_) => 3,
            _ => 1,
        }
    }

    /// Its text.
    pub(super) fn of(self, snapshot: &Snapshot<'_>) -> String {
        let screen = snapshot.screen.trim_end_matches('\n');
        let lines: Vec<&str> = screen.lines().collect();
        let joined = |lines: &[&str]| lines.join("\n");
        match self {
            Region::WholeRecent => screen.to_owned(),
            Region::OscTitle => snapshot.title.to_owned(),
            Region::OscProgress => snapshot.progress.to_owned(),
            Region::BottomLines(count) => joined(&lines[lines.len().saturating_sub(count)..]),
            Region::BottomNonEmptyLines(count) => {
                let full = non_empty(&lines);
                joined(&full[full.len().saturating_sub(count)..])
            }
            Region::TopNonEmptyLines(count) => {
                let full = non_empty(&lines);
                joined(&full[..full.len().min(count)])
            }
            Region::AfterLastHorizontalRule => match lines.iter().rposition(|line| is_rule(line)) {
                Some(rule) => joined(&lines[rule + 1..]),
                None => joined(&lines),
            },
            Region::PromptBoxBody => prompt_box(&lines)
                .map(|(top, bottom)| joined(&lines[top + 1..bottom]))
                .unwrap_or_default(),
            Region::AbovePromptBox => prompt_box(&lines)
                .map(|(top, _)| joined(&lines[..top]))
                .unwrap_or_default(),
            Region::LastNonEmptyAbovePromptBox => prompt_box(&lines)
                .and_then(|(top, _)| non_empty(&lines[..top]).last().copied())
                .unwrap_or_default()
                .to_owned(),
            Region::AfterLastPromptMarker => match last_prompt(&lines) {
                Some(prompt) => {
                    let text = joined(&lines[prompt..]);
                    text.trim_start_matches(PROMPT_SIGN).trim_start().to_owned()
                }
                None => String::new(),
            },
            Region::BeforeCurrentPromptMarker => match current_prompt(&lines) {
                Some(prompt) => joined(&lines[..prompt]),
                None => String::new(),
            },
            Region::WholeRecentWithoutCurrentPromptMarker => match current_prompt(&lines) {
                Some(_) => String::new(),
                None => joined(&lines),
            },
            Region::CurrentPromptBlockMarker => current_block(&lines)
                .map(|(head, _)| lines[head].to_owned())
                .unwrap_or_default(),
            Region::AfterCurrentPromptBlockMarker => current_block(&lines)
                .map(|(head, prompt)| joined(&lines[head + 1..prompt]))
                .unwrap_or_default(),
        }
    }
}

fn non_empty<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .copied()
        .collect()
}

/// A line drawn across the pane; it may carry a label.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let drawn = line.chars().filter(|sign| *sign == RULE).count();
    line.starts_with(RULE) && drawn >= SHORTEST_RULE && drawn * 2 >= line.chars().count()
}

/// The last two rules.
fn prompt_box(lines: &[&str]) -> Option<(usize, usize)> {
    let mut rules = (0..lines.len()).rev().filter(|at| is_rule(lines[*at]));
    let bottom = rules.next()?;
    Some((rules.next()?, bottom))
}

/// A prompt: its sign, and a blank or, while an animation plays, a Braille cell after it.
fn is_prompt(line: &str) -> bool {
    line.strip_prefix(PROMPT_SIGN).is_some_and(|rest| {
        rest.chars()
            .next()
            .is_none_or(|next| next.is_whitespace() || ('\u{2800}'..='\u{28ff}').contains(&next))
    })
}

fn last_prompt(lines: &[&str]) -> Option<usize> {
    lines.iter().rposition(|line| is_prompt(line))
}

/// The last prompt, unless a block of the transcript follows: then it is history.
fn current_prompt(lines: &[&str]) -> Option<usize> {
    let prompt = last_prompt(lines)?;
    let is_history = lines[prompt + 1..]
        .iter()
        .any(|line| line.starts_with(BLOCK_SIGNS));
    (!is_history).then_some(prompt)
}

/// The head of the last block before the current prompt, and the prompt.
fn current_block(lines: &[&str]) -> Option<(usize, usize)> {
    let prompt = current_prompt(lines)?;
    let head = lines[..prompt]
        .iter()
        .rposition(|line| line.starts_with(BLOCK_SIGNS))?;
    Some((head, prompt))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(name: &str, screen: &str) -> String {
        let snapshot = Snapshot {
            screen,
            title: "the title",
            progress: "4;3",
        };
        Region::parse(name).unwrap().of(&snapshot)
    }

    const BOXED: &str =
        "one\n\ntwo\n──────────── label ──\n❯ draft\n  more\n────────────\n  foot\n";

    #[test]
    fn rows_are_counted_from_either_end_with_or_without_blank_ones() {
        assert_eq!(region("bottom_lines(3)", "a\n\nb\nc\n"), "\nb\nc");
        assert_eq!(
            region("bottom_non_empty_lines(3)", "a\n\nb\nc\n"),
            "a\nb\nc"
        );
        assert_eq!(region("top_non_empty_lines(2)", "\na\n\nb\nc\n"), "a\nb");
        assert_eq!(region("bottom_lines(9)", "a"), "a");
        assert_eq!(region("bottom_non_empty_lines(9)", ""), "");
    }

    #[test]
    fn the_prompt_box_is_between_the_last_two_rules() {
        assert_eq!(region("prompt_box_body", BOXED), "❯ draft\n  more");
        assert_eq!(region("above_prompt_box", BOXED), "one\n\ntwo");
        assert_eq!(region("last_non_empty_above_prompt_box", BOXED), "two");
        assert_eq!(region("after_last_horizontal_rule", BOXED), "  foot");
        for name in ["prompt_box_body", "above_prompt_box"] {
            assert_eq!(region(name, "a\n──────────\nb"), "", "one rule is no box");
        }
        assert_eq!(region("after_last_horizontal_rule", "a\nb"), "a\nb");
    }

    #[test]
    fn a_few_dashes_are_no_rule() {
        assert!(is_rule("  ──────── "));
        assert!(!is_rule("────"));
        assert!(!is_rule("──────── and much more text than dashes"));
        assert!(!is_rule("a ────────"));
    }

    const PROMPT: &str = "• block\n  body\n› old\n■ stop\n\n› draft\n  second\n\n  foot";

    #[test]
    fn a_prompt_is_current_unless_a_block_follows() {
        assert_eq!(
            region("before_current_prompt_marker", PROMPT),
            "• block\n  body\n› old\n■ stop\n"
        );
        assert_eq!(
            region("after_last_prompt_marker", PROMPT),
            "draft\n  second\n\n  foot"
        );
        assert_eq!(region("current_prompt_block_marker", PROMPT), "■ stop");
        assert_eq!(region("after_current_prompt_block_marker", PROMPT), "");
        assert_eq!(
            region("whole_recent_without_current_prompt_marker", PROMPT),
            ""
        );
        let history = "› old\n• block\n  body";
        assert_eq!(region("before_current_prompt_marker", history), "");
        assert_eq!(
            region("whole_recent_without_current_prompt_marker", history),
            history
        );
        assert_eq!(region("before_current_prompt_marker", "a\n›⠋x"), "a");
        assert_eq!(region("before_current_prompt_marker", "a\n›x"), "");
    }

    #[test]
    fn title_and_progress_are_regions() {
        assert_eq!(region("osc_title", "x"), "the title");
        assert_eq!(region("osc_progress", "x"), "4;3");
    }

    #[test]
    fn other_names_are_no_regions() {
        for name in [
            "",
            "bottom",
            "bottom_lines",
            "bottom_lines()",
            "bottom_lines(0)",
            "bottom_lines(-1)",
            "bottom_lines(1025)",
            "top_lines(3)",
            "Whole_recent",
        ] {
            assert_eq!(Region::parse(name), None, "{name}");
        }
    }
}
