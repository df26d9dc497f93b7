//! What compactors said, as far as a trace has it: not their text, but what was admitted of it. Written in the form in
//! which a model answers (`prompts/`), so that it is admitted again.

use lookback_engine::{
    fold::{ArchiveProposal, BlockProposal, Delta, DeltaProposal},
    trace::decision::{Archive, Fold},
};
use serde_json::{Value, json};

pub(super) fn compaction_text(fold: &Fold) -> String {
    let delta = fold.delta.as_ref().map_or_else(|| json!({}), delta_value);
    let text = json!({ "compressed_turns": BlockProposal::of(fold.range, &fold.claims), "state_delta": delta });
    serde_json::to_string_pretty(&text).unwrap_or_default()
}

pub(super) fn delta_value(delta: &Delta) -> Value {
    json!(DeltaProposal::of(delta))
}

/// What a model added to the summary; a trace of before holds only the whole text.
pub(super) fn archive_text(archive: &Archive) -> String {
    let parts = archive.claims.as_deref().map(ArchiveProposal::of).unwrap_or_default();
    serde_json::to_string_pretty(&json!({ "archive": parts })).unwrap_or_default()
}
