//! Machine-made lines for the model: the todo recap, the note of an interrupted reply, the note of changed rules.
//!
//! Only the wording lives here. Each is appended when it changes and left where it was first sent, because a line that
//! differs from call to call would cost the prefix behind it.

use crate::{
    configuration::NoteLimits,
    planner::DeltaCause,
    trace::{
        Stop,
        result::{TodoItem, TodoState},
    },
};

/// The todo list in one short block (docs/seeds.md A1: the last part of the context).
pub(crate) fn render_todo_recap(items: &[TodoItem], limits: &NoteLimits) -> String {
    let done = items.iter().filter(|item| item.state == TodoState::Done).count();
    let mut text = format!("Todo: {done} of {} done.", items.len());
    for item in items.iter().filter(|item| item.state != TodoState::Done).take(limits.todo_items) {
        let mark = match item.state {
            TodoState::InProgress => "→",
            TodoState::Cancelled => "×",
            TodoState::Pending | TodoState::Done => "·",
        };
        text.push_str(&format!("\n{mark} {}", item.text.replace('\n', " ")));
    }
    let open = items.len() - done;
    if open > limits.todo_items {
        text.push_str(&format!("\n(and {} more)", open - limits.todo_items));
    }
    render_reminder(&text)
}

pub(crate) fn render_reminder(text: &str) -> String {
    // Text from outside cannot end the reminder and speak on in the user's voice.
    let text = text.replace("</system-reminder", "<\\/system-reminder");
    format!("<system-reminder>\n{text}\n</system-reminder>")
}

/// Told to the model when its last reply did not end by itself, so that the prompt ends with something to answer.
pub(crate) fn render_interrupted(stop: Stop) -> String {
    let reason = match stop {
        Stop::Cancelled => "the user stopped it",
        Stop::Cut => "the connection broke",
        Stop::Limit => "it reached the output limit",
        Stop::End => "it ended",
    };
    render_reminder(&format!("Your last reply is incomplete: {reason}. Go on from where it stops; do not repeat it."))
}

pub(crate) fn render_rules_changed() -> String {
    render_reminder(
        "The project's rules changed on disk after this session began. The rules at the head of this conversation are \
         the earlier ones until it is archived or resumed; read the file if the work touches them.",
    )
}

/// One appended line asks for a delta with the next step (docs/design/model.md, "Who writes deltas"); no call of its
/// own.
pub(crate) fn render_board_request(cause: DeltaCause) -> String {
    render_reminder(&format!(
        "State: {}. With your next step, call Board with what changed: goal, facts with evidence, questions, anchors, \
         status, next actions. Only what changed.",
        cause.words()
    ))
}
