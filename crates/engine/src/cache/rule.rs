//! The rules by which providers find a prompt again. They are data on a card; how they are applied stands beside.

use serde::{Deserialize, Serialize};

/// How a provider finds a prompt again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each variant says what its numbers are")]
pub enum CacheRule {
    /// Every prompt is read anew.
    None,
    /// The longest common prefix with an earlier prompt, in whole units (older OpenAI models 128 with a minimum of 1,024,
    /// DeepSeek 64, llama.cpp 1).
    Prefix { unit: u32, minimum: u32, covers: Covers },
    /// An entry at each mark; look-up walks back from each mark over a few parts (Anthropic: 4 marks, 20 parts).
    Marks { marks: u32, look_back: u32, minimum: u32 },
    /// An entry at each mark and at the prompt's end; look-up finds only those, of which the newest are considered (OpenAI
    /// from gpt-5.6 on: 4 written a call, 80 considered).
    Breakpoints { marks: u32, considered: u32, unit: u32, minimum: u32 },
}

/// What a stored prefix holds of the call that stored it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covers {
    /// The prompt alone.
    Prompt,
    /// The answer too (DeepSeek, in 2,319 calls: docs/design/measuring.md, "What the bills say"; a llama.cpp slot).
    PromptAndAnswer,
}
