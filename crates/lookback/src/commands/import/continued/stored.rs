//! A user or a call of a stored session, and the same of a file, so that the two can be compared.

use lookback_engine::{
    NewPart, as_it_ran,
    trace::{AssistantPart, AssistantTurn, BlobHash, EventBody, Output, Status, ToolResult, TurnNo, UserTurn},
};
use lookback_replay::recording::Item;

/// A user or a call, by what can be compared.
#[derive(Default, Clone)]
pub(super) struct Stored {
    pub(super) parts: Vec<BlobHash>,
    /// None for one that was interrupted: its file may have been read in the middle of it.
    pub(super) results: Vec<Option<BlobHash>>,
    pub(super) calls: Vec<String>,
    pub(super) end: TurnNo,
    pub(super) is_billed: bool,
    /// Something was decided behind it: a fold, a note, a pin.
    pub(super) decided: bool,
}

impl Stored {
    pub(super) fn user(turn: &UserTurn) -> Self {
        Self { parts: vec![said(&turn.text)], end: turn.turn, ..Self::default() }
    }

    pub(super) fn answer(turn: &AssistantTurn) -> Self {
        let calls = turn.parts.iter().filter_map(call_id).collect();
        Self { parts: turn.parts.iter().map(key_of_part).collect(), calls, end: turn.turn, ..Self::default() }
    }

    /// The same of an item that was read.
    pub(super) fn of(item: &Item) -> Self {
        match item {
            Item::User(user) => Self { parts: vec![said(&user.text)], ..Self::default() },
            Item::Call(call) => {
                let (parts, _) = as_it_ran(call.parts.clone(), call.stop, &call.results);
                let results = call.results.iter().map(key_of_result).collect();
                Self {
                    parts: parts.iter().map(key_of_new).collect(),
                    results,
                    is_billed: call.billed.is_some(),
                    ..Self::default()
                }
            }
            Item::Compaction(_) | Item::Rewind { .. } => Self::default(),
        }
    }

    /// An event behind the turn that is not a turn itself.
    pub(super) fn follow(&mut self, body: &EventBody) {
        match body {
            EventBody::ToolResult { turn, index, result } => match self.results.get_mut(*index as usize) {
                None => {
                    self.results.push(key_of_result(result));
                    self.end = *turn;
                }
                // It came when the step was given up.
                Some(known) => *known = known.take().or(key_of_result(result)),
            },
            EventBody::Usage(_) => self.is_billed = true,
            EventBody::Fold(_)
            | EventBody::Settle(_)
            | EventBody::Archive(_)
            | EventBody::StateDelta(_)
            | EventBody::NoteShown { .. }
            | EventBody::Unfold(_)
            | EventBody::Pinned(_)
            | EventBody::Unpinned { .. }
            | EventBody::LayoutChanged(_) => self.decided = true,
            _ => {}
        }
    }

    /// Whether the other one is this one as it ended.
    pub(super) fn went_on_as(&self, read: &Self) -> bool {
        let same = |(known, read): (&Option<BlobHash>, &Option<BlobHash>)| known.is_none() || known == read;
        read.parts.starts_with(&self.parts)
            && read.results.len() >= self.results.len()
            && self.results.iter().zip(&read.results).all(same)
    }

    /// Whether the two together are one that was read: its end was put behind what was decided in the meantime.
    pub(super) fn is_followed_by(&self, rest: &Self, read: &Self) -> bool {
        let of = |parts: &[BlobHash]| read.parts[self.parts.len()..] == *parts;
        of(&rest.parts) && read.results.get(self.results.len()..) == Some(&rest.results)
    }
}

/// Whether an import records such events; others come of what was done to the session since.
pub(super) fn is_of_import(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::SessionStarted(_)
            | EventBody::RolledBack { .. }
            | EventBody::UserTurn(_)
            | EventBody::AssistantTurn(_)
            | EventBody::CallStarted { .. }
            | EventBody::CallEnded { .. }
            | EventBody::CallInterrupted { .. }
            | EventBody::Usage(_)
            | EventBody::ClientCompacted(_)
            | EventBody::ToolCall { .. }
            | EventBody::ToolResult { .. }
            | EventBody::StepInterrupted { .. }
            | EventBody::StepEnded { .. }
            | EventBody::ModelChanged { .. }
            | EventBody::FileObserved(_)
            | EventBody::FileChanged(_)
            | EventBody::Todo { .. }
    )
}

fn said(text: &str) -> BlobHash {
    BlobHash::of(text.as_bytes())
}

fn key(kind: &str, texts: [&str; 2]) -> BlobHash {
    BlobHash::of([kind, texts[0], texts[1]].join("\0").as_bytes())
}

fn key_of_part(part: &AssistantPart) -> BlobHash {
    match part {
        AssistantPart::Text { text, .. } => key("text", [text, ""]),
        AssistantPart::Thinking { text, .. } => key("thinking", [text, ""]),
        AssistantPart::Call { name, arguments, .. } => key("call", [name, arguments]),
        AssistantPart::Unknown { .. } => key("unknown", ["", ""]),
    }
}

fn key_of_new(part: &NewPart) -> BlobHash {
    match part {
        NewPart::Text(text) => key("text", [text, ""]),
        NewPart::Thinking { text, .. } => key("thinking", [text, ""]),
        NewPart::Call { name, arguments, .. } | NewPart::UnfinishedCall { name, arguments, .. } => {
            key("call", [name, arguments])
        }
        NewPart::Native { .. } => key("unknown", ["", ""]),
    }
}

fn key_of_result(result: &ToolResult) -> Option<BlobHash> {
    (result.status != Status::Interrupted).then(|| match &result.text {
        Output::Inline(bytes) => BlobHash::of(bytes),
        Output::Blob { hash, .. } => *hash,
        Output::Beyond(ends) => ends.hash,
    })
}

fn call_id(part: &AssistantPart) -> Option<String> {
    match part {
        AssistantPart::Call { id, unfinished: false, .. } => Some(id.clone()),
        _ => None,
    }
}
