//! Thinking that comes back: unaltered, in its place, and where it is wanted.

use std::collections::{HashMap, HashSet};

use lookback_engine::card::{Card, ThinkingHabit};
use lookback_wire::{Provider, Seal};

use super::{RefusalKind, Refused, seal};
use crate::prompt::{Block, Content, Digest, Prompt, Segment, Speaker, content_digest};

const SIGNATURE: &str = "Eo";
const ENCRYPTED: &str = "gAAA";

/// What was answered, as far as a later request is checked against it.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Calls of answers that had thinking.
    thoughtful_calls: HashSet<String>,
    /// What followed a sealed reasoning item.
    followers: HashMap<String, Digest>,
    issued: u64,
}

impl Memory {
    /// Seals thinking that answers a prompt.
    pub(crate) fn issue(&mut self, api: Provider, prompt: &Prompt, text: &str) -> Seal {
        let history = prompt.history(prompt.segments.len());
        match api {
            Provider::Anthropic => Seal::Signature(seal::issue(SIGNATURE, text, &history)),
            Provider::Responses => {
                self.issued += 1;
                let number = format!("{:08x}", self.issued);
                let id = format!("rs_{}{number}", &seal::hex(&history)[..16]);
                // The reasoning itself stays here: what is sealed only has to be another each time.
                let content = format!("{}.{number}", seal::issue(ENCRYPTED, &number, &history));
                Seal::Encrypted { id: Some(id), content }
            }
            Provider::Chat | Provider::React => Seal::Plain,
        }
    }

    pub(crate) fn remember(&mut self, answer: &Segment) {
        let thought = answer.blocks.iter().any(|block| matches!(block.content, Content::Thinking { .. }));
        for block in answer.blocks.iter().filter(|_| thought) {
            if let Content::Call { id, .. } = &block.content {
                self.thoughtful_calls.insert(id.clone());
            }
        }
        for pair in answer.blocks.windows(2) {
            if let Content::Thinking { seal: Seal::Encrypted { content: sealed, .. }, .. } = &pair[0].content {
                self.followers.insert(sealed.clone(), content_digest(&pair[1].content));
            }
        }
    }

    pub(crate) fn check(&self, card: &Card, prompt: &Prompt) -> Result<(), Refused> {
        let answers = prompt.segments.iter().enumerate().filter(|(_, segment)| segment.speaker == Speaker::Assistant);
        for (place, segment) in answers {
            for (index, block) in segment.blocks.iter().enumerate() {
                self.check_block(card, prompt, place, block, segment.blocks.get(index + 1))?;
            }
            if card.thinking == ThinkingHabit::Required && self.lacks_thinking(segment) {
                let message = "The `reasoning_content` in the thinking mode must be passed back to the API.";
                return Err(Refused::new(RefusalKind::MissingThinking, message));
            }
        }
        Ok(())
    }

    fn lacks_thinking(&self, segment: &Segment) -> bool {
        let has_thinking = segment.blocks.iter().any(|block| matches!(block.content, Content::Thinking { .. }));
        let is_known = |block: &Block| match &block.content {
            Content::Call { id, .. } => self.thoughtful_calls.contains(id),
            _ => false,
        };
        !has_thinking && segment.blocks.iter().any(is_known)
    }

    fn check_block(
        &self,
        card: &Card,
        prompt: &Prompt,
        place: usize,
        block: &Block,
        next: Option<&Block>,
    ) -> Result<(), Refused> {
        let Content::Thinking { text, seal } = &block.content else { return Ok(()) };
        let (at, index) = block.at;
        let refused = |message| Err(Refused::new(RefusalKind::InvalidThinking, message));
        match seal {
            Seal::Plain | Seal::None => Ok(()),
            Seal::Redacted(_) => {
                refused(format!("messages.{at}.content.{index}: Invalid `data` in `redacted_thinking` block"))
            }
            Seal::Signature(signature) => {
                let invalid = format!("messages.{at}.content.{index}: Invalid `signature` in `thinking` block");
                match seal::open(SIGNATURE, text, signature) {
                    None => refused(invalid),
                    Some(history)
                        if card.thinking == ThinkingHabit::Drop && history != seal::hex(&prompt.history(place)) =>
                    {
                        refused(format!("{invalid}. The block is bound to a different conversation. Remove the block."))
                    }
                    Some(_) => Ok(()),
                }
            }
            Seal::Encrypted { id, content } => self.check_reasoning(id.as_deref(), content, next),
        }
    }

    fn check_reasoning(&self, id: Option<&str>, content: &str, next: Option<&Block>) -> Result<(), Refused> {
        let opened = content.rsplit_once('.').and_then(|(sealed, number)| seal::open(ENCRYPTED, number, sealed));
        if opened.is_none() {
            let shown = id.map_or_else(|| abbreviated(content), |id| format!("for item {id}"));
            let message = format!(
                "The encrypted content {shown} could not be verified. Reason: Encrypted content could not be decrypted or \
                 parsed."
            );
            return Err(Refused::new(RefusalKind::InvalidThinking, message));
        }
        let followed_by = next.map(|next| content_digest(&next.content));
        if self.followers.get(content).is_some_and(|follower| followed_by.as_ref() != Some(follower)) {
            let id = id.unwrap_or("reasoning");
            let message = format!("Item '{id}' of type 'reasoning' was provided without its required following item.");
            return Err(Refused::invalid(message));
        }
        Ok(())
    }
}

/// As OpenAI shows it: both ends.
fn abbreviated(content: &str) -> String {
    let head: String = content.chars().take(4).collect();
    let tail: Vec<char> = content.chars().rev().take(4).collect();
    format!("{head}...{}", tail.into_iter().rev().collect::<String>())
}
