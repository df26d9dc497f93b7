//! The engine itself as a strategy: a real session is fed what was recorded and tidies itself after every step.
//!
//! `lookback` runs with the card's prices and the rule-based compactor, `lookback-fixed` without prices, so that the
//! triggers alone decide (12 consecutive tool calls), `settle` with nothing but the short forms of results
//! (docs/seeds.md A3), at the end of every round, `guest` as the gateway has it: the session is another program's, is only
//! ever folded, and that after an answer, for the next call. All show what the session's own view shows: turns that it
//! left as they were are raw pieces, all else is made.

mod reach;
mod view;

use std::cell::RefCell;

use lookback_engine::{
    Configuration, Session, SessionError, SessionSetup,
    card::{Card, Lifetime},
    configuration::SettleWhen,
    session::Tidied,
    trace::{BlobHash, NoBlobs, SessionId, start::RecordedBy},
};
use lookback_wire::check_body;

use super::{Counter, Step, Strategy, fed::Fed, validity::provider_of};
use crate::{
    conversation::{Conversation, Need},
    numbers,
    shown::{Did, Evidence, Reach},
    simulate::Tariff,
};
use reach::Pointed;
use view::MadeEntries;

/// What the engine is allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Powers {
    /// Fold, settle and archive by the planner.
    Planned,
    /// The same by the triggers alone.
    Fixed,
    /// Only the short forms of results, at the end of every round.
    SettleOnly,
    /// Only folds, after answers, in a session that another program drives.
    Guest,
}

/// The engine in the middle of a run.
#[derive(Debug)]
pub struct Driven<'a> {
    conversation: &'a Conversation<'a>,
    tariff: Tariff,
    fed: Fed<'a>,
    powers: Powers,
    made: MadeEntries,
    pointed: RefCell<Pointed>,
    failed: Option<String>,
    refused: u64,
}

impl<'a> Driven<'a> {
    /// `count` is the plain count of a text; the session gets it multiplied by the conversation's factor.
    pub fn new(
        conversation: &'a Conversation<'a>,
        powers: Powers,
        tariff: &Tariff,
        configuration: Configuration,
        count: Counter<'a>,
    ) -> Self {
        let scale = conversation.scale;
        let count = move |text: &[u8]| match text {
            BASE => scale.base,
            b"" => 0,
            _ => conversation.weight(text).unwrap_or_else(|| scale.apply(count(text)).max(1)),
        };
        let first = conversation.calls.first().and_then(|call| call.model);
        let card = Some(card(powers, tariff.of(first)));
        Self {
            conversation,
            tariff: tariff.clone(),
            fed: Fed::new(conversation, setup(conversation, powers, configuration), card, Box::new(count)),
            powers,
            made: MadeEntries::default(),
            pointed: RefCell::default(),
            failed: None,
            refused: 0,
        }
    }

    /// The session as it stands, for measurements.
    pub fn session(&self) -> &Session {
        self.fed.session()
    }

    /// Records what came before a call. What the engine then does with it is [`Driven::open`]'s.
    pub fn feed(&mut self, call: usize) -> Result<(), SessionError> {
        self.fed.feed(call)
    }

    /// Tidies what was fed and opens the call: planner, fold and view.
    pub fn open(&mut self, call: usize) -> Result<Tidied, SessionError> {
        if let Some(model) = self.conversation.calls[call].model.filter(|_| self.conversation.changes_model(call)) {
            self.fed.change_model(call, model, card(self.powers, self.tariff.of(Some(model))))?;
        }
        let tidied = match self.powers {
            Powers::Planned | Powers::Fixed => {
                let (session, context) = self.fed.at(call);
                session.tidy(&context)?
            }
            Powers::SettleOnly => Tidied::default(),
            Powers::Guest => {
                self.fed.fold_to_fit(call)?;
                Tidied::default()
            }
        };
        self.fed.open(call)?;
        Ok(tidied)
    }
}

impl Strategy for Driven<'_> {
    fn show(&mut self, call: usize) -> Step {
        match self.feed(call).and_then(|()| self.open(call)) {
            Ok(tidied) => {
                let did = self.did(&tidied);
                Step { shown: self.shown(), did, compactor: Vec::new() }
            }
            Err(error) => {
                self.failed = Some(format!("call {}: {error}", call + 1));
                Step { shown: self.shown(), ..Step::default() }
            }
        }
    }

    fn reach(&self, need: &Need) -> Reach {
        self.reach_of(need)
    }

    fn invalid(&self) -> Option<String> {
        if let Some(failed) = &self.failed {
            return Some(failed.clone());
        }
        let session = self.session();
        match session.body(&NoBlobs) {
            Ok(body) => check_body(session.prompt_provider(), &body).err()?.first().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        }
    }

    fn evidence(&self) -> Evidence {
        self.check_evidence()
    }
}

impl Driven<'_> {
    pub(super) fn did(&mut self, tidied: &Tidied) -> Vec<Did> {
        let mut did = Vec::new();
        self.refused += tidied.delta.as_ref().map_or(0, |delta| delta.refused.len()) as u64;
        let mut add =
            |what, before_tokens, after_tokens, note| did.push(Did { what, before_tokens, after_tokens, note });
        for fold in tidied.folded.iter().chain(&self.fed.take_folds()) {
            self.refused += fold.refused.len() as u64;
            let note = format!("fold of turns {}–{} into block {}", fold.range.first, fold.range.last, fold.block);
            add("fold", fold.replaced, fold.block_tokens + fold.board_tokens, note);
        }
        if let Some(archive) = &tidied.archived {
            self.refused += archive.refused.len() as u64;
            let note = format!("archive of turns {}–{}", archive.range.first, archive.range.last);
            add("archive", archive.replaced, archive.summary, note);
        }
        if let Some(stubbed) = &tidied.stubbed {
            add(
                "stub",
                stubbed.raw,
                stubbed.short,
                format!("{} made short", numbers::counted(stubbed.blocks as u64, "old block")),
            );
        }
        if let Some(settled) = &tidied.settled {
            let forms = if settled.results == 1 { "its short form" } else { "their short forms" };
            let note = format!("{} in {forms}", numbers::counted(settled.results as u64, "result"));
            add("settle", settled.raw, settled.short, note);
        }
        did
    }
}

/// What the engine knows of a model's prices.
fn card(powers: Powers, tariff: &Tariff) -> (Card, Lifetime) {
    match powers {
        Powers::Fixed => (Card { prices: None, ..tariff.card.clone() }, Lifetime::Usual),
        Powers::Planned | Powers::SettleOnly | Powers::Guest => (tariff.card.clone(), tariff.lifetime),
    }
}

/// Stands for the system prompt, tools and rules, which no file shows whole.
const BASE: &[u8] = b"(system prompt, tools and rules)";

fn setup(conversation: &Conversation<'_>, powers: Powers, mut configuration: Configuration) -> SessionSetup {
    if powers == Powers::SettleOnly {
        configuration.settle.when = Some(SettleWhen::Always);
    }
    let recording = conversation.recording;
    let recorded_by = match powers {
        // Whose it is makes no difference.
        Powers::Guest => RecordedBy::Gateway {
            client: recording.format.name().to_owned(),
            upstream: String::new(),
            credential: BlobHash::of(b""),
        },
        Powers::Planned | Powers::Fixed | Powers::SettleOnly => RecordedBy::Agent,
    };
    SessionSetup {
        recorded_by,
        system: String::from_utf8_lossy(BASE).into_owned(),
        provider: provider_of(recording.agent()),
        model: recording.about.model.clone().unwrap_or_default(),
        // The same for every session, whatever its model could hold: strategies are compared under one window.
        window: configuration.window.window(None),
        root: recording.about.cwd.clone().unwrap_or_default(),
        configuration,
        ..SessionSetup::new(SessionId("replay".into()))
    }
}
