use super::*;
use crate::card::LongRates;

fn paid(paid: f64) -> Rent {
    Rent { paid, calls: 11 }
}

fn plan(question: &FoldQuestion<'_>) -> FoldDecision {
    plan_fold(question, Some(&Tariff::new(ANTHROPIC)), &Limits::default())
}

#[test]
fn the_price_is_that_of_the_design() {
    let cuts = steps([2_000; 16]);
    let decision = plan(&question(&cuts));
    let cut = decision.cut.expect("a cut");
    assert_eq!((cut.end, cut.foldable, cut.budget, cut.block, cut.kept), (TurnNo(10), 22_000, 1_320, 1_570, 10_000));
    let balance = decision.balance.expect("a balance");
    near(balance.price(), 1.25 * 1_570.0 + 1.15 * 10_000.0);
    near(balance.saves_per_call, 0.1 * (22_000.0 - 1_570.0));
    assert_eq!(balance.pays_back_in(), Some(7));
    assert_eq!(decision.verdict, Verdict::Hold(WhyNot::RentBelowPrice));

    let compactor = |compactor| plan(&FoldQuestion { compactor, ..question(&cuts) }).balance.expect("one").compactor;
    near(compactor(Compactor::Riding { thinking: 500 }), 0.1 * 42_000.0 + 5.0 * 2_070.0);
    near(compactor(Compactor::Alone { thinking: 500, rates: ANTHROPIC }), 1.25 * 22_000.0 + 5.0 * 2_070.0);
}

#[test]
fn it_folds_when_the_rent_has_reached_the_price() {
    let cuts = steps([2_000; 16]);
    let verdict = |rent| plan(&FoldQuestion { rent: paid(rent), ..question(&cuts) }).verdict;
    let price = 1.25 * 1_570.0 + 1.15 * 10_000.0;
    let coming = 0.1 * 20_430.0;
    assert_eq!(verdict(price - coming - 1.0), Verdict::Hold(WhyNot::RentBelowPrice));
    assert_eq!(verdict(price - coming + 1.0), Verdict::Go(Why::Pays));
}

#[test]
fn recalls_that_a_fold_would_bring_about_are_part_of_its_price() {
    let cuts = steps([2_000; 16]);
    let balance = |expected_recalls| plan(&FoldQuestion { expected_recalls, ..question(&cuts) }).balance.expect("one");
    // A view of 20,000 + 1,570 + 10,000 is read once more; 80 tokens are asked, 140 written.
    near(balance(2.0).price() - balance(0.0).price(), 2.0 * (0.1 * 31_570.0 + 5.0 * 80.0 + 1.25 * 140.0));
    near(balance(2.0).saves_per_call, balance(0.0).saves_per_call);
}

#[test]
fn what_can_never_save_is_refused_whatever_was_paid() {
    for sizes in [vec![1_000, 50, 1, 1, 1, 1, 1], vec![100, 1, 1, 1, 1, 1]] {
        let cuts = steps(sizes);
        for asked in [Asked::Step, Asked::Trigger(Trigger::ToolCalls(12))] {
            for warmth in [Warmth::Warm, Warmth::Cold] {
                let decision = plan(&FoldQuestion { asked, warmth, rent: paid(1e9), ..question(&cuts) });
                assert_eq!(decision.verdict, Verdict::Hold(WhyNot::TooLittleGoes), "{decision}");
            }
        }
    }
    let mut cuts = steps([2_000; 16]);
    cuts.iter_mut().for_each(|cut| cut.verbatim = cut.tokens);
    let decision = plan(&FoldQuestion { rent: paid(1e9), ..question(&cuts) });
    assert_eq!(decision.verdict, Verdict::Hold(WhyNot::TooLittleGoes), "all of it is the user's own words");
}

#[test]
fn asked_for_a_small_stretch_the_block_is_smaller() {
    let cuts = steps([1_000, 50, 1, 1, 1, 1, 1]);
    for asked in [Asked::Order, Asked::Window] {
        let decision = plan(&FoldQuestion { asked, ..question(&cuts) });
        let cut = decision.cut.expect("a cut");
        assert!(matches!(decision.verdict, Verdict::Go(_)) && cut.budget == cut.foldable / 2, "{decision}");
    }
}

#[test]
fn seed_6_2_the_newest_steps_stay() {
    let mut cuts = steps([9_000; 6]);
    cuts[3].place = Place::Break;
    let rent = paid(1e9);
    let end = |question: &FoldQuestion<'_>| plan(question).cut.map(|cut| cut.end);
    assert_eq!(end(&FoldQuestion { rent, ..question(&cuts) }), Some(TurnNo(0)));
    let window = plan(&FoldQuestion { asked: Asked::Window, ..question(&cuts) });
    assert_eq!((window.verdict, window.cut.map(|cut| cut.end)), (Verdict::Go(Why::Window), Some(TurnNo(4))));
    let few = plan(&FoldQuestion { rent, ..question(&cuts[..5]) });
    assert_eq!((few.verdict, few.cut), (Verdict::Hold(WhyNot::NothingFoldable), None));
}

#[test]
fn a_cold_cache_folds_what_is_worth_it() {
    let verdict = |sizes: Vec<u64>| plan(&FoldQuestion { warmth: Warmth::Cold, ..question(&steps(sizes)) });
    let folded = verdict(vec![2_050, 1, 1, 1, 1, 1]);
    assert_eq!(folded.verdict, Verdict::Go(Why::Cold), "1,000 of 2,050 go");
    near(folded.balance.expect("a balance").price(), -1.25 * 1_000.0);
    assert!(folded.to_string().ends_with("pays for itself at once"), "{folded}");
    assert_eq!(verdict(vec![2_049, 1, 1, 1, 1, 1]).verdict, Verdict::Hold(WhyNot::TooLittleGoes), "999 go");
}

#[test]
fn a_prefix_without_a_mark_counts_as_lost() {
    let cuts = steps([2_000; 16]);
    let kept = plan(&question(&cuts)).balance.expect("a balance").price();
    let lost = plan(&FoldQuestion { prefix: Prefix::Lost, ..question(&cuts) }).balance.expect("a balance").price();
    near(lost - kept, 1.15 * 20_000.0);
}

#[test]
fn seed_11_4_a_fold_ends_at_a_break_that_costs_little() {
    let mut cuts = steps([2_000; 20]);
    let rent = paid(1e9);
    let end = |cuts: &[Cut]| plan(&FoldQuestion { rent, ..question(cuts) }).cut.map(|cut| (cut.end, cut.place));
    assert_eq!(end(&cuts), Some((TurnNo(14), Place::Step)));
    cuts[4].place = Place::Break;
    assert_eq!(end(&cuts), Some((TurnNo(14), Place::Step)), "a third is too little");
    cuts[12].place = Place::Break;
    assert_eq!(end(&cuts), Some((TurnNo(12), Place::Break)));
    cuts[17].place = Place::Break;
    assert_eq!(end(&cuts), Some((TurnNo(12), Place::Break)), "17 is among the kept");
}

#[test]
fn orders_skip_the_price_and_without_prices_triggers_decide() {
    let cuts = steps([2_000; 16]);
    let order = plan(&FoldQuestion { asked: Asked::Order, ..question(&cuts) });
    assert_eq!(order.verdict, Verdict::Go(Why::Order));
    let free = |asked| plan_fold(&FoldQuestion { asked, ..question(&cuts) }, None, &Limits::default());
    assert_eq!(free(Asked::Step).verdict, Verdict::Hold(WhyNot::NoTrigger));
    let folded = free(Asked::Trigger(Trigger::ToolCalls(12)));
    assert_eq!((folded.verdict, folded.balance), (Verdict::Go(Why::Trigger), None));
    let priced = plan(&FoldQuestion { asked: Asked::Trigger(Trigger::ToolCalls(12)), ..question(&cuts) });
    assert_eq!(priced.verdict, Verdict::Hold(WhyNot::RentBelowPrice), "with prices a trigger only proposes");
}

#[test]
fn billed_tokens_scale_both_sides() {
    let cuts = steps([2_000; 16]);
    let at = |factor| {
        let tariff = Tariff { rates: ANTHROPIC, factor, cliff: None };
        plan_fold(&question(&cuts), Some(&tariff), &Limits::default()).balance.expect("a balance")
    };
    near(at(1.5).price(), 1.5 * at(1.0).price());
    near(at(1.5).saves_per_call, 1.5 * at(1.0).saves_per_call);
}

#[test]
fn a_block_gets_between_800_and_3000_tokens() {
    let budgets = [0, 10_000, 22_000, 40_000, 500_000].map(|tokens| block_budget(tokens, &Limits::default()));
    assert_eq!(budgets, [800, 800, 1_320, 2_400, 3_000]);
}

#[test]
fn a_decision_is_recorded_whole_and_printed_in_a_line() {
    let cuts = steps([2_000; 16]);
    let asked = Asked::Trigger(Trigger::Break(Break::SpanEnded));
    let decision = plan(&FoldQuestion { asked, rent: paid(12_000.0), ..question(&cuts) });
    let recorded = serde_json::to_value(decision).expect("JSON");
    assert_eq!(serde_json::from_value::<FoldDecision>(recorded).expect("a decision"), decision);
    assert_eq!(
        decision.to_string(),
        "fold (it pays) up to turn#10: 22000 → 1570 tokens, 10000 kept raw; price 13462, rent paid 12000 in 11 calls; \
         pays for itself in 7 calls"
    );
    assert_eq!(plan(&question(&[])).to_string(), "hold (nothing to fold)");
}

#[test]
fn a_fold_that_ends_below_a_cliff_saves_on_all_that_stays() {
    let cuts = steps([2_000; 16]);
    let long = LongRates { above: 50_000, input: 5.0, rates: Rates { read: 0.5, write: 6.25, output: 25.0 } };
    let with = |prompt| {
        let tariff = Tariff { cliff: Some(Cliff { long, prompt }), ..Tariff::new(ANTHROPIC) };
        plan_fold(&question(&cuts), Some(&tariff), &Limits::default())
    };
    // 22,000 tokens become 1,570 whatever the prompt; only its size differs.
    let below = with(50_000);
    assert_eq!((below.verdict, below.balance), (plan(&question(&cuts)).verdict, plan(&question(&cuts)).balance));
    let across = with(52_000);
    near(across.balance.expect("one").saves_per_call, 0.1 * 20_430.0 + 0.4 * 52_000.0);
    near(across.balance.expect("one").price(), 1.25 * 1_570.0 + 1.15 * 10_000.0);
    assert_eq!(across.verdict, Verdict::Go(Why::Pays), "at the first call that would be above");
    let above = with(90_000).balance.expect("one");
    near(above.saves_per_call, 0.5 * 20_430.0);
    near(above.price(), 6.25 * 1_570.0 + 5.75 * 10_000.0);
}
