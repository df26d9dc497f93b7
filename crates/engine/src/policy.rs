//! What recording decides by: settings, the model's card, who writes blocks, what is watched.
//!
//! No part of the state: replay never asks it.

mod watch;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

pub(crate) use watch::{Noticed, Watch};

use crate::{
    card::{Card, Lifetime},
    configuration::{CacheChoice, Configuration, SettleLimits, SettleWhen},
    planner::Compactor,
    trace::{EventNo, Layout, TurnNo, decision::TurnRange, event::Rents, start::Counted},
};

/// How a session decides.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    pub(crate) configuration: Configuration,
    /// The settings that the trace says its decisions were made by; the defaults where it says nothing.
    pub(crate) recorded: Configuration,
    pub(crate) card: Option<CardInUse>,
    /// Who writes blocks and summaries, as a price.
    pub(crate) compactor: Compactor,
    pub(crate) watch: Watch,
    /// What the coming call pays because the planner held.
    pub(crate) coming_rents: Rents,
    /// The size of the hot zone when a block for it was refused.
    pub(crate) refused_at: Option<u64>,
    /// The most that a prompt may count while room is made for one that the provider called too long.
    pub(crate) room: Option<u64>,
    /// The request for a delta that the rules have answered, as far as they could.
    pub(crate) delta_answered: Option<EventNo>,
    /// Short forms of results by turn and place, made once: the planner asks after every step. None where the result is
    /// short already.
    pub(crate) short_forms: RefCell<BTreeMap<(TurnNo, u32), Option<Counted>>>,
    /// What could be archived, and what that depends on.
    pub(crate) archivable: Cell<Option<(ArchivableKey, Option<Archivable>)>>,
}

/// What the model in use costs and how it behaves.
#[derive(Debug, Clone)]
pub(crate) struct CardInUse {
    pub(crate) card: Card,
    pub(crate) lifetime: Lifetime,
}

/// What could be archived, and how much of the view it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Archivable {
    pub(crate) range: TurnRange,
    /// Behind the earlier summaries.
    pub(crate) entries: usize,
    pub(crate) tokens: u64,
}

/// Edits of the view, rounds, whether the last one runs, and how many stay.
pub(crate) type ArchivableKey = (u64, usize, bool, usize);

impl Policy {
    /// From now on decisions are made by these settings; what was decided before stays.
    pub(crate) fn configure(&mut self, configuration: Configuration) {
        self.watch.forget();
        self.short_forms.borrow_mut().clear();
        self.configuration = configuration;
    }

    /// A rollback takes back what was counted and found out.
    pub(crate) fn forget_what_was_rolled_back(&mut self) {
        self.watch.forget();
        self.refused_at = None;
        self.coming_rents = Rents::default();
        self.archivable.set(None);
    }

    /// How long all but the base is asked to be held.
    pub(crate) fn lifetime(&self) -> Lifetime {
        match self.configuration.cache {
            CacheChoice::Auto => self.card.as_ref().map_or(Lifetime::Usual, |in_use| in_use.lifetime),
            CacheChoice::FiveMinutes | CacheChoice::HourForBase => Lifetime::Usual,
            CacheChoice::Hour => Lifetime::OneHour,
        }
    }

    /// How many parts of a prompt are asked to be held for an hour; the base is the first. `paused`: whether the session
    /// ever came back to a cold cache.
    pub(crate) fn hour(&self, paused: bool) -> usize {
        match (self.lifetime(), self.configuration.cache) {
            _ if !self.card().is_some_and(Card::offers_hour) => 0,
            (Lifetime::OneHour, _) => usize::MAX,
            (_, CacheChoice::HourForBase) => 1,
            (_, CacheChoice::Auto) if paused => 1,
            _ => 0,
        }
    }

    pub(crate) fn card(&self) -> Option<&Card> {
        self.card.as_ref().map(|in_use| &in_use.card)
    }
}

impl SettleLimits {
    /// Planned where nothing else is said, always in the layout whose seed asks for it (docs/seeds.md A2).
    pub(crate) fn when_in(&self, layout: Layout) -> SettleWhen {
        self.when.unwrap_or(match layout {
            Layout::Chat | Layout::Execute => SettleWhen::Planned,
            Layout::React => SettleWhen::Always,
        })
    }
}
