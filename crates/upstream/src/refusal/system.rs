//! System messages in mid-conversation, where the card allows them.

use lookback_engine::card::{Card, SystemMessages};

use super::{Refused, wording::misplaced_system};
use crate::prompt::{Prompt, Segment, Speaker};

pub(super) fn check_system(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    let said = &prompt.segments;
    let is_head = |segment: &Segment| matches!(segment.speaker, Speaker::Tools | Speaker::System);
    let head = said.iter().take_while(|segment| is_head(segment)).count();
    for (place, segment) in said.iter().enumerate().skip(head).filter(|(_, it)| it.speaker == Speaker::System) {
        let at = segment.blocks.first().map_or(0, |block| block.at.0);
        let words = match card.system {
            SystemMessages::Anywhere => continue,
            SystemMessages::First => return Err(misplaced_system(prompt.api, at)),
            SystemMessages::BehindUser if !is_given(&said[place - 1]) => {
                "must follow a 'user' message or an 'assistant' message ending in a server tool result"
            }
            SystemMessages::BehindUser
                if said.get(place + 1).is_some_and(|next| next.speaker != Speaker::Assistant) =>
            {
                "must be followed by an 'assistant' message or end the conversation"
            }
            SystemMessages::BehindUser => continue,
        };
        return Err(Refused::invalid(format!("messages.{at}: role 'system' {words}")));
    }
    Ok(())
}

/// Whether the model answers to it.
fn is_given(segment: &Segment) -> bool {
    matches!(segment.speaker, Speaker::User | Speaker::Tool)
}
