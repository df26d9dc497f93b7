//! Numbers as a person reads them, with their units. Nothing here knows where they stand.

/// 0.594 → "0.59".
pub fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "–".to_owned() }
}

/// 0.955 → "95.5%"; exactly one is "100%".
pub fn percent(share: f64) -> String {
    match share {
        share if !share.is_finite() => "–".to_owned(),
        1.0 => "100%".to_owned(),
        // A share just below one must not read as all of it.
        share if share < 1.0 && share > 0.9995 => "99.9%".to_owned(),
        share => format!("{:.1}%", share * 100.0),
    }
}

/// 1,234,567 → "1.2M"; 18,400 → "18k"; 940 → "940".
pub fn tokens(value: f64) -> String {
    match value {
        value if !value.is_finite() => "–".to_owned(),
        value if value >= 99_950_000.0 => format!("{:.0}M", value / 1e6),
        value if value >= 999_500.0 => format!("{:.1}M", value / 1e6),
        value if value >= 9_950.0 => format!("{:.0}k", value / 1e3),
        value if value >= 1_000.0 => format!("{:.1}k", value / 1e3),
        value => format!("{value:.0}"),
    }
}

/// 3740 → "3,740".
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// 1,234.567 → "$1,234.57"; small sums keep their figures.
pub fn dollars(value: f64) -> String {
    if !value.is_finite() || (value != 0.0 && value.abs() < 0.1) {
        return format!("${value:.4}");
    }
    let cents = format!("{:.2}", value.abs());
    let (whole, cents) = cents.split_at(cents.len() - 3);
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
    format!("{}${whole}{cents}", if value < 0.0 { "-" } else { "" })
}

/// "3 sessions", "1 session".
pub fn counted(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(value), if value == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [0.0, 940.4, 1_240.0, 9_960.0, 18_400.0, 999_600.0, 3.2e8].map(tokens),
            ["0", "940", "1.2k", "10k", "18k", "1.0M", "320M"]
        );
        assert_eq!([7, 999, 1_000, 1_234_567].map(count), ["7", "999", "1,000", "1,234,567"]);
        assert_eq!([1.0, 0.99999, 0.9554, 0.0].map(percent), ["100%", "99.9%", "95.5%", "0.0%"]);
        assert_eq!(
            [12.345, 0.0123, 0.0, 1_234_567.891, 999.999].map(dollars),
            ["$12.35", "$0.0123", "$0.00", "$1,234,567.89", "$1,000.00"]
        );
        assert_eq!((counted(1, "call"), counted(2, "call")), ("1 call".to_owned(), "2 calls".to_owned()));
    }
}
