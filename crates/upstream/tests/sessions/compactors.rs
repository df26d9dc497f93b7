//! Blocks and summaries that a model writes: riding on the live prompt, repaired once, and by rules where it fails.

use lookback_engine::{
    card::Card,
    fold::BreakerState,
    trace::{
        EventBody,
        decision::Author,
        event::{CallKind, CallOver, Ride},
    },
};
use lookback_models::driving::{CallError, CompactorModel, Prompts, write_block, write_summary};
use lookback_wire::Provider;

use crate::harness::*;

const PROMPTS: Prompts<'static> = Prompts {
    tail_compaction: include_str!("../../../../prompts/en/tail_compaction.txt"),
    archive_summary: include_str!("../../../../prompts/en/archive_summary.txt"),
    repair: include_str!("../../../../prompts/en/repair.txt"),
};

/// A block that is true of the first steps of [`script`].
fn block(first: u32, last: u32) -> String {
    format!(
        r#"{{"compressed_turns": {{"replaces": {{"start_turn": {first}, "end_turn": {last}}}, "task": "user#1", "facts": [{{"kind": "verdict", "evidence": ["cmd#1 exit=0"]}}], "anchors": []}}, "state_delta": {{}}}}"#
    )
}

fn compaction(text: &str) -> String {
    format!("[[compaction]]\ntext = '''{text}'''\n")
}

async fn twelve_steps(model: &'static str, answers: &str) -> (Driven, Card) {
    let mut driven = Driven::start(Setting::new(model, script(14, Thinks::No) + answers)).await;
    driven.user("bring the ledger in order");
    for _ in 0..12 {
        driven.step().await;
    }
    let card = card(model);
    (driven, card)
}

macro_rules! write {
    ($driven:expr, $card:expr, $ride:expr) => {{
        let draft = $driven.with(|session, context| session.draft_fold(None, context)).expect("enough to fold");
        let model = $driven.model.clone();
        let compactor = CompactorModel {
            model: &model,
            name: "claude-sonnet-4-6",
            api: $card.api,
            card: Some(&$card),
            ride: $ride,
        };
        let written =
            write_block(&mut $driven.session, &draft, &compactor, &PROMPTS, &mut $driven.cancel, &mut $driven.outside)
                .await
                .expect("there is always a block");
        (draft, written)
    }};
}

/// What was billed for each compactor's call, and why it failed.
fn calls(driven: &Driven) -> Vec<CallOver> {
    let trace = || driven.session.trace().iter().map(|event| &event.event);
    let asked = trace().filter_map(|event| match (event, event.call_kind()) {
        (EventBody::CallStarted { call, .. }, Some(CallKind::Compactor(_))) => Some(*call),
        _ => None,
    });
    let told = asked.map(|asked| CallOver {
        usage: trace().find_map(|event| match event {
            EventBody::Usage(usage) if usage.call == asked => Some(usage.billed),
            _ => None,
        }),
        problem: trace().find_map(|event| match event {
            EventBody::CallInterrupted { call, reason } if *call == asked => Some(format!("{reason:?}")),
            _ => None,
        }),
    });
    told.collect()
}

#[tokio::test]
async fn a_riding_compactor_reads_all_but_its_instruction_and_the_newest_step_from_the_cache() {
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &compaction(&block(0, 14))).await;
    let (draft, written) = write!(driven, card, Ride::Live);
    assert_eq!((draft.range.first.0, draft.range.last.0), (0, 14), "as the script expects");
    assert_eq!(written.problems, Vec::<String>::new());
    assert_eq!(written.report.author, Author::Model);
    let log = driven.log();
    let ([.., before, riding], [call]) = (&log[..], &calls(&driven)[..]) else { panic!("{} requests", log.len()) };
    let (before, riding) = (before.counted.expect("taken"), riding.counted.expect("taken"));
    assert_eq!(riding.cached, before.cached + before.written + before.uncached, "all that the last call sent");
    assert_eq!(call.usage.map(|usage| usage.cached), Some(riding.cached));
    let called = driven.step().await;
    let counted = driven.log().pop().and_then(|logged| logged.counted).expect("taken");
    assert_eq!(u64::from(counted.cached), driven.session.expected_bill(called.call).expect("ended").read);
    assert!(u64::from(counted.cached) >= written.report.before);
    assert_eq!(driven.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn what_was_refused_is_asked_for_once_more_with_the_reason() {
    let answers = compaction("I would rather not") + &compaction(&block(0, 14));
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &answers).await;
    let (_, written) = write!(driven, card, Ride::Live);
    assert_eq!((written.problems.len(), written.report.author), (1, Author::Model), "{:?}", written.problems);
    let body = String::from_utf8_lossy(&driven.log().pop().expect("a request").body).into_owned();
    assert!(body.contains("refused it") && body.contains("I would rather not"), "{body}");
    assert_eq!(driven.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn after_two_refusals_the_rules_write_the_block() {
    let answers = compaction("no") + &compaction("no again");
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &answers).await;
    let (_, written) = write!(driven, card, Ride::Live);
    assert_eq!((written.problems.len(), written.report.author), (2, Author::Rules));
    assert_eq!(driven.session.breaker(), BreakerState::Closed);
}

#[tokio::test]
async fn a_compactor_that_cannot_be_reached_is_replaced_by_the_rules() {
    let faults = ["\"500\""; 12].join(", ");
    let answers = format!("[[compaction]]\ntext = \"x\"\nfaults = [{faults}]\n");
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &answers).await;
    let (_, written) = write!(driven, card, Ride::Live);
    assert_eq!((written.problems.len(), written.report.author), (1, Author::Rules), "{:?}", written.problems);
    assert!(calls(&driven)[0].problem.is_some());
}

#[tokio::test]
async fn a_tool_call_in_the_place_of_a_block_is_repaired() {
    let called =
        "[[compaction]]\ntext = \"let me look\"\ncalls = [{ name = \"Bash\", arguments = { what = \"ls\" } }]\n";
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &(called.to_owned() + &compaction(&block(0, 14)))).await;
    let (_, written) = write!(driven, card, Ride::Live);
    assert_eq!(written.report.author, Author::Model);
    assert_eq!(written.problems, ["it called a tool: answer with text alone"]);
    assert_eq!(driven.refusals(), Vec::<String>::new());
}

/// One that never answers would otherwise be waited for at every fold.
#[tokio::test]
async fn after_three_failures_in_a_row_the_model_is_not_asked_any_more() {
    let faults = ["\"401\""; 12].join(", ");
    let answers = format!("[[compaction]]\ntext = \"x\"\nfaults = [{faults}]\n");
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &answers).await;
    for _ in 0..3 {
        let problem = "it does not answer";
        driven.with(|session, context| session.compactor_failed(problem, context)).expect("idle");
    }
    assert_eq!(driven.session.breaker(), BreakerState::Open);
    let sent = driven.log().len();
    let (_, written) = write!(driven, card, Ride::Live);
    assert_eq!((written.report.author, written.problems.len()), (Author::Rules, 1), "{:?}", written.problems);
    assert_eq!(driven.log().len(), sent, "nothing was sent");
}

#[tokio::test]
async fn a_failure_counts_for_the_breaker() {
    let faults = ["\"401\""; 12].join(", ");
    let answers = format!("[[compaction]]\ntext = \"x\"\nfaults = [{faults}]\n");
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &answers).await;
    for _ in 0..2 {
        driven.with(|session, context| session.compactor_failed("before", context)).expect("idle");
    }
    let (_, written) = write!(driven, card, Ride::Live);
    assert_eq!(written.report.author, Author::Rules);
    assert_eq!(driven.session.breaker(), BreakerState::Open);
}

#[tokio::test]
async fn a_cancelled_compactor_leaves_the_view_and_is_told() {
    let answers = "[[compaction]]\ntext = \"late\"\nfirst_byte_ms = 5000\n";
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", answers).await;
    let before = driven.session.view().tokens();
    let draft = driven.with(|session, context| session.draft_fold(None, context)).expect("enough to fold");
    let model = driven.model.clone();
    let compactor = CompactorModel { model: &model, name: "m", api: card.api, card: Some(&card), ride: Ride::Live };
    driven.canceller.cancel();
    let written =
        write_block(&mut driven.session, &draft, &compactor, &PROMPTS, &mut driven.cancel, &mut driven.outside).await;
    assert!(matches!(written, Err(CallError::Cancelled)), "{written:?}");
    assert_eq!((driven.session.view().tokens(), calls(&driven).len()), (before, 1));
}

#[tokio::test]
async fn another_model_is_sent_the_turns_alone() {
    let (mut driven, card) = twelve_steps("claude-sonnet-4-6", &compaction(&block(0, 14))).await;
    let (_, written) = write!(driven, card, Ride::Alone);
    assert_eq!((written.problems, written.report.author), (Vec::new(), Author::Model));
    let body = String::from_utf8_lossy(&driven.log().pop().expect("a request").body).into_owned();
    assert!(body.contains("[turn#0 user#1]") && !body.contains("\"tools\""), "{body}");
    assert!(body.contains("json_schema") && body.contains("cmd#1 exit=0"), "only pointers that exist can be cited");
}

#[tokio::test]
async fn seed_e2_a_summary_that_does_not_come_in_time_leaves_the_rounds_out_all_the_same() {
    let mut steps = String::new();
    for number in 1..=14 {
        steps += &format!("[[step]]\ntext = \"answer {number}: {}\"\n", words(number, 200).replace('\n', " "));
    }
    let mut driven = Driven::start(Setting::new(
        "claude-sonnet-4-6",
        steps + "[[archive]]\ntext = \"late\"\nfirst_byte_ms = 20000\n",
    ))
    .await;
    for number in 0..14 {
        driven.user(&format!("question {number}"));
        driven.step().await;
    }
    let mut configuration = driven.session.configuration().clone();
    configuration.archive.timeout_seconds = 1;
    driven.session.configure(configuration);
    let draft = driven.with(|session, _| session.draft_archive()).expect("old rounds");
    let (model, card) = (driven.model.clone(), card("claude-sonnet-4-6"));
    let compactor =
        CompactorModel { model: &model, name: "m", api: Provider::Anthropic, card: Some(&card), ride: Ride::Live };
    let written =
        write_summary(&mut driven.session, &draft, &compactor, &PROMPTS, &mut driven.cancel, &mut driven.outside).await;
    let written = written.expect("an archive");
    assert_eq!((written.report.author, written.problems.len()), (Author::TimedOut, 1), "{:?}", written.problems);
    let body =
        String::from_utf8(driven.session.body(&lookback_engine::trace::NoBlobs).expect("no blobs")).expect("text");
    assert!(body.contains("Summary generation timed out, keeping recent history only."));
}
