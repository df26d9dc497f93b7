//! What a model is asked for when it is to write a block or a summary. Who sends the question is not known here.

use super::{
    Desk,
    draft::{ArchiveDraft, FoldDraft},
    zone::hot_turns,
};
use crate::{
    block::log::legend,
    context::Context,
    prompt::{Compaction, Detail, render_archive_prompt, render_compaction_prompt, render_state_prompt, turns_as_text},
    proposal::{Dialect, citable, output_schema},
    trace::{BlobError, decision::TurnRange},
};

/// `tail_compaction.txt` for a draft: what is appended to the live prompt.
pub(crate) fn compaction_instruction(
    desk: Desk<'_>,
    draft: &FoldDraft,
    template: &str,
    context: &Context<'_>,
) -> String {
    let legend = legend(desk.history, draft.range);
    let compaction = Compaction {
        range: draft.range,
        board: &desk.state.board,
        legend: &legend,
        focus: draft.focus.as_deref().unwrap_or(""),
        budget: draft.budget,
        limits: &desk.policy.configuration.board,
    };
    render_compaction_prompt(template, &compaction, context.count)
}

/// The same with the turns behind it, for a model that does not have them before it.
pub(crate) fn compaction_prompt(
    desk: Desk<'_>,
    draft: &FoldDraft,
    template: &str,
    context: &Context<'_>,
) -> Result<String, BlobError> {
    let turns = turns_as_text(desk.bench(), draft.range, Detail::View, context.blobs)?;
    Ok(format!("{}\n\n{turns}", compaction_instruction(desk, draft, template, context)))
}

/// `state_update.txt`, with what stands behind the newest block as what can be cited.
pub(crate) fn state_instruction(desk: Desk<'_>, template: &str, context: &Context<'_>) -> String {
    let turns = hot_turns(desk.bench());
    let range = turns.fold(None, |range: Option<TurnRange>, turn| {
        Some(TurnRange { first: range.map_or(turn, |range| range.first), last: turn })
    });
    let legend = range.map(|range| legend(desk.history, range)).unwrap_or_default();
    render_state_prompt(template, &desk.state.board, &legend, &desk.policy.configuration.board, context.count)
}

/// A schema under which only pointers that exist can be cited.
pub(crate) fn compaction_schema(desk: Desk<'_>, range: TurnRange, dialect: Dialect) -> String {
    output_schema(&citable(desk.history, range), &desk.policy.configuration.block, dialect)
}

/// `archive_summary.txt`, from the raw turns where they fit into `room` tokens, else from their view
/// (docs/design/folding.md, "Archive").
pub(crate) fn archive_prompt(
    desk: Desk<'_>,
    draft: &ArchiveDraft,
    template: &str,
    room: u64,
    context: &Context<'_>,
) -> Result<String, BlobError> {
    let raw = render_archive_prompt(template, desk.bench(), draft.range, Detail::Raw, context.blobs)?;
    if u64::from((context.count)(raw.as_bytes())) <= room {
        return Ok(raw);
    }
    render_archive_prompt(template, desk.bench(), draft.range, Detail::View, context.blobs)
}
