//! Edits of the view that are tried: folds of all kinds, unfolds, settles, archives, deltas, changes of layout.

use proptest::prelude::*;

use super::texts::text;

#[derive(Debug, Clone)]
pub(crate) enum EditPlan {
    /// `/fold`. A held draft is committed by a later operation, whatever happened in between.
    Fold {
        writer: Writer,
        held: bool,
    },
    /// `/fold SPAN`, by its place among the spans; one beyond them names none.
    FoldSpan {
        choice: usize,
        writer: Writer,
    },
    FoldRange {
        range: RangePlan,
        writer: Writer,
        held: bool,
    },
    CommitHeld(Writer),
    /// By its place among the blocks of the view, or by a number that perhaps none has.
    Unfold {
        choice: usize,
        shown: bool,
    },
    Settle,
    Archive(ArchiveWriter),
    /// The planner in the loop. Where it wishes for a model's text, this is it.
    Tidy(TextPlan),
    Delta(TextPlan),
    DeltaByRules,
    Layout(usize),
    Head(String),
    DropThinking,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum RangePlan {
    /// Steps that stand raw in the view: the first, and how many.
    Steps { first: usize, count: usize },
    /// Any two turns, the second perhaps before the first, perhaps beyond the end.
    Any { first: usize, last: usize },
}

#[derive(Debug, Clone)]
pub(crate) enum Writer {
    Rules,
    Model(TextPlan),
}

#[derive(Debug, Clone)]
pub(crate) enum ArchiveWriter {
    Rules,
    TimedOut,
    Model(TextPlan),
}

/// What a model answers: made from the session as it stands, and then spoilt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextPlan {
    pub(crate) seed: u64,
    pub(crate) flaw: Flaw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    BadPointers,
    /// Goal, questions and actions that a tool's output suggested.
    Planted,
    Truncated,
    Garbage,
    UnknownFields,
    MissingFields,
    WrongRange,
    Empty,
}

pub(super) fn edit() -> impl Strategy<Value = EditPlan> {
    let held = || prop::bool::weighted(0.2);
    prop_oneof![
        5 => (writer(), held()).prop_map(|(writer, held)| EditPlan::Fold { writer, held }),
        2 => (0usize..8, writer()).prop_map(|(choice, writer)| EditPlan::FoldSpan { choice, writer }),
        5 => (range(), writer(), held()).prop_map(|(range, writer, held)| EditPlan::FoldRange { range, writer, held }),
        2 => writer().prop_map(EditPlan::CommitHeld),
        4 => (0usize..6, prop::bool::weighted(0.8)).prop_map(|(choice, shown)| EditPlan::Unfold { choice, shown }),
        2 => Just(EditPlan::Settle),
        3 => archive_writer().prop_map(EditPlan::Archive),
        6 => text_plan().prop_map(EditPlan::Tidy),
        5 => text_plan().prop_map(EditPlan::Delta),
        1 => Just(EditPlan::DeltaByRules),
        3 => (0usize..3).prop_map(EditPlan::Layout),
        1 => text().prop_map(EditPlan::Head),
        1 => Just(EditPlan::DropThinking),
    ]
}

fn range() -> impl Strategy<Value = RangePlan> {
    prop_oneof![
        4 => (any::<usize>(), 1usize..6).prop_map(|(first, count)| RangePlan::Steps { first, count }),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(first, last)| RangePlan::Any { first, last }),
    ]
}

fn writer() -> impl Strategy<Value = Writer> {
    prop_oneof![1 => Just(Writer::Rules), 1 => text_plan().prop_map(Writer::Model)]
}

fn archive_writer() -> impl Strategy<Value = ArchiveWriter> {
    prop_oneof![
        2 => Just(ArchiveWriter::Rules),
        1 => Just(ArchiveWriter::TimedOut),
        2 => text_plan().prop_map(ArchiveWriter::Model),
    ]
}

pub(super) fn text_plan() -> impl Strategy<Value = TextPlan> {
    let flaw = prop_oneof![
        12 => Just(Flaw::None),
        2 => Just(Flaw::BadPointers),
        2 => Just(Flaw::Planted),
        1 => Just(Flaw::Truncated),
        1 => Just(Flaw::Garbage),
        1 => Just(Flaw::UnknownFields),
        1 => Just(Flaw::MissingFields),
        1 => Just(Flaw::WrongRange),
        1 => Just(Flaw::Empty),
    ];
    (any::<u64>(), flaw).prop_map(|(seed, flaw)| TextPlan { seed, flaw })
}
