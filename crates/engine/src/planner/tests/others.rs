//! Settle, archive, triggers.

use super::*;

#[test]
fn a_settle_waits_for_its_rent_or_a_cold_cache() {
    let due = SettleQuestion { raw: 10_000, short: 1_000, follows: 2_000, rent: Rent::default(), warmth: Warmth::Warm };
    let plan = |question: &SettleQuestion| plan_settle(question, Some(&Tariff::new(ANTHROPIC)));
    near(plan(&due).balance.expect("a balance").price(), 1.25 * 1_000.0 + 1.15 * 2_000.0);
    assert_eq!(plan(&due).verdict, Verdict::Hold(WhyNot::RentBelowPrice));
    let rent = Rent { paid: 2_700.0, calls: 3 };
    assert_eq!(plan(&SettleQuestion { rent, ..due }).verdict, Verdict::Go(Why::Pays));
    assert_eq!(plan(&SettleQuestion { warmth: Warmth::Cold, ..due }).verdict, Verdict::Go(Why::Cold));
    assert_eq!(plan(&SettleQuestion { raw: 900, rent, ..due }).verdict, Verdict::Hold(WhyNot::TooLittleGoes));
    assert_eq!(plan_settle(&due, None).verdict, Verdict::Hold(WhyNot::NoTrigger));
}

#[test]
fn old_blocks_become_stubs_at_a_cold_cache_only() {
    let old = StubQuestion { blocks: 9_000, stubs: 1_500, warmth: Warmth::Cold };
    let plan = |question: &StubQuestion| plan_stub(question, Some(&Tariff::new(ANTHROPIC)));
    assert_eq!(plan(&old).verdict, Verdict::Go(Why::Cold));
    assert_eq!(plan(&old).saves_per_call, Some(750.0));
    assert_eq!(plan(&StubQuestion { warmth: Warmth::Warm, ..old }).verdict, Verdict::Hold(WhyNot::RentBelowPrice));
    assert_eq!(plan(&StubQuestion { blocks: 1_500, ..old }).verdict, Verdict::Hold(WhyNot::TooLittleGoes));
}

const OLD_ROUNDS: ArchiveQuestion = ArchiveQuestion {
    archivable: 30_000,
    summary: 2_000,
    follows: 40_000,
    rent: Rent { paid: 0.0, calls: 0 },
    warmth: Warmth::Warm,
    summariser: Compactor::Rules,
    used: 80_000,
    window: 200_000,
    messages: 60,
};

fn archive(question: &ArchiveQuestion) -> ArchiveDecision {
    plan_archive(question, Some(&Tariff::new(ANTHROPIC)), &ArchiveLimits::default(), &Limits::default())
}

#[test]
fn an_archive_weighs_the_whole_tail() {
    let price = 1.25 * 2_000.0 + 1.15 * 40_000.0;
    near(archive(&OLD_ROUNDS).balance.expect("a balance").price(), price);
    let verdict = |paid| archive(&ArchiveQuestion { rent: Rent { paid, calls: 17 }, ..OLD_ROUNDS }).verdict;
    assert_eq!(verdict(price - 2_801.0), Verdict::Hold(WhyNot::RentBelowPrice));
    assert_eq!(verdict(price - 2_799.0), Verdict::Go(Why::Pays));
    let summariser = Compactor::Alone { thinking: 0, rates: ANTHROPIC };
    let called = archive(&ArchiveQuestion { summariser, ..OLD_ROUNDS }).balance.expect("a balance");
    near(called.price(), price + 1.25 * 30_000.0 + 5.0 * 2_000.0);
}

#[test]
fn a_full_window_and_a_cold_cache_archive_at_once() {
    let full = ArchiveQuestion { used: 160_000, ..OLD_ROUNDS };
    assert_eq!(archive(&full).verdict, Verdict::Go(Why::Window));
    assert_eq!(
        plan_archive(&full, None, &ArchiveLimits::default(), &Limits::default()).verdict,
        Verdict::Go(Why::Window)
    );
    assert_eq!(archive(&ArchiveQuestion { messages: 2, ..full }).verdict, Verdict::Hold(WhyNot::NothingFoldable));
    assert_eq!(archive(&ArchiveQuestion { warmth: Warmth::Cold, ..OLD_ROUNDS }).verdict, Verdict::Go(Why::Cold));
    let small = ArchiveQuestion { archivable: 2_500, warmth: Warmth::Cold, ..OLD_ROUNDS };
    assert_eq!(archive(&small).verdict, Verdict::Hold(WhyNot::TooLittleGoes));
}

fn step(end: u32) -> StepSeen {
    StepSeen { end: TurnNo(end), tool_calls: 1, tokens: 1_000, raw_tokens: 500, seen: Vec::new(), logical_break: None }
}

/// The step at which the first proposal comes, and the proposal.
fn first_proposal(steps: impl IntoIterator<Item = StepSeen>) -> Option<(usize, Proposal)> {
    let mut triggers = Triggers::new(TriggerLimits::default(), 5);
    steps.into_iter().enumerate().find_map(|(number, step)| Some((number + 1, triggers.apply_step(step)?)))
}

#[test]
fn seed_6_2_twelve_foldable_tool_calls_in_a_row_propose() {
    let proposal = Proposal { trigger: Trigger::ToolCalls(12), end: TurnNo(11) };
    assert_eq!(first_proposal((0..40).map(step)), Some((17, proposal)), "twelve and five kept ones");
    let broken = (0..24).map(|end| StepSeen { tool_calls: u32::from(end % 10 != 9), ..step(end) });
    assert_eq!(first_proposal(broken), None, "an answer without calls ends the run");
}

#[test]
fn seed_6_2_much_raw_output_proposes_from_eight_calls_on() {
    let raw = (0..40).map(|end| StepSeen { raw_tokens: 700, ..step(end) });
    let proposal = Proposal { trigger: Trigger::RawShare(0.7), end: TurnNo(7) };
    assert_eq!(first_proposal(raw), Some((13, proposal)));
}

#[test]
fn seed_6_2_repeats_with_the_same_result_propose() {
    let seeing = |end, what, result| StepSeen { seen: vec![Seen { call: 1, what, result }], ..step(end) };
    let changed = (0..10).map(|end| seeing(end, 7, u64::from(end)));
    assert_eq!(first_proposal(changed), None, "the file changed each time");
    let same = (0..10).map(|end| seeing(end, 7, 1));
    assert_eq!(first_proposal(same), Some((8, Proposal { trigger: Trigger::Repeats(2), end: TurnNo(2) })));
}

#[test]
fn seed_6_2_a_break_offers_its_own_end_once_it_is_foldable() {
    let steps = (0..10).map(|end| StepSeen { logical_break: (end == 1).then_some(Break::VerdictChanged), ..step(end) });
    let proposal = Proposal { trigger: Trigger::Break(Break::VerdictChanged), end: TurnNo(1) };
    assert_eq!(first_proposal(steps), Some((7, proposal)));
}

#[test]
fn after_a_fold_the_counting_begins_anew() {
    let mut triggers = Triggers::new(TriggerLimits::default(), 5);
    let proposed = (0..17).filter_map(|end| triggers.apply_step(step(end))).last().expect("a proposal");
    triggers.apply_fold(proposed.end);
    let next = (17..60).find_map(|end| triggers.apply_step(step(end))).expect("a proposal");
    assert_eq!(next.end, TurnNo(23), "twelve steps behind the last end");
}

#[test]
fn what_lies_behind_a_cut_stays_counted() {
    let mut triggers = Triggers::new(TriggerLimits::default(), 5);
    assert!((0..15).all(|end| triggers.apply_step(step(end)).is_none()), "ten are foldable");
    triggers.apply_fold(TurnNo(3));
    let next = (15..60).find_map(|end| triggers.apply_step(step(end))).expect("a proposal");
    assert_eq!(next, Proposal { trigger: Trigger::ToolCalls(12), end: TurnNo(15) });
}

#[test]
fn a_call_repeats_once_however_much_it_showed() {
    let both = |end, call| [7, 8].map(|what| Seen { call, what, result: end });
    let mut triggers = Triggers::new(TriggerLimits { repeats: 1, ..TriggerLimits::default() }, 1);
    triggers.apply_step(StepSeen { seen: both(1, 1).into(), ..step(0) });
    triggers.apply_step(StepSeen { seen: both(1, 1).into(), ..step(1) });
    let proposal = triggers.apply_step(step(2)).expect("a proposal");
    assert_eq!(proposal.trigger, Trigger::Repeats(1));
}

#[test]
fn a_break_behind_the_newest_step_ends_it() {
    let mut triggers = Triggers::new(TriggerLimits::default(), 1);
    triggers.apply_step(step(3));
    triggers.apply_break(Break::SpanEnded);
    let proposal = Proposal { trigger: Trigger::Break(Break::SpanEnded), end: TurnNo(3) };
    assert_eq!(triggers.apply_step(step(5)), Some(proposal));
}

#[test]
fn seed_6_1_deltas_are_seldom_and_need_new_evidence() {
    let mut triggers = DeltaTriggers::new(&TriggerLimits::default());
    let mut after = |evidence, cause| {
        triggers.apply_step(evidence, cause);
        let due = triggers.due();
        if due.is_some() {
            triggers.apply_delta();
        }
        due
    };
    assert_eq!(after(0, Some(DeltaCause::TodoClosed)), None, "no evidence yet");
    assert_eq!(after(1, None), Some(DeltaCause::TodoClosed));
    for _ in 0..7 {
        assert_eq!(after(1, Some(DeltaCause::NewError)), None, "one in eight steps");
    }
    assert_eq!(after(0, None), Some(DeltaCause::NewError), "the waiting one");
    for _ in 0..20 {
        assert_eq!(after(0, Some(DeltaCause::SpanClosed)), None, "no new evidence");
    }
}

#[test]
fn a_cause_that_nobody_acted_on_is_past_with_the_next_step() {
    let mut triggers = DeltaTriggers::new(&TriggerLimits::default());
    triggers.apply_step(1, Some(DeltaCause::NewError));
    triggers.apply_cause(DeltaCause::SpanClosed);
    assert_eq!(triggers.due(), Some(DeltaCause::SpanClosed), "the newest one speaks");
    triggers.apply_step(1, None);
    assert_eq!(triggers.due(), Some(DeltaCause::SpanClosed), "who looked between the two has not seen it");
    triggers.apply_step(1, None);
    assert_eq!(triggers.due(), None);
    triggers.apply_delta();
    triggers.apply_cause(DeltaCause::TodoClosed);
    for _ in 0..3 {
        triggers.apply_step(1, None);
    }
    triggers.apply_fold_delta();
    let due = (1..20).find_map(|steps| {
        triggers.apply_step(1, None);
        triggers.due().map(|cause| (steps, cause))
    });
    assert_eq!(due, Some((8, DeltaCause::TodoClosed)), "a fold's delta tells of older turns");
}

#[test]
fn limits_are_configuration() {
    let limits: Limits = serde_json::from_str(r#"{"keep_steps": 2}"#).expect("limits");
    assert_eq!(limits, Limits { keep_steps: 2, ..Limits::default() });
    assert!(serde_json::from_str::<TriggerLimits>(r#"{"toolcalls": 2}"#).is_err());
}
