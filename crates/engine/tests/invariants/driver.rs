//! Plays operations against a session, remembers what went in, and lets a test look before every call.

use std::collections::BTreeMap;

use lookback_engine::{
    Context, NewPart, Session, SessionError, SessionSetup,
    trace::{
        Blobs, EventNo, NoBlobs, Origin, ResultData, SessionId, Status, Stop, Timestamp, ToolKind, ToolResult, TurnNo,
        event::{Interruption, Usage},
        result::{
            EditData, Hunk, LineForm, ListData, ReadData, RunData, SearchData, SearchMatch, TodoData, TodoItem,
            TodoState, WriteData,
        },
    },
};
use lookback_wire::{Provider, Seal, ToolSpec};
use serde_json::Value;

use crate::operations::{CallPlan, Operation, StepPlan};

pub(crate) fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

/// What a test looks at.
pub(crate) trait Watch {
    /// Right after a call was started: this is what would be sent.
    fn sent(&mut self, session: &Session);
    /// A call was refused for its size.
    fn refused(&mut self, _session: &Session) {}
    /// Tokens are counted through this.
    fn count(&self, bytes: &[u8]) -> u32 {
        count(bytes)
    }
}

pub(crate) type WentIn = BTreeMap<TurnNo, Vec<(EventNo, Vec<u8>)>>;

pub(crate) struct Played {
    pub(crate) session: Session,
    /// For each turn the bytes that went into it, and the event before which they did.
    pub(crate) went_in: WentIn,
}

pub(crate) fn play(operations: &[Operation], window: u32, watch: &mut dyn Watch) -> Played {
    let mut clock = 1_763_000_000_000;
    let count = |bytes: &[u8]| count(bytes);
    let start = Context { now: Timestamp(clock), count: &count, blobs: &NoBlobs };
    let setup = SessionSetup {
        system: "You are a careful engineer.".into(),
        tools: vec![ToolSpec {
            name: "Read".into(),
            description: "Reads a file.".into(),
            parameters: r#"{"type":"object"}"#.into(),
        }],
        rules: "Tabs, never spaces.".into(),
        model: "test".into(),
        window,
        tokenizer: "bytes/4".into(),
        ..SessionSetup::new(SessionId("property0000".into()))
    };
    let session = Session::start(setup, &start).expect("a session starts");
    let mut driver = Driver { session, went_in: BTreeMap::new(), forks: 0 };
    for operation in operations {
        // Clocks jump.
        clock += [1_000, 400_000, -50_000][clock.unsigned_abs() as usize % 3];
        driver.play(operation, Timestamp(clock), watch);
    }
    driver.interrupt(Timestamp(clock), watch);
    Played { session: driver.session, went_in: driver.went_in }
}

struct Driver {
    session: Session,
    went_in: WentIn,
    forks: u32,
}

impl Driver {
    fn play(&mut self, operation: &Operation, now: Timestamp, watch: &mut dyn Watch) {
        let counter = |bytes: &[u8]| watch.count(bytes);
        let context = Context { now, count: &counter, blobs: &NoBlobs };
        match operation {
            Operation::Person(text) => self.say(text, Origin::Person, &context),
            Operation::Queued(text) => self.say(text, Origin::Queued, &context),
            Operation::Machine(text) => self.say(text, Origin::Machine, &context),
            Operation::Step(plan) => self.step(plan, now, watch),
            Operation::Answer { text, stop } => {
                if self.call(now, watch) {
                    let counter = |bytes: &[u8]| watch.count(bytes);
                    let context = Context { now, count: &counter, blobs: &NoBlobs };
                    self.answer(vec![NewPart::Text(text.clone())], *stop, &context);
                }
            }
            Operation::FailedCall => {
                if self.call(now, watch) {
                    self.interrupt(now, watch);
                }
            }
            Operation::SpanStart(name) => {
                self.session.start_span(name, "a goal", &context).expect("spans nest");
            }
            Operation::SpanEnd => {
                let innermost = self.session.index().spans().iter().rev().find(|span| span.outcome.is_none());
                if let Some(span) = innermost.map(|span| span.id.clone()) {
                    // A rollback may have taken its start out of the conversation.
                    let _ = self.session.end_span(&span, "an outcome", &context);
                }
            }
            Operation::Todo(items) => {
                let item = |number| TodoItem { text: format!("item {number}"), state: TodoState::Pending };
                self.session.todo((0..*items).map(item).collect(), &context).expect("a todo list");
            }
            Operation::Remind(text) => self.session.remind("one", text),
            Operation::Rules(text) => self.session.rules_changed(text.clone(), &context).expect("rules change"),
            Operation::Resume => self.session.resume(&context).expect("it resumes"),
            Operation::Model { provider: choice } => {
                let provider = Provider::ALL[*choice];
                // One of the four models has a larger window.
                let window = self.session.state().model().window.min(200_000) * [1, 2, 1, 1][*choice];
                self.session.model_changed("other".into(), provider, window, None, &context).expect("a model change");
            }
            Operation::Gate => {
                self.session.gate("sure?".into(), vec!["yes".into()], Vec::new(), None, &context).expect("a gate");
            }
            Operation::OutsideChange => {
                self.session.file_changed_outside("src/a.py".into(), None, &context).expect("a change");
            }
            Operation::RollBack(choice) => {
                if let Some(turn) = self.choose_turn(*choice) {
                    self.session.roll_back(turn, &context).expect("the turn can be rolled back to");
                }
            }
            Operation::Fork(choice) => {
                if let Some(turn) = self.choose_turn(*choice) {
                    self.forks += 1;
                    let child = SessionId(format!("fork{:08}", self.forks));
                    self.session = self.session.fork(child, turn, &context).expect("the turn can be forked from");
                    // What came later, be it a late result for an earlier turn, is the parent's alone.
                    let shared = EventNo(self.session.next_event().0 - 1);
                    self.went_in.retain(|_, went_in| {
                        went_in.retain(|(event, _)| *event < shared);
                        !went_in.is_empty()
                    });
                }
            }
        }
    }

    fn choose_turn(&self, choice: usize) -> Option<TurnNo> {
        let whole: Vec<TurnNo> =
            (0..self.session.turns()).map(TurnNo).filter(|turn| self.session.end_of_turn(*turn).is_ok()).collect();
        (!whole.is_empty()).then(|| whole[choice % whole.len()])
    }

    fn say(&mut self, text: &str, origin: Origin, context: &Context<'_>) {
        let turn = self.session.user_turn(text, origin, context).expect("the session is idle");
        self.remember(turn, text.as_bytes());
    }

    fn remember(&mut self, turn: TurnNo, bytes: &[u8]) {
        let last = EventNo(self.session.next_event().0 - 1);
        self.went_in.entry(turn).or_default().push((last, bytes.to_vec()));
    }

    /// Starts a call, if need be after a user turn that gives the model something to answer.
    fn call(&mut self, now: Timestamp, watch: &mut dyn Watch) -> bool {
        let counter = |bytes: &[u8]| watch.count(bytes);
        let context = Context { now, count: &counter, blobs: &NoBlobs };
        let mut started = self.session.start_call(&context);
        if started == Err(SessionError::NothingToAnswer) {
            self.say("go on", Origin::Person, &context);
            started = self.session.start_call(&context);
        }
        match started {
            Ok(_) => {
                watch.sent(&self.session);
                true
            }
            Err(SessionError::WindowExceeded(_)) => {
                watch.refused(&self.session);
                false
            }
            Err(error) => panic!("an idle session must start a call: {error}"),
        }
    }

    fn answer(&mut self, parts: Vec<NewPart>, stop: Stop, context: &Context<'_>) -> Vec<String> {
        let said: Vec<Vec<u8>> = parts
            .iter()
            .map(|part| match part {
                NewPart::Text(text) | NewPart::Thinking { text, .. } => text.clone().into_bytes(),
                NewPart::Call { arguments, .. } | NewPart::UnfinishedCall { arguments, .. } => {
                    arguments.clone().into_bytes()
                }
            })
            .collect();
        let recorded = self.session.assistant_turn(parts, stop, context).expect("a call is open");
        said.iter().for_each(|bytes| self.remember(recorded.turn, bytes));
        let usage = Usage { call: self.session.last_call(), uncached: 10, cached: 20, written: 3, output: 4 };
        self.session.usage(usage, context).expect("usage");
        recorded.calls
    }

    fn step(&mut self, plan: &StepPlan, now: Timestamp, watch: &mut dyn Watch) {
        if !self.call(now, watch) {
            return;
        }
        let counter = |bytes: &[u8]| watch.count(bytes);
        let context = Context { now, count: &counter, blobs: &NoBlobs };
        let call_number = self.session.last_call();
        let mut parts = Vec::new();
        if let Some((text, signed)) = &plan.thinking {
            let seal = match (signed, plan.order % 4) {
                (false, _) => Seal::None,
                (true, 0) => Seal::Signature("c2ln".into()),
                (true, 1) => Seal::Redacted("cmVk".into()),
                (true, 2) => Seal::Encrypted { id: Some("rs_1".into()), content: "Z0E=".into() },
                (true, _) => Seal::Plain,
            };
            parts.push(NewPart::Thinking { text: text.clone(), seal });
        }
        parts.push(NewPart::Text(plan.text.clone()));
        for (place, call) in plan.calls.iter().enumerate() {
            let id = match plan.repeats_ids {
                true => format!("call_{place}"),
                false => format!("toolu_{call_number}_{place}"),
            };
            let name = ["Tool", "mcp.files/read", "读", ""][call.kind % 4];
            parts.push(NewPart::Call { id, name: name.into(), arguments: call.arguments.clone() });
        }
        if plan.unfinished && plan.stop.is_interrupted() {
            parts.push(NewPart::UnfinishedCall { id: "cut".into(), name: "Tool".into(), arguments: "{\"pa".into() });
        }
        let ids = self.answer(parts, plan.stop, &context);
        let turn = TurnNo(self.session.turns() - 1);
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|place| (*place as u64 + 1).wrapping_mul(plan.order | 1).rotate_left(17));
        for (done, place) in order.into_iter().enumerate() {
            if plan.interrupted_after == Some(done) {
                self.session.interrupt(Interruption::Cancelled, &context).expect("it can be interrupted");
            }
            let call = &plan.calls[place];
            if plan.order.is_multiple_of(3) {
                // Given up calls and calls that were announced before are no longer to be started.
                let _ = self.session.tool_call(&ids[place], [ToolKind::Run, ToolKind::Other][place % 2], &context);
            }
            self.session.tool_result(&ids[place], result(call), &context).expect("the call is known");
            self.remember(turn, &call.output);
        }
    }

    fn interrupt(&mut self, now: Timestamp, watch: &dyn Watch) {
        let counter = |bytes: &[u8]| watch.count(bytes);
        let context = Context { now, count: &counter, blobs: &NoBlobs };
        self.session.interrupt(Interruption::Failed("529".into()), &context).expect("it can be interrupted");
    }
}

fn result(call: &CallPlan) -> ToolResult {
    let output = call.output.clone();
    let lossy = String::from_utf8_lossy(&output).into_owned();
    let path = "src/a.py".to_owned();
    let line = lossy.lines().next().unwrap_or("").to_owned();
    let data = match call.kind {
        0 => ResultData::Read(ReadData {
            path,
            first_line: 1,
            line_count: 1,
            total_lines: None,
            form: LineForm::Numbered { separator: "→".into() },
            mtime: Some(1),
            truncated: false,
        }),
        1 => ResultData::Search(SearchData {
            pattern: "x".into(),
            match_count: 1,
            matches: vec![SearchMatch { path, line: 3, text: line }],
            truncated: false,
        }),
        2 => ResultData::List(ListData { subject: ".".into(), entry_count: 1, entries: vec![line], truncated: false }),
        3 => ResultData::Edit(EditData {
            path,
            hunks: vec![Hunk { first_line: 2, removed: vec!["old".into()], added: vec![line] }],
        }),
        4 => ResultData::Write(WriteData { path, created: true, content: lossy.into() }),
        5 => ResultData::Run(RunData { command: "cat src/a.py".into(), exit_code: Some(0), ..RunData::default() }),
        6 => ResultData::Todo(TodoData { items: vec![TodoItem { text: line, state: TodoState::InProgress }] }),
        _ => ResultData::Other(Value::Null),
    };
    let mut result = ToolResult::success("", data.clone());
    if call.output.len() % 7 == 3 {
        result.status = Status::Partial;
    }
    if call.fails {
        result = ToolResult::failure("EXECUTION_ERROR", "it failed", data);
    }
    result.text = lookback_engine::trace::Output::new(output);
    result
}

/// All bytes that recall gives for a turn.
pub(crate) fn recalled(session: &Session, turn: TurnNo, blobs: &dyn Blobs) -> Vec<Vec<u8>> {
    let place = lookback_engine::evidence::pointer::Place::Turn(turn);
    let recalled = session.recall(&place, blobs).expect("every turn can be recalled");
    recalled.pieces.into_iter().map(|piece| piece.bytes.to_vec()).collect()
}
