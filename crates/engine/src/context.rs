//! What the engine needs from outside with each thing that it records: the time, a token counter, large outputs.

use lookback_wire::{ToolSpec, picture_size};

use crate::{
    configuration::estimates::{IMAGE_TOKENS, PIXELS_PER_TOKEN},
    trace::{AsCame, BlobError, Blobs, Part, Timestamp, ToolResult, start::Counted},
};

/// What a recording method needs from outside.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// What the events get as their time.
    pub now: Timestamp,
    /// Tokens of a text; the session's `tokenizer` names it.
    pub count: &'a dyn Fn(&[u8]) -> u32,
    /// Large outputs that are not in memory.
    pub blobs: &'a dyn Blobs,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("now", &self.now).finish_non_exhaustive()
    }
}

impl Context<'_> {
    pub(crate) fn counted(&self, text: String) -> Counted {
        Counted { tokens: (self.count)(text.as_bytes()), text }
    }

    /// A user turn: its text, and what came with it.
    pub(crate) fn count_user(&self, text: &str, as_came: Option<&AsCame>) -> u32 {
        let parts = as_came.map_or(&[][..], |as_came| &as_came.parts).iter();
        let beside = parts.map(|part| match part {
            Part::Text { .. } => 0,
            Part::Image(_) => IMAGE_TOKENS,
            Part::Named(named) => (self.count)(named.raw.as_bytes()),
        });
        beside.fold((self.count)(text.as_bytes()), u32::saturating_add)
    }

    /// The pictures of a result; 0 where it has none.
    pub(crate) fn count_pictures(&self, result: &ToolResult) -> Result<u32, BlobError> {
        let parts = result.as_came.as_ref().map_or(&[][..], |as_came| &as_came.parts);
        parts.iter().try_fold(0_u32, |sum, part| match part {
            Part::Image(image) => Ok(sum.saturating_add(image_tokens(&image.bytes.bytes(self.blobs)?))),
            Part::Text { .. } | Part::Named(_) => Ok(sum),
        })
    }

    /// Tools are one part: what a provider is told of them, whatever punctuation it puts around it.
    pub(crate) fn count_tools(&self, tools: &[ToolSpec]) -> u32 {
        let declared = tools
            .iter()
            .map(|tool| format!("{}\n{}\n{}\n", tool.name, tool.description, tool.parameters))
            .collect::<String>();
        (self.count)(declared.as_bytes())
    }
}

/// By its pixels, as providers bill it up to the size to which they scale it.
fn image_tokens(bytes: &[u8]) -> u32 {
    let tokens = picture_size(bytes).map(|(width, height)| {
        (u64::from(width) * u64::from(height)).div_ceil(PIXELS_PER_TOKEN).min(u64::from(IMAGE_TOKENS)) as u32
    });
    tokens.unwrap_or(IMAGE_TOKENS)
}
