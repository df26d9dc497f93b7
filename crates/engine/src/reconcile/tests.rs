use proptest::prelude::*;

use super::*;

fn billed(bills: &[(u64, u64)]) -> Reconciled {
    let mut reconciled = Reconciled::default();
    bills.iter().for_each(|(counted, billed)| reconciled.apply_bill(*counted, *billed));
    reconciled
}

#[test]
fn the_example() {
    let reconciled = billed(&[(1_000, 10_000), (2_000, 11_500), (3_000, 13_000)]);
    assert_eq!(reconciled.factor(), 1.25);
    assert_eq!(reconciled.estimate(3_400), 13_500);
}

#[test]
fn before_the_first_bill_the_count_is_all_there_is() {
    assert_eq!(Reconciled::default().estimate(1_234), 1_234);
    assert_eq!(billed(&[(1_000, 0)]), Reconciled::default(), "a bill of nothing is none");
}

#[test]
fn a_first_prompt_that_was_counted_whole_tells_the_factor() {
    assert_eq!(billed(&[(10_000, 13_000)]).factor(), 1.3);
    assert_eq!(billed(&[(500, 41_000)]).factor(), 1.0, "40,000 tokens that nobody counted are no tokenizer");
    assert_eq!(billed(&[(0, 41_000)]).estimate(100), 41_100);
}

#[test]
fn growths_that_no_tokenizer_explains_move_the_base_and_not_the_factor() {
    let before = billed(&[(1_000, 41_000), (3_000, 43_400)]);
    // Thinking dropped, a picture, a client that cleared results.
    for (counted, bill) in [(3_100, 42_000), (3_010, 48_000), (4_000, 20_000)] {
        let mut after = before;
        after.apply_bill(counted, bill);
        assert_eq!(after.factor(), before.factor(), "{counted} billed as {bill}");
        assert_eq!(after.estimate(counted), bill);
    }
}

#[test]
fn what_is_taken_out_of_a_prompt_is_taken_out_of_the_estimate() {
    let reconciled = billed(&[(10_000, 12_000), (110_000, 132_000)]);
    assert_eq!(reconciled.factor(), 1.2);
    assert_eq!(reconciled.estimate(30_000), 36_000);
    // Falling prompts tell the factor as rising ones do.
    assert_eq!(billed(&[(110_000, 132_000), (10_000, 12_000)]).factor(), 1.2);
}

#[test]
fn no_factor_takes_away_more_than_there_was() {
    // The head was billed at 1, what came at 2: when all of that goes again, the head stays.
    let reconciled = billed(&[(50_000, 50_000), (90_000, 130_000)]);
    assert!(reconciled.factor() > 1.9);
    assert!(reconciled.estimate(10_000) >= 14_000, "{}", reconciled.estimate(10_000));
}

#[test]
fn new_growths_outweigh_old_ones() {
    let mut reconciled = Reconciled::default();
    let (mut counted, mut bill) = (1_000, 1_000);
    let mut grow = |reconciled: &mut Reconciled, tokens: u64, percent: u64, calls: u64| {
        for _ in 0..calls {
            counted += tokens;
            bill += tokens * percent / 100;
            reconciled.apply_bill(counted, bill);
        }
        reconciled.factor()
    };
    assert!((grow(&mut reconciled, 5_000, 110, 100) - 1.1).abs() < 0.01);
    assert!((grow(&mut reconciled, 5_000, 150, 100) - 1.5).abs() < 0.01);
}

proptest! {
    /// Whoever bills evenly is met, whatever is hidden before the count and whichever way prompts go: what the factor began
    /// with weighs 2,000 tokens against all that came since.
    #[test]
    fn an_even_bill_is_met(
        percent in 50u64..200,
        hidden in 0u64..50_000,
        hundreds in prop::collection::vec(10u64..2_000, 2..40),
    ) {
        let counts: Vec<u64> = hundreds.iter().map(|hundreds| hundreds * 100).collect();
        let bill = |counted: u64| hidden + counted / 100 * percent;
        let mut reconciled = Reconciled::default();
        let mut grown = 0;
        for (number, counted) in counts.iter().enumerate() {
            let changed = number.checked_sub(1).map_or(0, |before| counts[before].abs_diff(*counted));
            let wrong = (reconciled.factor() - percent as f64 / 100.0).abs();
            if number > 0 {
                prop_assert!(wrong <= 7_500.0 / (2_000 + grown) as f64 + 0.01, "{} after {grown}", reconciled.factor());
                let off = reconciled.estimate(*counted).abs_diff(bill(*counted)) as f64;
                prop_assert!(off <= wrong * (*counted).max(changed) as f64 + 1.0, "{off} off");
            }
            grown += changed;
            reconciled.apply_bill(*counted, bill(*counted));
            prop_assert_eq!(reconciled.estimate(*counted), bill(*counted), "what was billed is known");
        }
    }

    /// No bill, however mad, gives a factor outside of what is believable, or an estimate below nothing.
    #[test]
    fn any_bills_leave_a_believable_factor(bills in prop::collection::vec((any::<u32>(), any::<u32>()), 0..40), next in any::<u32>()) {
        let mut reconciled = Reconciled::default();
        for (counted, billed) in &bills {
            reconciled.apply_bill(u64::from(*counted), u64::from(*billed));
        }
        prop_assert!(BELIEVABLE.contains(&reconciled.factor()), "{}", reconciled.factor());
        prop_assert!(reconciled.estimate(u64::from(next)) <= u64::from(u32::MAX) * 8);
    }
}
