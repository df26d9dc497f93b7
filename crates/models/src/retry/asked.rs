//! What a server's headers say about trying again.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use reqwest::header::HeaderMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Nothing,
    /// It would be no use (`x-should-retry: false`).
    Stop,
    /// Not before this.
    Wait(Duration),
    /// A limit's counter is full again after this.
    Hint(Duration),
}

pub(crate) fn parse_asked(headers: &HeaderMap, now: Timestamp) -> Asked {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if text("x-should-retry") == Some("false") {
        return Asked::Stop;
    }
    if let Some(wait) = text("retry-after-ms").and_then(|ms| seconds(ms, 0.001)) {
        return Asked::Wait(wait);
    }
    if let Some(wait) = text("retry-after").and_then(|value| seconds(value, 1.0).or_else(|| until(value, now))) {
        return Asked::Wait(wait);
    }
    let counter = |what: &str| {
        let reset = text(&format!("x-ratelimit-reset-{what}")).and_then(parse_span)?;
        Some((text(&format!("x-ratelimit-remaining-{what}")) == Some("0"), reset))
    };
    // The counter that is used up is the one to wait for; if none is, the slower one.
    match ["requests", "tokens"].into_iter().filter_map(counter).max() {
        Some((_, reset)) => Asked::Hint(reset),
        None => Asked::Nothing,
    }
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok()
}

/// `Sun, 15 Nov 2026 21:00:00 GMT`; one that has passed means now.
fn until(date: &str, now: Timestamp) -> Option<Duration> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    let then = PARSER.parse_timestamp(date).ok()?;
    Some(Duration::try_from(then.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// `20ms`, `6m0s`, `1h2m3s`, `2m59.56s`.
fn parse_span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let letters = rest[digits..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len() - digits);
        let unit = match &rest[digits..digits + letters] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total += number * unit;
        rest = &rest[digits + letters..];
    }
    Duration::try_from_secs_f64(total).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn asked(headers: &[(&'static str, &'static str)]) -> Asked {
        let map = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        parse_asked(&map, "2026-11-15T21:00:00Z".parse().unwrap())
    }

    #[test]
    fn each_way_to_ask_is_understood() {
        let wait = |ms| Asked::Wait(Duration::from_millis(ms));
        let hint = |ms| Asked::Hint(Duration::from_millis(ms));
        for (headers, expected) in [
            (&[][..], Asked::Nothing),
            (&[("retry-after", "7")], wait(7_000)),
            (&[("retry-after", "0.5")], wait(500)),
            (&[("retry-after", "Sun, 15 Nov 2026 21:01:30 GMT")], wait(90_000)),
            (&[("retry-after", "Sun, 15 Nov 2026 20:00:00 GMT")], wait(0)),
            (&[("retry-after", "soon")], Asked::Nothing),
            (&[("retry-after", "-3")], Asked::Nothing),
            (&[("retry-after-ms", "250"), ("retry-after", "1")], wait(250)),
            (&[("retry-after", "7"), ("x-should-retry", "false")], Asked::Stop),
            (&[("retry-after", "7"), ("x-ratelimit-reset-requests", "20ms")], wait(7_000)),
            (&[("x-ratelimit-reset-requests", "20ms")], hint(20)),
            (&[("x-ratelimit-reset-requests", "1s"), ("x-ratelimit-reset-tokens", "6m0s")], hint(360_000)),
            (
                &[
                    ("x-ratelimit-reset-requests", "1s"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-tokens", "6m0s"),
                    ("x-ratelimit-remaining-tokens", "900"),
                ],
                hint(1_000),
            ),
            (&[("x-ratelimit-reset-tokens", "2m59.5s")], hint(179_500)),
            (&[("x-ratelimit-reset-tokens", "1h2m3s")], hint(3_723_000)),
            (&[("x-ratelimit-reset-tokens", "7 o'clock")], Asked::Nothing),
        ] {
            assert_eq!(asked(headers), expected, "{headers:?}");
        }
    }
}
