//! `lookback fold ID`: the oldest raw turns behind the last block become one.

use anyhow::Result;
use lookback_engine::{
    fold::{Fate, Refusal, render_refusals},
    report::FoldReport,
    trace::SessionId,
};
use serde_json::{Value, json};

use crate::{cli::FoldArguments, opened::Opened, screen};

pub(crate) fn run(arguments: FoldArguments) -> Result<()> {
    let mut opened = Opened::find(&arguments.id)?;
    let focus = arguments.focus.as_deref();
    let report = opened.change(|session, context| {
        let draft = match &arguments.span {
            Some(span) => session.draft_span_fold(span, focus)?,
            None => session.draft_fold(focus, context)?,
        };
        session.fold_by_rules(&draft, context)
    })?;
    if arguments.json {
        return show_json(opened.session.id(), &report);
    }
    let mut out = screen::screen();
    let undo = format!("undo: lookback unfold {} {}", arguments.id, report.block);
    screen::write_line(&mut out, &format!("{report} · {undo}"))?;
    for line in refusal_lines(&report) {
        writeln!(out, "  {line}")?;
    }
    Ok(out.flush()?)
}

/// Each refused claim with its reason and what became of it.
fn refusal_lines(report: &FoldReport) -> Vec<String> {
    if report.refused.is_empty() {
        return Vec::new();
    }
    let refusals = render_refusals(report.claims.max(report.refused.len()), &report.refused);
    format!("block {}: {refusals}", report.block).lines().map(str::to_owned).collect()
}

fn show_json(session: &SessionId, report: &FoldReport) -> Result<()> {
    let (costs, saves) = report.balance().unzip();
    let report = json!({
        "session": session,
        "block": report.block,
        "range": report.range,
        "author": report.author,
        "replaced": report.replaced,
        "block_tokens": report.block_tokens,
        "board_tokens": report.board_tokens,
        "before": report.before,
        "kept": report.kept,
        "kept_steps": report.kept_steps,
        "facts": report.facts,
        "conclusions": report.conclusions,
        "thinking": report.thinking,
        "anchors": report.anchors,
        "commands": report.commands,
        "claims": report.claims,
        "refused": report.refused.iter().map(refusal).collect::<Vec<_>>(),
        "warmth": report.warmth,
        "tariff": report.tariff,
        "costs": costs,
        "saves_per_call": saves,
    });
    screen::show_json(&report)
}

fn refusal(refusal: &Refusal) -> Value {
    let fate = match refusal.fate {
        Fate::Question => "question",
        Fate::Dropped => "dropped",
    };
    json!({"claim": refusal.claim, "reason": refusal.kind.to_string(), "fate": fate})
}

#[cfg(test)]
mod tests {
    use lookback_engine::{
        fold::RefusalKind,
        planner::Warmth,
        trace::{
            TurnNo,
            decision::{Author, ThinkingBehind, TurnRange},
        },
    };

    use super::*;

    #[test]
    fn a_refused_claim_is_said_with_its_reason_and_its_fate() {
        let found = RefusalKind::OtherExit { pointer: "cmd#7".into(), found: "exit 1".into() };
        let passes = Refusal { claim: "pytest passes".into(), kind: found, fate: Fate::Question };
        let report = FoldReport {
            block: 2,
            range: TurnRange { first: TurnNo(3), last: TurnNo(14) },
            author: Author::Rules,
            replaced: 11_200,
            block_tokens: 600,
            board_tokens: 0,
            before: 9_800,
            kept: 900,
            kept_steps: 5,
            facts: 4,
            conclusions: 0,
            thinking: ThinkingBehind::Kept,
            anchors: 0,
            commands: 0,
            claims: 5,
            refused: vec![passes.clone()],
            dropped_fields: Vec::new(),
            tariff: None,
            warmth: Warmth::Warm,
        };
        let expected = "block 2: refused 1 of 5 claims: \"pytest passes\" cites cmd#7, which ended with exit 1 → kept as \
                        an open question";
        assert_eq!(refusal_lines(&report), [expected]);
        let blank = Refusal { claim: String::new(), kind: RefusalKind::Blank, fate: Fate::Dropped };
        let lines = refusal_lines(&FoldReport { refused: vec![passes, blank], ..report.clone() });
        assert_eq!(lines[0], "block 2: refused 2 of 5 claims:");
        assert_eq!(lines[2], "  \"\" says nothing → left out");
        assert!(refusal_lines(&FoldReport { refused: Vec::new(), ..report }).is_empty());
    }
}
