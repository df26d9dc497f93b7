//! What the gateway counts, as Prometheus reads it.

use std::sync::atomic::{AtomicU64, Ordering};

/// One number.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, less: u64) {
        self.0.fetch_sub(less, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Since the gateway was started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) requests: Count,
    pub(crate) in_flight: Count,
    pub(crate) refused: Count,
    pub(crate) upstream_failures: Count,
    /// Requests in which blocks stand.
    pub(crate) folded_requests: Count,
    pub(crate) folds: Count,
    /// Bytes that clients sent, and that went on.
    pub(crate) bytes_in: Count,
    pub(crate) bytes_out: Count,
    /// What the keeper could not take, or could not write.
    pub(crate) unrecorded: Count,
    pub(crate) input_tokens: Count,
    pub(crate) cached_tokens: Count,
    pub(crate) output_tokens: Count,
}

impl Metrics {
    pub(crate) fn render(&self) -> String {
        let lines: [(&str, &str, &str, &Count); 12] = [
            ("requests_total", "counter", "Requests that came in.", &self.requests),
            ("requests_in_flight", "gauge", "Requests that are being answered.", &self.in_flight),
            ("requests_refused_total", "counter", "Requests that were not let in.", &self.refused),
            ("upstream_failures_total", "counter", "Requests that no provider answered.", &self.upstream_failures),
            ("requests_folded_total", "counter", "Requests in which blocks stand for messages.", &self.folded_requests),
            ("folds_total", "counter", "Blocks that were made.", &self.folds),
            ("bytes_received_total", "counter", "Bytes of bodies that clients sent.", &self.bytes_in),
            ("bytes_forwarded_total", "counter", "Bytes of bodies that went on.", &self.bytes_out),
            (
                "unrecorded_total",
                "counter",
                "Requests that are missing in the trace until the next one.",
                &self.unrecorded,
            ),
            ("input_tokens_total", "counter", "Tokens of prompts, as billed.", &self.input_tokens),
            ("cached_tokens_total", "counter", "Of these, read from a cache.", &self.cached_tokens),
            ("output_tokens_total", "counter", "Tokens of answers, as billed.", &self.output_tokens),
        ];
        let render = |(name, kind, help, count): (&str, &str, &str, &Count)| {
            format!("# HELP lookback_{name} {help}\n# TYPE lookback_{name} {kind}\nlookback_{name} {}\n", count.get())
        };
        lines.into_iter().map(render).collect()
    }
}
