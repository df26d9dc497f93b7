//! The laws behind the rule: the square root for steady sessions, the factor of two for all others.

use proptest::prelude::*;

use super::*;

/// Calls from one fold to the next in a steady session, and the price of a fold.
fn steady(growth: u64, rates: Rates) -> (u32, f64) {
    let (tariff, limits) = (Tariff::new(rates), Limits::default());
    let mut sizes = vec![growth; limits.keep_steps as usize];
    let mut rent = Rent::default();
    loop {
        rent.pay(balance(&sizes, rent, &tariff).map_or(0.0, |(balance, _)| balance.saves_per_call));
        sizes.push(growth);
        if let Some((balance, Verdict::Go(Why::Pays))) = balance(&sizes, rent, &tariff) {
            return (rent.calls, balance.price());
        }
    }
}

fn balance(sizes: &[u64], rent: Rent, tariff: &Tariff) -> Option<(Balance, Verdict)> {
    let cuts = steps(sizes.iter().copied());
    let decision = plan_fold(&FoldQuestion { rent, ..question(&cuts) }, Some(tariff), &Limits::default());
    decision.balance.map(|balance| (balance, decision.verdict))
}

#[test]
fn a_steady_session_folds_after_eleven_or_twelve_calls() {
    let (calls, price) = steady(2_000, ANTHROPIC);
    assert!((12_500.0..13_700.0).contains(&price), "C ≈ 13k: {price}");
    assert!((11..=12).contains(&calls), "√(2 · 13k / (0.1 · 2k)) = 11.4: {calls}");
}

#[test]
fn the_square_root_law_holds_within_rounding() {
    for rates in [ANTHROPIC, DEEPSEEK] {
        for growth in [1_000, 1_500, 2_000, 3_000, 5_000] {
            let (calls, price) = steady(growth, rates);
            let law = (2.0 * price / (rates.read * growth as f64)).sqrt();
            let off = (f64::from(calls) - law).abs();
            assert!(off <= 1.0 + 0.05 * law, "growth {growth}: {calls} calls, the law says {law:.1}");
        }
    }
}

proptest! {
    /// Whatever the foldable part does and whenever the session ends: with a price that stays, the bill is at most twice
    /// that of the better of never folding and folding at once.
    #[test]
    fn the_bill_is_at_most_twice_the_best(
        foldable in prop::collection::vec(0_u64..200_000, 1..60),
        kept in 1_u64..20_000,
        block in 1_u64..5_000,
        rates in prop::sample::select(vec![ANTHROPIC, DEEPSEEK]),
    ) {
        let limits =
            Limits { keep_steps: 1, block_least: block, block_most: block, gone_share: 0.0, ..Limits::default() };
        let tariff = Tariff::new(rates);
        let price = rates.write * (block + 250) as f64 + (rates.write - rates.read) * kept as f64;
        let (mut rent, mut held, mut bill) = (Rent::default(), 0.0, None);
        for tokens in foldable {
            let cuts = steps([tokens, kept]);
            let decision = plan_fold(&FoldQuestion { rent, ..question(&cuts) }, Some(&tariff), &limits);
            let due = rates.read * tokens.saturating_sub(block + 250) as f64;
            held += due;
            if matches!(decision.verdict, Verdict::Go(_)) && bill.is_none() {
                prop_assert!((decision.balance.expect("a balance").price() - price).abs() < 1e-6);
                bill = Some(rent.paid + price);
            }
            rent.pay(decision.balance.map_or(0.0, |balance| balance.saves_per_call));
        }
        let bill = bill.unwrap_or(held);
        prop_assert!(bill <= 2.0 * held.min(price) + 1e-6, "{bill} against {held} and {price}");
    }
}
