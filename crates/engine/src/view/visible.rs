//! What of an assistant turn stays in the view.

use crate::trace::{AssistantPart, AssistantTurn};
use lookback_wire::{Seal, is_blank};

/// The parts that are shown again. Of an interrupted turn the text stays; unfinished calls and unsigned thinking go
/// (docs/design/model.md, "When something breaks off"). A turn of which only thinking is left says nothing and goes
/// whole.
pub(crate) fn visible_parts(turn: &AssistantTurn) -> Vec<&AssistantPart> {
    let parts: Vec<&AssistantPart> = turn.parts.iter().filter(|part| is_kept(turn, part)).collect();
    let says_something =
        parts.iter().any(|part| !matches!(part, AssistantPart::Thinking { .. } | AssistantPart::Unknown { .. }));
    if says_something { parts } else { Vec::new() }
}

fn is_kept(turn: &AssistantTurn, part: &AssistantPart) -> bool {
    match part {
        AssistantPart::Text { text, .. } => !is_blank(text),
        // Encrypted reasoning stays or goes with what follows it, and what follows it here is not whole.
        AssistantPart::Thinking { seal, .. } => {
            !(turn.stop.is_interrupted() && matches!(seal, Seal::None | Seal::Encrypted { .. }))
        }
        AssistantPart::Call { unfinished, .. } => !unfinished,
        // An unknown part of an interrupted answer may be incomplete.
        AssistantPart::Unknown { .. } => !turn.stop.is_interrupted(),
    }
}

pub(crate) fn part_tokens(part: &AssistantPart) -> u32 {
    match part {
        AssistantPart::Text { tokens, .. }
        | AssistantPart::Thinking { tokens, .. }
        | AssistantPart::Call { tokens, .. }
        | AssistantPart::Unknown { tokens } => *tokens,
    }
}
