//! Task and now: what the present work began with, and what the newest round asks, in the user's own words.
//!
//! Where neither can be told from the wording, nothing is said: a missing task costs little, a wrong one sends the work
//! back.

use super::{past::Past, turns::Kind};
use crate::{
    configuration::standing::{PLAN_REQUESTS, REQUESTS_BACK},
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
}

pub(super) fn asked(past: Past<'_>) -> Asked {
    let quote = |turn: &Turn<'_>| past.quote(&past.wanted(turn.user)?, &Place::User(turn.user.user?));
    let Some(newest) = newest(past) else { return Asked::default() };
    match begun_with(past, &newest) {
        Some(task) => Asked { task: quote(&task), now: quote(&newest) },
        None if newest.kind.begins_work() => Asked { task: quote(&newest), now: None },
        None => Asked { task: None, now: quote(&newest) },
    }
}

/// The newest turn that asks or says something. What an approval approves is what the work already is.
fn newest(past: Past<'_>) -> Option<Turn<'_>> {
    turns(past).find(|turn| turn.kind.says_something())
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
            Kind::Request if !newest.kind.begins_work() => return Some(turn),
            kind if kind.says_something() => oldest = Some(turn),
            _ => {}
        }
    }
    // Where nobody ever asked for work, the first question is what all is about.
    oldest.filter(|_| !newest.kind.begins_work())
}

fn turns(past: Past<'_>) -> impl Iterator<Item = Turn<'_>> {
    past.users().map(move |user| Turn { user, kind: past.kind(user) })
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
