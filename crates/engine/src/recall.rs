//! Recall: from a pointer back to the bytes of the raw trace.
//!
//! Everything is answered from the trace alone; no file on disk is looked at. Turns that a rollback took out of the view
//! are still there. Only the events that a pointer needs are asked for ([`TraceLookup`]), so that a store can answer
//! without loading a long session. Searching by words is the store's business.

mod file;
pub(crate) mod lookup;
mod rolled_back;

use std::borrow::Cow;

use bytes::Bytes;

pub(crate) use file::observed_lines;
#[doc(hidden)]
pub use lookup::{Mark, MarkKind, TraceLookup, marks_of};
pub(crate) use rolled_back::RolledBack;

use crate::{
    evidence::{
        observed::ObservedLine,
        pointer::{LineRange, Place},
    },
    trace::{
        AsCame, AssistantPart, BlobError, Blobs, Event, EventBody, EventNo, Output, Part, ResultData, Timestamp,
        ToolResult, TurnNo,
        event::{JobEnded, SpanId},
    },
};

/// What stands at a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The turn that it stands in, where that is one.
    pub turn: Option<TurnNo>,
    /// When it was recorded.
    pub at: Timestamp,
    /// What was found, in the order of the trace.
    pub pieces: Vec<Piece>,
}

/// One complete stretch of bytes with what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// For a heading.
    pub label: String,
    /// As they were recorded.
    pub bytes: Bytes,
}

/// Why nothing stands at a pointer, and what does in its neighbourhood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum RecallError {
    #[error("{what} is not in this session: it has {have}")]
    NoSuch { what: String, have: String },
    #[error("cmd#{number} ended with {found}, not with exit={claimed}")]
    OtherExit { number: u32, claimed: i32, found: String },
    #[error("test#{number} has no failure named \"{name}\"; it names {names}")]
    NoSuchFailure { number: u32, name: String, names: String },
    #[error("this session never saw {path}")]
    FileNotSeen { path: String },
    #[error("of {path}, {missing} was not seen since the file last changed unseen, or never")]
    LinesNotSeen { path: String, missing: String },
    #[error("sub#{0} is another session: recall it there")]
    OtherSession(u32),
    #[error("the trace could not be read: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Blob(#[from] BlobError),
}

/// Answers a pointer. `before` is the event that cites it: a bare `file:` means what was seen before that; without it,
/// everything counts.
#[doc(hidden)]
pub fn recall(
    place: &Place,
    before: Option<EventNo>,
    trace: &dyn TraceLookup,
    blobs: &dyn Blobs,
) -> Result<Recalled, RecallError> {
    let recall = Recall { trace, blobs };
    match place {
        Place::Turn(turn) => recall.turn(*turn),
        Place::User(number) => recall.said(&*recall.marked(MarkKind::User, *number)?),
        Place::Cmd { number, exit } => recall.command(*number, *exit),
        Place::Test { number, failed } => recall.test(*number, failed.as_deref()),
        Place::Gate(number) => recall.gate(*number),
        Place::Span(span) => recall.span(span),
        Place::File { path, lines, at } => recall.file(path, *lines, *at, before),
        Place::Sub { number, .. } => Err(RecallError::OtherSession(*number)),
    }
}

/// Those lines of a file that are known as of now, and why older ones are not, where something could not be read.
pub(crate) fn known_lines(
    path: &str,
    trace: &dyn TraceLookup,
    blobs: &dyn Blobs,
) -> (Vec<ObservedLine>, Option<RecallError>) {
    Recall { trace, blobs }.known_lines(path)
}

/// The wanted lines, as far as the sights of the file from `since` on show them all. None: not all of them.
pub(crate) fn lines_since(
    path: &str,
    wanted: LineRange,
    since: EventNo,
    trace: &dyn TraceLookup,
    blobs: &dyn Blobs,
) -> Result<Option<Vec<ObservedLine>>, RecallError> {
    match (Recall { trace, blobs }).lines_since(path, wanted, since) {
        Ok(lines) => Ok(Some(lines)),
        Err(RecallError::LinesNotSeen { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

struct Recall<'a> {
    trace: &'a dyn TraceLookup,
    blobs: &'a dyn Blobs,
}

impl Recall<'_> {
    /// The one event with this number, or an error that says how many there are.
    fn marked(&self, kind: MarkKind, number: u32) -> Result<Cow<'_, Event>, RecallError> {
        let first = self.trace.marked(Mark { kind, number })?.first().copied();
        self.trace.event(first.ok_or_else(|| self.no_such(kind, number))?)
    }

    fn events(&self, kind: MarkKind, number: u32) -> Result<Vec<Cow<'_, Event>>, RecallError> {
        self.trace.marked(Mark { kind, number })?.into_iter().map(|event| self.trace.event(event)).collect()
    }

    fn no_such(&self, kind: MarkKind, number: u32) -> RecallError {
        let count = match self.trace.count(kind) {
            Ok(count) => count,
            Err(error) => return error,
        };
        let (word, noun) = kind.words();
        let plural = if count == 1 { "" } else { "s" };
        RecallError::NoSuch { what: format!("{word}#{number}"), have: format!("{count} {noun}{plural}") }
    }

    fn turn(&self, turn: TurnNo) -> Result<Recalled, RecallError> {
        if let Some(event) = self.events(MarkKind::Turn, turn.0)?.first() {
            return self.said(event);
        }
        let mut results = self.events(MarkKind::Result, turn.0)?;
        let Some(at) = results.last().map(|event| event.at) else {
            return Err(self.no_such(MarkKind::Turn, turn.0));
        };
        results.sort_by_key(|event| (result_of(event).map(|(index, _)| index), event.seq));
        let labels = Labels::new(self, turn)?;
        let mut pieces = Vec::new();
        let mut previous = None;
        for (index, result) in results.iter().filter_map(|event| result_of(event)) {
            let label = labels.of(index, previous == Some(index));
            previous = Some(index);
            pieces.extend(complete_pieces(&label, result, self.blobs)?);
        }
        Ok(Recalled { turn: Some(turn), at, pieces })
    }

    /// Everything that a user or assistant turn said, shown or not.
    fn said(&self, event: &Event) -> Result<Recalled, RecallError> {
        let piece = |label: String, text: &str| Piece { label, bytes: Bytes::copy_from_slice(text.as_bytes()) };
        let (turn, pieces) = match &event.event {
            EventBody::UserTurn(user) => {
                let mut pieces = vec![piece("user".into(), &user.text)];
                pieces.extend(beside_text(user.as_came.as_deref(), self.blobs)?);
                (Some(user.turn), pieces)
            }
            EventBody::AssistantTurn(assistant) => {
                let raw = |place: usize| {
                    let native = assistant.native.iter().find(|native| native.part as usize == place);
                    native.map_or("", |native| native.raw.as_str())
                };
                let part = |(place, part): (usize, &AssistantPart)| match part {
                    AssistantPart::Text { text, .. } => piece("assistant".into(), text),
                    AssistantPart::Thinking { text, .. } => piece("thinking".into(), text),
                    AssistantPart::Call { name, arguments, .. } => piece(format!("call {name}"), arguments),
                    AssistantPart::Unknown { .. } => piece("unknown".into(), raw(place)),
                };
                (Some(assistant.turn), assistant.parts.iter().enumerate().map(part).collect())
            }
            _ => (None, Vec::new()),
        };
        Ok(Recalled { turn, at: event.at, pieces })
    }

    fn command(&self, number: u32, exit: Option<i32>) -> Result<Recalled, RecallError> {
        let started = self.marked(MarkKind::Command, number)?;
        let EventBody::ToolCall { turn, index, .. } = started.event else {
            return Err(RecallError::Unreadable(format!("event {} is not the start of cmd#{number}", started.seq)));
        };
        let results = self.events(MarkKind::Result, turn.0)?;
        let mut results = results.iter().filter_map(|event| Some((event, result_of(event)?)));
        let Some((event, (_, result))) = results.find(|(_, (place, _))| *place == index) else {
            return Err(RecallError::NoSuch { what: format!("a result of cmd#{number}"), have: "none yet".into() });
        };
        let job = self.ended_job(turn, index)?;
        if let Some(claimed) = exit {
            match &job {
                Some(job) if job.exit_code == Some(claimed) => {}
                _ => check_exit(number, claimed, result)?,
            }
        }
        let mut pieces = vec![self.command_line(number, turn, index, result)?];
        pieces.extend(complete_pieces(&format!("cmd#{number}"), result, self.blobs)?);
        if let Some(job) = job {
            let code = job.exit_code.map_or("by force".to_owned(), |code| format!("exit={code}"));
            let label = format!("cmd#{number} ended in the background as job-{}, {code}", job.number);
            pieces.push(Piece { label, bytes: job.output.bytes(self.blobs)? });
        }
        Ok(Recalled { turn: Some(turn), at: event.at, pieces })
    }

    /// The end of what a call left running in the background.
    fn ended_job(&self, turn: TurnNo, index: u32) -> Result<Option<JobEnded>, RecallError> {
        let started = self.events(MarkKind::JobStart, turn.0)?;
        let number = started.iter().find_map(|event| match &event.event {
            EventBody::JobStarted(job) if job.index == index => Some(job.number),
            _ => None,
        });
        let ended = number.map(|number| self.events(MarkKind::JobEnd, number)).transpose()?.unwrap_or_default();
        Ok(ended.into_iter().find_map(|event| match event.into_owned().event {
            EventBody::JobEnded(job) => Some(*job),
            _ => None,
        }))
    }

    /// What was run; of a command that never came back, what the model asked for.
    fn command_line(&self, number: u32, turn: TurnNo, index: u32, result: &ToolResult) -> Result<Piece, RecallError> {
        let text = match &result.data {
            ResultData::Run(run) => format!("$ {}\n{}\n", run.command, exit_text(result)),
            _ => format!("{}\n{}\n", Labels::new(self, turn)?.arguments(index), exit_text(result)),
        };
        Ok(Piece { label: format!("cmd#{number} command"), bytes: text.into() })
    }

    fn test(&self, number: u32, failed: Option<&str>) -> Result<Recalled, RecallError> {
        let ended = self.marked(MarkKind::Test, number)?;
        let unreadable = || RecallError::Unreadable(format!("test#{number} has no command"));
        let EventBody::StepEnded { turn, shown } = &ended.event else { return Err(unreadable()) };
        let index = shown.iter().position(|shown| shown.test == Some(number)).ok_or_else(unreadable)? as u32;
        let calls = self.events(MarkKind::Call, turn.0)?;
        let command = calls.iter().rev().find_map(|event| match event.event {
            EventBody::ToolCall { index: place, cmd, .. } if place == index => cmd,
            _ => None,
        });
        let recalled = self.command(command.ok_or_else(unreadable)?, None)?;
        let Some(name) = failed else { return Ok(recalled) };
        let results = self.events(MarkKind::Result, turn.0)?;
        let result = results.iter().filter_map(|event| result_of(event)).find(|(place, _)| *place == index);
        let failures: &[String] = match result.map(|(_, result)| &result.data) {
            Some(ResultData::Run(run)) => run.tests.as_ref().map_or(&[], |report| &report.failures),
            _ => &[],
        };
        if failures.iter().any(|failure| failure == name) {
            return Ok(recalled);
        }
        let names = if failures.is_empty() { "none".to_owned() } else { failures.join(", ") };
        Err(RecallError::NoSuchFailure { number, name: name.to_owned(), names })
    }

    fn gate(&self, number: u32) -> Result<Recalled, RecallError> {
        let event = self.marked(MarkKind::Gate, number)?;
        let EventBody::GateAsked(gate) = &event.event else {
            return Err(RecallError::Unreadable(format!("event {} is not gate#{number}", event.seq)));
        };
        let mut text = format!("{}\n", gate.question);
        gate.options.iter().for_each(|option| text.push_str(&format!("- {option}\n")));
        gate.recommendation.iter().for_each(|option| text.push_str(&format!("recommended: {option}\n")));
        let exchange = self.events(MarkKind::Gate, number)?;
        for (_, outcome) in exchange.iter().filter_map(|event| event.event.gate_outcome()) {
            outcome.answers.iter().for_each(|answer| text.push_str(&format!("{}: {}\n", answer.from, answer.answer)));
            outcome.decision.iter().for_each(|decision| text.push_str(&format!("decided: {decision}\n")));
        }
        let pieces = vec![Piece { label: format!("gate#{number}"), bytes: text.into() }];
        Ok(Recalled { turn: None, at: event.at, pieces })
    }

    /// A span that was never closed goes on to the end of the trace, or to the rollback that took its beginning away.
    fn end_of_open_span(&self, started: &Event) -> Result<EventNo, RecallError> {
        let rolled_back = self.rolled_back(EventNo(u64::MAX))?;
        let lost = rolled_back.dead().iter().find(|dead| dead.contains(&started.seq.0));
        Ok(EventNo(lost.map_or(u64::MAX, |dead| dead.end)))
    }

    fn span(&self, span: &SpanId) -> Result<Recalled, RecallError> {
        let started = self.marked(MarkKind::SpanStart, span.number)?;
        let EventBody::SpanStarted { span: found, goal, turn: first } = &started.event else {
            return Err(RecallError::Unreadable(format!("event {} starts no span", started.seq)));
        };
        if **found != *span {
            let have = format!("{}#{} of that number", found.name, found.number);
            return Err(RecallError::NoSuch { what: format!("span#{}#{}", span.name, span.number), have });
        }
        let mut summary = format!("goal: {goal}\n");
        let mut end = TurnNo(self.trace.turns_before(self.end_of_open_span(&started)?)?);
        if let Some(EventBody::SpanEnded { outcome, turn, .. }) =
            self.events(MarkKind::SpanEnd, span.number)?.first().map(|event| &event.event)
        {
            summary.push_str(&format!("outcome: {outcome}\n"));
            end = *turn;
        }
        let mut pieces = vec![Piece { label: format!("span#{}#{}", span.name, span.number), bytes: summary.into() }];
        for turn in first.0..end.0 {
            let label = |piece: Piece| Piece { label: format!("turn#{turn} {}", piece.label), ..piece };
            match self.turn(TurnNo(turn)) {
                Ok(recalled) => pieces.extend(recalled.pieces.into_iter().map(label)),
                // The newest step still waits for its results: a span may be asked for from inside of one.
                Err(RecallError::NoSuch { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Recalled { turn: Some(*first), at: started.at, pieces })
    }
}

/// What the results of a step are called.
struct Labels {
    calls: Vec<(String, String)>,
    commands: Vec<(u32, u32)>,
}

impl Labels {
    fn new(recall: &Recall<'_>, turn: TurnNo) -> Result<Self, RecallError> {
        let asked = recall.events(MarkKind::Turn, turn.0.saturating_sub(1))?;
        let calls = match asked.first().map(|event| &event.event) {
            Some(EventBody::AssistantTurn(assistant)) => assistant.parts.iter().filter_map(finished_call).collect(),
            _ => Vec::new(),
        };
        let started = recall.events(MarkKind::Call, turn.0)?;
        let commands = started.iter().filter_map(|event| match event.event {
            EventBody::ToolCall { index, cmd: Some(number), .. } => Some((index, number)),
            _ => None,
        });
        Ok(Self { calls, commands: commands.collect() })
    }

    fn of(&self, index: u32, late: bool) -> String {
        let command = self.commands.iter().rev().find(|(place, _)| *place == index);
        let id = self.calls.get(index as usize).map_or("", |(id, _)| id);
        let label = match command {
            Some((_, number)) => format!("cmd#{number}"),
            None => format!("result of {id}"),
        };
        if late { format!("{label}, after it was given up") } else { label }
    }

    fn arguments(&self, index: u32) -> &str {
        self.calls.get(index as usize).map_or("", |(_, arguments)| arguments)
    }
}

fn finished_call(part: &AssistantPart) -> Option<(String, String)> {
    match part {
        AssistantPart::Call { id, arguments, unfinished: false, .. } => Some((id.clone(), arguments.clone())),
        _ => None,
    }
}

fn result_of(event: &Event) -> Option<(u32, &ToolResult)> {
    match &event.event {
        EventBody::ToolResult { index, result, .. } => Some((*index, result)),
        _ => None,
    }
}

/// The parts of a turn or a result that are no text.
fn beside_text(as_came: Option<&AsCame>, blobs: &dyn Blobs) -> Result<Vec<Piece>, BlobError> {
    let parts = as_came.map_or(&[][..], |as_came| &as_came.parts).iter().filter_map(|part| match part {
        Part::Text { .. } => None,
        Part::Image(image) => Some(image.bytes.bytes(blobs).map(|bytes| (image.media_type.clone(), bytes))),
        Part::Named(named) => Some(Ok((named.name.clone(), named.raw.clone().into()))),
    });
    parts.map(|part| part.map(|(label, bytes)| Piece { label, bytes })).collect()
}

/// All that a result holds, whatever the view shows of it.
fn complete_pieces(label: &str, result: &ToolResult, blobs: &dyn Blobs) -> Result<Vec<Piece>, BlobError> {
    // Of an output that is too large for its result a tool may have left more in the store than both ends.
    let more = result.as_came.as_ref().and_then(|as_came| as_came.raw.as_ref());
    let text = more.filter(|_| matches!(result.text, Output::Beyond(_))).unwrap_or(&result.text);
    let mut pieces = vec![Piece { label: label.to_owned(), bytes: text.bytes(blobs)? }];
    pieces.extend(beside_text(result.as_came.as_deref(), blobs)?);
    let mut add = |what: String, bytes: Bytes| pieces.push(Piece { label: what, bytes });
    if let Some(error) = &result.error {
        add(format!("{label} error"), format!("{}: {}", error.code, error.message).into());
    }
    match &result.data {
        ResultData::Write(write) => add(format!("wrote {}", write.path), write.content.bytes(blobs)?),
        data @ (ResultData::Edit(_) | ResultData::Patch(_)) => {
            for edit in data.edits() {
                let lines = edit.hunks.iter().flat_map(|hunk| {
                    let removed = hunk.removed.iter().map(|line| format!("-{line}\n"));
                    let added = hunk.added.iter().map(|line| format!("+{line}\n"));
                    std::iter::once(format!("@ L{}\n", hunk.first_line)).chain(removed).chain(added)
                });
                add(format!("edited {}", edit.path), lines.collect::<String>().into());
            }
        }
        ResultData::Search(search) => {
            let lines = search.matches.iter().map(|found| format!("{}:{}:{}\n", found.path, found.line, found.text));
            add(format!("matches of {}", search.pattern), lines.collect::<String>().into());
        }
        ResultData::Run(run) if !run.stderr_tail.is_empty() => {
            add(format!("{label} end of standard error"), run.stderr_tail.clone().into());
        }
        _ => {}
    }
    Ok(pieces)
}

fn exit_text(result: &ToolResult) -> String {
    match &result.data {
        ResultData::Run(run) => match run.exit_code {
            Some(code) => format!("exit={code}"),
            None if run.timed_out => "a time-out".into(),
            None => "no exit code".into(),
        },
        _ => "no result".into(),
    }
}

fn check_exit(number: u32, claimed: i32, result: &ToolResult) -> Result<(), RecallError> {
    match &result.data {
        ResultData::Run(run) if run.exit_code == Some(claimed) => Ok(()),
        _ => Err(RecallError::OtherExit { number, claimed, found: exit_text(result) }),
    }
}
