//! What the assistant concluded, in its own words: causes, decisions, what was done and why.
//!
//! Chosen by wording and place alone: sentences that conclude, those before an edit, those of an answer that ended a
//! round. Announcements ("Let me look at…") say nothing once they were carried out. Each is quoted with its turn, so the
//! gate lets it stand as what was said; whether it is true is not known here.

use std::collections::BTreeSet;

use super::{
    candidate::{Candidates, Item},
    requests::only_goes_on,
    stretch::{Said, Stretch, Then},
    wording::{announces, doubts, strength},
};
use crate::{
    admission::{Resolver, quotation::of_assistant},
    proposal::QuoteProposal,
    sentences::{Sentence, sentences},
    text::words,
    trace::TurnNo,
};

const SHORTEST: usize = 24;
/// Below this a sentence is not worth its tokens.
const LEAST: i32 = 14;
/// How many are checked and counted; a block holds a third of them at most.
const MOST: usize = 30;
const PER_TURN: usize = 5;
const ASKED: i32 = 45;

struct Choice<'a> {
    turn: TurnNo,
    text: &'a str,
    value: i32,
}

pub(super) fn propose(stretch: &Stretch<'_>, resolver: &mut Resolver<'_>, candidates: &mut Candidates<'_>) {
    let mut choices: Vec<Choice<'_>> = Vec::new();
    let last_answer = stretch.said.iter().rev().find(|said| said.then == Then::Answered).map(|said| said.turn);
    for said in &stretch.said {
        let worth = |sentence: &Sentence<'_>| worth(sentence, said, last_answer == Some(said.turn));
        let mut best: Vec<(i32, &str)> =
            sentences(said.text).iter().map(|sentence| (worth(sentence), sentence.text)).collect();
        best.retain(|(worth, _)| *worth >= LEAST);
        best.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
        // At most this many from one turn, so that others are heard, too.
        for (place, (worth, text)) in (0..).zip(best.into_iter().take(PER_TURN)) {
            let value = worth + stretch.freshness(said.turn) - 6 * place;
            choices.push(Choice { turn: said.turn, text, value });
        }
    }
    choices.extend(asked(stretch));
    // The newest of two that say the same.
    choices.sort_by_key(|choice| (std::cmp::Reverse(choice.value), std::cmp::Reverse(choice.turn)));
    let mut taken: Vec<BTreeSet<String>> = Vec::new();
    for choice in choices {
        if taken.len() == MOST {
            break;
        }
        let words = long_words(choice.text);
        if taken.iter().any(|other| says_the_same(&words, other)) {
            continue;
        }
        let proposal =
            QuoteProposal { pointer: Some(format!("turn#{}", choice.turn)), text: Some(choice.text.to_owned()) };
        if let Ok(quote) = of_assistant(&proposal, resolver) {
            taken.push(words);
            candidates.push(Item::Said(quote), choice.value, choice.turn);
        }
    }
}

/// Questions that were answered with "yes": without them the user's words mean nothing.
fn asked<'a>(stretch: &Stretch<'a>) -> impl Iterator<Item = Choice<'a>> {
    let replies = stretch.users.iter().filter(|user| only_goes_on(&user.text) || user.text.trim().len() <= 3);
    replies.filter_map(|user| {
        let asked = stretch.said.iter().rev().find(|said| said.turn < user.turn)?;
        let is_question =
            |text: &&str| text.ends_with(['?', '？']) && !text.contains(['“', '”']) && text.len() >= SHORTEST;
        let last = sentences(asked.text).into_iter().rev().take(3).map(|sentence| sentence.text).find(is_question)?;
        Some(Choice { turn: asked.turn, text: last, value: ASKED + stretch.freshness(asked.turn) })
    })
}

fn worth(sentence: &Sentence<'_>, said: &Said<'_>, is_last_answer: bool) -> i32 {
    let text = sentence.text;
    let wide = text.chars().filter(|character| !character.is_ascii()).count();
    if text.len() + wide < SHORTEST || text.ends_with([':', '?', '：', '？']) || text.contains(['“', '”']) {
        return 0;
    }
    // Cut inside a quotation or a piece of code.
    if text.matches('"').count() % 2 == 1 || text.matches('`').count() % 2 == 1 {
        return 0;
    }
    let lower = text.to_lowercase();
    let strongest = strength(&lower);
    if announces(&lower) && strongest < 25 {
        return 0;
    }
    // Thinking aloud does not count as a conclusion.
    if doubts(&lower) {
        return 0;
    }
    let names_something = text.contains('`') || text.contains('_') || text.contains("()") || text.contains('/');
    if text.len() + wide < 2 * SHORTEST && !names_something {
        return 0;
    }
    let place = match said.then {
        Then::Answered if sentence.opens => 22,
        Then::Answered if sentence.listed => 14,
        Then::Answered => 8,
        Then::Changed => 6,
        Then::Called => 0,
    };
    let newest = if is_last_answer { 8 } else { 0 };
    match strongest {
        // An answer's items say what was done without such words.
        0 if said.then == Then::Answered && (sentence.opens || sentence.listed) => place + newest,
        0 => 0,
        strongest => strongest + place + newest + if names_something { 8 } else { 0 },
    }
}

fn long_words(text: &str) -> BTreeSet<String> {
    words(text).into_iter().filter(|word| word.len() > 3).collect()
}

fn says_the_same(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count();
    let fewer = one.len().min(other.len());
    fewer > 0 && shared * 10 >= fewer * 7
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth_of(text: &str, then: Then) -> i32 {
        let said = Said { turn: TurnNo(3), text, then };
        sentences(text).iter().map(|sentence| worth(sentence, &said, false)).max().unwrap_or(0)
    }

    #[test]
    fn conclusions_are_worth_more_than_announcements() {
        assert!(worth_of("The root cause is that `balance()` compares prefixes.", Then::Changed) > 40);
        assert!(worth_of("问题在于余额按前缀比较账户名，所以现金储备被算了两次。", Then::Called) > 20);
        for text in [
            "Let me look at the ledger module next.",
            "Now I'll run the tests to see whether it works.",
            "Perfect! Now let me check the other callers.",
            "Looking at the implementation of the parser:",
            "让我看一下账本模块的实现，然后再决定怎么做。",
            "Should the separator be configurable because of this?",
        ] {
            assert_eq!(worth_of(text, Then::Called), 0, "{text}");
        }
    }

    #[test]
    fn the_items_of_an_answer_say_what_was_done() {
        let answer = "I added the option:\n- `--raw` returns the transcript as it is\n- the pager is skipped then\n";
        assert!(worth_of(answer, Then::Answered) >= LEAST);
        assert_eq!(worth_of(answer, Then::Called), 0);
    }
}
