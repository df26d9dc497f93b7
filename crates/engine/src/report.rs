//! One line for a person after each edit of the view: what was replaced, kept, refused, what it costs and saves.
//!
//! Wording alone: the sizes come from what was recorded, and what they cost from the planner's tariff of that moment.

use std::fmt;

use crate::{
    admission::Refusal,
    ledger::Short,
    planner::{Prefix, Tariff, Warmth},
    trace::decision::{Author, Fold, ThinkingBehind, TurnRange},
};

/// What a fold did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoldReport {
    /// Its number.
    pub block: u32,
    /// The turns that it stands for.
    pub range: TurnRange,
    /// Who wrote it.
    pub author: Author,
    /// Tokens that the fold took out of the view.
    pub replaced: u64,
    /// Tokens of the block, and of the board entry behind it.
    pub block_tokens: u64,
    /// Of that entry alone.
    pub board_tokens: u64,
    /// Tokens before the fold, whose bytes are unchanged.
    pub before: u64,
    /// Tokens and steps behind it that stay as they are.
    pub kept: u64,
    /// Steps among them.
    pub kept_steps: usize,
    /// What evidence confirms.
    pub facts: usize,
    /// What only the assistant said.
    pub conclusions: usize,
    /// What the author worded.
    pub notes: usize,
    /// Stretches of files.
    pub anchors: usize,
    /// Commands with their outcomes.
    pub commands: usize,
    /// How many were proposed.
    pub claims: usize,
    /// Those that were not admitted.
    pub refused: Vec<Refusal>,
    /// Of the steps behind it.
    pub thinking: ThinkingBehind,
    /// Unknown fields of the model's answer.
    pub dropped_fields: Vec<String>,
    /// By which the balance is told; none without prices.
    pub tariff: Option<Tariff>,
    /// Of the cache when it was made.
    pub warmth: Warmth,
    /// Whether the tokens before it are found again.
    pub prefix: Prefix,
}

/// What an unfold brought back, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfoldReport {
    /// Which one.
    pub block: u32,
    /// The turns that are back.
    pub range: TurnRange,
    /// What left the view.
    pub block_tokens: u64,
    /// What came back.
    pub turns_tokens: u64,
    /// Tokens behind the block, which are written again.
    pub behind: u64,
    /// By which the balance is told; none without prices.
    pub tariff: Option<Tariff>,
    /// Of the cache when it was made.
    pub warmth: Warmth,
}

/// How much shorter results became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettleReport {
    /// How many.
    pub results: usize,
    /// Their tokens before.
    pub raw: u64,
    /// And after.
    pub short: u64,
}

/// How much shorter old blocks became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubReport {
    /// How many.
    pub blocks: usize,
    /// Their tokens before.
    pub raw: u64,
    /// And after.
    pub short: u64,
}

/// What an archive did to the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveReport {
    /// Its number.
    pub archive: u32,
    /// The turns that it stands for.
    pub range: TurnRange,
    /// Who wrote the summary.
    pub author: Author,
    /// Tokens that left the view.
    pub replaced: u64,
    /// Tokens of the summary.
    pub summary: u64,
    /// Lines of it that were not admitted.
    pub refused: Vec<Refusal>,
}

/// What became of a proposed delta.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeltaReport {
    /// The board's, from now on.
    pub version: u32,
    /// Who wrote it.
    pub author: Author,
    /// `STATE_DELTA vN` with the ids that the board gave.
    pub text: String,
    /// Claims that were not admitted.
    pub refused: Vec<Refusal>,
    /// Fields of the model's text that no board has.
    pub dropped_fields: Vec<String>,
}

impl FoldReport {
    /// Takes over what was recorded.
    pub(crate) fn describe(&mut self, fold: &Fold) {
        self.author = fold.author;
        self.facts = fold.claims.what_we_learned.len();
        self.conclusions = fold.claims.said.len();
        self.notes = fold.claims.notes.len();
        self.anchors = fold.claims.anchors.len();
        self.commands = fold.claims.exec_assertions.len();
        self.thinking = fold.thinking;
    }

    /// What stands there afterwards.
    pub fn written(&self) -> u64 {
        self.block_tokens + self.board_tokens
    }

    /// What the fold costs once and saves at every further call, in uncached input tokens; none without prices.
    pub fn balance(&self) -> Option<(f64, f64)> {
        balance(self.tariff, self.warmth, self.prefix, [self.before, self.replaced, self.written(), self.kept])
    }
}

impl UnfoldReport {
    /// What the unfold costs once and at every further call, in uncached input tokens; none without prices.
    pub fn balance(&self) -> Option<(f64, f64)> {
        balance(self.tariff, self.warmth, Prefix::Kept, [0, self.block_tokens, self.turns_tokens, self.behind])
    }
}

/// What an edit costs once, beside what a cold cache has written anew anyway, and what it changes at every further call.
fn balance(tariff: Option<Tariff>, warmth: Warmth, prefix: Prefix, sizes: [u64; 4]) -> Option<(f64, f64)> {
    let (once, saves) = tariff?.edit(warmth, prefix, sizes);
    Some((if warmth == Warmth::Cold { 0.0 } else { once }, saves.abs()))
}

impl fmt::Display for FoldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TurnRange { first, last } = self.range;
        write!(f, "folded turns {first}–{last} into block {}: ", self.block)?;
        write!(f, "{} → {} tokens", Short(self.replaced), Short(self.written()))?;
        write!(f, " · {} tokens before it unchanged, {} behind it kept", Short(self.before), steps(self.kept_steps))?;
        if self.thinking == ThinkingBehind::Dropped {
            f.write_str(" · their thinking dropped")?;
        }
        let parts = [
            (self.facts, "fact"),
            (self.conclusions, "conclusion"),
            (self.anchors, "anchor"),
            (self.commands, "command"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, noun)| counted(*number, noun)).collect();
        write!(f, " · {}", if parts.is_empty() { "no claims".to_owned() } else { parts.join(", ") })?;
        if !self.refused.is_empty() {
            write!(f, ", {} of {} claims refused", self.refused.len(), self.claims.max(self.refused.len()))?;
        }
        match self.balance() {
            None => f.write_str(" · no prices for this model")?,
            Some((once, saves)) => {
                match self.warmth {
                    Warmth::Warm => write!(f, " · costs as much as {} input tokens now", Short(once as u64))?,
                    Warmth::Cold => f.write_str(" · costs nothing now: the provider's cache has expired")?,
                }
                let fewer = self.replaced.saturating_sub(self.written());
                write!(f, " · saves {} tokens on every call from now on", Short(fewer))?;
                write!(f, " · they cost as much as {} uncached ones", Short(saves as u64))?;
                if saves > 0.0 && once > 0.0 {
                    write!(f, " · pays for itself in {}", counted((once / saves).ceil() as usize, "call"))?;
                }
            }
        }
        if self.author == Author::TimedOut {
            f.write_str(" · by rules: the model did not answer in time")?;
        }
        Ok(())
    }
}

impl fmt::Display for UnfoldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TurnRange { first, last } = self.range;
        write!(f, "unfolded block {}: turns {first}–{last} are back, ", self.block)?;
        write!(f, "{} → {} tokens", Short(self.block_tokens), Short(self.turns_tokens))?;
        let Some((once, more)) = self.balance() else { return f.write_str(" · no prices for this model") };
        match self.warmth {
            Warmth::Warm => write!(f, " · costs as much as {} input tokens now", Short(once as u64))?,
            Warmth::Cold => f.write_str(" · costs nothing now: the provider's cache has expired")?,
        }
        let longer = self.turns_tokens.saturating_sub(self.block_tokens);
        write!(f, " · {} tokens more on every call from now on", Short(longer))?;
        write!(f, " · they cost as much as {} uncached ones", Short(more as u64))
    }
}

impl fmt::Display for SettleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "settled {}: {} → {} tokens", counted(self.results, "result"), Short(self.raw), Short(self.short))
    }
}

impl fmt::Display for StubReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, raw, short } = self;
        write!(f, "{} made short: {} → {} tokens", counted(*blocks, "old block"), Short(*raw), Short(*short))
    }
}

impl fmt::Display for ArchiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TurnRange { first, last } = self.range;
        write!(f, "archived turns {first}–{last}: {} → {} tokens", Short(self.replaced), Short(self.summary))?;
        match self.author {
            Author::TimedOut => f.write_str(" · the summary did not come in time"),
            Author::Rules | Author::Model | Author::Given => Ok(()),
        }
    }
}

impl fmt::Display for DeltaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if !self.refused.is_empty() {
            write!(f, "\n{}", Refusal::render_all(self.refused.len(), &self.refused))?;
        }
        if !self.dropped_fields.is_empty() {
            write!(f, "\nunknown and not taken: {}", self.dropped_fields.join(", "))?;
        }
        Ok(())
    }
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn steps(number: usize) -> String {
    counted(number, "step")
}
