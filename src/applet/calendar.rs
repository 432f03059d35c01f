//! Days and times of day as the person's clock has them, and what they write for a time.

use crate::sys;

/// Milliseconds of a day without a change of the clocks.
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;

/// A time zone: how many seconds it is ahead of UTC at a time, in seconds since 1970.
pub(super) type Zone<'a> = &'a dyn Fn(i64) -> i64;

/// The person's zone.
pub(super) fn here(at: i64) -> i64 {
    sys::local_offset(at)
}

/// A day of the local calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Day(
    /// Days since the first of 1970.
    i64,
);

impl Day {
    /// The day of a time, in milliseconds since 1970.
    pub(super) fn of(at: i64, zone: Zone<'_>) -> Day {
        let local = at + zone(at.div_euclid(1000)) * 1000;
        Day(local.div_euclid(DAY))
    }

    /// When it begins, in milliseconds since 1970.
    pub(super) fn start(self, zone: Zone<'_>) -> i64 {
        let local = self.0 * DAY;
        // The offset of the guess decides, unless the clocks changed in between; then that of the
        // second guess does.
        let guess = local - zone(local.div_euclid(1000)) * 1000;
        local - zone(guess.div_euclid(1000)) * 1000
    }

    pub(super) fn next(self) -> Day {
        Day(self.0 + 1)
    }

    /// Year, month and day of the month.
    fn date(self) -> (i64, i64, i64) {
        // Counted in years that begin in March, so that the day of a leap year is their last.
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    /// The day of a date; none for one that no calendar has.
    fn from_date(year: i64, month: i64, day: i64) -> Option<Day> {
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day)
        {
            return None;
        }
        let from_march = year - i64::from(month <= 2);
        let era = from_march.div_euclid(400);
        let of_era = from_march.rem_euclid(400);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
        let found = Day(days - 719_468);
        (found.date() == (year, month, day)).then_some(found)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.date();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

/// What somebody wrote for a time, in milliseconds since 1970: a time ago (`90s`, `15m`, `2h`, `3d`),
/// `today`, `yesterday`, or a date (`2026-11-30`). None for anything else.
pub(super) fn since(text: &str, now: i64, zone: Zone<'_>) -> Option<i64> {
    let today = Day::of(now, zone);
    match text {
        "today" => return Some(today.start(zone)),
        "yesterday" => return Some(Day(today.0 - 1).start(zone)),
        _ => {}
    }
    if let Some((year, rest)) = text.split_once('-') {
        let (month, day) = rest.split_once('-')?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<i64>().ok()).flatten()
        };
        let day = Day::from_date(number(year)?, number(month)?, number(day)?)?;
        return Some(day.start(zone));
    }
    let unit = text.chars().last()?;
    let milliseconds = match unit {
        's' => 1000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => DAY,
        _ => return None,
    };
    let count: u32 = text[..text.len() - 1].parse().ok()?;
    Some(now.saturating_sub(i64::from(count) * milliseconds))
}

/// A duration for people: its two largest units.
pub(super) fn duration(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30 22:14:41 UTC.
    const NOW: i64 = 1_796_076_881_000;

    fn utc(_: i64) -> i64 {
        0
    }

    /// Ahead by one hour, and by two from 2026-03-29 01:00 UTC to 2026-10-25 01:00 UTC.
    fn berlin(at: i64) -> i64 {
        match at {
            1_774_746_000..1_792_890_000 => 7200,
            _ => 3600,
        }
    }

    #[test]
    fn a_day_begins_at_local_midnight_also_when_the_clocks_change() {
        let day = |text: &str| since(text, NOW, &berlin).unwrap();
        assert_eq!(day("2026-03-30") - day("2026-03-29"), DAY - 3_600_000);
        assert_eq!(day("2026-10-26") - day("2026-10-25"), DAY + 3_600_000);
        assert_eq!(
            Day::of(day("2026-10-25") - 1, &berlin).to_string(),
            "2026-10-24"
        );
        // Four minutes past midnight there, and still the day before at Greenwich.
        let late = NOW + 3_000_000;
        assert_eq!(Day::of(late, &berlin).to_string(), "2026-12-01");
        assert_eq!(Day::of(late, &utc).to_string(), "2026-11-30");
    }

    #[test]
    fn times_are_taken_as_people_write_them() {
        let taken = |text: &str| since(text, NOW, &utc);
        assert_eq!(taken("90s"), Some(NOW - 90_000));
        assert_eq!(taken("15m"), Some(NOW - 900_000));
        assert_eq!(taken("2h"), Some(NOW - 7_200_000));
        assert_eq!(taken("1d"), Some(NOW - DAY));
        assert_eq!(taken("today"), taken("2026-11-30"));
        assert_eq!(taken("yesterday"), taken("2026-11-29"));
        assert_eq!(taken("2024-02-29").map(|at| at / DAY), Some(19_782));
        for odd in [
            "",
            "h",
            "2",
            "2026-02-29",
            "2026-13-01",
            "1969-01-01",
            "-1h",
            "2026-1",
            "+1-1-1",
            "é",
        ] {
            assert_eq!(taken(odd), None, "{odd}");
        }
        assert!(taken("4294967295d").is_some());
    }

    #[test]
    fn durations_have_two_units() {
        let shown = [0, 59_999, 61_000, 3_660_000, 90_000_000].map(duration);
        assert_eq!(shown, ["0s", "59s", "1m 01s", "1h 01m", "1d 01h"]);
    }

    proptest::proptest! {
        #[test]
        fn every_date_is_the_day_it_came_from(days in 0_i64..2_900_000) {
            let (year, month, day) = Day(days).date();
            proptest::prop_assert_eq!(Day::from_date(year, month, day), Some(Day(days)));
        }
    }
}
