//! The engine's planner over a session of numbers: asked before every call as a session asks it, its folds carried out.
//!
//! Not modelled: logical breaks (they need texts, and choose among cuts that both pay), admission, settling, archives
//! and the window.

use lookback_engine::planner::{Asked, Compactor, Cut, FoldQuestion, Place, Prefix, Rent, Tariff, Verdict, plan_fold};
use lookback_engine::trace::TurnNo;

use super::bill::{Bill, Fold};

pub(super) struct PlannerRun {
    pub(super) rent_and_folds: f64,
    pub(super) folds: Vec<Fold>,
}

pub(super) fn run_planner(bill: &Bill<'_>, tariff: &Tariff) -> PlannerRun {
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
