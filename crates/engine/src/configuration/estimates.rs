//! Numbers that estimates and comparisons of bills are made with. Not settings: they say how prompts and providers are,
//! not what somebody wants.

use std::ops::RangeInclusive;

/// Tokens of the tool call that asks for a Recall, in the answer and again in the prompt after it. Ours: a name, a
/// pointer, and what a provider writes around a call.
pub const RECALL_TOKENS: u64 = 80;

/// Tokens of a path or symbol that a Recall brings, with the line around it.
pub const RECALLED_ITEM: u64 = 60;

/// Tokens of a picture, whose size nobody here measures. Providers scale what is larger: a full one is billed as about
/// 1,600 tokens (Anthropic) or 1,100 (OpenAI, high detail).
pub(crate) const IMAGE_TOKENS: u32 = 1_500;

/// Pixels of a picture for each token: Anthropic's rule. OpenAI's squares of 32 by 32 make 1,024.
pub(crate) const PIXELS_PER_TOKEN: u64 = 750;

/// Anthropic refuses a request of more than so many pictures where one of them has more than so many pixels on a side ("At
/// least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
/// https://platform.claude.com/docs/en/build-with-claude/vision). No other provider that we know of allows less.
pub(crate) const FEW_PICTURES: usize = 20;
pub(crate) const LONGEST_OF_MANY: u32 = 2_000;

/// A ratio of billed to counted tokens outside of this says nothing about a tokenizer. Over 3,683 calls of recorded
/// sessions (Claude, o200k) 1% and 99% of the growths above 200 tokens lie at 1.0 and 2.8.
pub(crate) const BELIEVABLE: RangeInclusive<f64> = 0.25..=4.0;

/// How many tokens at a factor of 1 every session starts with; a few steps outweigh them. Of 0, 500, 2,000 and 5,000 on
/// the same sessions none is better by more than 0.1% of the input; without any, one short step can make a factor of
/// 2.9.
pub(crate) const BEGINNING: u64 = 2_000;

/// Above this many counted tokens all earlier growths are halved, because what a session reads changes.
pub(crate) const MEMORY: u64 = 100_000;

/// One part in so many of the input, by which a bill may differ from what is expected: docs/design/measuring.md, "The
/// engine's own estimates".
pub(crate) const TOLERATED: u64 = 50;

/// The share of a provider's minimum above it within which it is unknown on which side a prompt was, as one part in so
/// many: the minimum is in the provider's own tokens.
pub(crate) const NEAR_MINIMUM: u64 = 4;
