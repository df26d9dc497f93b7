//! Everything that happened, one line an event.

use std::io::Write;

use anyhow::Result;
use lookback_engine::trace::{AssistantPart, EventBody, SessionId, Status, ToolResult};
use lookback_store::Snapshot;

use crate::{names::Names, screen};

/// The form that `lookback import` reads back, large outputs included.
pub(super) fn show_json(store: &Snapshot, id: &SessionId) -> Result<()> {
    let mut out = screen::bytes();
    store.for_each_event(id, |event| {
        serde_json::to_writer(&mut out, &store.inline(event)?)?;
        writeln!(out)?;
        anyhow::Ok(())
    })?;
    Ok(out.flush()?)
}

pub(super) fn show(store: &Snapshot, id: &SessionId) -> Result<()> {
    let mut out = screen::screen();
    let names = Names::of(&store.sessions()?);
    let heading = ["event", "time", "what", ""].map(str::to_owned).to_vec();
    let events = store.events(id)?;
    let rows = events.iter().map(|event| {
        vec![
            event.seq.to_string(),
            screen::time(event.at),
            event.event.name().replace('_', " "),
            describe(&event.event, &names),
        ]
    });
    screen::write_table(&mut out, &std::iter::once(heading).chain(rows).collect::<Vec<_>>(), &[0], screen::columns())?;
    Ok(out.flush()?)
}

fn describe(event: &EventBody, names: &Names) -> String {
    match event {
        EventBody::SessionStarted(start) => {
            format!("{} · {} · window {}", start.provider, start.model, screen::exact(u64::from(start.window)))
        }
        EventBody::Forked { parent, turn, .. } => format!("from {} at turn#{turn}", names.short(parent)),
        EventBody::RolledBack { turn } => format!("to turn#{turn}"),
        EventBody::UserTurn(turn) => format!("turn#{} {}", turn.turn, turn.text),
        EventBody::AssistantTurn(turn) => {
            let parts = turn.parts.iter().map(describe_part).collect::<Vec<_>>().join(" ");
            format!("turn#{} {parts}", turn.turn)
        }
        EventBody::CallStarted { call, input_tokens } => {
            format!("call {call}, {}", screen::counted(u64::from(*input_tokens), "token"))
        }
        EventBody::CallEnded { call } => format!("call {call}"),
        EventBody::CallInterrupted { call, reason } => format!("call {call}: {reason:?}"),
        EventBody::Usage(usage) => format!(
            "call {}: {} cached, {} written, {} uncached, {} out",
            usage.call, usage.cached, usage.written, usage.uncached, usage.output
        ),
        EventBody::ToolCall { turn, index, kind, cmd } => {
            let number = cmd.map(|number| format!(" cmd#{number}")).unwrap_or_default();
            format!("turn#{turn} call {index}: {kind:?}{number}")
        }
        EventBody::ToolResult { turn, index, result } => format!("turn#{turn} call {index}: {}", outcome(result)),
        EventBody::StepInterrupted { turn, reason } => format!("turn#{turn}: {reason:?}"),
        EventBody::StepEnded { turn, shown } => {
            let cut = shown.iter().filter(|shown| shown.cut.is_some()).count();
            let tokens: u64 = shown.iter().map(|shown| u64::from(shown.tokens)).sum();
            let note = if cut > 0 { format!(", {cut} shown by their ends") } else { String::new() };
            format!("turn#{turn}: {}, {}{note}", results(shown.len()), screen::counted(tokens, "token"))
        }
        EventBody::SpanStarted { span, goal, .. } => format!("{}#{}: {goal}", span.name, span.number),
        EventBody::SpanEnded { span, outcome, .. } => format!("{}#{}: {outcome}", span.name, span.number),
        EventBody::StateDelta(delta) => format!("v{}: {}", delta.version, delta.entry.text),
        EventBody::Fold(fold) => format!("turns {}–{} → block {}", fold.range.first, fold.range.last, fold.block),
        EventBody::Unfold { block } => format!("block {block}"),
        EventBody::Settle(settle) => results(settle.results.len()),
        EventBody::Archive(archive) => {
            format!("turns {}–{} → summary {}", archive.range.first, archive.range.last, archive.archive)
        }
        EventBody::FileObserved(seen) => {
            format!("{} from L{}, {}", seen.path, seen.first_line, screen::counted(u64::from(seen.line_count), "line"))
        }
        EventBody::FileChanged(changed) => changed.path.clone(),
        EventBody::Todo { items } => screen::counted(items.len() as u64, "item"),
        EventBody::NoteShown { content, .. } => content.text.clone(),
        EventBody::Gate(gate) => format!("gate#{}: {}", gate.number, gate.question),
        EventBody::RulesChanged { rules, effect } => format!("{effect:?}: {}", rules.text),
        EventBody::ModelChanged { model, provider, .. } => format!("{provider} · {model}"),
        EventBody::ConfigurationChanged { configuration } => configuration.to_string(),
        EventBody::LayoutChanged { layout } => format!("{layout:?}"),
        EventBody::Error { kind, message } => format!("{kind}: {message}"),
    }
}

fn results(number: usize) -> String {
    screen::counted(number as u64, "result")
}

fn describe_part(part: &AssistantPart) -> String {
    match part {
        AssistantPart::Text { text, .. } => text.clone(),
        AssistantPart::Thinking { .. } => "(thinking)".to_owned(),
        AssistantPart::Call { name, arguments, .. } => format!("→ {name} {arguments}"),
    }
}

fn outcome(result: &ToolResult) -> String {
    let size = screen::counted(result.text.len(), "byte");
    match (&result.error, result.status) {
        (Some(error), _) => format!("{}: {}", error.code, error.message),
        (None, Status::Success) => size,
        (None, Status::Partial) => format!("partial, {size}"),
        (None, Status::Error) => format!("error, {size}"),
        (None, Status::Interrupted) => "interrupted".to_owned(),
    }
}
