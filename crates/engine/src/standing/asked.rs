//! Task and now: what the present work began with, and what the newest round asks, in the user's own words.
//!
//! Where neither can be told from the wording, nothing is said: a missing task costs little, a wrong one sends the work
//! back.

use super::{
    past::Past,
    turns::{Kind, own_words},
};
use crate::{
    configuration::standing::{FEW_WORDS, PLAN_REQUESTS, REQUESTS_BACK},
    evidence::pointer::Place,
    trace::{UserTurn, claim::Quote},
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The request or plan that the present work began with.
    pub(crate) task: Option<Quote>,
    /// What the newest round asks, where that is something else.
    pub(crate) now: Option<Quote>,
}

/// A person's turn and what it is.
struct Turn<'a> {
    user: &'a UserTurn,
    kind: Kind,
    /// It asks for something on the way, and begins nothing where work is under way.
    follows: bool,
}

impl Turn<'_> {
    fn begins_work(&self) -> bool {
        self.kind.begins_work() && !self.follows
    }
}

pub(super) fn asked(past: Past<'_>) -> Asked {
    let quote = |turn: &Turn<'_>| past.quote(&past.wanted(turn.user)?, &Place::User(turn.user.user?));
    let Some(newest) = newest(past) else { return Asked::default() };
    let now = || if replies(past, newest.user) || chosen_since(past, &newest) { None } else { quote(&newest) };
    // What nobody asked for before begins with whoever asks first, in whatever words.
    match begun_with(past, &newest).filter(|task| task.kind.begins_work() || !newest.kind.begins_work()) {
        Some(task) => Asked { task: quote(&task), now: now() },
        None if newest.kind.begins_work() => Asked { task: quote(&newest), now: None },
        None => Asked { task: None, now: now() },
    }
}

/// The newest turn that asks or says something. What an approval approves is what the work already is.
fn newest(past: Past<'_>) -> Option<Turn<'_>> {
    turns(past).find(|turn| turn.kind.says_something())
}

/// Whether a question was answered, and the user chose from the answer: what is to be done was chosen.
fn chosen_since(past: Past<'_>, turn: &Turn<'_>) -> bool {
    let chose = past.users().take_while(|user| user.turn > turn.user.turn).any(|user| past.kind(user) == Kind::Answer);
    turn.kind == Kind::Question && chose
}

/// A remark of a few words to what the assistant asked is the answer: understood only with the question.
fn replies(past: Past<'_>, user: &UserTurn) -> bool {
    let few = own_words(&user.text).split_whitespace().count() < FEW_WORDS;
    let asked = || past.said().find(|said| said.turn < user.turn).is_some_and(|said| said.asks());
    past.kind(user) == Kind::Remark && few && asked()
}

/// The turn that the work of `newest` began with, where it is another one. Handing on what was done ends a piece of work:
/// what lies before that is finished.
fn begun_with<'a>(past: Past<'a>, newest: &Turn<'a>) -> Option<Turn<'a>> {
    let before = turns(past).skip_while(|turn| turn.user.turn >= newest.user.turn).take(REQUESTS_BACK);
    let mut oldest = None;
    let mut requests = 0;
    for turn in before {
        requests += usize::from(turn.kind == Kind::Request);
        match turn.kind {
            Kind::Closes => return None,
            Kind::Plan if requests >= PLAN_REQUESTS => return None,
            Kind::Plan => return Some(turn),
            Kind::Request if !newest.begins_work() && !turn.follows => return Some(turn),
            kind if kind.says_something() => oldest = Some(turn),
            _ => {}
        }
    }
    // Where nobody ever asked for work, the first question is what all is about.
    oldest.filter(|_| !newest.begins_work())
}

fn turns(past: Past<'_>) -> impl Iterator<Item = Turn<'_>> {
    past.users().map(move |user| {
        let kind = past.kind(user);
        Turn { user, kind, follows: kind == Kind::Request && past.follows(user) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        story::Story,
        trace::{NoBlobs, TurnNo},
    };

    fn asked_after(texts: &[&str]) -> (Option<String>, Option<String>) {
        let mut story = Story::new();
        for text in texts {
            story.user(text);
            story.answer("ok.");
        }
        let asked = asked(Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs));
        (asked.task.map(|quote| quote.evidence.pointer), asked.now.map(|quote| quote.evidence.pointer))
    }

    #[test]
    fn a_request_is_the_task_and_what_only_goes_on_changes_nothing() {
        let user = |number: u32| Some(format!("user#{number}"));
        assert_eq!(asked_after(&["fix the ledger test", "continue", "1"]), (user(1), None));
        assert_eq!(
            asked_after(&["fix the ledger test", "commit and push", "add cents to the report"]),
            (user(3), None)
        );
        assert_eq!(asked_after(&["fix the ledger test", "why is it so slow in there?"]), (user(1), user(2)));
        assert_eq!(asked_after(&["fix the ledger test", "commit", "why is it so slow in there?"]), (None, user(3)));
        assert_eq!(asked_after(&["why did this fail?", "does it bump crates?"]), (user(1), user(2)));
        assert_eq!(asked_after(&["yes"]), (None, None));
        for goes_on in ["ok go on, and please use tabs.", "please use snake_case names", "好的，继续，请用制表符"]
        {
            assert_eq!(asked_after(&["fix the ledger test", goes_on]), (user(1), user(2)), "{goes_on}");
            assert_eq!(asked_after(&["fix the ledger test", goes_on, "why is it slow?"]), (user(1), user(3)));
            assert_eq!(asked_after(&["why did this fail?", goes_on]), (user(2), None), "{goes_on}");
        }
    }

    #[test]
    fn a_few_words_to_a_question_are_its_answer() {
        let mut story = Story::new();
        for (text, answer) in [
            ("prepare the ledger for a new version", "Which part of the number goes up, the second or the third?"),
            ("third, that is no large thing", "Done. 0.8.1 is there."),
            ("that looks small enough in there", "It is."),
        ] {
            let asked = |story: &Story| asked(Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs));
            let number = story.session.history().index().users.len() as u32 + 1;
            story.user(text);
            let now = asked(&story).now.map(|quote| quote.evidence.pointer);
            assert_eq!(now, (number == 3).then(|| "user#3".to_owned()));
            story.answer(answer);
        }
    }

    #[test]
    fn a_question_is_over_once_the_user_chose_from_its_answer() {
        assert_eq!(
            asked_after(&["fix the ledger test", "is there any other option?", "2"]),
            (Some("user#1".into()), None)
        );
    }

    #[test]
    fn a_plan_stays_the_task_of_what_is_asked_on_the_way() {
        let plan = format!("Implement the following plan:\n# Exact balances\n{}", "Words of it. ".repeat(60));
        assert_eq!(asked_after(&[&plan, "rename the helper, please"]), (Some("user#1".into()), Some("user#2".into())));
        let others = ["add cents", "fix the month", "rename the helper", "move it up", "add a test", "drop the flag"];
        let since: Vec<&str> = [plan.as_str()].into_iter().chain(others).chain(["write the notes"]).collect();
        assert_eq!(asked_after(&since), (Some("user#8".into()), None));
    }
}
