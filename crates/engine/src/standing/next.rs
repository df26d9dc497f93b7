//! What is to be done next, word for word: from the todo list, the user, or what the assistant announced and has not done.

use std::sync::Arc;

use super::{
    past::{Past, shortened},
    sentences::{Sentence, sentences},
    turns::{Kind, hands_on, is_question, own_words},
    wording::{wording, words},
};
use crate::{
    configuration::standing::{LIST_REQUESTS, LIST_TITLE_WORDS, LONGEST_PLAN, NEXT_ACTIONS},
    shell::parts_of,
    text::one_line,
    trace::{
        ResultData, Status, TurnNo, UserTurn,
        result::{TodoItem, TodoState},
    },
};

pub(super) fn actions(past: Past<'_>) -> Vec<String> {
    if has_submitted(past) {
        return Vec::new();
    }
    let (since, todo) = todo(past);
    let later = past.users().take_while(|user| since.is_some_and(|since| user.turn > since));
    let requests = later.filter(|user| past.kind(user).begins_work()).count();
    let todo = if requests < LIST_REQUESTS { todo } else { &[] };
    let in_state = |state| todo.iter().filter(move |item| item.state == state);
    let listed = in_state(TodoState::InProgress).chain(in_state(TodoState::Pending)).map(|item| one_line(&item.text));
    let listed: Vec<String> = listed.collect();
    let asked = past.unanswered();
    let asked = asked.filter(|user| matches!(past.kind(user), Kind::Plan | Kind::Request | Kind::Question));
    // A list that was written before the newest request does not know of it.
    let newer = asked.filter(|user| listed.is_empty() || since.is_some_and(|since| since < user.turn));
    let mut found: Vec<String> = Vec::new();
    if listed.is_empty() {
        found.extend(announced(past));
    }
    found.extend(newer.and_then(|user| past.wanted(user)).map(|text| shortened(&one_line(&text))));
    found.extend(listed);
    found.extend(handing_on(past));
    found.dedup();
    found.truncate(NEXT_ACTIONS);
    found
}

/// Whether the newest call handed the work in, and nobody spoke since.
fn has_submitted(past: Past<'_>) -> bool {
    let Some(newest) = past.done().next() else { return false };
    let is_end = |text: &str| wording().submits.has(text.trim().trim_start_matches("echo ").trim_matches(['"', '\'']));
    let ended = match newest.run() {
        Some((_, run)) => run.command.to_lowercase().split(['\n', ';', '&']).any(is_end),
        None => is_end(&newest.tool.to_lowercase()),
    };
    ended && past.typed().next().is_none_or(|user| user.turn < newest.turn)
}

/// What the newest round asks to be handed on, until git or gh has done all of it. What others hand on with is not known.
fn handing_on(past: Past<'_>) -> Option<String> {
    let list = wording();
    let asks = |user: &UserTurn| {
        let handed = sentences(own_words(&user.text)).into_iter().rfind(|it| hands_on(&it.text.to_lowercase()))?;
        Some((user.turn, handed.text.to_owned()))
    };
    let (since, text) = past.unanswered_turns().find_map(asks)?;
    let ran = past.done_from(since).filter_map(|done| {
        let (_, run) = done.run().filter(|(_, run)| run.exit_code.is_none_or(|code| code == 0))?;
        Some(past.run_key(&done, run))
    });
    let ran: Vec<Arc<str>> = ran.collect();
    let done = |asked: &str| {
        let does = |part: String| {
            // What stands in quotes is a message.
            let plain = part.split(['"', '\'']).next().unwrap_or_default();
            let mut words = words(plain);
            words.any(|word| word == "git" || word == "gh") && words.any(|word| word == asked)
        };
        ran.iter().flat_map(|key| parts_of(key)).any(does)
    };
    let lower = text.to_lowercase();
    let mut asked = words(&lower).filter(|word| list.closes.has(word) && word.is_ascii());
    let left = asked.any(|word| !done(word));
    left.then(|| shortened(&one_line(&text)))
}

/// The current list and when it was set. One that is empty clears what was there.
fn todo(past: Past<'_>) -> (Option<TurnNo>, &[TodoItem]) {
    let set = past.done().find_map(|done| match &done.result.data {
        ResultData::Todo { items } if done.result.status == Status::Success => Some((done.turn, items.as_slice())),
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
        let changed = past.done_from(last.turn).any(|done| done.changed().next().is_some());
        let ran = past.done_from(last.turn).any(|done| matches!(done.result.data, ResultData::Run(_)));
        // A call that was denied or that nobody saw end has acted on it, too.
        let acted = past.has_unknown_end(last.turn) || past.done_from(last.turn).any(|done| done.result.was_denied());
        let open = |text: &str| {
            let lower = text.to_lowercase().replace('’', "'");
            let announces = wording().announces.begin(&lower) && !is_question(text);
            announces && !changed && !ran && !acted && names_something(text) && changes_something(&lower)
        };
        let all = sentences(last.text);
        let announced = all.iter().map(|sentence| sentence.text).filter(|text| open(text));
        announced.chain(left_for_later(&all)).collect()
    };
    texts.into_iter().map(|text| shortened(&one_line(text.trim_end_matches([':', '：'])))).take(2).collect()
}

/// Whether it says of what it speaks: "let me just fix it" is over with the next step.
fn names_something(text: &str) -> bool {
    let is_name = |word: &str| word.chars().skip(1).any(char::is_uppercase) || word.trim_end_matches('.').contains('.');
    text.contains(['`', '_', '/']) || text.split_whitespace().any(is_name) || !text.is_ascii()
}

/// What an announcement is about: the first word that tells decides.
fn changes_something(lower: &str) -> bool {
    let list = wording();
    let telling = words(lower).find(|word| list.changing.has(word) || list.running.has(word));
    telling.is_some_and(|word| list.changing.has(word))
        || (telling.is_none() && list.changing.stand_in(lower) && !lower.is_ascii())
}

/// "Let me fix the second first" leaves the other items of its list for later.
fn left_for_later<'a>(all: &[Sentence<'a>]) -> Vec<&'a str> {
    let is_first = |text: &str| {
        let lower = text.to_lowercase();
        wording().announces.begin(&lower) && words(&lower).any(|word| word == "first" || word == "先")
    };
    let Some(first) = all.iter().map(|sentence| sentence.text).find(|text| is_first(text)) else { return Vec::new() };
    let about: Vec<String> = crate::text::words(first).into_iter().filter(|word| word.len() > 3).collect();
    let listed: Vec<&str> = all.iter().filter(|sentence| sentence.listed).map(|sentence| sentence.text).collect();
    let shared = |text: &str| crate::text::words(text).iter().filter(|word| about.contains(word)).count();
    // Which of them it means must be clear.
    let Some(meant) = listed.iter().copied().max_by_key(|text| shared(text)).filter(|text| shared(text) > 0) else {
        return Vec::new();
    };
    listed.into_iter().filter(|text| *text != meant && shared(text) < shared(meant)).collect()
}

fn planned(text: &str) -> Vec<&str> {
    let mut plans = Vec::new();
    let mut under_title = false;
    for sentence in &sentences(text) {
        let lower = sentence.text.to_lowercase();
        let plans_something = wording().plans.stand_in(&lower);
        let is_title =
            plans_something && (lower.split_whitespace().count() < LIST_TITLE_WORDS || lower.ends_with([':', '：']));
        // A title is not a plan; the list under it is.
        under_title = is_title || (under_title && sentence.listed);
        let is_whole = !sentence.text.ends_with([':', '?', '：', '？']) && sentence.text.len() <= LONGEST_PLAN;
        if !is_title && is_whole && (under_title || plans_something) {
            plans.push(sentence.text);
        }
    }
    plans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        story::{Story, edit, read, run, todo},
        trace::NoBlobs,
    };
    use serde_json::json;

    fn after(story: &Story) -> Vec<String> {
        actions(Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs))
    }

    #[test]
    fn the_todo_list_says_what_is_next_and_an_empty_one_clears_it() {
        let mut story = Story::new();
        story.user("fix the ledger test");
        let items = [("find it", TodoState::Done), ("run all", TodoState::Pending), ("mend it", TodoState::InProgress)];
        story.step("", "TodoWrite", json!({}), todo(&items));
        assert_eq!(after(&story), ["mend it", "run all"]);
        story.answer("Done.");
        story.user("add cents to the report");
        assert_eq!(after(&story), ["add cents to the report", "mend it", "run all"]);
        story.answer("Done.");
        story.user("add the month to it");
        story.answer("Done.");
        story.user("rename the report");
        assert_eq!(after(&story), ["rename the report"]);
        story.step("", "TodoWrite", json!({}), todo(&items));
        assert_eq!(after(&story), ["mend it", "run all"]);
        story.answer("Done.");
        story.user("ok");
        story.step("", "TodoWrite", json!({}), todo(&[]));
        story.answer("Done.");
        assert!(after(&story).is_empty());
    }

    #[test]
    fn handing_on_is_next_until_git_did_it() {
        let mut story = Story::new();
        story.user("fix the ledger test");
        story.answer("Done.");
        story.user("never mind the notes, look at it later. Commit and push");
        assert_eq!(after(&story), ["Commit and push"]);
        story.step("", "Bash", json!({}), run("git add a && git commit -m 'fix, to push'", 0, ""));
        assert_eq!(after(&story), ["Commit and push"]);
        story.step("", "Bash", json!({}), run("git push", 1, "rejected"));
        assert_eq!(after(&story), ["Commit and push"]);
        story.step("", "Bash", json!({}), run("git push", 0, ""));
        assert!(after(&story).is_empty());
    }

    #[test]
    fn nothing_is_next_behind_what_was_submitted_nor_an_announcement_without_a_name() {
        let mut story = Story::new();
        story.user("fix the ledger test");
        story.step("Let me just fix it directly.", "Read", json!({}), read("report.rs", 1, &["a"]));
        assert_eq!(after(&story), ["fix the ledger test"]);
        story.step("", "Bash", json!({}), run("submit", 0, ""));
        assert!(after(&story).is_empty());
        story.user("fix the report test, too");
        assert_eq!(after(&story), ["fix the report test, too"]);
    }

    #[test]
    fn an_announcement_is_next_until_a_call_carries_it_out() {
        let mut story = Story::new();
        story.user("fix the ledger test");
        story.step(
            "I need to update `report.rs` too. Let me read it first:",
            "Read",
            json!({}),
            read("report.rs", 1, &["a"]),
        );
        assert_eq!(after(&story), ["I need to update `report.rs` too.", "fix the ledger test"]);
        story.step("", "Edit", json!({}), edit("report.rs", 1, &["a"], &["b"]));
        assert_eq!(after(&story), ["fix the ledger test"]);
        let two = "I see two issues:\n1. The `cents` are lost\n2. The month is wrong\n\nLet me fix the month first:";
        story.step(two, "Edit", json!({}), edit("report.rs", 1, &["b"], &["c"]));
        assert_eq!(after(&story), ["The `cents` are lost", "fix the ledger test"]);
        story.answer("Fixed.\n\nNext steps:\n- update the notes\n");
        assert_eq!(after(&story), ["update the notes"]);
    }
}
