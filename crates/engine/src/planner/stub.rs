//! Whether old blocks become stubs: only at a cold cache, where everything behind the base is written anew whatever we do.
//!
//! What a stub saves is saved by every later call, and what it leaves out is a look-up away; a block that is still in the
//! cache costs a tenth, so a warm one is left alone (docs/design/folding.md, "Old blocks").

use serde::{Deserialize, Serialize};

use super::balance::{Tariff, Verdict, Warmth, Why, WhyNot};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StubQuestion {
    /// The blocks that may become stubs, as they stand in the view.
    pub blocks: u64,
    /// The same as stubs.
    pub stubs: u64,
    pub warmth: Warmth,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StubDecision {
    pub verdict: Verdict,
    pub blocks: u64,
    pub stubs: u64,
    pub warmth: Warmth,
    pub tariff: Option<Tariff>,
    /// By every call from now on, in uncached-input tokens.
    pub saves_per_call: Option<f64>,
}

pub(crate) fn plan_stub(question: &StubQuestion, tariff: Option<&Tariff>) -> StubDecision {
    let StubQuestion { blocks, stubs, warmth } = *question;
    let verdict = match warmth {
        _ if blocks <= stubs => Verdict::Hold(WhyNot::TooLittleGoes),
        Warmth::Cold => Verdict::Go(Why::Cold),
        Warmth::Warm => Verdict::Hold(WhyNot::RentBelowPrice),
    };
    let saves_per_call = tariff.map(|tariff| tariff.saves(blocks, stubs.min(blocks)));
    StubDecision { verdict, blocks, stubs, warmth, tariff: tariff.copied(), saves_per_call }
}
