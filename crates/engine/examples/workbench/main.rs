//! A small coding session, folded twice: what the model is sent before and after, what stays byte for byte, the board,
//! a claim that is refused, and a folded line that comes back by its pointer.
//!
//! `cargo run --release -p lookback-engine --example workbench`, and with `-- --trace` the events themselves, one a line,
//! for `lookback import`.
//!
//! The model's replies and the tools' outputs are written by hand ([`story`]); blocks, board, numbers, reuse, refusals and
//! recall are the engine's.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "an example shows something"
)]

mod screen;
mod story;

use std::error::Error;

use lookback_engine::{
    Miss, Session,
    evidence::pointer::Pointer,
    fold::Refusal,
    session::{FoldDraft, ModelAttempt},
    trace::NoBlobs,
};
use serde_json::json;

use screen::{Snapshot, show_change, show_report, show_view};
use story::Story;

/// Lines of a recalled piece.
const SHOWN: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let only_trace = std::env::args().any(|argument| argument == "--trace");
    let mut story = Story::begin()?;
    story.repair()?;
    story.wish()?;

    let before = Snapshot::of(&story.session)?;
    let draft = story.tell(|session, now| session.draft_fold(None, now))?;
    let first = story.tell(|session, now| session.fold_by_rules(&draft, now))?;
    let after = Snapshot::of(&story.session)?;
    let board = story.session.state().board().for_people(screen::WIDTH, &story.session.configuration().board);

    story.aftermath()?;
    let draft = story.tell(|session, now| session.draft_fold(None, now))?;
    let answer = models_answer(&draft);
    let again = Snapshot::of(&story.session)?;
    let second = story.tell(|session, now| session.fold_by_model(&draft, &answer, ModelAttempt::First, now))?;
    let afterwards = Snapshot::of(&story.session)?;
    story.delivery()?;

    if only_trace {
        for event in story.session.trace() {
            println!("{}", serde_json::to_string(event)?);
        }
        return Ok(());
    }

    println!("THE VIEW BEFORE A FOLD: what the model is sent after two repaired tests and half of a second wish\n");
    show_view(&before);
    println!("\nTHE FOLD, by rules, from the trace alone\n");
    show_report(&first.to_string());
    println!();
    println!("THE VIEW AFTER IT: = the unchanged prefix, + new, · kept as it was behind it\n");
    show_change(&before, &after);
    println!("\nTHE BOARD, for people\n\n{board}");
    println!("A SECOND FOLD, from a model's answer: one of its claims is not true\n");
    show_report(&second.to_string());
    for line in Refusal::render_all(second.claims, &second.refused).lines() {
        println!("  block {}: {line}", second.block);
    }
    println!();
    show_change(&again, &afterwards);
    println!("\nWHAT EACH CALL REUSED (tokens by o200k, bytes as for anthropic)\n");
    show_ledger(&story.session);
    println!("\nAND BACK TO THE RAW TRACE: folded, not lost");
    show_recall(&story.session, "file:src/ledger.py:L22@turn#8")?;
    show_recall(&story.session, "test#1 failed:tests/test_ledger.py::test_balance_is_exact")
}

/// What a model might answer to the tail compaction prompt. The third claim is wrong: all tests passed in `cmd#8`.
fn models_answer(draft: &FoldDraft) -> String {
    json!({
        "compressed_turns": {
            "replaces": { "start_turn": draft.range.first, "end_turn": draft.range.last },
            "task": { "pointer": "user#2", "text": "monthly report" },
            "facts": [
                { "kind": "line_text", "evidence": ["file:src/report.py:L15@turn#26"] },
                { "kind": "verdict", "evidence": ["cmd#8 exit=0"] },
                { "kind": "verdict", "evidence": ["cmd#8"], "failed": 2 },
            ],
            "anchors": [],
            "notes": [{ "text": "are negative amounts printed right?", "evidence": ["file:src/report.py:L15@turn#26"] }],
        },
        "state_delta": { "task": "user#2" },
    })
    .to_string()
}

fn show_ledger(session: &Session) {
    println!("  call   reused tokens   written tokens   reused bytes   written bytes   why not all");
    let lines = session.ledger();
    let folded = lines.iter().position(|line| line.reasons.contains(&Miss::Fold(2))).unwrap_or(0);
    for line in &lines[folded.saturating_sub(2)..lines.len().min(folded + 3)] {
        let why = line.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        println!(
            "  {:>4}   {:>13}   {:>14}   {:>12}   {:>13}   {why}",
            line.call, line.reused.tokens, line.written.tokens, line.reused.bytes, line.written.bytes
        );
    }
}

fn show_recall(session: &Session, pointer: &str) -> Result<(), Box<dyn Error>> {
    let parsed: Pointer = pointer.parse()?;
    let recalled = session.recall(&parsed.place, &NoBlobs)?;
    println!("\n  {pointer}");
    for piece in &recalled.pieces {
        let text = String::from_utf8_lossy(&piece.bytes);
        text.lines().take(SHOWN).for_each(|line| println!("    │ {line}"));
        if text.lines().count() > SHOWN {
            println!("    │ … {} more lines", text.lines().count() - SHOWN);
        }
    }
    Ok(())
}
