//! Everything that happened, one line an event.

mod calls;
mod decisions;

use std::io::Write;

use anyhow::Result;
use lookback_engine::trace::{
    AssistantPart, EventBody, SessionId, SessionStarted, Status, ToolResult,
    decision::TurnRange,
    event::{Effect, RestoredFile},
    start::{Decisions, RecordedBy},
};
use lookback_store::{Snapshot, turn_of};

use calls::{describe_interruption, describe_outcome};
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

/// Of the events, those from the first of the turns on to the next turn behind them.
pub(super) fn show(store: &Snapshot, id: &SessionId, turns: Option<TurnRange>) -> Result<()> {
    let mut out = screen::screen();
    let names = Names::of(&store.sessions()?);
    let heading = ["event", "time", "what", ""].map(str::to_owned).to_vec();
    let events = store.events(id)?;
    let sizes = TurnSizes::of(&events);
    let last = events.iter().filter_map(|event| turn_of(&event.event)).max();
    super::expect_turns(turns, last.map_or(0, |last| last.0 + 1))?;
    let mut now = None;
    let shown = events.iter().filter(|event| {
        now = turn_of(&event.event).or(now);
        turns.is_none_or(|turns| now.is_some_and(|now| (turns.first..=turns.last).contains(&now)))
    });
    let rows = shown.map(|event| {
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
            let window = screen::exact(u64::from(start.window));
            format!("{} · {}{} · window {window}", start.provider, start.model, describe_recorder(start))
        }
        EventBody::Forked { parent, turn, .. } => format!("from {} at turn#{turn}", names.short(parent)),
        EventBody::RolledBack { turn, files, .. } => format!("to turn#{turn}{}", describe_files(files)),
        EventBody::ChildStarted(child) => {
            format!(
                "sub#{} is {}, for turn#{} call {}",
                child.number,
                names.short(&child.session),
                child.turn,
                child.index
            )
        }
        EventBody::UserTurn(turn) => format!("turn#{} {}", turn.turn, turn.text),
        EventBody::AssistantTurn(turn) => {
            let parts = turn.parts.iter().map(describe_part).collect::<Vec<_>>().join(" ");
            format!("turn#{} {parts}", turn.turn)
        }
        EventBody::CallStarted { call, input_tokens, rents, cold, details } => {
            calls::describe_start(*call, *input_tokens, rents.as_deref(), cold.as_deref(), details.as_deref())
        }
        EventBody::CallEnded { call } => format!("call {call}"),
        EventBody::CallInterrupted { call, reason } => format!("call {call}: {}", describe_interruption(reason)),
        EventBody::Usage(usage) => calls::describe_usage(usage),
        EventBody::ClientCompacted(compacted) => calls::describe_compacted(compacted),
        EventBody::TextRefused(refused) => calls::describe_refused(refused),
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
        EventBody::Stub(stub) => decisions::describe_stub(stub),
        EventBody::Archive(archive) => decisions::describe_archive(archive, sizes),
        EventBody::FileObserved(seen) => {
            format!("{} from L{}, {}", seen.path, seen.first_line, screen::counted(u64::from(seen.line_count), "line"))
        }
        EventBody::FileChanged(changed) => changed.path.clone(),
        EventBody::SnapshotTaken(taken) => {
            let gaps = screen::counted(taken.left_out.len() as u64, "file");
            let gaps = if taken.left_out.is_empty() { String::new() } else { format!(", without {gaps}") };
            format!("{} before turn#{}{gaps}", taken.number, taken.turn)
        }
        EventBody::SnapshotUndone(undone) => format!("{}{}", undone.number, describe_files(&undone.files)),
        EventBody::JobStarted(job) => {
            format!("job {}, turn#{} call {}: {}", job.number, job.turn, job.index, job.command)
        }
        EventBody::JobEnded(job) => {
            let code = job.exit_code.map_or("killed".to_owned(), |code| format!("exit {code}"));
            format!("job {}: {code}, {}", job.number, screen::counted(job.output.len(), "byte"))
        }
        EventBody::Pinned(pin) => format!("{}, {}", pin.pointer, screen::counted(u64::from(pin.tokens), "token")),
        EventBody::Unpinned { pointer } => pointer.to_string(),
        EventBody::Todo { items } => screen::counted(items.len() as u64, "item"),
        EventBody::NoteShown { content, .. } => content.text.clone(),
        EventBody::GateAsked(gate) => {
            let recommended = gate.recommendation.as_ref().map(|option| format!(" · recommended: {option}"));
            let outcome = gate.outcome.as_ref().map(|outcome| format!(" · {}", describe_outcome(outcome)));
            let more = [recommended, outcome].into_iter().flatten().collect::<String>();
            format!("gate#{}: {}{more}", gate.number, gate.question)
        }
        EventBody::GateDecided(gate) => format!("gate#{}: {}", gate.number, describe_outcome(&gate.outcome)),
        EventBody::PermissionAsked(asked) => format!("{}: {} · {}", asked.number, asked.what, asked.reason),
        EventBody::PermissionDecided(decided) => calls::describe_permission(decided),
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

fn describe_recorder(start: &SessionStarted) -> String {
    let by = match &start.recorded_by {
        RecordedBy::Unsaid | RecordedBy::Agent => String::new(),
        RecordedBy::Importer { format } => format!(" · imported from {format}"),
        RecordedBy::Gateway { client, upstream, .. } => format!(" · {client} through the gateway to {upstream}"),
    };
    match start.decisions {
        Decisions::Own => by,
        Decisions::Checked => by + " · its decisions were checked here",
        Decisions::Unchecked => by + " · its decisions were not checked: to be looked at, not continued",
    }
}

fn describe_files(files: &[RestoredFile]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(", put back: {}", names.join(", ")) }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One of every kind, as the engine's own test keeps them.
    const EVENTS: &str = include_str!("../../../../engine/src/trace/tests/events.jsonl");

    #[test]
    fn every_event_has_its_line() {
        let (names, sizes) = (Names::of(&[]), TurnSizes::of(&[]));
        let lines = EVENTS.lines().map(|line| {
            let event: EventBody = serde_json::from_str(line).expect("an event");
            format!("{}: {}", event.name().replace('_', " "), describe(&event, &names, &sizes))
        });
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
    }
}
