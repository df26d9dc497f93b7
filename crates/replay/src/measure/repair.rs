//! **Repaired cost**, the headline: cost, plus one Recall for every step that lacks something it needs.
//!
//! A Recall costs what the engine's planner takes it to cost ([`planner::Tariff::recall`]): r × input tokens of that call
//! (its prompt is in the cache) + 80·o (the tool call that asks) + w·(80 + Σ items) (that call and the answer become part of
//! the prompt). An item is its own tokens for an edit line and 60 for a path or symbol, which comes with the line around it. Only items that count and were not found; nothing recalled
//! stays in later views. It is the same for every strategy, so all stand on one scale; append lacks nothing and pays none.
//!
//! Example (r 0.1, w 1.25, o 5): the third call has a prompt of 1,600 tokens and lacks an edit line of 8: 160 + 400 +
//! 1.25 × 88 = 670. The fourth has 2,000 and lacks a symbol: 200 + 400 + 1.25 × 140 = 775. Repaired cost: 7,460 + 1,445 =
//! 8,905. **Repairs per call**: 2 / 4 = 0.5.

use lookback_engine::{
    cache::Split,
    configuration::{RECALL_TOKENS, RECALLED_ITEM},
    planner,
};

use super::recall::found_of;
use crate::{
    conversation::{Conversation, NeedKind},
    simulate::{ByCard, Found, Run, Tariff},
};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Repairs {
    pub(super) cost: f64,
    pub(super) count: u64,
    pub(super) tokens: ByCard,
}

pub(super) fn repairs(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff) -> Repairs {
    let mut repairs = Repairs::default();
    for (call, ran) in run.calls.iter().enumerate() {
        let Some((_, recalled)) = lacking(run, conversation, call) else { continue };
        let (view, tariff) = (ran.split.tokens(), tariff.of(conversation.calls[call].model));
        let asked = Split { read: view, written: RECALL_TOKENS + recalled, uncached: 0, ..Split::default() };
        repairs.cost += recall(tariff, view, recalled);
        repairs.count += 1;
        tariff.spend(repairs.tokens.entry(tariff.name().to_owned()).or_default(), view, &asked, RECALL_TOKENS);
    }
    repairs
}

/// What one step lacked, and what looking it up costs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Repair {
    pub items: u64,
    pub cost: f64,
}

/// None where a step lacked nothing.
pub fn repair(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff, call: usize) -> Option<Repair> {
    let (items, recalled) = lacking(run, conversation, call)?;
    let tariff = tariff.of(conversation.calls[call].model);
    Some(Repair { items, cost: recall(tariff, run.calls[call].split.tokens(), recalled) })
}

fn recall(tariff: &Tariff, view: u64, recalled: u64) -> f64 {
    planner::Tariff::new(tariff.at(view).1).recall(view, recalled)
}

/// How many items a step lacked, and the tokens that they bring.
fn lacking(run: &Run, conversation: &Conversation<'_>, call: usize) -> Option<(u64, u64)> {
    let found = found_of(run, conversation, call);
    let lacking = found.filter(|(need, found)| need.kind.enters_recall() && *found != Found::InView);
    let (mut items, mut recalled) = (0, 0);
    for (need, _) in lacking {
        items += 1;
        recalled += if need.kind == NeedKind::EditLine { u64::from(need.tokens) } else { RECALLED_ITEM };
    }
    (items > 0).then_some((items, recalled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        measure::{example, figures},
        shown::Reach,
    };

    #[test]
    fn the_example() {
        example::with(|run, conversation, tariff| {
            let repairs = repairs(run, conversation, tariff);
            assert_eq!(repairs.count, 2);
            assert!((repairs.cost - 1_445.0).abs() < 1e-9, "{repairs:?}");
            let figures = figures(run, conversation, tariff, Some(9_150.0));
            assert!((figures.repaired - 8_905.0).abs() < 1e-9);
            assert!((figures.vs_append - 7_460.0 / 9_150.0).abs() < 1e-9);
            assert!((figures.repaired_vs_append - 8_905.0 / 9_150.0).abs() < 1e-9);
            assert_eq!(figures.repairs_per_call, 0.5);
        });
    }

    #[test]
    fn one_step_pays_once_for_all_that_it_lacks() {
        example::with(|run, conversation, tariff| {
            let lacking = [
                example::need(NeedKind::Path, "door.rs", 3),
                example::need(NeedKind::EditLine, "let hinge = oil();", 8),
            ];
            let input = run.calls[0].split.tokens() as f64;
            conversation.calls[0].needs = lacking.into();
            run.calls[0].needs = vec![Found::Reached(Reach::Lost); 2];
            let cost = 0.1 * input + 400.0 + 1.25 * 148.0;
            assert_eq!(repair(run, conversation, tariff, 0), Some(Repair { items: 2, cost }));
        });
    }

    #[test]
    fn what_is_reported_apart_is_not_repaired() {
        example::with(|run, conversation, tariff| {
            conversation.calls[0].needs.push(example::need(NeedKind::Test, "door::opens", 4));
            run.calls[0].needs.push(Found::Reached(Reach::Lost));
            assert_eq!(repairs(run, conversation, tariff).count, 2);
        });
    }
}
