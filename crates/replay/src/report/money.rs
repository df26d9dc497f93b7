//! What was paid, and what it would have been with Lookback: the first sentence of every report.
//!
//! **Paid** is what the files' own usage costs ([`crate::paid`]). Strategies are billed for whole answers, so the share is
//! taken of the same bill with whole answers; where that differs, the sentence names both. A call without a bill counts
//! with what sending everything would have cost, a session whose model has no card at the prices of another: both are
//! called estimated.
//!
//! Example: a session that paid $10, $12 with whole answers, and costs $6 with Lookback, its look-ups included: 50%.

use std::collections::BTreeMap;

use super::{Beside, Report, SessionReport, days, numbers};
use crate::{
    parameters::WORTH_A_WORD,
    recording::{Format, Unpriced},
    strategy::StrategyName,
};

/// Sums over sessions, in dollars.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Money {
    /// How many.
    pub sessions: u64,
    /// Of the model.
    pub calls: u64,
    /// As the files say it; estimates included.
    pub paid: f64,
    /// The same with whole answers.
    pub whole: f64,
    /// By `lookback`, look-ups included; none where it was not run on all of them.
    pub lookback: Option<f64>,
    /// Calls whose view lacked something.
    pub look_ups: u64,
    /// Sessions whose files have no bills.
    pub without_bills: u64,
    /// Calls without a bill, those of such sessions included.
    pub unbilled_calls: u64,
    /// Sessions at another model's prices.
    pub without_prices: u64,
    /// Dollars of what is called paid that are those of calls without a bill.
    pub unbilled_usd: f64,
    /// Sessions some of whose calls were billed at another model's prices.
    pub partly_without_prices: u64,
    /// And of bills at another model's prices.
    pub without_prices_usd: f64,
    /// Sessions of which nobody knows how their cache works, so that a miss of the provider looks like a saving.
    pub not_understood: u64,
    /// What cache misses cost that no rule explains: no strategy meets them here.
    pub misses: f64,
}

impl Money {
    /// Of these sessions.
    pub fn of<'a>(sessions: impl IntoIterator<Item = &'a SessionReport>) -> Self {
        let mut sum = Self { lookback: Some(0.0), ..Self::default() };
        for session in sessions {
            let figures = |strategy: StrategyName| session.strategies.get(strategy.name());
            let lookback = figures(StrategyName::Lookback);
            // Bills in units of other prices say nothing.
            let is_billed = session.paid_usd.is_some() && !session.card.chosen;
            let append = || figures(StrategyName::Append).and_then(|append| append.cost_usd);
            let (unbilled_calls, unbilled) = match session.card.chosen {
                true => (session.calls, append()),
                false => (session.estimated.as_ref().map_or(0, |estimated| estimated.calls), session.estimated_usd),
            };
            let unbilled = unbilled.unwrap_or(0.0);
            let billed = |usd: Option<f64>| usd.filter(|_| is_billed).unwrap_or(0.0);
            sum.sessions += 1;
            sum.calls += session.calls;
            sum.paid += billed(session.paid_usd) + unbilled;
            sum.whole += billed(session.paid_whole_usd) + unbilled;
            sum.unbilled_calls += unbilled_calls;
            sum.unbilled_usd += unbilled;
            sum.lookback = sum.lookback.zip(lookback.and_then(|own| own.repaired_usd)).map(|(sum, own)| sum + own);
            sum.look_ups += lookback.map_or(0.0, |own| own.repairs_per_call * session.calls as f64).round() as u64;
            if !is_billed {
                sum.without_bills += 1;
            } else if session.card.stands_in {
                sum.without_prices += 1;
                sum.without_prices_usd += billed(session.paid_usd);
            } else if session.borrowed_usd > 0.0 {
                sum.partly_without_prices += 1;
                sum.without_prices_usd += session.borrowed_usd;
            }
            let is_unchecked = is_billed && session.check.is_none();
            sum.not_understood += u64::from(session.card.cache_not_understood || is_unchecked);
            let bills = session.billed.zip(session.predicted).filter(|_| is_billed);
            sum.misses += bills.map_or(0.0, |(billed, predicted)| (billed.cost_usd - predicted.cost_usd).max(0.0));
        }
        sum
    }

    /// By agent, what was paid most first.
    pub fn by_agent(report: &Report) -> Vec<(Format, Self)> {
        let mut sessions: BTreeMap<Format, Vec<&SessionReport>> = BTreeMap::new();
        for session in &report.sessions {
            sessions.entry(session.agent).or_default().push(session);
        }
        let mut sums: Vec<_> = sessions.into_iter().map(|(format, sessions)| (format, Self::of(sessions))).collect();
        sums.sort_by(|one, other| other.1.paid.total_cmp(&one.1.paid));
        sums
    }

    /// Lookback's part of what was paid.
    pub fn share(&self) -> Option<f64> {
        self.lookback.filter(|_| self.whole > 0.0).map(|lookback| lookback / self.whole)
    }

    /// In a hundred calls.
    pub fn look_ups_in_100(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.look_ups as f64 * 100.0 / self.calls as f64 }
    }

    /// Whether the files hold only a part of what was billed as output.
    pub fn is_partial(&self) -> bool {
        self.whole > self.paid * (1.0 + WORTH_A_WORD)
    }

    /// Whether nothing of it is a bill.
    pub fn is_estimate(&self) -> bool {
        self.without_bills == self.sessions
    }

    /// Dollars of what is called paid that are estimated.
    pub fn estimated(&self) -> f64 {
        self.unbilled_usd + self.without_prices_usd
    }

    /// Whether any call of it lacks a bill, or any session a price card of its own.
    pub fn is_about(&self) -> bool {
        self.unbilled_calls + self.without_prices + self.partly_without_prices > 0
    }
}

/// The sentence, and what a reader must know to believe it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// "You paid $412.10 for 5,701 calls."
    pub paid: String,
    /// "With Lookback: $263.00 (64%), and 7 look-ups in 100 calls."
    pub lookback: Option<String>,
    /// Each a sentence.
    pub remarks: Vec<String>,
}

/// Of a whole report.
pub fn sentence(report: &Report) -> Sentence {
    let all = Money::of(&report.sessions);
    let chosen = report.sessions.iter().find(|session| session.card.chosen).map(|session| session.card.name.as_str());
    Sentence { paid: paid(&all, chosen), lookback: with_lookback(&all), remarks: remarks(report, &all, chosen) }
}

fn paid(all: &Money, chosen: Option<&str>) -> String {
    let (sum, calls) = (numbers::dollars(all.paid), numbers::counted(all.calls, "call"));
    let whole = match all.is_partial() {
        true => format!(", {} with whole answers", numbers::dollars(all.whole)),
        false => String::new(),
    };
    match chosen {
        Some(prices) => format!("At the prices of {prices} {calls} would have cost {sum}, everything sent every time."),
        None if all.without_prices == all.sessions => {
            format!(
                "{calls} cost about {sum}{whole} (estimated: their models have no price card, and are billed at another's)."
            )
        }
        None if all.is_estimate() => format!("{calls} cost about {sum} (estimated: the files hold no bills)."),
        None if all.unbilled_calls > 0 => {
            let few = numbers::count(all.unbilled_calls);
            format!("You paid about {sum} for {calls} ({few} of them estimated){whole}.")
        }
        None if all.partly_without_prices > 0 => format!("You paid about {sum} for {calls}{whole}."),
        None => format!("You paid {sum} for {calls}{whole}."),
    }
}

fn with_lookback(all: &Money) -> Option<String> {
    let (sum, share) = all.lookback.zip(all.share())?;
    let doubt = if all.not_understood == all.sessions { " (the cache is not understood)" } else { "" };
    Some(format!(
        "With Lookback{doubt}: {} ({:.0}%), and {} in 100 calls.",
        numbers::dollars(sum),
        share * 100.0,
        look_ups(all)
    ))
}

fn sessions(count: u64) -> String {
    numbers::counted(count, "session")
}

/// "7 look-ups", "0.3 look-ups", "1 look-up".
fn look_ups(money: &Money) -> String {
    match money.look_ups_in_100() {
        0.0 => "no look-ups".to_owned(),
        few if few < 0.95 => format!("{few:.1} look-ups"),
        many => numbers::counted(many.round() as u64, "look-up"),
    }
}

fn remarks(report: &Report, all: &Money, chosen: Option<&str>) -> Vec<String> {
    let mut remarks = Vec::new();
    if all.lookback.is_some() {
        remarks
            .push("A look-up fetches what a step needed and no longer had in view; its price is included.".to_owned());
    }
    if all.is_partial() {
        let partial = Money::by_agent(report).into_iter().filter(|(_, money)| money.is_partial());
        let names: Vec<&str> = partial.map(|(format, _)| format.label()).collect();
        remarks.push(format!(
            "Files of {} hold only a part of the output tokens: shares are taken of the bill with whole answers.",
            names.join(" and ")
        ));
    }
    remarks.extend(beside(&report.beside, chosen));
    remarks.extend(unpriced(&report.sessions).filter(|_| chosen.is_none()));
    if chosen.is_none() {
        let of = days(report.sessions.iter()).map_or(String::new(), |days| format!(" of {days}"));
        remarks.push(format!("At the API's prices{of}; a file does not show a subscription."));
    }
    let estimated = |usd, what: String| format!("~ {} of it is estimated: {what}", numbers::dollars(usd));
    if all.unbilled_calls > 0 && !all.is_estimate() {
        let some = estimated(all.unbilled_usd, numbers::counted(all.unbilled_calls, "call"));
        remarks.push(format!("{some} without a bill, as if everything had been sent every time."));
    }
    let without_prices = all.without_prices + all.partly_without_prices;
    if without_prices > 0 {
        let some = estimated(all.without_prices_usd, sessions(without_prices));
        let of = if all.partly_without_prices > 0 { "with" } else { "of" };
        remarks.push(format!("{some} {of} models without a price card, at another model's prices."));
    }
    if all.not_understood > 0 {
        let some = sessions(all.not_understood);
        remarks.push(format!(
            "* The cache of {some} is not understood: what looks saved there may be the provider's misses, of which \
             Lookback's bill has none."
        ));
    }
    if report.sessions.iter().any(|session| session.card.cache_not_understood) {
        remarks.push("Gemini's cache is not understood: figures at its prices are off by 10 to 17%.".to_owned());
    }
    if all.misses > all.paid * WORTH_A_WORD * 2.0 {
        let misses = numbers::dollars(all.misses);
        remarks
            .push(format!("{misses} of it was paid for cache misses that no rule explains; Lookback's bill has none."));
    }
    remarks
}

/// What is in none of the sums, and what is in them once.
fn beside(beside: &Beside, chosen: Option<&str>) -> Vec<String> {
    let mut remarks = Vec::new();
    if beside.sub_agents > 0 {
        // Bills in units of other prices say nothing.
        let is_billed = chosen.is_none() && beside.sub_agents_usd > 0.0;
        let usd = if is_billed { format!(", {}", numbers::dollars(beside.sub_agents_usd)) } else { String::new() };
        let calls = numbers::counted(beside.sub_agents, "call");
        remarks.push(format!("Not in it: {calls} of sub-agents{usd}, which no strategy folds."));
    }
    if beside.copied > 0 {
        let (calls, stand) =
            (numbers::counted(beside.copied, "call"), if beside.copied == 1 { "stands" } else { "stand" });
        remarks.push(format!(
            "{calls} {stand} in more than one session, copied when it was resumed or forked: each counts once."
        ));
    }
    remarks
}

/// What no card has a price of; none where there is nothing.
fn unpriced(sessions: &[SessionReport]) -> Option<String> {
    let mut sum = Unpriced::default();
    sessions.iter().for_each(|session| sum.add(&session.unpriced));
    let searches = match sum.web_searches {
        0 => None,
        1 => Some("Not in it: 1 web search.".to_owned()),
        more => Some(format!("Not in it: {} web searches.", numbers::count(more))),
    };
    let calls = sum.calls.iter().map(|(rate, calls)| format!("{} {}", numbers::counted(*calls, "call"), rate.words()));
    let calls: Vec<String> = calls.collect();
    let calls = (!calls.is_empty()).then(|| format!("Counted at the usual prices: {}.", calls.join(", ")));
    let said: Vec<String> = searches.into_iter().chain(calls).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_the_sum_is_said() {
        assert_eq!(beside(&Beside::default(), None), Vec::<String>::new());
        let all = Beside { sub_agents: 64, sub_agents_usd: 1.85, copied: 1 };
        let expected = [
            "Not in it: 64 calls of sub-agents, $1.85, which no strategy folds.",
            "1 call stands in more than one session, copied when it was resumed or forked: each counts once.",
        ];
        assert_eq!(beside(&all, None), expected);
        assert_eq!(beside(&all, Some("openai"))[0], "Not in it: 64 calls of sub-agents, which no strategy folds.");
    }

    fn money(paid: f64, whole: f64, lookback: f64) -> Money {
        let lookback = Some(lookback);
        Money { sessions: 2, calls: 200, paid, whole, lookback, look_ups: 14, ..Money::default() }
    }

    #[test]
    fn the_example() {
        assert_eq!(money(10.0, 12.0, 6.0).share(), Some(0.5));
    }

    #[test]
    fn one_true_sentence() {
        let all = money(412.1, 412.1, 263.0);
        assert_eq!(paid(&all, None), "You paid $412.10 for 200 calls.");
        assert_eq!(with_lookback(&all).unwrap(), "With Lookback: $263.00 (64%), and 7 look-ups in 100 calls.");
        let partial = money(10.0, 12.0, 6.0);
        assert_eq!(paid(&partial, None), "You paid $10.00 for 200 calls, $12.00 with whole answers.");
        assert_eq!(
            paid(&all, Some("deepseek")),
            "At the prices of deepseek 200 calls would have cost $412.10, everything sent every time."
        );
    }

    #[test]
    fn a_cache_that_nobody_understands_is_named_beside_the_figure() {
        let all = Money { not_understood: 2, ..money(4.0, 4.0, 3.0) };
        let said = with_lookback(&all).unwrap();
        assert_eq!(said, "With Lookback (the cache is not understood): $3.00 (75%), and 7 look-ups in 100 calls.");
        let some = Money { not_understood: 1, ..all };
        assert!(!with_lookback(&some).unwrap().contains("not understood"));
    }

    #[test]
    fn a_part_that_is_estimated_makes_the_whole_an_estimate() {
        assert!(!money(4.0, 4.0, 3.0).is_about());
        assert!(Money { without_prices: 1, ..money(4.0, 4.0, 3.0) }.is_about());
    }

    #[test]
    fn what_nobody_was_billed_is_estimated() {
        let all = Money { without_bills: 2, ..money(4.0, 4.0, 3.0) };
        assert_eq!(paid(&all, None), "200 calls cost about $4.00 (estimated: the files hold no bills).");
    }

    #[test]
    fn calls_without_a_bill_are_named_in_the_sentence() {
        let all = Money { unbilled_calls: 9, ..money(4.0, 5.0, 3.0) };
        assert!(all.is_about());
        assert_eq!(
            paid(&all, None),
            "You paid about $4.00 for 200 calls (9 of them estimated), $5.00 with whole answers."
        );
    }

    #[test]
    fn look_ups_are_counted_as_people_count() {
        let of = |count| look_ups(&Money { look_ups: count, calls: 1_000, ..Money::default() });
        assert_eq!([of(0), of(3), of(10), of(73)], ["no look-ups", "0.3 look-ups", "1 look-up", "7 look-ups"]);
    }
}
