//! Competitive ratio: how far the planner, which does not know how many calls are to come, stays behind whoever does.
//!
//! **Definition** (docs/measuring.md, "The rest"): whole bill of the planner / whole bill of the best cut positions
//! found by dynamic programming, both with block size min(budget, W), the same kept steps, card and clock, no
//! admission. Rent and fold costs alone stand beside it: the whole bill less what every choice of cuts pays (output,
//! base, what is new, the newest kept steps), so there a difference is not drowned.
//!
//! One card for all calls, whoever made them: that of the session's usual model.
//!
//! No text and no real blocks: a session is the sizes of its steps and its clock. Both sides pay by the same formulas
//! (`bill`), both may fold right before any call and cut behind any step but the newest kept ones. The best is exact,
//! not an estimate (`best`).
//!
//! Nothing is archived here, so blocks add up for ever on both sides. Rent or buy weighs one fold at a time and does not
//! count that its block will be carried: a session of some thousand small steps leads it to more and smaller folds than
//! the best, and away from it without bound (steps of 300 tokens behind a base of 20,000, Anthropic's prices: 1.1 at 400
//! calls, 1.3 at 1,000, 1.6 at 2,000, 2.2 at 5,000).
//!
//! **Example.** Reading costs 0.1, writing 1; the base is 1,000 tokens, every step adds 2,000 (the user's first turn
//! nothing), the newest step is kept, a block has 500 tokens, and there are 5 calls, never cold. Answers cost
//! nothing.
//!
//! The floor is 1,000 for the first call (the base is written), and for each of the other four 100 (the base is read) and
//! 2,000 (the newest step is written): 9,400. With nothing folded, the calls 3, 4 and 5 also read 1, 2 and 3 foldable
//! steps: 200 + 400 + 600 = 1,200. A fold right before call 3 writes 500 and carries them for two calls at 50: 600. The
//! newest step was to be written anyway, so nothing else is paid. After it, call 4 pays 200 and call 5 pays 400 of rent:
//! 1,200 together, too. A fold before call 4 instead: 200 of rent at call 3, a block of 500 written and read once: 550,
//! and 200 of rent at call 5: 950. Two folds, before calls 3 and 4: 600 + 550 + 200. Before call 5 alone: 200 + 400 + 500
//! = 1,100. So the best folds before call 4, for 9,400 + 950 = 10,350.
//!
//! The planner counts 0.1 · (2,000 − 500) = 150 of rent at call 3, 350 at call 4, 550 at call 5: 1,050 in all. Its price is
//! 500 for the block and 0.9 · 2,000 to write the kept step again, 2,300. It never folds and pays 9,400 + 1,200 = 10,600:
//! the ratio is 1.024.

mod best;
mod bill;
mod steps;

use lookback_engine::{
    Configuration,
    planner::{self, Asked, Compactor, Cut, FoldQuestion, Place, Prefix, Rent, Verdict, plan_fold},
    trace::TurnNo,
};

use crate::{conversation::Conversation, simulate};
use best::find_best;
use bill::{Bill, Fold};
use steps::Steps;

/// In uncached-input tokens, as billed.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Competitive {
    pub planner_bill: f64,
    pub best_bill: f64,
    /// At least 1.
    pub ratio: f64,
    pub planner_rent_and_folds: f64,
    pub best_rent_and_folds: f64,
    pub planner_folds: u32,
    pub best_folds: u32,
}

/// None for cards without prices, and for sessions without calls.
pub fn competitive(
    conversation: &Conversation<'_>,
    tariff: &simulate::Tariff,
    configuration: &Configuration,
) -> Option<Competitive> {
    tariff.card.prices.as_ref()?;
    let steps = Steps::of(conversation, tariff)?;
    Some(compare(&steps, tariff, configuration))
}

fn compare(steps: &Steps, tariff: &simulate::Tariff, configuration: &Configuration) -> Competitive {
    let bill = Bill::new(steps, tariff, &configuration.fold);
    let planner = run_planner(&bill, &planner::Tariff { rates: tariff.rates, factor: steps.factor, cliff: None });
    let best = find_best(&bill);
    let (planner_bill, best_bill) = (bill.whole(planner.rent_and_folds), bill.whole(best.rent_and_folds));
    Competitive {
        planner_bill,
        best_bill,
        ratio: if best_bill > 0.0 { planner_bill / best_bill } else { 1.0 },
        planner_rent_and_folds: bill.billed(planner.rent_and_folds),
        best_rent_and_folds: bill.billed(best.rent_and_folds),
        planner_folds: planner.folds.len() as u32,
        best_folds: best.folds.len() as u32,
    }
}

struct PlannerRun {
    rent_and_folds: f64,
    folds: Vec<Fold>,
}

/// The engine's planner over a session of numbers: asked before every call as a session asks it, its folds carried out.
/// Logical breaks (they need texts, and choose among cuts that both pay), admission, settling, archives and the window are
/// not modelled.
fn run_planner(bill: &Bill<'_>, tariff: &planner::Tariff) -> PlannerRun {
    let mut run = PlannerRun { rent_and_folds: 0.0, folds: Vec::new() };
    let mut seam = 0;
    let mut rent = Rent::default();
    // The ends of the steps behind the seam, as a session lists them. A cut is known by its step's number.
    let mut cuts: Vec<Cut> = Vec::new();
    let mut before_seam = bill.steps.base;
    for call in 1..bill.steps.calls.len() {
        cuts.push(cut(bill, seam, call));
        let question = FoldQuestion {
            asked: Asked::Step,
            before_seam: before_seam as u64,
            hot_zone: bill.steps.calls[call].sent - bill.end(seam),
            cuts: &cuts,
            board: 0,
            expected_recalls: 0.0,
            rent,
            warmth: bill.steps.calls[call].warmth,
            prefix: Prefix::Kept,
            compactor: Compactor::Rules,
        };
        let decision = plan_fold(&question, Some(tariff), &bill.limits);
        match (decision.verdict, decision.cut) {
            (Verdict::Go(_), Some(chosen)) => {
                let fold = Fold { call, cut: chosen.end.0 as usize };
                run.rent_and_folds += bill.fold(fold, seam);
                run.folds.push(fold);
                before_seam += bill.block(bill.end(fold.cut) - bill.end(seam));
                seam = fold.cut;
                rent = Rent::default();
                cuts.clear();
                cuts.extend((seam + 1..=call).map(|end| cut(bill, seam, end)));
            }
            _ => {
                run.rent_and_folds += bill.rent(call, seam);
                // A session's events know rents in thousandths, and a call that pays none is not counted.
                let due = decision.balance.map_or(0.0, |balance| balance.saves_per_call);
                let due = (due.max(0.0) * 1_000.0).floor() / 1_000.0;
                if due > 0.0 {
                    rent.pay(due);
                }
            }
        }
    }
    run
}

fn cut(bill: &Bill<'_>, seam: usize, end: usize) -> Cut {
    Cut { end: TurnNo(end as u32), tokens: bill.end(end) - bill.end(seam), verbatim: 0, place: Place::Step }
}

#[cfg(test)]
mod tests;
