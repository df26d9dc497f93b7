//! A prompt as the places at which it can be cut, each with what stands before it.

use crate::prompt::{Chain, Digest, Mark, Prompt, Segment, Speaker};

/// The end of one block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// Everything up to here.
    pub(super) digest: Digest,
    /// Tokens up to here.
    pub(super) end: u64,
    pub(super) mark: Option<Mark>,
    /// Whose message ends here.
    pub(super) ends: Option<Speaker>,
}

pub(super) fn links(prompt: &Prompt) -> Vec<Link> {
    let mut chain = Chain::new(&prompt.model);
    let mut end = 0;
    let mut links = Vec::new();
    for segment in &prompt.segments {
        chain.begin(segment.speaker);
        for (place, block) in segment.blocks.iter().enumerate() {
            chain.push(&block.content);
            end += u64::from(block.tokens);
            let ends = (place + 1 == segment.blocks.len()).then_some(segment.speaker);
            links.push(Link { digest: chain.digest(), end, mark: block.mark, ends });
        }
    }
    links
}

/// What a prompt is when its answer stands behind it.
pub(super) fn extended(prompt: &Prompt, answer: &Segment) -> Digest {
    Chain::of(&prompt.model, prompt.segments.iter().chain([answer])).digest()
}
