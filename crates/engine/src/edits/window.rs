//! The window is law: whether a prompt fits with its answer.

use super::Desk;
use crate::{error::WindowExceeded, state::State};

/// How many tokens a prompt may have.
pub(crate) fn input_limit(state: &State) -> u32 {
    let (window, reserve) = (state.model.window, state.model.reserve);
    window - reserve.min(window)
}

/// Whether a view of so many counted tokens fits. What the provider bills beyond our count is allowed for; what it
/// bills less is not relied on, not even where its last usage says so: the servers that cut a prompt without a word
/// are the ones that report what they evaluated instead of what they were sent.
pub(crate) fn fits(desk: Desk<'_>, tokens: u64) -> bool {
    desk.policy.room.is_none_or(|room| tokens <= room)
        && at_most(desk.state, tokens) <= u64::from(input_limit(desk.state))
}

/// The size of a view by which the window is kept.
fn at_most(state: &State, tokens: u64) -> u64 {
    state.reconciled.estimate(tokens).max(tokens)
}

/// Nothing is sent that does not fit with its answer.
pub(crate) fn check_window(desk: Desk<'_>) -> Result<(), WindowExceeded> {
    let input = desk.state.view.tokens();
    if fits(desk, input) {
        return Ok(());
    }
    let (window, reserve) = (desk.state.model.window, desk.state.model.reserve);
    let entries = desk.state.view.entries();
    let newest = match desk.state.steps.last().and_then(|step| desk.state.view.position(step.assistant)) {
        Some(position) => &entries[position..],
        None => entries,
    };
    let newest = newest.iter().map(|entry| u64::from(entry.tokens)).sum();
    let (limit, head) = (input_limit(desk.state), desk.state.view.head().tokens());
    Err(WindowExceeded { input, limit, window, reserve, head, newest, expected: at_most(desk.state, input) })
}
