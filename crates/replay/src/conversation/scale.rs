//! Base and factor: what the files do not show, taken from the bills.
//!
//! **Base** (docs/measuring.md, "What happens in a replay"): billed input of the first call that has a bill − counted
//! tokens of the turns before it: system prompt, tools, rules. Outside 1k–60k, or without a bill before the client first
//! compacted, the median of its format.
//!
//! **Factor**: Σ billed growth / Σ counted growth between neighbouring calls without compaction. Counts are multiplied
//! by it. Example: the prompts of three calls were billed at 20,000, 21,500 and 23,000 tokens, and what came between them
//! counts 1,000 and 1,000: the factor is 3,000 / 2,000 = 1.5.

use std::ops::Range;

use super::{Call, Piece};
use crate::recording::Format;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Tokens before the conversation, as billed.
    pub base: u32,
    pub factor: f64,
}

const SMALLEST_BASE: f64 = 1_000.0;
const LARGEST_BASE: f64 = 60_000.0;

impl Scale {
    /// `system` is the count of the system prompt that the file shows.
    pub(super) fn of(format: Format, system: u32, pieces: &[Piece], calls: &[Call<'_>]) -> Self {
        let factor = factor(pieces, calls).unwrap_or(1.0);
        let base = calls
            .iter()
            .take_while(|call| !call.after_compaction)
            .find_map(|call| Some(prompt(call)? - counted(pieces, call) as f64 * factor))
            .filter(|base| (SMALLEST_BASE..=LARGEST_BASE).contains(base));
        Self { base: base.map_or_else(|| usual_base(format, system), |base| base.round() as u32), factor }
    }

    pub fn apply(&self, tokens: u32) -> u32 {
        (f64::from(tokens) * self.factor).round() as u32
    }
}

/// As billed; none where a call was given up before that.
fn prompt(call: &Call<'_>) -> Option<f64> {
    call.billed.map(|billed| billed.prompt() as f64).filter(|tokens| *tokens > 0.0)
}

fn counted(pieces: &[Piece], call: &Call<'_>) -> u64 {
    call.before.iter().cloned().flatten().map(|piece| u64::from(pieces[piece].tokens)).sum()
}

fn factor(pieces: &[Piece], calls: &[Call<'_>]) -> Option<f64> {
    let (mut billed, mut count) = (0.0, 0.0);
    for pair in calls.windows(2) {
        let [one, next] = pair else { continue };
        let (Some(before), Some(after)) = (prompt(one), prompt(next)) else { continue };
        let grown = counted(pieces, next) as f64 - counted(pieces, one) as f64;
        // A rewind makes a prompt shorter, too.
        if next.after_compaction || grown <= 0.0 {
            continue;
        }
        billed += after - before;
        count += grown;
    }
    (billed > 0.0 && count > 0.0).then_some(billed / count)
}

/// Where one call's prompt is the one before and more: which pieces came, and what the bill grew by.
pub(super) fn growths(calls: &[Call<'_>]) -> Vec<(Range<usize>, f64)> {
    let growth = |pair: &[Call<'_>]| {
        let [one, next] = pair else { return None };
        let ([earlier @ .., end], [ranges @ .., last]) = (&one.before[..], &next.before[..]) else { return None };
        let goes_on = ranges == earlier && last.start == end.start && last.end > end.end && !next.after_compaction;
        let billed = prompt(next)? - prompt(one)?;
        (goes_on && billed > 0.0).then_some((end.end..last.end, billed))
    };
    calls.windows(2).filter_map(growth).collect()
}

/// The median of billed − counted over sessions of public repositories, counted by o200k and multiplied by each session's
/// factor; behind it on how many sessions it was measured.
fn usual_base(format: Format, system: u32) -> u32 {
    match format {
        Format::ClaudeCode => 41_000, // 32, from 26,500 to 50,900 and one of 136,100
        Format::Codex => 9_500,       // 3: 6,200, 9,500 and 14,300
        Format::Opencode => 11_400,   // 4, from 11,200 to 11,600
        Format::Pi => 1_600,          // 1
        Format::GeminiCli => 8_400,   // 3: 2,200, 8,400 and 8,600
        Format::MiniSweAgent => 220,  // 5, from 190 to 320: a short system prompt and one tool
        // Never billed by the call; its tools stand in the system prompt, and the file shows that.
        Format::SweAgent => system,
        // Where no call was billed at all. Not measured: the agent's own tools and rules.
        Format::Lookback => 4_000,
    }
}

#[cfg(test)]
mod tests {
    use lookback_engine::{
        NewPart,
        trace::{Origin, Stop},
    };

    use super::*;
    use crate::{
        conversation::Conversation,
        recording::{Billed, CallItem, Item, Recording, UserItem},
    };

    fn scale(format: Format, prompts: &[u64]) -> Scale {
        Conversation::new(&recording(format, prompts), &|text| text.len() as u32).scale
    }

    /// A user's turn and calls billed at these prompts; each answer counts 996, and 4 for being a message.
    fn recording(format: Format, prompts: &[u64]) -> Recording {
        let call = |prompt: &u64| {
            Item::Call(Box::new(CallItem {
                id: None,
                at: None,
                model: None,
                parts: vec![NewPart::Text("a".repeat(996))],
                stop: Stop::End,
                results: Vec::new(),
                billed: (*prompt > 0).then(|| Billed { uncached: *prompt, ..Billed::default() }),
                unpriced: Default::default(),
            }))
        };
        let user = Item::User(UserItem { text: "u".repeat(996), origin: Origin::Person, at: None });
        let items = std::iter::once(user).chain(prompts.iter().map(call)).collect();
        let mut recording = Recording { items, ..Recording::new(format) };
        recording.about.system = Some("s".repeat(700));
        recording
    }

    #[test]
    fn what_came_between_two_calls_weighs_what_the_bill_grew_by() {
        let mut recording = recording(Format::Codex, &[20_000, 21_500, 24_700, 24_000]);
        for (at, letter) in [(2, "v"), (4, "w"), (6, "x")] {
            let text = letter.repeat(96);
            recording.items.insert(at, Item::User(UserItem { text, origin: Origin::Person, at: None }));
        }
        let mut conversation = Conversation::new(&recording, &|text| text.len() as u32);
        conversation.weigh_by_bills();
        let prompt = |call: usize| -> u32 {
            let before = conversation.before(call).map(|piece| conversation.pieces[piece].tokens);
            conversation.scale.base + before.sum::<u32>()
        };
        assert_eq!([prompt(0), prompt(1), prompt(2)], [20_000, 21_500, 24_700]);
        assert_eq!(conversation.weight("w".repeat(96).as_bytes()), Some(conversation.pieces[4].tokens - 4));
        assert_eq!(conversation.weight("x".repeat(96).as_bytes()), None, "a bill that fell tells nothing");
    }

    #[test]
    fn the_example() {
        let scale = scale(Format::ClaudeCode, &[20_000, 21_500, 23_000]);
        assert_eq!(scale, Scale { base: 20_000 - 1_500, factor: 1.5 });
        assert_eq!(scale.apply(3), 5, "4.5 is rounded away from 0");
    }

    #[test]
    fn a_first_call_without_a_bill_has_the_base_of_the_next() {
        let scale = scale(Format::ClaudeCode, &[0, 21_500, 23_000]);
        assert_eq!(scale, Scale { base: 20_000 - 1_500, factor: 1.5 });
    }

    #[test]
    fn what_no_bill_tells_is_the_median_of_the_format() {
        for prompts in [[70_000, 71_000], [1_500, 2_500], [0, 0]] {
            assert_eq!(scale(Format::Codex, &prompts), Scale { base: 9_500, factor: 1.0 }, "{prompts:?}");
        }
        assert_eq!(scale(Format::SweAgent, &[0]).base, 700, "the system prompt that the file shows");
    }
}
