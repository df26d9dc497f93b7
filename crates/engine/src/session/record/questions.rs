//! What the planner has to know of this session: sizes, cuts, prices, and whether the provider still holds the prefix.

use std::collections::BTreeMap;

use crate::{
    cache::{CacheRule, Split},
    card::{Card, Lifetime, ThinkingHabit},
    planner::{Asked, Cut, Place, Prefix, Tariff, Trigger, Warmth},
    session::{CardInUse, Session, bill::Bill, index::TurnRecord},
    trace::{
        CallNo, EventBody, EventNo, Timestamp, TurnNo,
        decision::{ThinkingBehind, TurnRange},
        event::Cold,
    },
    view::Source,
};

/// A file is in work while one of so many newest steps changed it.
const EDITS_IN_A_ROW: usize = 3;
/// Read lately is what was read so many steps before the kept ones.
const READ_LATELY: usize = 5;
/// Fewer lines than these are looked at in passing.
const READ_LINES: u32 = 20;

/// Design 3-folding, "Units": end of L2, seam, previous tail and tail each want a mark.
const MARKS_NEEDED: usize = 4;

impl Session {
    /// The card of the model in use: prices, cache rule, habits. Without one the triggers alone decide.
    pub fn use_card(&mut self, card: Card, lifetime: Lifetime) {
        if self.card.as_ref().is_some_and(|in_use| in_use.card == card && in_use.lifetime == lifetime) {
            return;
        }
        match &mut self.bill {
            Some(bill) => bill.renew(&card, lifetime),
            None => self.bill = Some(Bill::new(&card, lifetime)),
        }
        self.card = Some(CardInUse { card, lifetime });
    }

    /// What the provider is expected to bill for a call, in counted tokens. None before a card was in use, or while the
    /// call is open.
    pub fn expected_bill(&self, call: CallNo) -> Option<Split> {
        Some(self.bill.as_ref()?.expected(call)?.split)
    }

    pub fn card(&self) -> Option<&Card> {
        self.card.as_ref().map(|in_use| &in_use.card)
    }

    /// Billed over counted tokens of what this model's calls brought anew, 1 before the first.
    pub fn factor(&self) -> f64 {
        self.state.reconciled.factor()
    }

    /// What a call made now is expected to be billed as, its whole input: the last bill and what changed since, by the
    /// factor.
    pub fn expected_input(&self) -> u64 {
        self.state.reconciled.estimate(self.view().tokens())
    }

    pub(crate) fn tariff(&self) -> Option<Tariff> {
        let in_use = self.card.as_ref()?;
        Some(Tariff { rates: in_use.card.rates(in_use.lifetime)?, factor: self.factor() })
    }

    /// Design 3-folding, "Thinking": what an edit made now does to the thinking behind it.
    pub(crate) fn thinking_behind(&self) -> ThinkingBehind {
        match self.card().map(|card| card.thinking) {
            // A history without it is refused, whatever another model did to it before.
            Some(ThinkingHabit::Required) => ThinkingBehind::Kept,
            Some(ThinkingHabit::Drop) => ThinkingBehind::Dropped,
            Some(ThinkingHabit::Keep) | None if self.state.thinking_refused => ThinkingBehind::Dropped,
            Some(ThinkingHabit::Keep) | None => ThinkingBehind::Kept,
        }
    }

    /// Whether the entries of this model's cache have expired since the last call. A card without a lifetime is never
    /// cold.
    pub(super) fn cold(&self, now: Timestamp) -> Option<Cold> {
        let lifetime_ms = self.card.as_ref().and_then(|in_use| in_use.card.lifetime_ms(in_use.lifetime))?;
        let (_, last_call) = self.sent_to.as_ref().filter(|_| self.asks_the_same_model())?;
        let idle_ms = now.0.saturating_sub(self.trace[last_call.0 as usize].at.0);
        (idle_ms > lifetime_ms).then_some(Cold { idle_ms, lifetime_ms })
    }

    pub fn warmth(&self, now: Timestamp) -> Warmth {
        if self.asks_the_same_model() && self.cold(now).is_none() { Warmth::Warm } else { Warmth::Cold }
    }

    /// Whether what lies before the seam is found again after a fold.
    pub(super) fn prefix(&self) -> Prefix {
        let free = match self.card().map(|card| card.cache) {
            None | Some(CacheRule::Prefix { .. }) => true,
            Some(CacheRule::None) => false,
            Some(CacheRule::Marks { marks, .. } | CacheRule::Breakpoints { marks, .. }) => {
                marks as usize >= MARKS_NEEDED
            }
        };
        if free { Prefix::Kept } else { Prefix::Lost }
    }

    /// The turns that no block covers yet.
    pub(super) fn hot_turns(&self) -> impl Iterator<Item = TurnNo> {
        let view = self.view();
        view.entries()[view.seam()..].iter().filter_map(|entry| match entry.source {
            Source::Turn(turn) => Some(turn),
            _ => None,
        })
    }

    /// Every step from the seam on, oldest first. `offered` is the end that a trigger proposes.
    pub(super) fn cuts(&self, offered: Option<TurnNo>) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let (mut tokens, mut verbatim) = (0, 0);
        let breaks = self.span_ends();
        for entry in &self.view().entries()[self.view().seam()..] {
            tokens += u64::from(entry.tokens);
            let Source::Turn(turn) = entry.source else { continue };
            if self.is_users(turn) {
                let longest = self.configuration.block.longest_user_turn;
                verbatim += u64::from(entry.tokens.min(longest));
            }
            if self.ends_step(turn) {
                let at_break = offered == Some(turn) || breaks.contains(&turn);
                let place = if at_break { Place::Break } else { Place::Step };
                cuts.push(Cut { end: turn, tokens, verbatim, place });
            }
        }
        cuts
    }

    /// How many Recalls a fold now would bring about: for files in work, whose lines stand only before the kept steps, and
    /// for files that were read lately and not changed yet. Edits of a file come in rows, and of the lines that they need
    /// 83% were seen within ten steps (design 6-evaluation).
    pub(super) fn expected_recalls(&self) -> f64 {
        let steps = &self.state.steps;
        let start_of = |back: usize| {
            let step = steps.get(steps.len().saturating_sub(back))?;
            self.index.event_of(step.assistant)
        };
        let Some(hot) = self.hot_turns().next().and_then(|turn| self.index.event_of(turn)) else { return 0.0 };
        let limits = &self.configuration.fold;
        let keep = limits.keep_steps as usize;
        let (kept, newest, lately) = (start_of(keep), start_of(EDITS_IN_A_ROW), start_of(keep + READ_LATELY));
        // By path: when it was changed last, and when a stretch of it was seen last.
        let mut files: BTreeMap<&str, (Option<EventNo>, Option<EventNo>)> = BTreeMap::new();
        for event in &self.trace[hot.0 as usize..] {
            match &event.event {
                EventBody::FileChanged(change) => files.entry(&change.path).or_default().0 = Some(event.seq),
                EventBody::FileObserved(sight) if sight.line_count >= READ_LINES => {
                    files.entry(&sight.path).or_default().1 = Some(event.seq);
                }
                _ => {}
            }
        }
        let goes = |seen: Option<EventNo>| seen.is_some() && seen < kept;
        let recalls = files.values().filter(|(_, seen)| goes(*seen)).map(|(changed, seen)| match changed {
            Some(_) if *changed > newest => limits.recalls_per_file,
            None if *seen > lately => limits.recalls_per_read,
            _ => 0.0,
        });
        recalls.sum()
    }

    /// The last turns of closed spans; of nested ones the outermost counts.
    fn span_ends(&self) -> Vec<TurnNo> {
        let closed = || {
            let spans = self.index.spans().iter().filter(|span| span.ended.is_some_and(|event| self.is_live(event)));
            spans.filter_map(|span| Some(TurnRange { first: span.first, last: TurnNo(span.end?.0.checked_sub(1)?) }))
        };
        let inside =
            |one: TurnRange, other: TurnRange| one != other && other.first <= one.first && one.last <= other.last;
        closed().filter(|span| !closed().any(|other| inside(*span, other))).map(|span| span.last).collect()
    }

    /// Whether a step ends with this turn: results, or an answer without calls.
    pub(super) fn ends_step(&self, turn: TurnNo) -> bool {
        match self.index.turn(turn) {
            Some(TurnRecord::Tool(_)) => true,
            Some(TurnRecord::Assistant { event }) => {
                self.index.tool_turn(TurnNo(turn.0 + 1)).is_none_or(|step| step.assistant != *event)
            }
            _ => false,
        }
    }

    fn is_users(&self, turn: TurnNo) -> bool {
        match self.index.turn(turn) {
            Some(TurnRecord::User { event }) => {
                matches!(self.body_of(*event), EventBody::UserTurn(user) if user.user.is_some())
            }
            _ => false,
        }
    }

    /// The newest results that no call has sent yet: nothing may take them away.
    pub(super) fn unseen_results(&self) -> Option<TurnNo> {
        let sent = self.sent_to.as_ref().map(|(_, event)| *event);
        let newest = self.state.steps.last()?.tool?;
        let ended = self.index.tool_turn(newest)?.ended()?;
        (Some(ended) > sent).then_some(newest)
    }
}

/// What proposed a fold, in words for the event.
pub(super) fn render_asked(asked: Asked) -> String {
    match asked {
        Asked::Step => "planner".into(),
        Asked::Order => "/fold".into(),
        Asked::Window => "window".into(),
        Asked::Trigger(Trigger::ToolCalls(calls)) => format!("{calls} tool calls in a row"),
        Asked::Trigger(Trigger::RawShare(share)) => format!("{:.0}% raw output", share * 100.0),
        Asked::Trigger(Trigger::Repeats(repeats)) => format!("{repeats} repeated reads or commands"),
        Asked::Trigger(Trigger::Break(logical_break)) => logical_break.words().into(),
    }
}
