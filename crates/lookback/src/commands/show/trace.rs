//! Everything that happened, one line an event.

mod decisions;

use std::io::Write;

use anyhow::Result;
use lookback_engine::{
    Miss,
    trace::{
        AssistantPart, EventBody, SessionId, Status, ToolResult,
        event::{Cold, CompactorCall, CompactorPurpose, Effect, Interruption, Rents},
    },
};
use lookback_store::Snapshot;

use decisions::TurnSizes;

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
    let sizes = TurnSizes::of(&events);
    let rows = events.iter().map(|event| {
        vec![
            event.seq.to_string(),
            screen::time(event.at),
            event.event.name().replace('_', " "),
            describe(&event.event, &names, &sizes),
        ]
    });
    screen::write_table(&mut out, &std::iter::once(heading).chain(rows).collect::<Vec<_>>(), &[0], screen::columns())?;
    Ok(out.flush()?)
}

fn describe(event: &EventBody, names: &Names, sizes: &TurnSizes) -> String {
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
        EventBody::CallStarted { call, input_tokens, rents, cold } => {
            let size = screen::counted(u64::from(*input_tokens), "token");
            format!("call {call}, {size}{}{}", describe_cold(cold), describe_rents(rents.as_deref()))
        }
        EventBody::CallEnded { call } => format!("call {call}"),
        EventBody::CallInterrupted { call, reason } => format!("call {call}: {}", describe_interruption(reason)),
        EventBody::Usage(usage) => format!(
            "call {}: {} cached, {} written, {} uncached, {} out",
            usage.call, usage.cached, usage.written, usage.uncached, usage.output
        ),
        EventBody::CompactorCalled(call) => describe_compactor_call(call),
        EventBody::ToolCall { turn, index, kind, cmd } => {
            let number = cmd.map(|number| format!(" cmd#{number}")).unwrap_or_default();
            format!("turn#{turn} call {index}: {kind:?}{number}")
        }
        EventBody::ToolResult { turn, index, result } => format!("turn#{turn} call {index}: {}", outcome(result)),
        EventBody::StepInterrupted { turn, reason } => format!("turn#{turn}: {}", describe_interruption(reason)),
        EventBody::StepEnded { turn, shown } => {
            let cut = shown.iter().filter(|shown| shown.cut.is_some()).count();
            let tokens: u64 = shown.iter().map(|shown| u64::from(shown.tokens)).sum();
            let note = if cut > 0 { format!(", {cut} shown by their ends") } else { String::new() };
            format!("turn#{turn}: {}, {}{note}", results(shown.len()), screen::counted(tokens, "token"))
        }
        EventBody::SpanStarted { span, goal, .. } => format!("{}#{}: {goal}", span.name, span.number),
        EventBody::SpanEnded { span, outcome, .. } => format!("{}#{}: {outcome}", span.name, span.number),
        EventBody::StateDelta(delta) => decisions::describe_delta(delta),
        EventBody::Fold(fold) => decisions::describe_fold(fold, sizes),
        EventBody::Unfold(unfold) => decisions::describe_unfold(unfold),
        EventBody::Settle(settle) => decisions::describe_settle(settle),
        EventBody::Archive(archive) => decisions::describe_archive(archive, sizes),
        EventBody::FileObserved(seen) => {
            format!("{} from L{}, {}", seen.path, seen.first_line, screen::counted(u64::from(seen.line_count), "line"))
        }
        EventBody::FileChanged(changed) => changed.path.clone(),
        EventBody::Todo { items } => screen::counted(items.len() as u64, "item"),
        EventBody::NoteShown { content, .. } => content.text.clone(),
        EventBody::Gate(gate) => format!("gate#{}: {}", gate.number, gate.question),
        EventBody::RulesChanged { rules, effect, .. } => match effect {
            Effect::Now => format!("now: {}", rules.text),
            Effect::Later => format!("at the next archive, cold cache or resume: {}", rules.text),
        },
        EventBody::ModelChanged { model, provider, .. } => format!("{provider} · {model}"),
        EventBody::ConfigurationChanged { configuration } => configuration.to_string(),
        EventBody::LayoutChanged(change) => decisions::describe_layout(change),
        EventBody::ThinkingRefused => "the provider refuses the thinking of earlier steps: it left the view".to_owned(),
        EventBody::HeadChanged(head) => {
            let tools = screen::counted(head.tools.len() as u64, "tool");
            let tokens = u64::from(head.system.tokens) + u64::from(head.tools_tokens);
            format!("{}, {tools}: {}", screen::counted(tokens, "token"), head.system.text)
        }
        EventBody::Error { kind, message } => format!("{kind}: {message}"),
    }
}

fn results(number: usize) -> String {
    screen::counted(number as u64, "result")
}

fn describe_cold(cold: &Option<Cold>) -> String {
    cold.map(|cold| format!(", {}", Miss::Cold(cold))).unwrap_or_default()
}

/// What the call cost because nothing was folded, settled or archived before it.
fn describe_rents(rents: Option<&Rents>) -> String {
    let paid = rents.map_or(0, |rents| (rents.fold + rents.settle + rents.archive) / 1_000);
    if paid > 0 { format!(", rent {}", screen::short(paid)) } else { String::new() }
}

fn describe_interruption(reason: &Interruption) -> String {
    match reason {
        Interruption::Cancelled => "cancelled".to_owned(),
        Interruption::Failed(why) => format!("failed: {why}"),
        Interruption::Killed => "the program died".to_owned(),
    }
}

fn describe_compactor_call(call: &CompactorCall) -> String {
    let what = match call.purpose {
        CompactorPurpose::Block => "a block",
        CompactorPurpose::Summary => "a summary",
    };
    let cost = call.usage.map_or(String::new(), |usage| {
        format!(
            ": {} cached, {} written, {} uncached, {} out",
            usage.cached, usage.written, usage.uncached, usage.output
        )
    });
    let problem = call.problem.as_ref().map_or(String::new(), |problem| format!(" · {problem}"));
    format!("{} was asked for {what}{cost}{problem}", call.model)
}

fn describe_part(part: &AssistantPart) -> String {
    match part {
        AssistantPart::Text { text, .. } => text.clone(),
        AssistantPart::Thinking { .. } => "(thinking)".to_owned(),
        AssistantPart::Call { name, arguments, .. } => format!("→ {name} {arguments}"),
        AssistantPart::Unknown { .. } => "(a part of another kind)".to_owned(),
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
