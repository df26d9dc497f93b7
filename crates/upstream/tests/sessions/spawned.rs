//! A server runs each session as a task of its own, on whichever thread is free.

use lookback_engine::trace::{Stop, event::Ride};
use lookback_models::driving::{CompactorModel, Prompts, call, write_block, write_summary};

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_blocks_and_summaries_can_be_spawned() {
    let steps: String = (0..30)
        .map(|step| {
            format!(
                "[[step]]\ntext = \"The totals of file {step} were wrong because of rounding per line. {}\"\n",
                words(step, 200).replace('\n', " ")
            )
        })
        .collect();
    let mut driven = Driven::start(Setting::new("claude-sonnet-4-6", steps)).await;
    let card = card("claude-sonnet-4-6");
    for _ in 0..14 {
        driven.user("check the totals of the next file");
        let Driven { mut session, upstream, model, mut outside, mut cancel, canceller } = driven;
        let task = tokio::spawn(async move {
            let called = call(&mut session, &model, &mut cancel, &mut outside).await.expect("an answer");
            (called, Driven { session, upstream, model, outside, cancel, canceller })
        });
        let (called, back) = task.await.expect("no panic");
        assert_eq!(called.stop, Stop::End);
        driven = back;
    }
    let archive = driven.with(|session, _| session.draft_archive()).expect("old rounds");
    let task = tokio::spawn(async move {
        let prompts =
            Prompts { tail_compaction: "TAIL_COMPACTION", archive_summary: "ARCHIVE_SUMMARY", repair: "REPAIR" };
        let model = driven.model.clone();
        let compactor = CompactorModel { model: &model, name: "m", api: card.api, card: Some(&card), ride: Ride::Live };
        let Driven { session, outside, cancel, .. } = &mut driven;
        let summary = write_summary(session, &archive, &compactor, &prompts, cancel, outside).await.expect("a summary");
        let fold = driven.with(|session, context| session.draft_fold(None, context)).expect("enough to fold");
        let Driven { session, outside, cancel, .. } = &mut driven;
        let block = write_block(session, &fold, &compactor, &prompts, cancel, outside).await.expect("a block");
        (block.problems.len(), summary.problems.len())
    });
    let (block, summary) = task.await.expect("no panic");
    assert!(block > 0 && summary > 0, "the script has no answers for either, so the rules wrote them");
}
