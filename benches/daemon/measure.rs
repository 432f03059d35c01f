//! Taking samples so that the machine's noise hits both sides alike, and reducing them.

use anyhow::Result;

/// What two sides come to.
#[derive(Clone, Copy)]
pub struct Compared {
    /// Median.
    pub ours: f64,
    /// Median.
    pub floor: f64,
    /// Median of the pairs' ratios.
    pub ratio: f64,
}

/// Runs every side once a round, one after the other; gives each side's values in order.
///
/// One round before that is thrown away: it pays for caches and for threads' first stacks.
///
/// # Errors
/// The first that a side reports.
pub fn rounds<const N: usize>(
    count: usize,
    mut sides: [&mut dyn FnMut() -> Result<f64>; N],
) -> Result<[Vec<f64>; N]> {
    let mut values = [const { Vec::new() }; N];
    for round in 0..=count {
        for (side, values) in sides.iter_mut().zip(&mut values) {
            let value = side()?;
            if round > 0 {
                values.push(value);
            }
        }
    }
    Ok(values)
}

/// Compares the values of two sides, pair by pair.
pub fn compare(ours: &[f64], floor: &[f64]) -> Compared {
    let ratios: Vec<f64> = ours.iter().zip(floor).map(|(o, f)| o / f).collect();
    Compared {
        ours: median(ours),
        floor: median(floor),
        ratio: median(&ratios),
    }
}

/// Compares two sides whose samples alternated one by one, at one percentile.
pub fn compare_at(percent: usize, ours: &[f64], floor: &[f64]) -> Compared {
    let (ours, floor) = (percentile(percent, ours), percentile(percent, floor));
    Compared {
        ours,
        floor,
        ratio: ours / floor,
    }
}

pub fn median(values: &[f64]) -> f64 {
    percentile(50, values)
}

/// The smallest value that at least so many percent of all do not exceed. Not a number of none.
pub fn percentile(percent: usize, values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}
