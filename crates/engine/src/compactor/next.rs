//! What is still to be done, and what is still open: from the todo list, the assistant's plans and the board.

use super::stretch::{Stretch, Then};
use crate::{
    sentences::sentences,
    trace::{
        ResultData,
        result::{TodoItem, TodoState},
    },
};

/// docs/seeds.md 5.1.
const MOST: usize = 3;
/// Wording of plans that the same turn did not carry out.
const PLANS: [&str; 15] = [
    "next step",
    "next, ",
    "next:",
    "remaining",
    "still need",
    "still to do",
    "after that",
    "left to do",
    "todo:",
    "follow-up",
    "下一步",
    "接下来",
    "还需要",
    "剩下",
    "待办",
];
const ANNOUNCED: [&str; 14] = [
    "let me ",
    "now let me ",
    "now i'll ",
    "i'll ",
    "i will ",
    "now i will ",
    "i need to ",
    "now i need to ",
    "let's ",
    "next, i'll ",
    "next i'll ",
    "让我",
    "我来",
    "接下来",
];
const LONGEST: usize = 240;

/// `admit` says whether a principal named what an action names.
pub(super) fn actions(stretch: &Stretch<'_>, admit: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let todo = todo_at_end(stretch);
    let in_state = |state| todo.iter().filter(move |item| item.state == state);
    let items = in_state(TodoState::InProgress).chain(in_state(TodoState::Pending));
    let mut actions: Vec<String> = items.filter_map(|item| admit(&item.text)).take(MOST).collect();
    if actions.is_empty() && todo.is_empty() {
        actions = planned(stretch).into_iter().filter_map(admit).take(MOST).collect();
    }
    actions.dedup();
    actions
}

/// The list as it stood at the end of the range; later changes of it are still in the view.
fn todo_at_end<'a>(stretch: &Stretch<'a>) -> &'a [TodoItem] {
    let written = stretch.done.iter().rev().find_map(|done| match &done.result.data {
        ResultData::Todo(todo) if done.result.error.is_none() => Some(todo.items.as_slice()),
        _ => None,
    });
    written.unwrap_or(&stretch.bench.state.todo)
}

/// What the last answer says is still to be done; of a round that still runs, the step announced last, unless the turns
/// behind the range show what became of it.
fn planned<'a>(stretch: &Stretch<'a>) -> Vec<&'a str> {
    let Some(last) = stretch.said.last() else { return Vec::new() };
    let sentences = sentences(last.text);
    if last.then != Then::Answered {
        let goes_on = stretch.bench.state.steps().last().is_some_and(|step| step.assistant > stretch.range.last);
        let mut announced = sentences.iter().rev().filter_map(|sentence| announced(sentence.text));
        return announced.next().filter(|_| !goes_on).into_iter().collect();
    }
    let mut plans = Vec::new();
    let mut under_title = false;
    for sentence in &sentences {
        let lower = sentence.text.to_lowercase();
        let plans_something = PLANS.iter().any(|plan| lower.contains(plan));
        let is_title = plans_something && (lower.split_whitespace().count() < 5 || lower.ends_with([':', '：']));
        // A title is not a plan; the list under it is.
        under_title = is_title || (under_title && sentence.listed);
        let is_whole = !sentence.text.ends_with([':', '?', '：', '？']) && sentence.text.len() <= LONGEST;
        if !is_title && is_whole && (under_title || plans_something) {
            plans.push(sentence.text);
        }
    }
    plans
}

/// "Now let me run the tests." is to run the tests.
fn announced(sentence: &str) -> Option<&str> {
    let lower = sentence.to_lowercase();
    // Lower case may have another length; then the sentence stays as it is.
    let same = lower.len() == sentence.len();
    let start = ANNOUNCED.iter().find(|start| lower.starts_with(*start))?;
    let step = if same { sentence.get(start.len()..)? } else { sentence };
    let step = step.trim_end_matches([':', '.', '：', '。']).trim();
    (step.split_whitespace().count() > 1 || !step.is_ascii()).then_some(step).filter(|step| step.len() <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::announced;

    #[test]
    fn an_announcement_is_a_step() {
        assert_eq!(announced("Now let me run the whole suite:"), Some("run the whole suite"));
        assert_eq!(announced("让我运行测试。"), Some("运行测试"));
        assert_eq!(announced("The suite is green."), None);
        assert_eq!(announced("Let me see."), None);
    }
}
