//! Calls that only talk about the state of the work: the board, the todo list, a question to the lead, a recall.
//!
//! Their arguments are claims, not deeds, and their results echo claims or what was shown elsewhere. So neither names
//! anything on the assistant's behalf nor is evidence: else a claim would vouch for itself.

use crate::{
    history::{History, index::ToolTurn},
    trace::{AssistantPart, EventBody, ResultData},
};

const TALK: [&str; 4] = ["Board", "TodoWrite", "AskLead", "Recall"];
/// Whether a call of a step only talks. `index` is its place among the step's calls.
pub(super) fn only_talks(history: &History, step: &ToolTurn, index: usize) -> bool {
    let Some(call) = step.calls.get(index) else { return false };
    let body = |event: u64| history.events().get(event as usize).map(|event| &event.event);
    let name = match body(step.assistant.0) {
        Some(EventBody::AssistantTurn(turn)) => match turn.parts.get(call.part as usize) {
            Some(AssistantPart::Call { name, .. }) => name.as_str(),
            _ => "",
        },
        _ => "",
    };
    // A todo list is one whatever its tool is called.
    let is_todo = call.result().is_some_and(|event| {
        matches!(body(event.0), Some(EventBody::ToolResult { result, .. }) if matches!(result.data, ResultData::Todo { .. }))
    });
    is_todo || TALK.contains(&name)
}
