//! Edits of the view: what a fold, an unfold, a settle, a stub, an archive, a delta or another layout would be.
//!
//! Functions of what stands ([`Desk`]). They give the event that is to be recorded and what to say of it; recording it is
//! the session's business, applying it the state's ([`crate::state`]).

pub(crate) mod archive;
pub(crate) mod asked;
pub(crate) mod delta;
pub(crate) mod draft;
pub(crate) mod fold;
mod fold_text;
pub(crate) mod guest;
pub(crate) mod imported;
pub(crate) mod layout;
pub(crate) mod pins;
pub(crate) mod settle;
pub(crate) mod stub;
pub(crate) mod unfold;
pub(crate) mod walls;
pub(crate) mod window;
pub(crate) mod zone;

use crate::{
    admission::BreakerState,
    board::Board,
    cache::CacheRule,
    card::{Lifetime, ThinkingHabit},
    configuration::{BoardLimits, MARKS_NEEDED},
    history::History,
    planner::{Cliff, Compactor, Prefix, Tariff, Warmth},
    policy::Policy,
    sent::Sent,
    state::{Bench, State},
    trace::{
        EventBody, Timestamp,
        decision::{Author, ThinkingBehind},
        event::Cold,
    },
};

/// All that an edit is decided by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Desk<'a> {
    pub(crate) history: &'a History,
    pub(crate) state: &'a State,
    pub(crate) policy: &'a Policy,
    pub(crate) sent: &'a Sent,
}

impl<'a> Desk<'a> {
    pub(crate) fn bench(self) -> Bench<'a> {
        Bench { history: self.history, state: self.state }
    }

    /// What tokens cost; none without a card, or with one that knows no prices.
    pub(crate) fn tariff(self) -> Option<Tariff> {
        let in_use = self.policy.card.as_ref()?;
        let prompt = self.state.reconciled.estimate(self.state.view.tokens());
        let cliff = in_use.card.long_rates(self.policy.lifetime()).map(|long| Cliff { long, prompt });
        let rates = in_use.card.rates(self.policy.lifetime())?;
        Some(Tariff { rates, factor: self.state.reconciled.factor(), cliff })
    }

    /// What an edit made now does to the thinking behind it (docs/design/folding.md, "Thinking").
    pub(crate) fn thinking_behind(self) -> ThinkingBehind {
        match self.policy.card().map(|card| card.thinking) {
            // A history without it is refused, whatever another model did to it before.
            Some(ThinkingHabit::Required) => ThinkingBehind::Kept,
            Some(ThinkingHabit::Drop) => ThinkingBehind::Dropped,
            Some(ThinkingHabit::Keep) | None if self.state.thinking_refused => ThinkingBehind::Dropped,
            Some(ThinkingHabit::Keep) | None => ThinkingBehind::Kept,
        }
    }

    /// Whether the entries of this model's cache have expired since the last call. A card without a lifetime is never
    /// cold.
    pub(crate) fn cold(self, now: Timestamp) -> Option<Cold> {
        let card = self.policy.card()?;
        let lifetime_ms = card.lifetime_ms(self.policy.lifetime())?;
        let last_call = self.sent.last_call().filter(|_| self.sent.went_to(&self.state.model))?;
        let idle_ms = now.0.saturating_sub(self.history.event_at(last_call)?.at.0);
        let hour_ms = card.lifetime_ms(Lifetime::OneHour).filter(|_| self.sent.hour() > 0);
        let base_held = hour_ms.is_some_and(|hour| idle_ms <= hour);
        (idle_ms > lifetime_ms).then_some(Cold { idle_ms, lifetime_ms, base_held })
    }

    pub(crate) fn warmth(self, now: Timestamp) -> Warmth {
        let warm = self.sent.went_to(&self.state.model) && self.cold(now).is_none();
        if warm { Warmth::Warm } else { Warmth::Cold }
    }

    /// Whether a prompt was sent whose cache has expired. A change of model leaves a cold cache, too.
    pub(crate) fn has_gone_cold(self, now: Timestamp) -> bool {
        self.sent.last_call().is_some() && self.warmth(now) == Warmth::Cold
    }

    /// The same of the base, which may be asked to live longer.
    pub(crate) fn base_has_gone_cold(self, now: Timestamp) -> bool {
        self.has_gone_cold(now) && !self.cold(now).is_some_and(|cold| cold.base_held)
    }

    /// Whether what lies before the seam is found again after a fold.
    fn prefix(self) -> Prefix {
        let free = match self.policy.card().map(|card| card.cache) {
            None | Some(CacheRule::Prefix { .. }) => true,
            Some(CacheRule::None) => false,
            Some(CacheRule::Marks { marks, .. } | CacheRule::Breakpoints { marks, .. }) => {
                marks as usize >= MARKS_NEEDED
            }
        };
        if free { Prefix::Kept } else { Prefix::Lost }
    }

    /// Whether the model is still asked for blocks, or was refused too often.
    pub(crate) fn breaker(self) -> BreakerState {
        let refusals = self.policy.configuration.compactor.refusals_in_a_row;
        BreakerState::after(self.state.texts_refused, refusals)
    }

    /// The board as an entry by this author shows it, and within what. Where only rules have ever written to it, all that
    /// is known stands in blocks already: then it says what is wanted, open and next.
    fn shown_board(self, board: &Board, author: Author) -> (Board, BoardLimits) {
        let limits = self.policy.configuration.board;
        let shown = self.state.board_in(self.state.layout, board);
        let by_rules = |author: Author| matches!(author, Author::Rules | Author::TimedOut);
        let wrote = |body: &EventBody| match body {
            EventBody::Fold(fold) => !by_rules(fold.author) && fold.delta.is_some(),
            EventBody::StateDelta(delta) => !by_rules(delta.author),
            _ => false,
        };
        if !by_rules(author) || self.declares_board() || self.history.events().iter().any(|event| wrote(&event.event)) {
            return (shown, limits);
        }
        (shown.without_what_is_known(), limits.by_rules())
    }

    /// Whether the model can write deltas itself.
    pub(crate) fn declares_board(self) -> bool {
        self.bench().head().tools.iter().any(|tool| tool.name == "Board")
    }

    pub(crate) fn compactor(self) -> Compactor {
        match self.breaker() {
            BreakerState::Closed => self.policy.compactor,
            BreakerState::Open => Compactor::Rules,
        }
    }
}
