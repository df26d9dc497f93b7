//! Numbers and times as people read them.

use jiff::{Timestamp as Instant, tz::TimeZone};
use lookback_engine::trace::Timestamp;
/// 14,120, and 14,120 turns.
pub(crate) use lookback_replay::report::numbers::{count as exact, counted};

/// 9.8k
pub(crate) fn short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

/// In the zone of whoever reads it.
pub(crate) fn time(at: Timestamp) -> String {
    match Instant::from_millisecond(at.0) {
        Ok(instant) => instant.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("at {} ms", at.0),
    }
}

/// How long ago, in the largest unit that says something. Clocks are wrong at times: a time in the future is shown as
/// one.
pub(crate) fn age(at: Timestamp, now: Instant) -> String {
    let seconds = now.as_millisecond().saturating_sub(at.0) / 1_000;
    let distance = match seconds.unsigned_abs() {
        0..60 => return "now".into(),
        minutes @ 60..3_600 => format!("{} min", minutes / 60),
        hours @ 3_600..86_400 => format!("{} h", hours / 3_600),
        days => format!("{} d", exact(days / 86_400)),
    };
    if seconds < 0 { format!("in {distance}") } else { format!("{distance} ago") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([exact(7), exact(1_234), exact(1_234_567)], ["7", "1,234", "1,234,567"]);
        assert_eq!([short(999), short(9_800), short(1_250_000)], ["999", "9.8k", "1.2M"]);
    }

    #[test]
    fn ages_look_both_ways_and_never_overflow() {
        let now = Instant::from_millisecond(1_763_200_000_000).expect("a time");
        let of = |seconds: i64| age(Timestamp(now.as_millisecond() + seconds * 1_000), now);
        assert_eq!([of(0), of(-59), of(59), of(-60)], ["now", "now", "now", "1 min ago"]);
        assert_eq!([of(-7_200), of(7_200), of(3 * 86_400)], ["2 h ago", "in 2 h", "in 3 d"]);
        assert!(age(Timestamp(i64::MIN), now).ends_with(" d ago"));
        assert!(age(Timestamp(i64::MAX), now).starts_with("in "));
        assert_eq!(time(Timestamp(i64::MIN)), format!("at {} ms", i64::MIN));
    }
}
