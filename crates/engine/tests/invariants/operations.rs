//! Random sessions, as lists of operations that a driver plays against the engine.
//!
//! Operations say what is tried, not what must happen: one that does not fit the session's state is skipped or made to
//! fit by the driver, so that every list is a session.

mod edits;
mod settings;
mod texts;

use bytes::Bytes;
use lookback_engine::trace::Stop;
use proptest::prelude::*;

pub(crate) use edits::{ArchiveWriter, EditPlan, Flaw, RangePlan, TextPlan, Writer};
pub(crate) use settings::{CardChoice, Guest, Setting, guests, settings};
use texts::{output, text};

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Person(String),
    Queued(String),
    Machine(String),
    Step(StepPlan),
    Answer {
        text: String,
        stop: Stop,
    },
    FailedCall,
    SpanStart(String),
    SpanEnd,
    Todo(usize),
    Remind(String),
    Rules(String),
    Resume,
    Model {
        provider: usize,
        strict: bool,
    },
    Gate,
    /// Of a file whose contents are random.
    OutsideChange,
    /// Of a file whose contents are known; with or without anybody being told.
    KnownFileChange {
        seed: u64,
        noticed: bool,
    },
    RollBack(usize),
    Fork(usize),
    Edit(EditPlan),
}

#[derive(Debug, Clone)]
pub(crate) struct StepPlan {
    pub(crate) text: String,
    pub(crate) thinking: Option<(String, bool)>,
    pub(crate) calls: Vec<CallPlan>,
    pub(crate) stop: Stop,
    pub(crate) unfinished: bool,
    /// Results arrive in an order made from this.
    pub(crate) order: u64,
    /// After this many results the step is interrupted.
    pub(crate) interrupted_after: Option<usize>,
    /// The model counts its call ids from zero in each answer.
    pub(crate) repeats_ids: bool,
    /// A delta that the model writes with its `Board` tool.
    pub(crate) board: Option<TextPlan>,
}

#[derive(Debug, Clone)]
pub(crate) struct CallPlan {
    pub(crate) tool: Tool,
    pub(crate) output: Bytes,
    pub(crate) fails: bool,
    pub(crate) arguments: String,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Tool {
    /// One of the eight kinds of results, with random contents.
    Wild(usize),
    /// On the file whose contents are known: what it does is made from this.
    Known(KnownTool, u64),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum KnownTool {
    Read,
    Edit,
    Write,
    Cat,
}

/// One round and many: with few people's turns among them, or with many.
pub(crate) fn sessions() -> impl Strategy<Value = Vec<Operation>> {
    prop_oneof![
        3 => prop::collection::vec(operation(1), 1..50),
        2 => prop::collection::vec(operation(8), 1..70),
    ]
}

fn operation(people: u32) -> impl Strategy<Value = Operation> {
    prop_oneof![
        people => text().prop_map(Operation::Person),
        1 => text().prop_map(Operation::Queued),
        1 => text().prop_map(Operation::Machine),
        20 => step().prop_map(Operation::Step),
        3 => (text(), stop()).prop_map(|(text, stop)| Operation::Answer { text, stop }),
        1 => Just(Operation::FailedCall),
        1 => "[a-z]{1,8}".prop_map(Operation::SpanStart),
        1 => Just(Operation::SpanEnd),
        1 => (0usize..16).prop_map(Operation::Todo),
        1 => text().prop_map(Operation::Remind),
        1 => text().prop_map(Operation::Rules),
        1 => Just(Operation::Resume),
        1 => (0usize..4, any::<bool>()).prop_map(|(provider, strict)| Operation::Model { provider, strict }),
        1 => Just(Operation::Gate),
        1 => Just(Operation::OutsideChange),
        1 => (any::<u64>(), any::<bool>()).prop_map(|(seed, noticed)| Operation::KnownFileChange { seed, noticed }),
        1 => any::<usize>().prop_map(Operation::RollBack),
        1 => any::<usize>().prop_map(Operation::Fork),
        16 => edits::edit().prop_map(Operation::Edit),
    ]
}

fn stop() -> impl Strategy<Value = Stop> {
    prop_oneof![6 => Just(Stop::End), 1 => Just(Stop::Cancelled), 1 => Just(Stop::Cut), 1 => Just(Stop::Limit)]
}

fn step() -> impl Strategy<Value = StepPlan> {
    let calls = prop_oneof![
        4 => prop::collection::vec(call(), 1..2),
        2 => prop::collection::vec(call(), 2..5),
        1 => prop::collection::vec(call(), 20..24),
    ];
    let interruption = prop_oneof![8 => Just(None), 1 => (0usize..3).prop_map(Some)];
    let board = prop::option::weighted(0.15, edits::text_plan());
    (
        text(),
        prop::option::of((text(), any::<bool>())),
        calls,
        stop(),
        any::<bool>(),
        any::<u64>(),
        interruption,
        any::<bool>(),
        board,
    )
        .prop_map(|(text, thinking, calls, stop, unfinished, order, interrupted_after, repeats_ids, board)| {
            StepPlan { text, thinking, calls, stop, unfinished, order, interrupted_after, repeats_ids, board }
        })
}

fn call() -> impl Strategy<Value = CallPlan> {
    let arguments = prop_oneof![
        3 => Just(r#"{"path":"src/a.py"}"#.to_owned()),
        1 => Just(String::new()),
        1 => Just("{\n  \"pretty\": [1, 2]\n}".to_owned()),
        1 => Just("not json".to_owned()),
        1 => text().prop_map(|text| format!("{{\"text\":{text:?}}}")),
    ];
    (tool(), output(), prop::bool::weighted(0.15), arguments).prop_map(|(tool, output, fails, arguments)| CallPlan {
        tool,
        output,
        fails,
        arguments,
    })
}

fn tool() -> impl Strategy<Value = Tool> {
    let known = prop_oneof![
        4 => Just(KnownTool::Read),
        3 => Just(KnownTool::Edit),
        1 => Just(KnownTool::Write),
        1 => Just(KnownTool::Cat),
    ];
    prop_oneof![
        2 => (0usize..8).prop_map(Tool::Wild),
        1 => (known, any::<u64>()).prop_map(|(tool, seed)| Tool::Known(tool, seed)),
    ]
}
