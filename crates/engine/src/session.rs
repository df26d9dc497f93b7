//! A session: the front of the engine for whoever runs an agent.
//!
//! It is four things. The [`History`] is what happened. The [`State`] is what stands of it: the view, the board, what is
//! open. The policy is what decisions are made by: settings, card, compactor. What was sent is the bytes, the ledger and
//! the bills. Methods either record what happened (`recording`) or edit the view (`editing`, `tidy`, `calling`); both end in
//! events, and applying an event is the only way in which anything changes. [`Session::replay`] applies events that were
//! recorded before, and runs no rule again. Where events are stored and who sends the bytes is not known here.

mod applying;
mod beside;
mod calling;
mod compacting;
mod editing;
mod guest;
mod imported;
mod recording;
mod replaying;
mod request;
mod tidy;

use std::collections::BTreeMap;

use lookback_wire::{Head, Message, Provider};

pub use calling::Overflow;
#[doc(hidden)]
pub use calling::Room;
#[doc(hidden)]
pub use guest::{FoldNeed, GuestFold};
#[doc(hidden)]
pub use imported::{Checked, Doubted};
pub use replaying::Replay;
#[doc(hidden)]
pub use request::Schema;
pub use tidy::{Tidied, Wish};

pub use crate::{
    edits::draft::{ArchiveDraft, FoldDraft, ModelAttempt},
    error::{FoldRefused, WindowExceeded},
};

#[doc(hidden)]
pub use crate::{
    archive::Section,
    cache::Split,
    edits::imported::Doubt,
    error::{ArchiveRefused, BoardRefused, LayoutRefused, PinRefused, UnfoldRefused},
    history::{History, SpanRecord, TraceError},
    planner::{Balance, Compactor, DeltaCause, Tariff, Verdict, Warmth},
    reconcile::Reconciled,
    recorder::RecordedTurn,
    request::{AloneRequest, render_alone},
    standing::Files,
    state::{Bench, Block, BlockStanding, ModelInUse, PaidRents, Round, RoundState, State, Step},
    view::{
        Head as HeadInView,
        rendering::{Rendering, Work},
    },
};

use crate::{
    admission::BreakerState,
    card::{Card, Lifetime},
    configuration::Configuration,
    edits::{Desk, window},
    error::SessionError,
    evidence::pointer::Place,
    ledger::{LedgerLine, reuse, verdict::CacheVerdict},
    policy::{CardInUse, Policy},
    recall::{RecallError, Recalled},
    reread::without_what_stands,
    sent::{CallInView, Sent},
    standing::Standing,
    trace::{
        BlobError, Blobs, CallNo, Event, EventNo, NoBlobs, SessionId, SessionStarted, Timestamp, ToolResult, TurnNo,
        event::NoteKind, start::Decisions,
    },
    view::{Entry, View},
};

/// One session. When a recording method fails with [`SessionError::Trace`] or [`SessionError::Blob`], the store behind it
/// is damaged: drop the session and replay what was stored.
#[derive(Debug)]
pub struct Session {
    history: History,
    state: State,
    policy: Policy,
    sent: Sent,
    /// Reminders that wait for the next call.
    reminders: BTreeMap<(NoteKind, String), String>,
    /// Writes every prompt for this provider instead of the recorded one.
    provider: Option<Provider>,
    results: ShownResults,
}

/// How the results of a step are shown that is being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownResults {
    AsThereIsRoom,
    /// As they were elsewhere.
    Whole,
}

impl Session {
    fn from_first(event: Event, provider: Option<Provider>) -> Result<Self, TraceError> {
        let history = History::begin(event)?;
        let state = State::new(history.start());
        Ok(Self {
            sent: Sent::new(provider.unwrap_or(state.model.provider)),
            history,
            state,
            policy: Policy::default(),
            reminders: BTreeMap::new(),
            provider,
            results: ShownResults::AsThereIsRoom,
        })
    }

    fn desk(&self) -> Desk<'_> {
        Desk { history: &self.history, state: &self.state, policy: &self.policy, sent: &self.sent }
    }

    /// What happened, and what stands of it: for whoever proposes, checks or renders.
    pub fn bench(&self) -> Bench<'_> {
        Bench { history: &self.history, state: &self.state }
    }

    /// What happened.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The files that the session changed and deleted, as far as its trace tells.
    pub fn files(&self) -> Files {
        Standing::now(&self.history, &NoBlobs).files()
    }

    /// What stands of it now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the model is sent.
    pub fn view(&self) -> &View {
        &self.state.view
    }

    /// The id under which the session goes on: a fork's own.
    pub fn id(&self) -> &SessionId {
        self.history.id()
    }

    /// All events. What a recording method added stands at the end.
    pub fn trace(&self) -> &[Event] {
        self.history.events()
    }

    /// The number that the next event gets.
    pub fn next_event(&self) -> EventNo {
        self.history.next_event()
    }

    /// What the session began with.
    pub fn start_of(&self) -> &SessionStarted {
        self.history.start()
    }

    /// Whether it can only be looked at: it came from a file, and its decisions do not hold.
    pub fn is_recording(&self) -> bool {
        self.start_of().decisions == Decisions::Unchecked
    }

    /// Whether another program drives it, through the gateway: of ours only blocks enter its view.
    pub fn is_guest(&self) -> bool {
        self.start_of().is_guest()
    }

    /// How many turns were ever appended.
    pub fn turns(&self) -> u32 {
        self.history.turns()
    }

    /// The number of the last call that was started, 0 before the first.
    pub fn last_call(&self) -> CallNo {
        CallNo(self.history.index().calls)
    }

    /// What each call reused and why not all.
    pub fn ledger(&self) -> &[LedgerLine] {
        self.sent.ledger()
    }

    /// Reused tokens over all tokens sent, or `None` before the first call.
    pub fn reuse(&self) -> Option<f64> {
        reuse(self.ledger())
    }

    /// The prompt of the last call, as it was sent.
    pub fn sent(&self) -> &Rendering {
        self.sent.rendering()
    }

    /// What decisions are made by.
    pub fn configuration(&self) -> &Configuration {
        &self.policy.configuration
    }

    /// From now on decisions are made by these settings; what was decided before stays. A replayed session begins with
    /// the defaults.
    pub fn configure(&mut self, configuration: Configuration) {
        self.policy.configure(configuration);
    }

    /// The card of the model in use: prices, cache rule, habits. Without one the triggers alone decide. The same card with
    /// another lifetime is for prompts to come: what is held stays held.
    pub fn use_card(&mut self, card: Card, lifetime: Lifetime) {
        if self.policy.card() != Some(&card) {
            self.sent.use_card(&card);
        }
        self.policy.card = Some(CardInUse { card, lifetime });
    }

    /// How many parts of the last prompt were asked to be held for an hour: the base is the first.
    pub fn held_for_an_hour(&self) -> usize {
        self.sent.hour()
    }

    /// Of the model in use, where one is known.
    pub fn card(&self) -> Option<&Card> {
        self.policy.card()
    }

    /// Who writes blocks and summaries, as a price. The rules do unless a model is named here.
    pub fn use_compactor(&mut self, compactor: Compactor) {
        self.policy.compactor = compactor;
    }

    /// Whether the model is still asked for blocks, or was refused too often.
    pub fn breaker(&self) -> BreakerState {
        self.desk().breaker()
    }

    /// Whether the provider still holds what was sent last.
    pub fn warmth(&self, now: Timestamp) -> Warmth {
        self.desk().warmth(now)
    }

    /// What the provider is expected to bill for a call, in counted tokens. None before a card was in use, or while the
    /// call is open.
    pub fn expected_bill(&self, call: CallNo) -> Option<Split> {
        self.sent.expected_bill(call)
    }

    /// Whether the provider billed this call's cache as its card says. None without a card, before answer and usage are
    /// there, or where the two cannot be compared.
    pub fn cache_verdict(&self, call: CallNo) -> Option<CacheVerdict> {
        self.sent.cache_verdict(call)
    }

    /// Billed over counted tokens of what this model's calls added; 1 before the first.
    pub fn factor(&self) -> f64 {
        self.state.reconciled.factor()
    }

    /// What a call made now is expected to be billed as, its whole input: the last bill and what changed since, by the
    /// factor.
    pub fn expected_input(&self) -> u64 {
        self.state.reconciled.estimate(self.view().tokens())
    }

    /// Counted tokens of a prompt sent now: of its beginning that the cache still holds for an hour when all else is gone, and
    /// of that which is asked to be held so long.
    pub fn hour_tokens(&self, now: Timestamp) -> (u64, u64) {
        let cold = self.desk().cold(now);
        let head = self.view().head().tokens();
        let held = if cold.is_some_and(|cold| cold.base_held) { head } else { 0 };
        let asked = match self.policy.hour(self.sent.paused() || cold.is_some()) {
            0 => 0,
            1 => head,
            _ => self.view().tokens(),
        };
        (held, asked)
    }

    /// How many tokens a prompt may have.
    pub fn input_limit(&self) -> u32 {
        window::input_limit(&self.state)
    }

    /// Nothing is sent that does not fit with its answer.
    pub fn check_window(&self) -> Result<(), WindowExceeded> {
        window::check_window(self.desk())
    }

    /// What the ledger would say of a call made now, with the view as it stands. Nothing is recorded; the session is used
    /// up, because comparing prompts brings its bytes up to date as if the call had been made.
    pub fn plan_call(mut self, now: Timestamp, blobs: &dyn Blobs) -> Result<LedgerLine, SessionError> {
        let cold = self.desk().cold(now);
        let (change, provider) = (self.state.view.take_change(), self.prompt_provider());
        let (call, event) = (CallNo(self.last_call().0 + 1), self.next_event());
        let bench = Bench { history: &self.history, state: &self.state };
        let hour = self.policy.hour(self.sent.paused() || cold.is_some());
        self.sent.send(CallInView { call, at: now, cold, event, hour, bench }, change, provider, blobs)?;
        self.sent.into_last_line().ok_or(SessionError::NoSuchModelCall { call, last: call })
    }

    /// What stands at a pointer, as of now.
    pub fn recall(&self, place: &Place, blobs: &dyn Blobs) -> Result<Recalled, RecallError> {
        self.history.recall(place, blobs)
    }

    /// What stood at a pointer when `event` cited it.
    pub fn recall_before(&self, place: &Place, event: EventNo, blobs: &dyn Blobs) -> Result<Recalled, RecallError> {
        self.history.recall_before(place, event, blobs)
    }

    /// A result that is not recorded yet, as the model is to see it: lines of a file that were read again and stand in the
    /// view as they are get a stub (docs/design/folding.md, "Committing").
    pub fn reread(&self, result: ToolResult, blobs: &dyn Blobs) -> ToolResult {
        without_what_stands(self.bench(), result, blobs)
    }

    /// Outputs of more than so many bytes leave memory in the events before `durable`: whoever brings the blobs has them
    /// from now on, and is asked where one is recalled, folded or sent.
    pub fn release_outputs(&mut self, durable: EventNo, most: usize) {
        self.history.release_outputs(durable, most);
    }

    /// L1 and L2 as they are sent now.
    pub fn head(&self) -> Head<'_> {
        self.bench().head()
    }

    /// What an entry of the view says.
    pub fn message(&self, entry: &Entry, blobs: &dyn Blobs) -> Result<Message<'_>, BlobError> {
        self.bench().message(entry, blobs)
    }

    /// The event with which a turn was complete: where a rollback to it, or a fork from it, begins.
    pub fn end_of_turn(&self, turn: TurnNo) -> Result<EventNo, SessionError> {
        Ok(self.history.end_of_turn(turn)?)
    }
}
