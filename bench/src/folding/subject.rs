//! The session that folds are measured on, and fresh copies of it.

use anyhow::{Context as _, Result};
use lookback_engine::{
    Session,
    card::{Card, Cards, Lifetime},
    session::FoldDraft,
    trace::{Event, NoBlobs},
};

use crate::{
    tokens::Counter,
    workload::coding::{Coding, hot_tokens},
};

/// A model with prices, so that the planner weighs and holds: reading costs little there.
pub(crate) const PRICED: &str = "deepseek-v4-flash";
/// A model without: a fold comes by triggers, and nothing is settled or archived because it pays.
pub(crate) const FREE: &str = "vllm";

pub(crate) struct Subject {
    pub(crate) coding: Coding,
    pub(crate) tokens: u64,
    pub(crate) steps: usize,
    trace: Vec<Event>,
}

impl Subject {
    /// A session of which nothing was folded, with so many tokens behind the seam.
    pub(crate) fn of_tokens(tokens: u64) -> Result<Self> {
        let mut coding = Coding::new(Counter::O200k, tokens);
        let mut session = coding.start("folding")?;
        coding.grow(&mut session, tokens)?;
        Ok(Self::new(coding, &session))
    }

    pub(crate) fn of_steps(steps: u64) -> Result<Self> {
        let mut coding = Coding::new(Counter::O200k, steps);
        let mut session = coding.start("folding")?;
        (0..steps).try_for_each(|_| coding.work(&mut session))?;
        Ok(Self::new(coding, &session))
    }

    fn new(coding: Coding, session: &Session) -> Self {
        let (tokens, steps) = (hot_tokens(session), session.state().steps().len());
        Self { coding, tokens, steps, trace: session.trace().to_vec() }
    }

    pub(crate) fn copy(&self) -> Result<Session> {
        let mut session = Session::replay(self.trace.iter().cloned(), &NoBlobs)?;
        session.use_card(card(PRICED)?, Lifetime::Usual);
        Ok(session)
    }

    pub(crate) fn draft(&mut self, session: &Session) -> Result<FoldDraft> {
        Ok(session.draft_fold(None, &self.coding.context())?)
    }
}

pub(crate) fn card(model: &str) -> Result<Card> {
    let mut cards = Cards::parse(include_str!("../../../prices/deepseek.toml"))?;
    cards.add(Cards::parse(include_str!("../../../prices/local.toml"))?);
    Ok(cards.find(model).context("no such card")?.clone())
}
