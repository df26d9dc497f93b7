//! Whether to fold, and to which cut.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Limits,
    balance::{Balance, Compactor, Prefix, Rent, Tariff, Verdict, Warmth, Why, WhyNot},
    triggers::Trigger,
};
use crate::{configuration::estimates::RECALLED_ITEM, trace::TurnNo};

/// The end of a step behind the seam: where a fold may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The step's last turn.
    pub end: TurnNo,
    /// From the seam to here.
    pub tokens: u64,
    /// Of these, what a block repeats outside its budget: the user's turns, and its log of calls.
    pub verbatim: u64,
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Step,
    /// Also the end of an outermost closed span, or of what a trigger offered.
    Break,
}

/// Why the planner is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A step ended.
    Step,
    Trigger(Trigger),
    /// `/fold`.
    Order,
    /// The view does not fit: only the newest step must stay.
    Window,
}

#[derive(Debug, Clone, Copy)]
pub struct FoldQuestion<'a> {
    pub asked: Asked,
    /// P: tokens before the seam.
    pub before_seam: u64,
    /// All tokens from the seam to the end of the view.
    pub hot_zone: u64,
    /// Every step from the seam on, oldest first.
    pub cuts: &'a [Cut],
    /// The expected board entry behind the block.
    pub board: u64,
    /// How many Recalls the fold is expected to bring about.
    pub expected_recalls: f64,
    pub rent: Rent,
    pub warmth: Warmth,
    pub prefix: Prefix,
    pub compactor: Compactor,
}

/// The answer with all its numbers, as the fold's event records it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FoldDecision {
    pub verdict: Verdict,
    pub asked: Asked,
    pub before_seam: u64,
    pub warmth: Warmth,
    pub prefix: Prefix,
    pub compactor: Compactor,
    /// The best cut, also where the verdict is to hold; none where no cut takes anything away.
    pub cut: Option<ChosenCut>,
    pub tariff: Option<Tariff>,
    /// None without prices.
    pub balance: Option<Balance>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenCut {
    pub end: TurnNo,
    pub place: Place,
    /// W: what the fold replaces.
    pub foldable: u64,
    /// B: what stands there afterwards, with the user's turns and the board entry.
    pub block: u64,
    /// What the compactor may use of it.
    pub budget: u64,
    /// K: what stays raw behind the cut.
    pub kept: u64,
}

impl ChosenCut {
    pub fn gone(&self) -> u64 {
        self.foldable.saturating_sub(self.block)
    }
}

/// The size that a block may have for what it replaces.
pub fn block_budget(foldable: u64, limits: &Limits) -> u64 {
    let share = (foldable as f64 * limits.block_share) as u64;
    share.min(limits.block_most).max(limits.block_least)
}

/// Folds when the rent paid so far reaches the price of folding now. A person's order, a cold cache and the window skip
/// the price; without prices a trigger decides.
pub fn plan_fold(question: &FoldQuestion<'_>, tariff: Option<&Tariff>, limits: &Limits) -> FoldDecision {
    let keep = if question.asked == Asked::Window { 1 } else { limits.keep_steps.max(1) };
    let foldable = &question.cuts[..question.cuts.len().saturating_sub(keep as usize)];
    let [best, at_break] = best_cuts(question, foldable, limits);

    let chosen = best.map(|best| {
        // What the window forces goes to the newest step (docs/design/model.md, "The window"): no break is worth a
        // misfit.
        at_break
            .filter(|_| question.asked != Asked::Window)
            .filter(|cut| cut.gone() as f64 >= limits.break_share * best.gone() as f64)
            .map(|cut| weigh(question, cut, tariff))
            .filter(|option| matches!(decide(question, option, limits), Verdict::Go(_)))
            .unwrap_or_else(|| weigh(question, best, tariff))
    });
    let verdict = match chosen {
        None if foldable.is_empty() => Verdict::Hold(WhyNot::NothingFoldable),
        None => Verdict::Hold(WhyNot::TooLittleGoes),
        Some(option) => decide(question, &option, limits),
    };
    FoldDecision {
        verdict,
        asked: question.asked,
        before_seam: question.before_seam,
        warmth: question.warmth,
        prefix: question.prefix,
        compactor: question.compactor,
        cut: chosen.map(|option| option.cut),
        tariff: tariff.copied(),
        balance: chosen.and_then(|option| option.balance),
    }
}

#[derive(Debug, Clone, Copy)]
struct Weighed {
    cut: ChosenCut,
    balance: Option<Balance>,
}

/// The cut that takes most away, and the one that does so among the breaks; the later of equals. A later cut is hardly
/// ever the dearer one: of each further hundred tokens the block writes six, and none is left to be written behind it.
fn best_cuts(question: &FoldQuestion<'_>, cuts: &[Cut], limits: &Limits) -> [Option<ChosenCut>; 2] {
    let [mut best, mut at_break] = [None; 2];
    let improve = |best: &mut Option<ChosenCut>, cut: ChosenCut| {
        if best.is_none_or(|best| best.gone() <= cut.gone()) {
            *best = Some(cut);
        }
    };
    for cut in cuts {
        let budget = match question.asked {
            // For a small stretch that was asked for, a smaller block is better than none.
            Asked::Order | Asked::Window => block_budget(cut.tokens, limits).min(cut.tokens / 2),
            Asked::Step | Asked::Trigger(_) => block_budget(cut.tokens, limits),
        };
        let chosen = ChosenCut {
            end: cut.end,
            place: cut.place,
            foldable: cut.tokens,
            block: budget + cut.verbatim + question.board,
            budget,
            kept: question.hot_zone.saturating_sub(cut.tokens),
        };
        if chosen.gone() > 0 {
            improve(&mut best, chosen);
            if chosen.place == Place::Break {
                improve(&mut at_break, chosen);
            }
        }
    }
    [best, at_break]
}

fn weigh(question: &FoldQuestion<'_>, cut: ChosenCut, tariff: Option<&Tariff>) -> Weighed {
    let balance = tariff.map(|tariff| {
        let sizes = [question.before_seam, cut.foldable, cut.block, cut.kept];
        let (rewrite, saves_per_call) = tariff.edit(question.warmth, question.prefix, sizes);
        let compactor = &question.compactor;
        Balance {
            rent: question.rent,
            saves_per_call,
            rewrite,
            compactor: compactor.price(tariff, question.warmth, question.before_seam, cut.foldable, cut.block),
            recalls: question.expected_recalls
                * tariff
                    .then(cut.foldable, cut.block)
                    .recall(question.before_seam + cut.block + cut.kept, RECALLED_ITEM),
        }
    });
    Weighed { cut, balance }
}

fn decide(question: &FoldQuestion<'_>, option: &Weighed, limits: &Limits) -> Verdict {
    let gone = option.cut.gone();
    let asked_for = matches!(question.asked, Asked::Order | Asked::Window);
    if !asked_for && (gone as f64) < limits.gone_share * option.cut.foldable as f64 {
        return Verdict::Hold(WhyNot::TooLittleGoes);
    }
    match (question.asked, question.warmth, option.balance) {
        (Asked::Order, ..) => Verdict::Go(Why::Order),
        (Asked::Window, ..) => Verdict::Go(Why::Window),
        (_, Warmth::Cold, _) if gone >= limits.gone_least => Verdict::Go(Why::Cold),
        (_, Warmth::Cold, _) => Verdict::Hold(WhyNot::TooLittleGoes),
        (_, _, Some(balance)) if balance.pays() => Verdict::Go(Why::Pays),
        (_, _, Some(_)) => Verdict::Hold(WhyNot::RentBelowPrice),
        (Asked::Trigger(_), _, None) if gone >= limits.gone_least => Verdict::Go(Why::Trigger),
        (Asked::Trigger(_), _, None) => Verdict::Hold(WhyNot::TooLittleGoes),
        (Asked::Step, _, None) => Verdict::Hold(WhyNot::NoTrigger),
    }
}

/// One line for people; costs are in uncached-input tokens.
impl fmt::Display for FoldDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdict {
            Verdict::Go(why) => write!(f, "fold ({})", why.words())?,
            Verdict::Hold(why) => write!(f, "hold ({})", why.words())?,
        }
        if let Some(cut) = &self.cut {
            let ChosenCut { end, foldable, block, kept, .. } = cut;
            write!(f, " up to turn#{end}: {foldable} → {block} tokens, {kept} kept raw")?;
        }
        if let Some(balance) = &self.balance {
            let Balance { rent, .. } = balance;
            write!(f, "; price {:.0}, rent paid {:.0} in {} calls", balance.price(), rent.paid, rent.calls)?;
            match balance.pays_back_in() {
                Some(0) => f.write_str("; pays for itself at once")?,
                Some(calls) => write!(f, "; pays for itself in {calls} calls")?,
                None => {}
            }
        }
        Ok(())
    }
}
