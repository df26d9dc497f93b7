//! From many measured durations to the few figures that are printed, and whether they keep their target.

use std::time::{Duration, Instant};

/// Durations of the same work, in seconds.
#[derive(Debug, Default, Clone)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, duration: Duration) {
        self.0.push(duration.as_secs_f64());
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Where a target is an average: the few that take long count with their weight.
    pub(crate) fn mean(&self) -> f64 {
        self.total() / self.0.len() as f64
    }

    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub(crate) fn p95(&self) -> f64 {
        self.quantile(0.95)
    }

    pub(crate) fn max(&self) -> f64 {
        self.quantile(1.0)
    }

    fn quantile(&self, quantile: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * quantile).round() as usize).copied().unwrap_or(f64::NAN)
    }
}

/// Runs `job` and gives its outcome and how long it took.
pub(crate) fn timed<T>(job: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let outcome = job();
    (outcome, begin.elapsed())
}

pub(crate) fn microseconds(seconds: f64) -> String {
    rounded(seconds * 1e6)
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    rounded(seconds * 1e3)
}

pub(crate) fn ratio(value: f64) -> String {
    format!("{value:.2}×")
}

pub(crate) fn megabytes(bytes: u64) -> String {
    rounded(bytes as f64 / 1e6)
}

pub(crate) fn verdict(kept: bool) -> String {
    if kept { "ok" } else { "MISSED" }.to_owned()
}

/// `100,000`.
pub(crate) fn thousands(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups.into_iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// Three significant digits: the noise leaves no more.
pub(crate) fn rounded(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let mut samples = Samples::default();
        (1..=100).rev().for_each(|second| samples.push(Duration::from_secs(second)));
        assert_eq!((samples.median(), samples.p95(), samples.max()), (51.0, 95.0, 100.0));
        assert_eq!((samples.len(), samples.total(), samples.mean()), (100, 5_050.0, 50.5));
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!([thousands(7_u64), thousands(1_000_u64), thousands(1_234_567_u64)], ["7", "1,000", "1,234,567"]);
        assert_eq!([microseconds(0.000_123_4), milliseconds(0.000_123_4)], ["123", "0.12"]);
    }
}
