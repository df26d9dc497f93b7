//! Rent against price: what all three decisions of the planner have in common.

use serde::{Deserialize, Serialize};

use crate::{
    card::{LongRates, Rates},
    configuration::estimates::RECALL_TOKENS,
};

/// What tokens cost in this session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tariff {
    /// Of the model in use.
    pub rates: Rates,
    /// Billed over counted tokens, as measured so far (docs/design/model.md, "Tokens").
    pub factor: f64,
    /// Where long prompts cost more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cliff: Option<Cliff>,
}

/// Prompts above a size cost more, the whole of them: what a fold saves depends on which side it comes from and ends on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cliff {
    /// Of the prompts above.
    pub long: LongRates,
    /// What the prompt as it stands is expected to be billed as, in tokens.
    pub prompt: u64,
}

impl Tariff {
    /// Before any bill: counted tokens are taken for billed ones.
    pub fn new(rates: Rates) -> Self {
        Self { rates, factor: 1.0, cliff: None }
    }

    /// What tokens cost in the prompt as it stands.
    pub(super) fn now(&self) -> Self {
        self.then(0, 0)
    }

    /// What they cost once `new` tokens stand in the place of `old` ones.
    pub(super) fn then(&self, old: u64, new: u64) -> Self {
        let grown = self.factor * (new as f64 - old as f64);
        let long = self.cliff.filter(|cliff| cliff.long.apply_to(cliff.prompt as f64 + grown));
        Self { rates: long.map_or(self.rates, |cliff| cliff.long.rates), cliff: None, ..*self }
    }

    fn read(&self, tokens: u64) -> f64 {
        self.factor * self.rates.read * tokens as f64
    }

    fn write(&self, tokens: u64) -> f64 {
        self.factor * self.rates.write * tokens as f64
    }

    /// One Recall that brings so many tokens, with a view of this size: the call that asks is read once more, its 80
    /// tokens are an output, and they and what they bring are written. Replay prices repairs by it.
    pub fn recall(&self, view: u64, recalled: u64) -> f64 {
        self.read(view) + self.factor * self.rates.output * RECALL_TOKENS as f64 + self.write(RECALL_TOKENS + recalled)
    }

    /// What every further call saves when `new` tokens stand in the place of `old` ones; below zero where it costs. On
    /// this side of a cliff all that stays is cheaper as well. So are what each call adds and its answer; nobody knows
    /// yet how large those will be, so they are left out.
    pub(crate) fn saves(&self, old: u64, new: u64) -> f64 {
        let (now, then) = (self.now(), self.then(old, new));
        let gone = if old >= new { then.read(old - new) } else { -then.read(new - old) };
        gone + self.cliff.map_or(0.0, |cliff| (now.rates.read - then.rates.read) * cliff.prompt as f64)
    }

    /// Tokens that would have been read from the cache and must be written again.
    fn rewrite(&self, tokens: u64) -> f64 {
        self.write(tokens) - self.read(tokens)
    }

    /// The price of an edit that puts `new` tokens in the place of `old` ones. A warm cache has what lies `behind` them, and
    /// loses it; a cold one has everything written anew, so that only the difference counts.
    pub(crate) fn replace(&self, warmth: Warmth, old: u64, new: u64, behind: u64) -> f64 {
        let then = self.then(old, new);
        match warmth {
            Warmth::Cold => then.write(new) - then.write(old),
            Warmth::Warm => then.write(new) + then.rewrite(behind),
        }
    }

    /// What a fold or an unfold costs once, and what it saves at every further call. A lost prefix is written again, too:
    /// the tokens `before` what is replaced.
    pub(crate) fn edit(&self, warmth: Warmth, prefix: Prefix, [before, old, new, behind]: [u64; 4]) -> (f64, f64) {
        let lost = if (warmth, prefix) == (Warmth::Warm, Prefix::Lost) { before } else { 0 };
        (self.replace(warmth, old, new, behind + lost), self.saves(old, new))
    }
}

/// Whether the provider still holds the prefix.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Warmth {
    #[default]
    Warm,
    Cold,
}

/// Whether what lies before the seam can be found again after a fold (docs/design/folding.md, "Marks").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefix {
    /// An entry was written at the seam and kept warm.
    #[default]
    Kept,
    /// No mark was free for the seam.
    Lost,
}

/// Who writes the block or the summary, and so what the writing costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "`thinking` is what it is expected to think, in tokens")]
pub enum Compactor {
    /// Costs nothing.
    #[default]
    Rules,
    /// A call that appends an instruction to the live prompt.
    Riding { thinking: u64 },
    /// A call of its own, perhaps to another model: its rates are relative to the session's uncached input.
    Alone { thinking: u64, rates: Rates },
}

impl Compactor {
    /// The price of its call for `input` tokens that stand behind `prefix` tokens, written down in `output` tokens.
    pub(super) fn price(&self, tariff: &Tariff, warmth: Warmth, prefix: u64, input: u64, output: u64) -> f64 {
        let output_of = |thinking: u64| (output + thinking) as f64;
        let tariff = &tariff.now();
        match self {
            Self::Rules => 0.0,
            Self::Riding { thinking } => {
                // At a cold cache the ride writes what the next call then reads, so of the prefix only the read is extra.
                let input = match warmth {
                    Warmth::Warm => tariff.read(input),
                    Warmth::Cold => tariff.write(input),
                };
                tariff.read(prefix) + input + tariff.factor * tariff.rates.output * output_of(*thinking)
            }
            Self::Alone { thinking, rates } => {
                tariff.factor * (rates.write * input as f64 + rates.output * output_of(*thinking))
            }
        }
    }
}

/// What holding has cost since the last fold (or settle, or archive), in uncached-input tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Rent {
    /// The sum.
    pub paid: f64,
    /// Over so many calls.
    pub calls: u32,
}

impl Rent {
    /// One more call was made while holding: what the last decision's [`Balance`] said that it would cost.
    pub fn pay(&mut self, saves_per_call: f64) {
        self.paid += saves_per_call.max(0.0);
        self.calls += 1;
    }
}

/// Both sides of a decision, in uncached-input tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Balance {
    /// What holding has cost.
    pub rent: Rent,
    /// What every further call would save: the rent that the coming call pays if nothing is done.
    pub saves_per_call: f64,
    /// Writing the block and what follows it; at a cold cache below zero, because less is written than otherwise.
    pub rewrite: f64,
    /// The compactor's call.
    pub compactor: f64,
    /// The Recalls that the fold is expected to cause.
    #[serde(default)]
    pub recalls: f64,
}

impl Balance {
    /// All that buying costs.
    pub fn price(&self) -> f64 {
        self.rewrite + self.compactor + self.recalls
    }

    /// The ski-rental rule. The coming call's rent is counted as paid, because the question is asked before a call that
    /// will be made: so no more than the price is ever paid in rent before buying, and the whole bill is at most twice
    /// that of whoever knew how many calls were to come.
    pub fn pays(&self) -> bool {
        self.saves_per_call > 0.0 && self.rent.paid + self.saves_per_call >= self.price()
    }

    /// After how many calls the price is saved; none where nothing is saved.
    pub(crate) fn pays_back_in(&self) -> Option<u32> {
        (self.saves_per_call > 0.0).then(|| (self.price() / self.saves_per_call).ceil().max(0.0) as u32)
    }
}

/// What the planner says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Do it now.
    Go(Why),
    /// Not yet.
    Hold(WhyNot),
}

/// Why something is done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The rent has reached the price.
    Pays,
    /// The cache is cold: the prefix has no value.
    Cold,
    /// A trigger proposed it, and there are no prices to ask.
    Trigger,
    /// A person asked for it.
    Order,
    /// The window demands it.
    Window,
}

/// Why it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyNot {
    /// No step is old enough.
    NothingFoldable,
    /// What would replace it is not short enough.
    TooLittleGoes,
    /// Holding is still cheaper.
    RentBelowPrice,
    /// No prices, and no trigger.
    NoTrigger,
}

impl Why {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Pays => "it pays",
            Self::Cold => "cold cache",
            Self::Trigger => "a trigger",
            Self::Order => "as ordered",
            Self::Window => "the window is full",
        }
    }
}

impl WhyNot {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NothingFoldable => "nothing to fold",
            Self::TooLittleGoes => "too little would go",
            Self::RentBelowPrice => "rent below price",
            Self::NoTrigger => "no prices and no trigger",
        }
    }
}
