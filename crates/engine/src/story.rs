//! What tests of the written texts tell their stories with: a session whose clock goes on by a minute with each event
//! that a test records.

use serde_json::Value;

use crate::{
    context::Context,
    recorder::{NewPart, SessionSetup},
    session::Session,
    trace::{
        Event, EventBody, EventNo, NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, TurnNo,
        decision::{Fold, Reach, TurnRange},
        result::{EditData, Hunk, LineForm, ReadData, RunData, TodoItem, TodoState},
        start::Counted,
    },
};

pub(crate) fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

pub(crate) struct Story {
    pub(crate) session: Session,
    now: i64,
}

impl Story {
    pub(crate) fn new() -> Self {
        Self::with_window(200_000)
    }

    /// In a folder whose place is known.
    pub(crate) fn in_root(root: &str) -> Self {
        Self::with(|setup| SessionSetup { root: root.into(), ..setup })
    }

    pub(crate) fn with_window(window: u32) -> Self {
        Self::with(|setup| SessionSetup { window, ..setup })
    }

    fn with(change: impl FnOnce(SessionSetup) -> SessionSetup) -> Self {
        // 2026-11-15 09:30 UTC.
        let now = 1_794_735_000_000;
        let context = Context { now: Timestamp(now), count: &count, blobs: &NoBlobs };
        let setup = change(SessionSetup::new(SessionId("story0000000".into())));
        Self { session: Session::start(setup, &context).expect("it starts"), now }
    }

    /// Goes on to the next minute.
    pub(crate) fn tell<T>(&mut self, what: impl FnOnce(&mut Session, &Context<'_>) -> T) -> T {
        self.now += 60_000;
        what(&mut self.session, &Context { now: Timestamp(self.now), count: &count, blobs: &NoBlobs })
    }

    pub(crate) fn user(&mut self, text: &str) -> TurnNo {
        self.tell(|session, now| session.user_turn(text, Origin::Person, now).expect("idle"))
    }

    /// Typed while a round runs.
    pub(crate) fn queued(&mut self, text: &str) -> TurnNo {
        self.tell(|session, now| session.user_turn(text, Origin::Queued, now).expect("a whole step"))
    }

    pub(crate) fn machine(&mut self, text: &str) -> TurnNo {
        self.tell(|session, now| session.user_turn(text, Origin::Machine, now).expect("idle"))
    }

    pub(crate) fn answer(&mut self, text: &str) -> TurnNo {
        self.says(text, Stop::End)
    }

    pub(crate) fn says(&mut self, text: &str, stop: Stop) -> TurnNo {
        self.tell(|session, now| {
            session.start_call(now).expect("a call");
            let thinking = NewPart::Thinking { text: "SECRET THOUGHT".into(), seal: lookback_wire::Seal::None };
            session.assistant_turn(vec![thinking, NewPart::Text(text.into())], stop, now).expect("an answer").turn
        })
    }

    /// A step with one call; gives the turn of its result.
    pub(crate) fn step(&mut self, said: &str, tool: &str, arguments: Value, result: ToolResult) -> TurnNo {
        self.tell(|session, now| {
            session.start_call(now).expect("a call");
            let id = format!("call{}", session.turns());
            let call = NewPart::Call { id: id.clone(), name: tool.into(), arguments: arguments.to_string() };
            let said = (!said.is_empty()).then(|| NewPart::Text(said.into()));
            let turn =
                session.assistant_turn(said.into_iter().chain([call]).collect(), Stop::End, now).expect("a turn");
            session.tool_result(&id, result, now).expect("it waits");
            TurnNo(turn.turn.0 + 1)
        })
    }

    /// An event that no recording method writes yet, put behind the others.
    pub(crate) fn push(&mut self, event: EventBody) -> EventNo {
        let seq = self.session.next_event();
        let mut events = self.session.trace().to_vec();
        events.push(Event { seq, at: Timestamp(self.now), event });
        self.session = Session::replay(events, &NoBlobs).expect("it fits");
        seq
    }

    /// A fold of these turns into block `block`.
    pub(crate) fn fold(&mut self, block: u32, range: TurnRange) -> EventNo {
        let content = Counted { text: format!("COMPRESSED_TURNS v{block}"), tokens: 5 };
        self.push(EventBody::Fold(Box::new(Fold { reach: Reach::Alone, ..Fold::bare(block, range, content) })))
    }
}

pub(crate) fn range(first: u32, last: u32) -> TurnRange {
    TurnRange { first: TurnNo(first), last: TurnNo(last) }
}

pub(crate) fn run(command: &str, exit: i32, output: &str) -> ToolResult {
    let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
    ToolResult::success(output, ResultData::Run(data))
}

/// Lines of a file, from `first` on.
pub(crate) fn read(path: &str, first: u32, lines: &[&str]) -> ToolResult {
    let text: String = (first..).zip(lines).map(|(number, line)| format!("{number:>5}→{line}\n")).collect();
    let data = ReadData {
        path: path.into(),
        first_line: first,
        line_count: lines.len() as u32,
        total_lines: None,
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    ToolResult::success(text, ResultData::Read(data))
}

pub(crate) fn edit(path: &str, first_line: u32, removed: &[&str], added: &[&str]) -> ToolResult {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let hunk = Hunk { first_line, removed: owned(removed), added: owned(added) };
    ToolResult::success("edited", ResultData::Edit(EditData { path: path.into(), hunks: vec![hunk] }))
}

pub(crate) fn todo(items: &[(&str, TodoState)]) -> ToolResult {
    let items = items.iter().map(|(text, state)| TodoItem { text: (*text).to_owned(), state: *state }).collect();
    ToolResult::success("ok", ResultData::Todo { items })
}
