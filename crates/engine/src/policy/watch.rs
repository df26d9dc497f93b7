//! What the triggers see of a session: each live event once, in order.
//!
//! It is kept beside the state, not in it: replay runs no trigger. After a restart or a rollback it looks through the
//! live events again. All it says is a function of them and of the settings, never of when it was asked, so a session
//! that was restarted decides like one that was not.

use std::collections::BTreeMap;

use crate::{
    configuration::Configuration,
    history::History,
    planner::{Break, DeltaCause, DeltaTriggers, Proposal, Seen, StepSeen, Triggers},
    trace::{
        BlobHash, Event, EventBody, EventNo, ResultData, Status, ToolResult, TurnNo,
        decision::Reach,
        event::{FileObserved, NoteKind},
        result::{TodoItem, TodoState},
    },
    view::visible::part_tokens,
};

#[derive(Debug, Default)]
pub(crate) struct Watch {
    counters: Option<Counters>,
}

/// What the newest steps propose.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Noticed {
    pub(crate) proposal: Option<Proposal>,
    pub(crate) delta: Option<DeltaCause>,
}

#[derive(Debug)]
struct Counters {
    next: EventNo,
    triggers: Triggers,
    deltas: DeltaTriggers,
    open: Option<OpenStep>,
    todo: Vec<TodoItem>,
    /// The last verdict of each test command: whether it passed.
    verdicts: BTreeMap<u64, bool>,
    errors: BTreeMap<u64, ()>,
    /// Reads and runs since the last edit: what makes an edit one after a diagnosis.
    looked: bool,
}

/// A step whose results are still coming. What stands between two steps belongs to the one before.
#[derive(Debug)]
struct OpenStep {
    seen: StepSeen,
    evidence: u32,
    cause: Option<DeltaCause>,
}

impl Watch {
    /// A rollback takes back what was counted.
    pub(crate) fn forget(&mut self) {
        self.counters = None;
    }

    /// Looks at what came since it was last asked.
    pub(crate) fn notice(&mut self, history: &History, configuration: &Configuration) -> Noticed {
        let counters = self.counters.get_or_insert_with(|| Counters::new(configuration));
        for event in history.events_from(counters.next) {
            if history.is_live(event.seq) {
                counters.apply(event, history);
            }
        }
        counters.next = history.next_event();
        Noticed { proposal: counters.triggers.proposal(), delta: counters.deltas.due() }
    }
}

impl Counters {
    fn new(configuration: &Configuration) -> Self {
        let limits = configuration.triggers;
        Self {
            next: EventNo(0),
            triggers: Triggers::new(limits, configuration.fold.keep_steps),
            deltas: DeltaTriggers::new(&limits),
            open: None,
            todo: Vec::new(),
            verdicts: BTreeMap::new(),
            errors: BTreeMap::new(),
            looked: false,
        }
    }

    fn apply(&mut self, event: &Event, history: &History) {
        match &event.event {
            EventBody::AssistantTurn(turn) => {
                let calls = history.index().tool_turn(TurnNo(turn.turn.0 + 1));
                let calls = calls.filter(|step| step.assistant == event.seq).map_or(0, |step| step.calls.len() as u32);
                let end = if calls > 0 { TurnNo(turn.turn.0 + 1) } else { turn.turn };
                let tokens = turn.parts.iter().map(part_tokens).map(u64::from).sum();
                let seen =
                    StepSeen { end, tool_calls: calls, tokens, raw_tokens: 0, seen: Vec::new(), logical_break: None };
                self.open = Some(OpenStep { seen, evidence: 0, cause: None });
                if calls == 0 {
                    self.close();
                }
            }
            EventBody::ToolResult { result, .. } => self.apply_result(result),
            EventBody::FileObserved(seen) => self.apply_observed(seen),
            EventBody::StepEnded { shown, .. } => {
                let Some(step) = &mut self.open else { return };
                let raw = shown.iter().map(|shown| u64::from(shown.tokens)).sum::<u64>();
                step.seen.tokens += raw;
                step.seen.raw_tokens += raw;
                self.close();
            }
            EventBody::SpanEnded { .. } => self.breaks(Break::SpanEnded, DeltaCause::SpanClosed),
            EventBody::Todo { items } => {
                let done = |items: &[TodoItem]| items.iter().filter(|item| item.state == TodoState::Done).count();
                if done(items) > done(&self.todo) {
                    self.breaks(Break::TodoClosed, DeltaCause::TodoClosed);
                }
                self.todo.clone_from(items);
            }
            body if body.decided_gate().is_some() => self.causes(DeltaCause::GateDecided),
            EventBody::StateDelta(_) => self.deltas.apply_delta(),
            EventBody::NoteShown { kind: NoteKind::BoardRequest, .. } => self.deltas.apply_delta(),
            EventBody::Fold(fold) => {
                // A guest's fold behind a wall moves the seam, too.
                if fold.reach == Reach::FromSeam || history.start().is_guest() {
                    self.triggers.apply_fold(fold.range.last);
                }
                if fold.delta.is_some() {
                    self.deltas.apply_fold_delta();
                }
            }
            EventBody::Archive(archive) => self.triggers.apply_fold(archive.range.last),
            EventBody::LayoutChanged(change) => {
                if let Some(dialogue) = &change.dialogue {
                    self.triggers.apply_fold(dialogue.through);
                }
            }
            _ => {}
        }
    }

    fn apply_result(&mut self, result: &ToolResult) {
        let Some(step) = &mut self.open else { return };
        step.evidence += 1;
        match &result.data {
            ResultData::Run(run) => {
                self.looked = true;
                let outcome = digest(&[&result.text.hash().0, &run.exit_code.unwrap_or(-1).to_le_bytes()]);
                let what = digest(&[b"run", run.command.as_bytes()]);
                step.seen.seen.push(Seen { call: step.evidence, what, result: outcome });
                if let Some(tests) = &run.tests {
                    let passed = tests.failed == 0 && run.exit_code.is_none_or(|code| code == 0);
                    if self.verdicts.insert(what, passed).is_some_and(|before| before != passed) {
                        self.breaks(Break::VerdictChanged, DeltaCause::VerdictChanged);
                    }
                }
                if run.exit_code.is_some_and(|code| code != 0) && self.errors.insert(outcome, ()).is_none() {
                    self.causes(DeltaCause::NewError);
                }
            }
            ResultData::Edit(_) | ResultData::Patch(_) | ResultData::Write(_)
                if result.status != Status::Error && std::mem::take(&mut self.looked) =>
            {
                self.causes(DeltaCause::EditAfterDiagnosis);
            }
            ResultData::Read(_) | ResultData::Search(_) => self.looked = true,
            _ => {}
        }
        if result.status == Status::Error
            && let Some(error) = &result.error
            && self.errors.insert(digest(&[error.code.as_bytes(), error.message.as_bytes()]), ()).is_none()
        {
            self.causes(DeltaCause::NewError);
        }
    }

    fn apply_observed(&mut self, seen: &FileObserved) {
        let Some(step) = &mut self.open else { return };
        let place = [seen.first_line.to_le_bytes(), seen.line_count.to_le_bytes()].concat();
        let what = digest(&[b"read", seen.path.as_bytes(), &place]);
        step.seen.seen.push(Seen { call: step.evidence, what, result: digest(&[&seen.hash.0]) });
    }

    fn breaks(&mut self, logical_break: Break, cause: DeltaCause) {
        match &mut self.open {
            Some(step) => step.seen.logical_break = Some(logical_break),
            None => self.triggers.apply_break(logical_break),
        }
        self.causes(cause);
    }

    fn causes(&mut self, cause: DeltaCause) {
        let Some(step) = &mut self.open else { return self.deltas.apply_cause(cause) };
        // A changed verdict says more than the error that shows it.
        step.cause = Some(match (step.cause, cause) {
            (Some(DeltaCause::VerdictChanged), DeltaCause::NewError) => DeltaCause::VerdictChanged,
            _ => cause,
        });
    }

    /// Counts the step that has ended.
    fn close(&mut self) {
        if let Some(step) = self.open.take() {
            self.triggers.apply_step(step.seen);
            self.deltas.apply_step(step.evidence, step.cause);
        }
    }
}

fn digest(pieces: &[&[u8]]) -> u64 {
    let mut bytes = Vec::new();
    for piece in pieces {
        bytes.extend_from_slice(&(piece.len() as u64).to_le_bytes());
        bytes.extend_from_slice(piece);
    }
    let hash = BlobHash::of(&bytes).0;
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}
