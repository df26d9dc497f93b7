//! `lookback fold ID`: the oldest raw turns behind the last block become one, by rules or by what somebody wrote.

mod admitted;

use anyhow::{Context as _, Result, bail};
use lookback_engine::{
    Session, SessionError,
    fold::Refusal,
    report::{ArchiveReport, FoldReport},
    trace::{EventBody, SessionId, decision::Fold},
};
use serde_json::{Value, json};

use crate::{
    cli::FoldArguments,
    input::{Input, Source},
    opened::Opened,
    screen,
};

/// What somebody writes for one fold is never longer.
const LONGEST_PROPOSAL: u64 = 4 << 20;

pub(crate) fn run(arguments: FoldArguments) -> Result<()> {
    let Some(id) = arguments.id.as_deref() else { return screen::show_json(&Session::proposal_schema()) };
    let text = arguments.by.as_deref().map(|path| read(&Source::new(path))).transpose()?;
    let mut opened = Opened::find(id)?;
    if let Some(text) = text.as_deref().filter(|text| is_archive(text)) {
        if arguments.preview || arguments.span.is_some() {
            bail!("an archive has no preview and no span: `lookback fold {id} --by FILE` makes it");
        }
        let made = opened.change(|session, context| {
            let draft = session.draft_archive()?;
            session.archive_by_other(&draft, text, context)
        });
        let report = told(made, arguments.json)?;
        return show_archive(&opened, &report, arguments.json);
    }
    let focus = arguments.focus.as_deref();
    if arguments.preview {
        let planned = opened.preview(|session, context| {
            let draft = match &arguments.span {
                Some(span) => session.draft_span_fold(span, focus)?,
                None => session.draft_fold(focus, context)?,
            };
            session.preview_fold(&draft, text.as_deref(), context)
        });
        let (fold, report) = told(planned, arguments.json)?;
        return show_preview(opened.session.id(), &fold, &report, arguments.json);
    }
    let made = opened.change(|session, context| {
        let draft = match &arguments.span {
            Some(span) => session.draft_span_fold(span, focus)?,
            None => session.draft_fold(focus, context)?,
        };
        match &text {
            Some(text) => session.fold_by_other(&draft, text, context),
            None => session.fold_by_rules(&draft, context),
        }
    });
    let report = told(made, arguments.json)?;
    if arguments.json {
        let recorded = opened.session.trace().iter().rev().find_map(|event| match &event.event {
            EventBody::Fold(fold) => Some(&**fold),
            _ => None,
        });
        let mut json = as_json(opened.session.id(), &report);
        json["admitted"] = json!(recorded.map(admitted::of_fold).unwrap_or_default());
        return screen::show_json(&json);
    }
    let mut out = screen::screen();
    let undo = format!("undo: lookback unfold {id} {}", report.block);
    screen::write_line(&mut out, &format!("{report} · {undo}"))?;
    for line in refusal_lines(&report) {
        writeln!(out, "  {line}")?;
    }
    Ok(out.flush()?)
}

fn read(source: &Source) -> Result<String> {
    let bytes = Input::open(source)?.whole(LONGEST_PROPOSAL)?;
    let bytes = bytes.with_context(|| format!("{} is larger than {LONGEST_PROPOSAL} bytes", source.name()))?;
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", source.name()))
}

/// Whether a text holds the parts of an archive and no block.
fn is_archive(text: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(text).ok();
    value.is_some_and(|value| value.get("archive").is_some() && value.get("compressed_turns").is_none())
}

/// Where every claim was refused, a program is told so, too.
fn told<T>(made: Result<T>, json: bool) -> Result<T> {
    if let Err(error) = &made
        && json
    {
        let refused = error.downcast_ref::<SessionError>().map(SessionError::refusals).unwrap_or_default();
        if !refused.is_empty() {
            screen::show_json(&json!({
                "admitted": [],
                "refused": refused.iter().map(refusal).collect::<Vec<_>>(),
                "error": format!("{error:#}"),
            }))?;
        }
    }
    made
}

/// Each refused claim with its reason.
fn refusal_lines(report: &FoldReport) -> Vec<String> {
    if report.refused.is_empty() {
        return Vec::new();
    }
    let refusals = Refusal::render_all(report.claims.max(report.refused.len()), &report.refused);
    format!("block {}: {refusals}", report.block).lines().map(str::to_owned).collect()
}

fn show_preview(session: &SessionId, fold: &Fold, report: &FoldReport, json: bool) -> Result<()> {
    if json {
        let mut preview = as_json(session, report);
        preview["admitted"] = json!(admitted::of_fold(fold));
        preview["block_text"] = json!(fold.content.text);
        preview["board_text"] = json!(fold.board.as_ref().map(|board| &board.content.text));
        preview["preview"] = json!(true);
        return screen::show_json(&preview);
    }
    let mut out = screen::screen();
    writeln!(out, "{}", fold.content.text)?;
    if let Some(board) = &fold.board {
        writeln!(out, "\n{}", board.content.text)?;
    }
    writeln!(out)?;
    screen::write_line(&mut out, &format!("nothing was changed; it would be: {report}"))?;
    for line in refusal_lines(report) {
        writeln!(out, "  {line}")?;
    }
    Ok(out.flush()?)
}

fn show_archive(opened: &Opened, report: &ArchiveReport, json: bool) -> Result<()> {
    if json {
        return screen::show_json(&json!({
            "session": opened.session.id(),
            "archive": report.archive,
            "range": report.range,
            "author": report.author,
            "replaced": report.replaced,
            "summary": report.summary,
            "refused": report.refused.iter().map(refusal).collect::<Vec<_>>(),
        }));
    }
    let mut out = screen::screen();
    screen::write_line(&mut out, &report.to_string())?;
    Ok(out.flush()?)
}

fn as_json(session: &SessionId, report: &FoldReport) -> Value {
    let (costs, saves) = report.balance().unzip();
    json!({
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
        "notes": report.notes,
        "thinking": report.thinking,
        "anchors": report.anchors,
        "commands": report.commands,
        "claims": report.claims,
        "refused": report.refused.iter().map(refusal).collect::<Vec<_>>(),
        "dropped_fields": report.dropped_fields,
        "warmth": report.warmth,
        "tariff": report.tariff,
        "costs": costs,
        "saves_per_call": saves,
    })
}

fn refusal(refusal: &Refusal) -> Value {
    json!({
        "claim": refusal.claim,
        "kind": refusal.kind.name(),
        "reason": refusal.kind.to_string(),
        "contradicted_by": refusal.kind.contradicted_by(),
    })
}

#[cfg(test)]
mod tests {
    use lookback_engine::fold::RefusalKind;

    use super::*;

    #[test]
    fn a_refused_claim_is_said_with_its_reason() {
        let kind = RefusalKind::Contradicted { claimed: "exit 0".into(), found: "cmd#7: exit 1".into() };
        let passes = Refusal { claim: "verdict [cmd#7]".into(), kind };
        let report = FoldReport { block: 2, claims: 5, refused: vec![passes.clone()], ..FoldReport::default() };
        let expected = "block 2: refused 1 of 5 claims: \"verdict [cmd#7]\" says exit 0, and the record says otherwise: \
                        cmd#7: exit 1";
        assert_eq!(refusal_lines(&report), [expected]);
        assert_eq!(refusal(&passes)["contradicted_by"], "cmd#7: exit 1");
        let blank = Refusal { claim: String::new(), kind: RefusalKind::Blank };
        let lines = refusal_lines(&FoldReport { refused: vec![passes, blank], ..report.clone() });
        assert_eq!(lines[0], "block 2: refused 2 of 5 claims:");
        assert_eq!(lines[2], "  \"\" says nothing");
        assert!(refusal_lines(&FoldReport { refused: Vec::new(), ..report }).is_empty());
    }
}
