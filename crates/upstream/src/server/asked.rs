//! A request, read before anything is decided. Reading takes time in proportion to the body, and needs nothing that
//! requests share: so nobody waits for somebody else's.

use bytes::Bytes;
use lookback_models::script::{Conversation, PlayError, is_react_prompt};
use lookback_wire::Provider;
use serde_json::Value;

use crate::{Prompt, Refused, count_o200k, examiner::read_prompt};

/// What a body says, to be decided about.
pub(super) struct Read {
    pub(super) asked: Asked,
    pub(super) prompt: Result<Prompt, Refused>,
    pub(super) conversation: Result<Conversation, PlayError>,
    pub(super) body: Bytes,
}

/// What of it the answer depends on.
pub(super) struct Asked {
    pub(super) api: Provider,
    /// How its prompt is laid out: `react` travels in a Chat body.
    pub(super) layout: Provider,
    pub(super) model: String,
    pub(super) streams: bool,
    pub(super) asks_for_usage: bool,
    pub(super) includes_reasoning: bool,
}

impl Read {
    pub(super) fn new(api: Provider, body: Bytes) -> Self {
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let layout = if api == Provider::Chat && is_react_prompt(&value) { Provider::React } else { api };
        let includes = value["include"].as_array().map_or(&[][..], Vec::as_slice);
        let asked = Asked {
            api,
            layout,
            model: value["model"].as_str().unwrap_or_default().to_owned(),
            streams: value["stream"] == true,
            asks_for_usage: value["stream_options"]["include_usage"] == true,
            includes_reasoning: includes.iter().any(|include| include == "reasoning.encrypted_content"),
        };
        // The largest thing here, and not needed any more.
        drop(value);
        let prompt = read_prompt(layout, &body, &count_o200k);
        let conversation = Conversation::parse(layout, &body).map_err(PlayError::from);
        Self { asked, prompt, conversation, body }
    }
}
