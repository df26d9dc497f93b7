//! Lookback's own traces, one event a line, as `lookback show ID --trace --json` writes them.
//!
//! Turns, results, bills and rollbacks are taken. What the engine decided (folds, settles, archives, notes, the board) is
//! not: every strategy sees the whole conversation and decides for itself. Of what made the prompt another one only that
//! it did is said: the bills before and behind it are not of one growing prompt.

use std::collections::BTreeMap;

use lookback_engine::{
    NewPart,
    trace::{
        AssistantPart, AssistantTurn, BlobError, Blobs, CallNo, Event, EventBody, NoBlobs, Output, ResultData,
        Timestamp, ToolResult, TurnNo,
        event::{CallKind, Usage},
        start::{EVENT_SCHEMA, RecordedBy},
        upgrade::TraceReader,
    },
};
use lookback_wire::TokenUsage;

use super::{LineImporter, Sink, bounds::check_event, open_call::OpenCall};
use crate::recording::{About, Billed, Compaction, CompactionKind, Format, Item, Skipped, UserItem};

#[derive(Debug, Default)]
pub(super) struct LookbackImporter {
    reader: TraceReader,
    next: u64,
    about: About,
    /// Of the calls that follow.
    model: Option<String>,
    open: Option<Open>,
    /// When the call under way was sent.
    sent: Option<(CallNo, Timestamp)>,
    /// A bill that came before its answer.
    early: Option<Usage>,
    /// The prompt was made another one since the last call that was told.
    shortened: Option<Compaction>,
    items: usize,
    leaf: Option<usize>,
    item_of: BTreeMap<TurnNo, usize>,
}

#[derive(Debug)]
struct Open {
    call: CallNo,
    answer: OpenCall,
    item: usize,
}

impl LookbackImporter {
    fn event(&mut self, number: u64, event: Event, blobs: &dyn Blobs, sink: &mut dyn Sink) {
        let Event { at, event, .. } = event;
        let read = match event {
            EventBody::SessionStarted(started) => {
                self.about.session = Some(started.session.0);
                self.about.imported_from = match &started.recorded_by {
                    RecordedBy::Importer { format } => Format::named(format),
                    _ => None,
                };
                self.about.cwd = Some(started.root).filter(|root| !root.is_empty());
                self.about.system = Some(started.system.text).filter(|system| !system.is_empty());
                self.model = Some(started.model).filter(|model| !model.is_empty());
                let newer = started.schema > EVENT_SCHEMA;
                let reason = || {
                    format!("written by a newer Lookback (events of form {}, known is {EVENT_SCHEMA})", started.schema)
                };
                if newer { Err(reason()) } else { Ok(()) }
            }
            EventBody::Forked { session, turn, .. } => {
                self.about.session = Some(session.0);
                self.go_back(turn, sink)
            }
            EventBody::RolledBack { turn, .. } => self.go_back(turn, sink),
            EventBody::ModelChanged { model, .. } => {
                self.model = Some(model.into());
                Ok(())
            }
            EventBody::UserTurn(user) => {
                self.flush(sink);
                self.count(user.turn);
                sink.item(Item::User(UserItem { text: user.text, origin: user.origin, at: Some(at) }));
                Ok(())
            }
            EventBody::CallStarted { details: Some(details), .. } if details.kind == CallKind::ClientCompaction => {
                let billed = details.over.and_then(|over| over.usage);
                self.compacted(CompactionKind::Head, billed, at, sink);
                Ok(())
            }
            EventBody::CallStarted { call, .. } => {
                self.sent = Some((call, at));
                Ok(())
            }
            EventBody::AssistantTurn(turn) => {
                self.answer(*turn, at, sink);
                Ok(())
            }
            EventBody::Usage(usage) => {
                self.usage(usage);
                Ok(())
            }
            EventBody::ToolResult { turn, index, result } => self.result(turn, index, *result, blobs),
            EventBody::ClientCompacted(compacted) => {
                self.compacted(compacted.kind, compacted.billed, at, sink);
                Ok(())
            }
            EventBody::Fold(_) | EventBody::Unfold(_) | EventBody::Archive(_) => {
                self.shortened = Some(Compaction { kind: CompactionKind::Head, at: Some(at), billed: None });
                Ok(())
            }
            EventBody::Settle(_) | EventBody::Stub(_) => {
                self.shortened = Some(Compaction { kind: CompactionKind::Results, at: Some(at), billed: None });
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(reason) = read {
            sink.skipped(Skipped { line: number, reason });
        }
    }

    /// The client made its own prompt shorter.
    fn compacted(&mut self, kind: CompactionKind, billed: Option<TokenUsage>, at: Timestamp, sink: &mut dyn Sink) {
        self.flush(sink);
        sink.item(Item::Compaction(Compaction { kind, at: Some(at), billed: billed.map(Billed::from) }));
    }

    fn answer(&mut self, turn: AssistantTurn, at: Timestamp, sink: &mut dyn Sink) {
        self.flush(sink);
        self.count(turn.turn);
        let parts = turn.parts.into_iter().filter_map(new_part).collect();
        let sent = self.sent.take().filter(|(call, _)| *call == turn.call).map_or(at, |(_, sent)| sent);
        self.about.see_model(self.model.as_deref());
        let mut answer = OpenCall::new(parts, Some(sent), self.model.clone());
        answer.item.stop = turn.stop;
        answer.item.billed = self.early.take().filter(|usage| usage.call == turn.call).map(|usage| usage.billed.into());
        self.open = Some(Open { call: turn.call, answer, item: self.items - 1 });
    }

    /// It comes before the answer or behind it; that of a call without an answer belongs to nothing.
    fn usage(&mut self, usage: Usage) {
        match &mut self.open {
            Some(open) if open.call == usage.call => open.answer.item.billed = Some(usage.billed.into()),
            _ => self.early = Some(usage),
        }
    }

    fn result(&mut self, turn: TurnNo, index: u32, mut result: ToolResult, blobs: &dyn Blobs) -> Result<(), String> {
        let open = self.open.as_mut().ok_or("a result before any call")?;
        let item = *self.item_of.entry(turn).or_insert(open.item);
        let missing = bring_in(&mut result, blobs).err().map(|error| error.to_string());
        // A result that comes after its step was given up is seen by nobody.
        let call = open.answer.calls().get_mut(index as usize);
        if let Some(call) = call.filter(|call| item == open.item && call.result.is_none()) {
            call.result = Some(result);
        }
        missing.map_or(Ok(()), Err)
    }

    fn go_back(&mut self, turn: TurnNo, sink: &mut dyn Sink) -> Result<(), String> {
        let target =
            *self.item_of.get(&turn).ok_or_else(|| format!("goes back to turn {turn}, which is not in the file"))?;
        if self.leaf != Some(target) {
            self.flush(sink);
            sink.item(Item::Rewind { last: Some(target) });
            self.leaf = Some(target);
        }
        Ok(())
    }

    fn count(&mut self, turn: TurnNo) {
        self.item_of.insert(turn, self.items);
        self.leaf = Some(self.items);
        self.items += 1;
    }
}

impl LineImporter for LookbackImporter {
    fn check(&self, line: &[u8]) -> Result<(), String> {
        check_event(line)
    }

    fn read(&mut self, number: u64, line: &[u8], sink: &mut dyn Sink) -> Result<(), String> {
        let event = self.reader.event(line).map_err(|error| error.to_string())?;
        if event.at.0 < 0 {
            return Err("an event from before 1970".to_owned());
        }
        let expected = std::mem::replace(&mut self.next, event.seq.0.saturating_add(1));
        if event.seq.0 != expected {
            return Err(format!("event {} stands where event {expected} belongs", event.seq));
        }
        self.event(number, event, &NoBlobs, sink);
        Ok(())
    }

    fn flush(&mut self, sink: &mut dyn Sink) {
        if let Some(Open { answer, .. }) = self.open.take() {
            sink.item(answer.close());
        }
        if let Some(shortened) = self.shortened.take() {
            sink.item(Item::Compaction(shortened));
        }
    }

    fn about(&self) -> &About {
        &self.about
    }
}

/// A part that only its provider can read has nothing to measure.
fn new_part(part: AssistantPart) -> Option<NewPart> {
    Some(match part {
        AssistantPart::Text { text, .. } => NewPart::Text(text),
        AssistantPart::Thinking { text, seal, .. } => NewPart::Thinking { text, seal },
        AssistantPart::Call { id, name, arguments, unfinished: true, .. } => {
            NewPart::UnfinishedCall { id, name, arguments }
        }
        AssistantPart::Call { id, name, arguments, .. } => NewPart::Call { id, name, arguments },
        AssistantPart::Unknown { .. } => return None,
    })
}

/// Outputs that a store took out of the trace stand in the result again.
fn bring_in(result: &mut ToolResult, blobs: &dyn Blobs) -> Result<(), BlobError> {
    let ToolResult { text, data, .. } = result;
    let content = if let ResultData::Write(write) = data { Some(&mut write.content) } else { None };
    for output in std::iter::once(text).chain(content) {
        if let Output::Blob { hash, .. } = output {
            *output = Output::new(blobs.blob(hash)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
