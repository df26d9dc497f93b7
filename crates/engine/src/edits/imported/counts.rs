//! Token counts of what happened, taken anew: by them the planner decides, so a wrong one would decide for it.

use lookback_wire::ToolSpec;

use super::{super::Desk, Doubt};
use crate::{
    context::Context,
    recorder::answer::count_call,
    trace::{AssistantPart, AssistantTurn, SessionStarted, TurnNo, event::Shown, start::Counted},
    view::result_text::render_shown,
};

pub(super) fn counts(tokens: u32, text: &str, context: &Context<'_>) -> Result<(), Doubt> {
    if tokens == (context.count)(text.as_bytes()) { Ok(()) } else { Err(Doubt::Count) }
}

/// What a session began with.
pub(crate) fn recheck_start(start: &SessionStarted, context: &Context<'_>) -> Result<(), Doubt> {
    recheck_head(&start.system, &start.tools, start.tools_tokens, context)?;
    counts(start.rules.tokens, &start.rules.text, context)
}

pub(super) fn recheck_head(
    system: &Counted,
    tools: &[ToolSpec],
    tools_tokens: u32,
    context: &Context<'_>,
) -> Result<(), Doubt> {
    counts(system.tokens, &system.text, context)?;
    if tools_tokens == context.count_tools(tools) { Ok(()) } else { Err(Doubt::Count) }
}

pub(super) fn recheck_answer(turn: &AssistantTurn, context: &Context<'_>) -> Result<(), Doubt> {
    (0..).zip(&turn.parts).try_for_each(|(place, part)| match part {
        AssistantPart::Text { text, tokens } | AssistantPart::Thinking { text, tokens, .. } => {
            counts(*tokens, text, context)
        }
        AssistantPart::Call { name, arguments, tokens, .. } if *tokens == count_call(name, arguments, context) => {
            Ok(())
        }
        AssistantPart::Call { .. } => Err(Doubt::Count),
        AssistantPart::Unknown { tokens } => {
            let native = turn.native.iter().find(|native| native.part == place).ok_or(Doubt::Place)?;
            counts(*tokens, &native.raw, context)
        }
    })
}

/// How much of a result was shown stands in the event; what that counts follows from it.
pub(super) fn recheck_step(desk: Desk<'_>, turn: TurnNo, shown: &[Shown], context: &Context<'_>) -> Result<(), Doubt> {
    let step = desk.history.index().tool_turn(turn).ok_or(Doubt::Place)?;
    shown.iter().enumerate().try_for_each(|(index, shown)| {
        let result = desk.history.result_at(step, index).ok_or(Doubt::Place)?;
        let pointer = || desk.history.result_pointer(turn, index);
        let text = render_shown(result, shown, pointer, context.blobs).map_err(|_| Doubt::Place)?;
        let pictures = shown.pictures.unwrap_or(0);
        if pictures > 0 && (shown.cut.is_some() || context.count_pictures(result).ok() != Some(pictures)) {
            return Err(Doubt::Count);
        }
        counts(shown.tokens.saturating_sub(pictures), &text, context)
    })
}
