//! An answer that leaves no room for another: a file of hundreds of kilobytes in one Write. The window is law, and what the
//! model has not seen is not folded, so the view goes back to before that answer, and a line says what was done.

use lookback_engine::{
    Session,
    session::WindowExceeded,
    trace::{AssistantPart, AssistantTurn, EventBody, ToolResult, TurnNo},
};

use crate::house::{AgentError, House, keep, recorded};

/// The tokens that went; none where the newest step is not what fills the window.
pub(crate) fn take_out(
    session: &mut Session,
    exceeded: &WindowExceeded,
    house: &mut dyn House,
) -> Result<Option<u64>, AgentError> {
    let limit = u64::from(exceeded.limit);
    let Some(answer) = last_answer(session).filter(|_| exceeded.newest > limit / 2) else { return Ok(None) };
    let Some(before) = turn_before(session, answer.turn) else { return Ok(None) };
    let text = format!(
        "Your last answer ({} tokens) was taken out of this conversation: with it nothing more would fit into {limit} \
         tokens. What its calls did has been done:\n{}\nWrite large files in several smaller steps.",
        exceeded.newest,
        done(session, answer)
    );
    recorded(house, |context| session.roll_back(before, context))?;
    session.remind("too_large", &text);
    keep(session, house)?;
    Ok(Some(exceeded.newest))
}

/// The end of the conversation when the answer of this turn came: turns that were rolled back before are none of it.
fn turn_before(session: &Session, answer: TurnNo) -> Option<TurnNo> {
    let mut last = None;
    for event in session.trace() {
        last = match &event.event {
            EventBody::AssistantTurn(turn) if turn.turn == answer => return last,
            EventBody::AssistantTurn(turn) => Some(turn.turn),
            EventBody::UserTurn(turn) => Some(turn.turn),
            EventBody::StepEnded { turn, .. } | EventBody::RolledBack { turn, .. } => Some(*turn),
            _ => last,
        };
    }
    None
}

fn last_answer(session: &Session) -> Option<&AssistantTurn> {
    session.trace().iter().rev().find_map(|event| match &event.event {
        EventBody::AssistantTurn(answer) => Some(&**answer),
        _ => None,
    })
}

/// A line for each call: what it was about, and how it ended.
fn done(session: &Session, answer: &AssistantTurn) -> String {
    let tool_turn = TurnNo(answer.turn.0 + 1);
    let results: Vec<&ToolResult> = session
        .trace()
        .iter()
        .rev()
        .take_while(|event| !matches!(&event.event, EventBody::AssistantTurn(other) if other.turn == answer.turn))
        .filter_map(|event| match &event.event {
            EventBody::ToolResult { turn, result, .. } if *turn == tool_turn => Some(&**result),
            _ => None,
        })
        .collect();
    let calls = answer.parts.iter().filter_map(|part| match part {
        AssistantPart::Call { name, .. } => Some(name),
        _ => None,
    });
    let lines = calls.zip(results.into_iter().rev()).map(|(name, result)| {
        let path = result.context.as_ref().and_then(|context| context["path_resolved"].as_str()).unwrap_or_default();
        let ended = result.error.as_ref().map_or("done", |error| error.message.as_str());
        format!("- {name} {path}: {ended}")
    });
    lines.collect::<Vec<_>>().join("\n")
}
