//! What a range of turns finished: todo items, spans, test runs.
//!
//! Whether the work was any good is not known here. A todo item that was opened again is not done, and of a command's
//! test runs the last one counts.

use super::{files::result_at, summary::Done};
use crate::{
    session::Session,
    trace::{
        EventBody, ResultData, TurnNo,
        decision::TurnRange,
        event::Shown,
        result::{TestReport, TodoItem, TodoState},
    },
};

/// From the oldest to the newest.
pub(super) fn finished(session: &Session, range: TurnRange) -> Vec<Done> {
    let mut todo = todo_before(session, range);
    let mut done: Vec<Done> = Vec::new();
    let mut now = range.first;
    for event in session.live_events(range) {
        match &event.event {
            EventBody::UserTurn(user) => now = user.turn,
            EventBody::AssistantTurn(assistant) => now = assistant.turn,
            EventBody::ToolResult { turn, .. } => now = *turn,
            EventBody::Todo { items } => {
                note_todo(&mut done, todo, items, now);
                todo = items;
            }
            EventBody::SpanEnded { span, outcome, .. } => {
                let record = session.index().spans().iter().find(|record| record.id == **span);
                let goal = record.map_or_else(String::new, |record| record.goal.clone());
                done.push(Done::Span { id: (**span).clone(), goal, outcome: outcome.to_string() });
            }
            EventBody::StepEnded { turn, shown } => note_tests(&mut done, session, *turn, shown),
            _ => {}
        }
    }
    done
}

/// The list as it stood when the range began.
fn todo_before(session: &Session, range: TurnRange) -> &[TodoItem] {
    let first = session.live_events(range).next().map_or(0, |event| event.seq.0 as usize);
    let mut before = session.trace()[..first].iter().rev().filter(|event| session.is_live(event.seq));
    let found = before.find_map(|event| match &event.event {
        EventBody::Todo { items } => Some(items.as_slice()),
        _ => None,
    });
    found.unwrap_or_default()
}

fn note_todo(done: &mut Vec<Done>, before: &[TodoItem], after: &[TodoItem], turn: TurnNo) {
    let is_done =
        |items: &[TodoItem], text: &str| items.iter().any(|item| item.text == text && item.state == TodoState::Done);
    let open_again = |text: &str| after.iter().any(|item| item.text == text) && !is_done(after, text);
    done.retain(|other| !matches!(other, Done::Todo { text, .. } if open_again(text)));
    for item in after.iter().filter(|item| item.state == TodoState::Done && !is_done(before, &item.text)) {
        done.push(Done::Todo { text: item.text.clone(), turn });
    }
}

fn note_tests(done: &mut Vec<Done>, session: &Session, turn: TurnNo, shown: &[Shown]) {
    let Some(step) = session.index().tool_turn(turn) else { return };
    for (call, shown) in step.calls.iter().zip(shown) {
        let result = call.result().and_then(|event| result_at(session, event));
        let (Some(number), Some(ResultData::Run(run))) = (shown.test, result.map(|result| &result.data)) else {
            continue;
        };
        let command = run.command.trim();
        done.retain(|other| !matches!(other, Done::Tests { command: earlier, .. } if earlier == command));
        let report = run.tests.as_deref().cloned().unwrap_or_else(TestReport::default);
        done.push(Done::Tests { command: command.to_owned(), report, number });
    }
}
