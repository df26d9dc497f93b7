//! An invented report: plausible figures for all nine strategies, grown from a few numbers a session.

use std::collections::BTreeMap;

use lookback_replay::{
    check::{self, Misses},
    measure::{Figures, RecallByKind},
    recording::Format,
    report::{BillByKind, Bills, Check, Mark, Moment, Pictures, Report, SessionReport, UsedCard},
};

/// Name, cost and repaired cost against append, recall, calls between two changes (0: never), kept tokens.
const STRATEGIES: [(&str, f64, f64, f64, usize, u64); 9] = [
    ("append", 1.00, 1.00, 1.0, 0, 0),
    ("head-summary", 0.93, 0.97, 0.962, 90, 22_000),
    ("mask", 1.78, 1.83, 0.941, 1, 30_000),
    ("mask-batched", 0.73, 0.76, 0.99, 20, 34_000),
    ("clear-tools", 0.94, 0.95, 0.993, 55, 60_000),
    ("settle", 0.97, 0.98, 0.997, 7, 70_000),
    ("lookback", 0.55, 0.59, 0.955, 13, 24_000),
    ("lookback-fixed", 0.58, 0.63, 0.949, 12, 24_000),
    ("oracle", 0.50, 0.50, 1.0, 10, 18_000),
];

pub(crate) fn report(sessions: usize) -> Report {
    Report { sessions: (0..sessions).map(session).collect(), ..Report::default() }
}

/// Every third session is Codex's; the first has a hostile name.
fn session(number: usize) -> SessionReport {
    let codex = number % 3 == 1;
    let file = match number {
        0 => "logs/<b>bold & \"quoted\"</b>/a'b.jsonl".to_owned(),
        _ => format!("/home/someone/.claude/projects/app/{number:04}-6f2c-4c1e-9d1a-session.jsonl"),
    };
    let calls = 90 + 37 * (number % 11);
    let append = 1_900_000.0 + 310_000.0 * (number % 7) as f64;
    let mut strategies = BTreeMap::new();
    let mut pictures = Pictures::default();
    for (place, (name, cost, repaired, recall, every, kept)) in STRATEGIES.into_iter().enumerate() {
        // Away from one, sessions differ; append is one on all.
        let differs = if name == "append" { 0.0 } else { 0.035 * ((number * 7 + place * 3) % 5) as f64 - 0.07 };
        let (cost, repaired) = (cost + differs, repaired + differs);
        let recall = if recall == 1.0 { 1.0 } else { recall - differs.abs() / 6.0 };
        let context = context(calls, every, kept);
        strategies.insert(
            name.to_owned(),
            Figures {
                cost: append * cost,
                cost_usd: Some(append * cost * 3e-6),
                repaired_usd: Some(append * repaired * 3e-6),
                vs_append: cost,
                repaired: append * repaired,
                repaired_vs_append: repaired,
                repairs_per_call: (repaired - cost) * 1.4,
                recall,
                pointer_recall: if name.starts_with("lookback") { 1.0 } else { recall },
                direct_pointer_recall: if name.starts_with("lookback") { 0.987 } else { recall },
                recall_by_kind: RecallByKind {
                    path: Some(recall),
                    symbol: Some(recall),
                    edit_line: (number > 0).then_some(recall - 0.01),
                    ..RecallByKind::default()
                },
                competitive_ratio: (name == "lookback").then_some(1.12),
                over_window: if name == "append" && calls > 400 { 31 } else { 0 },
                prefix_reuse: 0.97 - 0.02 * place as f64,
                context_mean: context.iter().sum::<u64>() as f64 / calls as f64,
                context_peak: context.iter().copied().max().unwrap_or(0),
                task_snr: 0.06 + 0.01 * place as f64,
                folds: calls.checked_div(every).unwrap_or(0) as u64,
                evidence: 1.0,
                ..Figures::default()
            },
        );
        let marks = (1..calls).filter(|call| every > 0 && call % every == 0).map(|call| Mark {
            call,
            what: if name.starts_with("mask") { "mask" } else { "fold" },
            note: format!("turns {}–{} into block <{call}>", call * 2, call * 2 + 11),
        });
        pictures.marks.insert(name.to_owned(), marks.collect());
        pictures.context.insert(name.to_owned(), context);
        pictures.kinds.insert(name.to_owned(), kinds(name, append * 3e-6, cost, repaired));
    }
    pictures.dearest = dearest(&file, append);
    let input_tokens = calls as u64 * 90_000;
    let bills = Bills {
        calls: calls as u64,
        input_tokens,
        cached_tokens: input_tokens / 20 * 19,
        output_tokens: 60_000,
        cost: append,
        cost_usd: append * 3e-6,
    };
    SessionReport {
        format: if codex { Format::Codex } else { Format::ClaudeCode },
        agent: if codex { Format::Codex } else { Format::ClaudeCode },
        calls: calls as u64,
        model: Some(if codex { "gpt-5.5" } else { "claude-sonnet-4-6" }.to_owned()),
        prices: if codex { "openai" } else { "anthropic" }.to_owned(),
        card: UsedCard { name: if codex { "openai" } else { "anthropic" }.to_owned(), ..UsedCard::default() },
        strategies,
        paid_usd: Some(append * 3e-6 * 0.97),
        paid_whole_usd: Some(append * 3e-6 * 1.02),
        paid: None,
        estimated_usd: None,
        estimated: None,
        unpriced: Default::default(),
        borrowed_usd: 0.0,
        billed: Some(bills),
        predicted: Some(Bills { cost: append * 1.01, ..bills }),
        check: Some(Check {
            provider: if codex { "openai" } else { "anthropic" }.to_owned(),
            check: check::Check {
                calls: calls as u64 - 3,
                error_tokens: bills.cached_tokens / 125,
                billed_cached: bills.cached_tokens,
                unexplained: Misses { count: number as u64 % 3, tokens: 81_000 * (number as u64 % 3) },
                ..check::Check::default()
            },
        }),
        competitive: None,
        pictures,
        file,
    }
}

fn context(calls: usize, every: usize, kept: u64) -> Vec<u64> {
    let mut tokens = 19_000;
    let mut series = Vec::with_capacity(calls);
    for call in 0..calls {
        tokens += 350 + (call as u64 * 7_919) % 1_400;
        if every > 0 && call > 0 && call % every == 0 {
            tokens = tokens.min(kept + (call as u64 * 131) % 4_000);
        }
        series.push(tokens);
    }
    series
}

fn kinds(name: &str, append: f64, cost: f64, repaired: f64) -> BillByKind {
    let compactor = if name == "head-summary" { 0.04 } else { 0.0 };
    let rest = cost - 0.14 - compactor;
    let written = if name == "append" { 0.25 } else { 0.45 };
    BillByKind {
        read: append * rest * (1.0 - written - 0.02),
        written: append * rest * written,
        uncached: append * rest * 0.02,
        output: append * 0.14,
        compactor: append * compactor,
        repairs: append * (repaired - cost),
    }
}

fn dearest(file: &str, append: f64) -> Vec<Moment> {
    let reasons = [
        "first call: 21k tokens of prompt",
        "cold: 12 min since the call before (88k tokens anew)",
        "after the agent's own compaction (41k tokens anew)",
        "large output (18k tokens)",
        "the cache missed: 90k tokens anew",
    ];
    let moment = |place: usize, why: &str| Moment {
        file: file.to_owned(),
        call: place * 17,
        cost: append * 3e-6 * 0.05 / (place + 1) as f64,
        share: 0.085 / (place + 1) as f64,
        context: 90_000 - 9_000 * place as u64,
        why: why.to_owned(),
        instead: Some("$0.12: a prompt of 31k tokens, 28k of them cached · fold: turns 3–14 into block <1>".to_owned()),
    };
    reasons.into_iter().enumerate().map(|(place, why)| moment(place, why)).collect()
}
