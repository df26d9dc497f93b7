//! What a random session runs under: window, model, card, and the numbers that decide how much is folded and archived.

use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) window: u32,
    pub(crate) card: CardChoice,
    /// What the provider bills for each hundred tokens that we count.
    pub(crate) billed: u32,
    pub(crate) keep_steps: u32,
    pub(crate) keep_rounds: u32,
    /// Blocks are written for short stretches, too.
    pub(crate) small_folds: bool,
    pub(crate) board_tool: bool,
    pub(crate) strict: bool,
    pub(crate) provider: usize,
    pub(crate) layout: usize,
    /// A model writes the blocks that the planner wants, not the rules.
    pub(crate) model_writes: bool,
    pub(crate) guest: Option<Guest>,
}

/// Another program drives the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guest {
    /// Folds are asked for after every answer.
    Folds,
    /// Nothing is ever folded, it is another day, and bills differ.
    Watches,
}

/// Guests, with a view whose bytes are checked against every provider.
pub(crate) fn guests() -> impl Strategy<Value = Setting> {
    let as_guest = |setting| Setting { guest: Some(Guest::Folds), layout: 1, small_folds: true, ..setting };
    settings().prop_map(as_guest)
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum CardChoice {
    None,
    /// Prices, entries that live five minutes, thinking kept.
    KeepsThinking,
    /// The same, thinking dropped behind every edit.
    DropsThinking,
    /// Prices, entries without a lifetime.
    NeverCold,
}

/// Windows in the proportion 8k : 32k : 200k = 90 : 9 : 1.
fn windows() -> impl Strategy<Value = u32> {
    prop_oneof![90 => Just(8_000u32), 9 => Just(32_000u32), 1 => Just(200_000u32)]
}

pub(crate) fn settings() -> impl Strategy<Value = Setting> {
    let card = prop_oneof![
        Just(CardChoice::None),
        Just(CardChoice::KeepsThinking),
        Just(CardChoice::DropsThinking),
        Just(CardChoice::NeverCold),
    ];
    let billed = prop_oneof![1 => Just(100u32), 1 => 100u32..=160];
    let steps = prop_oneof![4 => Just(1u32), 2 => Just(2), 1 => 3u32..=5];
    let numbers = (steps, 1u32..=3, prop::bool::weighted(0.8));
    let model = (any::<bool>(), prop::bool::weighted(0.3), 0usize..4, 0usize..6, prop::bool::weighted(0.4));
    (windows(), card, billed, numbers, model).prop_map(|(window, card, billed, numbers, model)| {
        let (keep_steps, keep_rounds, small_folds) = numbers;
        let (board_tool, strict, provider, layout, model_writes) = model;
        Setting {
            window,
            card,
            billed,
            keep_steps,
            keep_rounds,
            small_folds,
            board_tool,
            strict,
            provider,
            layout,
            model_writes,
            guest: None,
        }
    })
}
