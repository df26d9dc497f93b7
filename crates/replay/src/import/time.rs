//! Times in files: RFC 3339 texts, and numbers of seconds or milliseconds since 1970.

use lookback_engine::trace::Timestamp;
use serde_json::Value;

/// `2026-01-31T08:05:00.250Z`, `2026-01-31T08:05:00+02:00`; a space instead of the `T`, and no zone (then UTC), are
/// tolerated.
pub(super) fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let (date, rest) = (text.get(..10)?, text.get(11..)?);
    if !matches!(text.as_bytes()[10], b'T' | b't' | b' ') {
        return None;
    }
    let mut date = date.split('-');
    let (year, month, day) = (digits(date.next()?, 4)?, digits(date.next()?, 2)?, digits(date.next()?, 2)?);
    let clock_end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(clock_end);
    let mut clock = clock.split(':');
    let (hour, minute) = (digits(clock.next()?, 2)?, digits(clock.next()?, 2)?);
    let (second, fraction) = clock.next().map_or(("00", ""), |second| second.split_once('.').unwrap_or((second, "")));
    let second = digits(second, 2)?;
    if date.next().is_some() || clock.next().is_some() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    let milliseconds: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset_minutes(zone)?;
    valid.then_some(Timestamp((minutes * 60 + second) * 1_000 + milliseconds))
}

/// A text as above, or a number: below 10^11 it is seconds (until the year 5138), above milliseconds.
pub(super) fn time_of(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => parse_time(text),
        Value::Number(number) => {
            // Up to the year 9999, as texts go: a larger number is no time.
            let number =
                number.as_f64().filter(|number| (0.0..253_402_300_800_000.0).contains(number) && *number > 0.0)?;
            Some(Timestamp(if number < 1e11 { (number * 1_000.0).round() as i64 } else { number as i64 }))
        }
        _ => None,
    }
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let right = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if right { text.parse().ok() } else { None }
}

fn offset_minutes(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first() {
        None | Some(b'Z' | b'z') => return (zone.len() <= 1).then_some(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let zone = zone.get(1..)?;
    let (hours, minutes) = zone.split_once(':').or_else(|| zone.split_at_checked(2))?;
    let minutes = if minutes.is_empty() { 0 } else { digits(minutes, 2)? };
    Some(sign * (digits(hours, 2)? * 60 + minutes))
}

/// In the Gregorian calendar. Years begin in March here, so that the day that comes every four years is the last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Option<i64> {
        parse_time(text).map(|time| time.0)
    }

    #[test]
    fn times_with_zones_and_fractions() {
        assert_eq!(at("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(at("2026-02-28T23:59:59.5Z"), Some(1_772_323_199_500));
        assert_eq!(at("2024-02-29T12:00:00.123456+02:00"), Some(1_709_200_800_123));
        assert_eq!(at("2024-02-29 12:00:00-0130"), Some(1_709_213_400_000));
        assert_eq!(at("2024-03-01T00:00"), Some(1_709_251_200_000));
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in
            ["", "yesterday", "2024-02-29", "2024-13-01T00:00:00Z", "2024-01-01T25:00:00Z", "2024-1-1T00:00:00Z"]
        {
            assert_eq!(at(text), None, "{text}");
        }
        assert_eq!(at("2024-01-01T00:00:00.1x3Z"), None);
        assert_eq!(at("2024-01-01Tü0:00:00Z"), None);
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        assert_eq!(time_of(&json!(1_775_877_016.21)), Some(Timestamp(1_775_877_016_210)));
        assert_eq!(time_of(&json!(1_775_877_016_210_i64)), Some(Timestamp(1_775_877_016_210)));
        assert_eq!([json!(null), json!(-5), json!(0), json!(1e300), json!({})].map(|odd| time_of(&odd)), [None; 5]);
    }
}
