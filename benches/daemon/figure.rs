//! One figure: ours, the floor, how they compare, and what we want.

use serde_json::{Value, json};

use crate::measure::Compared;

#[derive(Clone, Copy)]
pub enum Unit {
    /// Millionths of a second.
    Microseconds,
    Milliseconds,
    /// 10^6 bytes.
    Megabytes,
    /// 10^6 bytes a second.
    MegabytesPerSecond,
    Count,
    /// So many times something else.
    Ratio,
}

impl Unit {
    fn symbol(self) -> &'static str {
        match self {
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
            Unit::Megabytes => "MB",
            Unit::MegabytesPerSecond => "MB/s",
            Unit::Count => "",
            Unit::Ratio => "x",
        }
    }

    fn spell(self, value: f64) -> String {
        let digits = match self {
            Unit::Count => 0,
            Unit::Milliseconds | Unit::Megabytes | Unit::Ratio => 2,
            Unit::Microseconds | Unit::MegabytesPerSecond => 1,
        };
        format!("{value:.digits$} {}", self.symbol())
            .trim_end()
            .to_owned()
    }
}

/// What we want of a figure.
#[derive(Clone, Copy)]
pub enum Goal {
    /// At most so many times the floor.
    RatioAtMost(f64),
    /// At least this part of the floor.
    RatioAtLeast(f64),
    /// At most so much, in the figure's unit.
    AtMost(f64),
}

/// The least that the machine allows, or what the figure is compared with.
struct Floor {
    what: &'static str,
    value: f64,
    /// Ours over the floor: the median over the pairs, so not quite the quotient of the medians.
    ratio: f64,
}

pub struct Figure {
    what: String,
    unit: Unit,
    ours: f64,
    floor: Option<Floor>,
    goal: Option<Goal>,
}

impl Figure {
    pub fn alone(what: impl Into<String>, unit: Unit, ours: f64) -> Figure {
        Figure {
            what: what.into(),
            unit,
            ours,
            floor: None,
            goal: None,
        }
    }

    /// A figure beside another that is called `floor`.
    pub fn compared(
        what: impl Into<String>,
        unit: Unit,
        values: Compared,
        floor: &'static str,
    ) -> Figure {
        Figure {
            floor: Some(Floor {
                what: floor,
                value: values.floor,
                ratio: values.ratio,
            }),
            ..Figure::alone(what, unit, values.ours)
        }
    }

    pub fn goal(self, goal: Goal) -> Figure {
        Figure {
            goal: Some(goal),
            ..self
        }
    }

    fn ratio(&self) -> Option<f64> {
        self.floor.as_ref().map(|floor| floor.ratio)
    }

    fn met(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::RatioAtMost(limit) => self.ratio()? <= limit,
            Goal::RatioAtLeast(limit) => self.ratio()? >= limit,
            Goal::AtMost(limit) => self.ours <= limit,
        })
    }

    fn goal_words(&self) -> String {
        let Some(goal) = self.goal else {
            return String::new();
        };
        match goal {
            Goal::RatioAtMost(limit) => format!("<= {limit}x"),
            Goal::RatioAtLeast(limit) => format!(">= {:.0}%", limit * 100.0),
            // Goals are round numbers.
            Goal::AtMost(limit) => format!("<= {limit} {}", self.unit.symbol())
                .trim_end()
                .to_owned(),
        }
    }

    fn ratio_words(&self) -> String {
        match (self.ratio(), self.goal) {
            (None, _) => String::new(),
            (Some(ratio), Some(Goal::RatioAtLeast(_))) => format!("{:.1}%", ratio * 100.0),
            (Some(ratio), _) => format!("{ratio:.2}x"),
        }
    }

    /// The line of the table.
    pub fn row(&self, section: &str) -> String {
        let floor = self.floor.as_ref().map_or(String::new(), |floor| {
            format!("{} {}", floor.what, self.unit.spell(floor.value))
        });
        let met = match self.met() {
            None => "",
            Some(true) => "met",
            Some(false) => "missed",
        };
        line([
            section,
            &self.what,
            &self.unit.spell(self.ours),
            &floor,
            &self.ratio_words(),
            &self.goal_words(),
            met,
        ])
    }

    pub fn json(&self, section: &str) -> Value {
        json!({
            "section": section,
            "what": self.what,
            "unit": self.unit.symbol(),
            "ours": self.ours,
            "floor": self.floor.as_ref().map(|floor| floor.value),
            "floor_is": self.floor.as_ref().map(|floor| floor.what),
            "ratio": self.ratio(),
            "goal": self.goal.map(|_| self.goal_words()),
            "met": self.met(),
        })
    }
}

/// The head of the table, which is also valid Markdown.
pub fn heading() -> String {
    let names = ["section", "figure", "drover", "beside", "ratio", "goal", ""];
    let rule = ["-", "-", "-:", "-:", "-:", "-:", "-"];
    format!("{}\n{}", line(names), line(rule))
}

fn line(cells: [&str; 7]) -> String {
    let [section, what, ours, floor, ratio, goal, met] = cells;
    format!(
        "| {section:7} | {what:42} | {ours:>11} | {floor:>24} | {ratio:>7} | {goal:>10} | {met:6} |"
    )
}
