//! Plays operations against a session, remembers what went in, and lets a test look before every call.

mod conversation;
mod edits;
mod guest;
mod known_file;
mod model_text;
mod pointers;
mod results;
mod setup;
mod tally;

use std::{cell::Cell, collections::BTreeMap};

use lookback_engine::{
    Context, ModelChoice, Session,
    session::{FoldDraft, FoldNeed},
    trace::{
        Blobs, Event, EventNo, NoBlobs, Origin, SessionId, Timestamp, TurnNo,
        event::{GateAnswer, Interruption},
        result::{TodoItem, TodoState},
    },
};
use lookback_wire::Provider;

use crate::operations::{Guest, Operation, Setting};
use known_file::KnownFile;
pub(crate) use model_text::PLANTED;
pub(crate) use tally::Tally;

pub(crate) fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

/// What a test looks at.
pub(crate) trait Watch {
    /// Right after a call was started: this is what would be sent. `counted` are all bytes counted so far.
    fn sent(&mut self, session: &Session, counted: u64);
    /// A call was refused for its size.
    fn refused(&mut self, _session: &Session) {}
    /// An edit of the view was tried, and perhaps refused.
    fn edit_tried(&mut self) {}
}

/// For tests that look at the trace alone.
pub(crate) struct Nothing;

impl Watch for Nothing {
    fn sent(&mut self, _session: &Session, _counted: u64) {}
}

pub(crate) type WentIn = BTreeMap<TurnNo, Vec<(EventNo, Vec<u8>)>>;

pub(crate) struct Played {
    pub(crate) session: Session,
    /// For each turn the bytes that went into it, and the event before which they did.
    pub(crate) went_in: WentIn,
    /// The traces of sessions that were left for a fork.
    pub(crate) left: Vec<Vec<Event>>,
    pub(crate) tally: Tally,
}

impl Played {
    /// Every trace that was written, the last session's last.
    pub(crate) fn traces(&self) -> impl Iterator<Item = &[Event]> {
        self.left.iter().map(Vec::as_slice).chain([self.session.trace()])
    }
}

pub(crate) fn play(operations: &[Operation], setting: &Setting, watch: &mut dyn Watch) -> Played {
    let counted = Cell::new(0);
    let counter = |bytes: &[u8]| {
        counted.set(counted.get() + bytes.len() as u64);
        count(bytes)
    };
    // What depends on the time falls out alike every so many milliseconds.
    let days = if setting.guest == Some(Guest::Watches) { 12_000 * 7_200 } else { 0 };
    let now = Timestamp(1_763_000_000_000 + days);
    let context = Context { now, count: &counter, blobs: &NoBlobs };
    let mut session = Session::start(setup::setup(setting), &context).expect("a session starts");
    setup::choose(&mut session, setting);
    let mut driver = Driver {
        session,
        setting,
        watch,
        counter: &counter,
        counted: &counted,
        now,
        went_in: BTreeMap::new(),
        left: Vec::new(),
        file: KnownFile::default(),
        held: None,
        tally: Tally::default(),
    };
    for operation in operations {
        // Clocks jump.
        driver.now.0 += [1_000, 400_000, -50_000][driver.now.0.unsigned_abs() as usize % 3];
        driver.play(operation);
    }
    driver.interrupt();
    Played { session: driver.session, went_in: driver.went_in, left: driver.left, tally: driver.tally }
}

struct Driver<'a> {
    session: Session,
    setting: &'a Setting,
    watch: &'a mut dyn Watch,
    counter: &'a dyn Fn(&[u8]) -> u32,
    counted: &'a Cell<u64>,
    now: Timestamp,
    went_in: WentIn,
    left: Vec<Vec<Event>>,
    file: KnownFile,
    /// A draft that waits for its block.
    held: Option<FoldDraft>,
    tally: Tally,
}

impl<'a> Driver<'a> {
    fn context(&self) -> Context<'a> {
        Context { now: self.now, count: self.counter, blobs: &NoBlobs }
    }

    fn play(&mut self, operation: &Operation) {
        let context = self.context();
        match operation {
            // A client has neither rules nor edits of ours; what it sends may be more than text.
            Operation::Rules(_) if self.setting.guest.is_some() => {}
            Operation::Edit(_) if self.setting.guest.is_some() => self.fold_guest(FoldNeed::ToFit),
            Operation::Person(text) if self.setting.guest.is_some() => self.say_with_picture(text),
            Operation::Person(text) => self.say(text, Origin::Person),
            Operation::Queued(text) => self.say(text, Origin::Queued),
            Operation::Machine(text) => self.say(text, Origin::Machine),
            Operation::Step(plan) => self.step(plan),
            Operation::Answer { text, stop } => self.call_and_answer(text, *stop),
            Operation::FailedCall => {
                if self.call() {
                    self.interrupt();
                }
            }
            Operation::SpanStart(name) => {
                self.session.start_span(name, "a goal", &context).expect("spans nest");
            }
            Operation::SpanEnd => {
                let innermost = self.session.history().spans().iter().rev().find(|span| span.outcome.is_none());
                if let Some(span) = innermost.map(|span| span.id.clone()) {
                    // A rollback may have taken its start out of the conversation.
                    let _ = self.session.end_span(&span, "an outcome", &context);
                }
            }
            Operation::Todo(items) => {
                let state = [TodoState::Pending, TodoState::Done][items % 2];
                let item = |number| TodoItem { text: format!("item {number}"), state };
                self.session.todo((0..*items).map(item).collect(), &context).expect("a todo list");
            }
            Operation::Remind(text) => self.session.remind("one", text),
            Operation::Rules(text) => self.session.rules_changed(text.clone(), &context).expect("rules change"),
            Operation::Resume => {
                // With a cold cache it weighs another layout.
                self.session.resume(&context).expect("it resumes");
                self.watch.edit_tried();
            }
            Operation::Model { provider, strict } => self.change_model(*provider, *strict),
            Operation::Gate => {
                let answers = vec![GateAnswer { from: "user".into(), answer: "yes".into() }];
                let decision = (self.now.0 % 4_000 == 0).then(|| "yes".to_owned());
                self.session.gate("sure?".into(), vec!["yes".into()], answers, decision, &context).expect("a gate");
            }
            Operation::OutsideChange => {
                self.session.file_changed_outside("src/a.py".into(), None, &context).expect("a change");
            }
            Operation::KnownFileChange { seed, noticed } => self.change_known_file(*seed, *noticed),
            Operation::RollBack(choice) => self.roll_back(*choice),
            Operation::Fork(choice) => self.fork(*choice),
            Operation::Edit(plan) => self.edit(plan),
        }
    }

    fn change_model(&mut self, choice: usize, strict: bool) {
        // One of the four models has a larger window.
        let window = self.session.state().model().window.min(200_000) * [1, 2, 1, 1][choice];
        let choice = ModelChoice {
            alternation: setup::alternation(strict),
            ..ModelChoice::new("other", Provider::ALL[choice], window)
        };
        self.session.model_changed(choice, &self.context()).expect("a model change");
    }

    fn roll_back(&mut self, choice: usize) {
        if let Some(turn) = self.choose_turn(choice) {
            let end = self.session.end_of_turn(turn).expect("it was chosen for it");
            self.session.roll_back(turn, &self.context()).expect("the turn can be rolled back to");
            self.file.roll_back(end, self.session.next_event());
        }
    }

    fn fork(&mut self, choice: usize) {
        let Some(turn) = self.choose_turn(choice) else { return };
        let child = SessionId(format!("fork{:08}", self.left.len() + 1));
        let end = self.session.end_of_turn(turn).expect("it was chosen for it");
        let mut fork = self.session.fork(child, turn, &self.context()).expect("the turn can be forked from");
        setup::choose(&mut fork, self.setting);
        let parent = std::mem::replace(&mut self.session, fork);
        self.left.push(parent.trace().to_vec());
        self.file.roll_back(end, self.session.next_event());
        // What came later, be it a late result for an earlier turn, is the parent's alone.
        let shared = EventNo(self.session.next_event().0 - 1);
        self.went_in.retain(|_, went_in| {
            went_in.retain(|(event, _)| *event < shared);
            !went_in.is_empty()
        });
    }

    fn choose_turn(&self, choice: usize) -> Option<TurnNo> {
        let whole: Vec<TurnNo> =
            (0..self.session.turns()).map(TurnNo).filter(|turn| self.session.end_of_turn(*turn).is_ok()).collect();
        // Late ones, so that something is left of most sessions.
        (!whole.is_empty()).then(|| whole[whole.len() - 1 - (choice % whole.len()).min(choice % 12)])
    }

    fn interrupt(&mut self) {
        let reason = Interruption::Failed("529".into());
        self.session.interrupt(reason, &self.context()).expect("it can be interrupted");
    }
}

/// All bytes that recall gives for a turn.
pub(crate) fn recalled(session: &Session, turn: TurnNo, blobs: &dyn Blobs) -> Vec<Vec<u8>> {
    let place = lookback_engine::evidence::pointer::Place::Turn(turn);
    let recalled = session.recall(&place, blobs).expect("every turn can be recalled");
    recalled.pieces.into_iter().map(|piece| piece.bytes.to_vec()).collect()
}
