//! What happened in the turns that are folded: said, done, seen, in their order.
//!
//! A flat reading of the trace that all rules share, made once. Turns that a rollback took away are not in it. Outputs are
//! not read here, and nothing is judged.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    configuration::rules::freshness,
    evidence::pointer::{Place, Pointer},
    history::index::{ToolTurn, TurnRecord},
    state::Bench,
    trace::{
        AssistantPart, EventBody, EventNo, Origin, ResultData, Status, ToolResult, TurnNo, UserTurn,
        decision::TurnRange,
        event::FileChange,
        result::{LineForm, RunData},
    },
};

pub(super) struct Stretch<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) range: TurnRange,
    pub(super) users: Vec<&'a UserTurn>,
    pub(super) said: Vec<Said<'a>>,
    pub(super) done: Vec<Done<'a>>,
    pub(super) sights: Vec<Sight<'a>>,
}

/// One text of the assistant.
pub(super) struct Said<'a> {
    pub(super) turn: TurnNo,
    pub(super) text: &'a str,
    pub(super) then: Then,
}

/// What the assistant did right after it spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// It ended the round.
    Answered,
    /// It changed a file.
    Changed,
    Called,
}

/// One result of a tool.
pub(super) struct Done<'a> {
    pub(super) turn: TurnNo,
    pub(super) event: EventNo,
    pub(super) result: &'a ToolResult,
    /// As the model wrote them.
    pub(super) arguments: &'a str,
    /// `cmd#N` and `test#N`.
    pub(super) command: Option<u32>,
    pub(super) test: Option<u32>,
}

/// Lines of a file that a result showed or changed.
pub(super) struct Sight<'a> {
    pub(super) turn: TurnNo,
    pub(super) path: &'a str,
    pub(super) first_line: u32,
    pub(super) line_count: u32,
    pub(super) kind: SightKind<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum SightKind<'a> {
    Read,
    /// Printed by a command.
    Printed,
    /// Matches of a search, by a tool or a command.
    Found,
    Changed(&'a ToolResult),
}

impl<'a> Stretch<'a> {
    pub(super) fn new(bench: Bench<'a>, range: TurnRange) -> Self {
        let mut stretch =
            Self { bench, range, users: Vec::new(), said: Vec::new(), done: Vec::new(), sights: Vec::new() };
        let tests = tests_of(bench, range);
        for turn in range.first.0..=range.last.0.min(bench.history.turns().saturating_sub(1)) {
            match bench.history.index().turn(TurnNo(turn)) {
                Some(TurnRecord::User { event }) => stretch.hear(*event),
                Some(TurnRecord::Assistant { event }) => stretch.listen(TurnNo(turn), *event),
                Some(TurnRecord::Tool(step)) => stretch.watch(TurnNo(turn), step, &tests),
                None => {}
            }
        }
        stretch
    }

    /// Two runs with the same key ran the same thing.
    pub(super) fn run_key(&self, done: &Done<'_>, run: &RunData) -> Arc<str> {
        self.bench.history.run_key(done.event, run)
    }

    /// How long ago a turn was, seen from the end of the range.
    pub(super) fn age(&self, turn: TurnNo) -> u32 {
        self.range.last.0.saturating_sub(turn.0)
    }

    pub(super) fn freshness(&self, turn: TurnNo) -> i32 {
        freshness(self.age(turn))
    }

    fn hear(&mut self, event: EventNo) {
        if let Some(EventBody::UserTurn(user)) = self.live(event)
            && user.origin != Origin::Machine
        {
            self.users.push(user);
        }
    }

    fn listen(&mut self, turn: TurnNo, event: EventNo) {
        let Some(EventBody::AssistantTurn(assistant)) = self.live(event) else { return };
        let then = match self.bench.history.index().tool_turn(TurnNo(turn.0 + 1)) {
            Some(step) if self.changes_files(step) => Then::Changed,
            Some(_) => Then::Called,
            None => Then::Answered,
        };
        for part in &assistant.parts {
            if let AssistantPart::Text { text, .. } = part {
                self.said.push(Said { turn, text, then });
            }
        }
    }

    fn changes_files(&self, step: &ToolTurn) -> bool {
        let mut results = step.calls.iter().filter_map(|call| self.live(call.result()?));
        results.any(|event| {
            matches!(event, EventBody::ToolResult { result, .. }
                if result.data.changed_paths().next().is_some())
        })
    }

    fn watch(&mut self, turn: TurnNo, step: &'a ToolTurn, tests: &BTreeMap<(TurnNo, u32), u32>) {
        for (index, call) in (0..).zip(&step.calls) {
            let Some(event) = call.result() else { continue };
            let Some(EventBody::ToolResult { result, .. }) = self.live(event) else { continue };
            if result.status == Status::Interrupted {
                continue;
            }
            let test = tests.get(&(turn, index)).copied();
            let arguments = self.bench.history.call_of(step, index as usize).map_or("", |(.., arguments)| arguments);
            self.done.push(Done { turn, event, result, arguments, command: call.command, test });
            self.see(turn, result, event);
        }
    }

    /// What a result shows of files stands right behind it in the trace.
    fn see(&mut self, turn: TurnNo, result: &'a ToolResult, event: EventNo) {
        for seen in &self.bench.history.events()[event.0 as usize + 1..] {
            let sight = match &seen.event {
                EventBody::FileObserved(seen) if seen.source == event => Sight {
                    turn,
                    path: &seen.path,
                    first_line: seen.first_line,
                    line_count: seen.line_count,
                    kind: match (&seen.form, &result.data) {
                        (None | Some(LineForm::PathNumbered { .. }), _) => SightKind::Found,
                        (_, ResultData::Run(_)) => SightKind::Printed,
                        _ => SightKind::Read,
                    },
                },
                EventBody::FileChanged(changed) => match changed.change {
                    FileChange::Edited { source } | FileChange::Written { source } if source == event => Sight {
                        turn,
                        path: &changed.path,
                        first_line: 1,
                        line_count: 0,
                        kind: SightKind::Changed(result),
                    },
                    // A command that changes a file may show it afterwards.
                    FileChange::Outside { .. } => continue,
                    _ => break,
                },
                _ => break,
            };
            if is_citable(sight.path) {
                self.sights.push(sight);
            }
        }
    }

    fn live(&self, event: EventNo) -> Option<&'a EventBody> {
        let event = self.bench.history.events().get(event.0 as usize)?;
        self.bench.history.is_live(event.seq).then_some(&event.event)
    }
}

/// The `test#N` of the range, by the place of their results.
fn tests_of(bench: Bench<'_>, range: TurnRange) -> BTreeMap<(TurnNo, u32), u32> {
    let tests = &bench.history.index().tests;
    let first = tests.partition_point(|(turn, _)| *turn < range.first);
    let inside = tests[first..].iter().take_while(|(turn, _)| *turn <= range.last);
    inside.zip(first as u32 + 1..).map(|(place, number)| (*place, number)).collect()
}

/// Whether a pointer can name a path as it is: relative to the root, and nothing in it that is written otherwise.
fn is_citable(path: &str) -> bool {
    let place = Place::File { path: path.to_owned(), lines: None, at: None };
    let written = place.to_string();
    let reads_back =
        written.parse::<Pointer>().is_ok_and(|pointer| pointer.session.is_none() && pointer.place == place);
    reads_back && written.ends_with(path) && !path.starts_with("./")
}
