//! The person's time zone. The C library has it, with every rule that the system knows; a crate would
//! bring tables of its own that grow old.

use std::mem::MaybeUninit;

/// How far local time is ahead of UTC at `at`, in seconds (`at` in seconds since 1970). Zero where the
/// system cannot tell.
pub fn local_offset(at: i64) -> i64 {
    // Narrower than an i64 on some systems only, as is `c_long` below.
    #[allow(clippy::unnecessary_fallible_conversions)]
    let at = libc::time_t::try_from(at).unwrap_or(0);
    let mut parts = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both pointers are to values of this stack frame. `localtime_r` is free of data races with
    // itself; it reads the environment, which this program never changes. What it leaves unset is zero,
    // which is a value of every member: the one pointer in `tm` may be null.
    let parts = unsafe {
        if libc::localtime_r(&raw const at, parts.as_mut_ptr()).is_null() {
            return 0;
        }
        parts.assume_init()
    };
    #[allow(clippy::useless_conversion)]
    i64::from(parts.tm_gmtoff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_zone_is_further_away_than_a_day() {
        for at in [0, 1_700_000_000, -1, i64::MAX] {
            assert!(local_offset(at).abs() < 24 * 3600, "{at}");
        }
    }
}
