//! What is to be done next, word for word: from the todo list, the user, or what the assistant announced and has not done.

use super::{
    past::{Past, shortened},
    sentences::sentences,
    turns::{is_question, kind_of, own_words, wanted},
    wording::wording,
};
use crate::{
    text::one_line,
    trace::{
        ResultData, Status, TurnNo,
        result::{TodoItem, TodoState},
    },
};

/// docs/seeds.md 5.1.
const MOST: usize = 3;
const LONGEST: usize = 240;

pub(super) fn actions(past: Past<'_>) -> Vec<String> {
    let (since, todo) = todo(past);
    let in_state = |state| todo.iter().filter(move |item| item.state == state);
    let listed = in_state(TodoState::InProgress).chain(in_state(TodoState::Pending)).map(|item| one_line(&item.text));
    let listed: Vec<String> = listed.collect();
    let asked =
        past.users().map(|user| (user.turn, own_words(&user.text))).find(|(_, words)| kind_of(words).says_something());
    let asked = asked.filter(|_| past.is_under_way());
    // A list that was written before the newest request does not know of it.
    let newer = asked.filter(|(turn, _)| listed.is_empty() || since.is_some_and(|since| since < *turn));
    let mut found: Vec<String> = Vec::new();
    if listed.is_empty() {
        found.extend(announced(past));
    }
    found.extend(newer.and_then(|(_, words)| wanted(words)).map(|text| shortened(&one_line(&text))));
    found.extend(listed);
    found.dedup();
    found.truncate(MOST);
    found
}

/// The current list and when it was set. One that is empty clears what was there.
fn todo(past: Past<'_>) -> (Option<TurnNo>, &[TodoItem]) {
    let set = past.done().find_map(|done| match &done.result.data {
        ResultData::Todo(todo) if done.result.status == Status::Success => Some((done.turn, todo.items.as_slice())),
        _ => None,
    });
    set.map_or((None, &[]), |(turn, items)| (Some(turn), items))
}

/// What the last words announce and nothing since did; of a round that has ended, what its answer leaves to do.
fn announced(past: Past<'_>) -> Vec<String> {
    let Some(last) = past.said().next() else { return Vec::new() };
    let texts: Vec<&str> = if last.answers && !past.is_under_way() {
        planned(last.text)
    } else {
        let changed = past.done_from(last.turn).any(|done| done.changed().is_some());
        let ran = past.done_from(last.turn).any(|done| matches!(done.result.data, ResultData::Run(_)));
        let open = |text: &str| {
            let lower = text.to_lowercase().replace('’', "'");
            let list = wording();
            let changes = list.changing.stand_in(&lower) && !list.running.stand_in(&lower);
            list.announces.begin(&lower) && !is_question(text) && changes && !changed && !ran
        };
        sentences(last.text).into_iter().map(|sentence| sentence.text).filter(|text| open(text)).collect()
    };
    texts.into_iter().map(|text| shortened(&one_line(text.trim_end_matches([':', '：'])))).take(2).collect()
}

fn planned(text: &str) -> Vec<&str> {
    let mut plans = Vec::new();
    let mut under_title = false;
    for sentence in &sentences(text) {
        let lower = sentence.text.to_lowercase();
        let plans_something = wording().plans.stand_in(&lower);
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
