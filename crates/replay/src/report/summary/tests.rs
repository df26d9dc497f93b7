use super::*;
use crate::{check::Misses, report::UsedCard};

fn session(format: Format, prices: &str, calls: u64, repaired: &[(&str, f64)]) -> SessionReport {
    let figures = |repaired: f64| Figures { repaired, repaired_vs_append: repaired / 100.0, ..Figures::default() };
    SessionReport {
        file: "a.jsonl".to_owned(),
        format,
        agent: format,
        calls,
        model: None,
        prices: prices.to_owned(),
        card: UsedCard { name: prices.to_owned(), ..UsedCard::default() },
        strategies: repaired.iter().map(|(name, repaired)| ((*name).to_owned(), figures(*repaired))).collect(),
        paid_usd: None,
        paid_whole_usd: None,
        paid: None,
        estimated_usd: None,
        estimated: None,
        unpriced: Default::default(),
        borrowed_usd: 0.0,
        billed: None,
        predicted: None,
        check: None,
        competitive: None,
        pictures: Default::default(),
    }
}

fn summary(sessions: Vec<SessionReport>) -> Summary {
    Summary::new(&Report { sessions, ..Report::default() })
}

#[test]
fn sessions_of_one_format_and_card_stand_together() {
    let one = [("append", 100.0), ("lookback", 60.0)];
    let summary = summary(vec![
        session(Format::Codex, "openai", 10, &one),
        session(Format::ClaudeCode, "openai", 20, &one),
        session(Format::ClaudeCode, "anthropic", 30, &one),
        session(Format::ClaudeCode, "anthropic", 40, &[("append", 100.0), ("lookback", 80.0)]),
    ]);
    let groups: Vec<_> = summary.groups.iter().map(|group| (group.format, &*group.prices, group.calls)).collect();
    assert_eq!(
        groups,
        [(Format::ClaudeCode, "anthropic", 70), (Format::ClaudeCode, "openai", 20), (Format::Codex, "openai", 10)]
    );
    assert_eq!((summary.sessions, summary.calls), (4, 100));
    let lookback = summary.groups[0].strategy("lookback").unwrap();
    assert_eq!(lookback.repaired_vs_append, Some(Quartiles { low: 0.65, median: 0.7, high: 0.75 }));
    assert_eq!(summary.groups[0].members, [2, 3]);
}

/// What was paid is one of those that are compared: the strategy that beats all others may cost more.
#[test]
fn no_strategy_is_the_cheapest_that_costs_more_than_what_was_paid() {
    let cheapest = |paid: Option<f64>, chosen: bool| {
        let mut session = session(Format::ClaudeCode, "anthropic", 60, &[("append", 100.0), ("lookback", 60.0)]);
        for figures in session.strategies.values_mut() {
            figures.repaired_usd = Some(figures.repaired / 100.0);
        }
        (session.paid_usd, session.paid_whole_usd) = (paid, paid);
        session.card.chosen = chosen;
        let cheapest = summary(vec![session]).groups[0].strategy("lookback").unwrap().cheapest.unwrap();
        (cheapest.won, cheapest.tied)
    };
    assert_eq!(cheapest(None, false), (1, 0));
    assert_eq!(cheapest(Some(0.7), false), (1, 0));
    assert_eq!(cheapest(Some(0.6), false), (0, 1));
    assert_eq!(cheapest(Some(0.5), false), (0, 0));
    assert_eq!(cheapest(Some(0.5), true), (1, 0), "bills in units of other prices say nothing");
}

#[test]
fn the_cheapest_is_told_without_those_that_are_not_in_the_running() {
    let group = summary(vec![
        session(
            Format::Codex,
            "openai",
            60,
            &[("append", 100.0), ("mask", 90.0), ("lookback", 60.0), ("oracle", 40.0)],
        ),
        session(Format::Codex, "openai", 59, &[("append", 100.0), ("mask", 120.0), ("lookback", 100.0)]),
        session(Format::Codex, "openai", 80, &[("append", 100.0), ("mask", 50.0), ("lookback", 60.0)]),
    ])
    .groups
    .remove(0);
    let cheapest = |name| group.strategy(name).unwrap().cheapest;
    assert_eq!(
        cheapest("lookback"),
        Some(Cheapest { sessions: 3, won: 1, tied: 1, long_sessions: 2, long_won: 1, long_tied: 0 })
    );
    assert_eq!(cheapest("mask").map(|cheapest| cheapest.won), Some(1));
    assert_eq!(cheapest("oracle"), None);
    assert_eq!(group.best_other().map(|other| &*other.name), Some("mask"));
}

#[test]
fn strategies_stand_in_the_order_of_the_table() {
    let names = in_order(["oracle", "zebra", "lookback", "mask-batched-10", "append", "mask", "lookback-fixed"]);
    assert_eq!(names, ["append", "mask", "mask-batched-10", "lookback", "lookback-fixed", "oracle", "zebra"]);
}

#[test]
fn dollars_are_summed_only_where_all_are_known() {
    let mut one = session(Format::Codex, "openai", 1, &[("append", 100.0)]);
    one.strategies.get_mut("append").unwrap().cost_usd = Some(2.0);
    let both = summary(vec![one.clone(), one.clone()]);
    assert_eq!(both.groups[0].strategies[0].total.cost_usd, Some(4.0));
    let mixed = summary(vec![one, session(Format::Codex, "openai", 1, &[("append", 100.0)])]);
    assert_eq!(mixed.groups[0].strategies[0].total.cost_usd, None);
}

#[test]
fn checks_are_summed_by_provider() {
    let check = |provider: &str, error_tokens| crate::report::Check {
        provider: provider.to_owned(),
        check: Check {
            calls: 10,
            error_tokens,
            billed_cached: 1_000,
            unexplained: Misses { count: 1, tokens: 500 },
            ..Check::default()
        },
    };
    let mut sessions = vec![session(Format::Codex, "openai", 1, &[]); 3];
    sessions[0].check = Some(check("openai", 10));
    sessions[1].check = Some(check("openai", 30));
    sessions[2].check = Some(check("anthropic", 0));
    let checks = summary(sessions).checks;
    assert_eq!(checks.iter().map(|check| &*check.provider).collect::<Vec<_>>(), ["anthropic", "openai"]);
    assert_eq!((checks[1].sessions, checks[1].check.calls, checks[1].check.unexplained.count), (2, 20, 2));
    assert_eq!(checks[1].check.error(), Some(0.02));
}

#[test]
fn quartiles_lie_between_neighbours() {
    assert_eq!(Quartiles::of([8.0, 1.0, 4.0, 2.0]), Some(Quartiles { low: 1.75, median: 3.0, high: 5.0 }));
    assert_eq!(Quartiles::of([7.0]), Some(Quartiles { low: 7.0, median: 7.0, high: 7.0 }));
}

#[test]
fn what_is_no_number_does_not_count() {
    assert_eq!(Quartiles::of([f64::NAN]), None);
    assert_eq!(Quartiles::of([f64::NAN, 3.0]).map(|quartiles| quartiles.median), Some(3.0));
}
