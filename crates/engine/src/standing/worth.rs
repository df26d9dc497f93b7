//! What a sentence of the assistant's is worth as a conclusion: by its wording and its place, 0 where it concludes nothing.
//!
//! Whether it still holds is not known here.

use super::{
    past::Said,
    sentences::Sentence,
    turns::is_question,
    wording::{lower, wording, words},
};
use crate::configuration::standing::{
    BEFORE_CHANGE, CAUSE, FEWEST_WORDS, IN_ANSWER, LISTED_IN_ANSWER, NAMES_SOMETHING, OPENS_ANSWER,
    SHORTEST_CONCLUSION, STRONG,
};

/// `offers`: its answer ends with a question. `changes`: an edit stands right behind it.
pub(super) fn worth(sentence: &Sentence<'_>, said: &Said<'_>, offers: bool, changes: bool) -> i32 {
    let text = sentence.text;
    let list = wording();
    let wide = text.chars().filter(|character| !character.is_ascii()).count();
    if text.len() + wide < SHORTEST_CONCLUSION
        || text.ends_with([':', '：'])
        || is_question(text)
        || text.contains(['“', '”'])
    {
        return 0;
    }
    // Cut inside a quotation or a piece of code.
    if text.matches('"').count() % 2 == 1 || text.matches('`').count() % 2 == 1 {
        return 0;
    }
    let lower = lower(text);
    let plain = lower.trim_start_matches(['*', '_', '`', ' ']);
    let strongest = list.strength(&lower);
    // What stands in the list of an answer that asks is a choice, not yet a decision.
    let listed = sentence.listed && !offers;
    // An answer's items say what was done without such words.
    if (sentence.listed && offers) || (strongest == 0 && !(said.answers && (sentence.opens || listed))) {
        return 0;
    }
    let says_done = says_done(&lower);
    let is_plan = list.announces.begin(plain) || words(plain).next().is_some_and(|first| list.requests.has(first));
    if is_plan
        || list.doubts.stand_in(&lower)
        || list.verdicts.stand_in(&lower)
        || list.dangling.begin(plain)
        || goes_on(text)
        || (!says_done && is_fragment(text))
        // On the way to an answer it is a step of a thought, and the next one may take it back.
        || (!said.answers && strongest < CAUSE && list.steps.begin(plain))
        || (list.manners.begin(plain) && strongest < STRONG)
    {
        return 0;
    }
    let names_code = text.contains('`') || text.contains('_') || text.contains("()");
    let names_something = names_code || text.contains('/');
    // An item that tells neither what was done nor of what belongs to a description.
    if listed && strongest == 0 && !says_done && !names_code {
        return 0;
    }
    if text.len() + wide < 2 * SHORTEST_CONCLUSION && !names_something {
        return 0;
    }
    let place = match (said.answers, changes) {
        (true, _) if sentence.opens => OPENS_ANSWER,
        (true, _) if listed => LISTED_IN_ANSWER,
        (true, _) => IN_ANSWER,
        (false, true) => BEFORE_CHANGE,
        (false, false) => 0,
    };
    match strongest {
        0 => place,
        strongest => strongest + place + if names_something { NAMES_SOMETHING } else { 0 },
    }
}

/// Whether it tells what was done, perhaps behind a label: "**Report**: added cents".
pub(super) fn says_done(lower: &str) -> bool {
    let plain = lower.trim_start_matches(['*', '_', '`', ' ']);
    let mut behind_labels = [" - ", " — ", " – ", ": "].iter().filter_map(|mark| Some(plain.split_once(mark)?.1));
    wording().done.begin(plain) || behind_labels.next().is_some_and(|text| wording().done.begin(text))
}

/// Whether a sentence has too few words beside names to say something.
fn is_fragment(text: &str) -> bool {
    let is_wide = text.chars().any(|letter| letter.is_alphabetic() && letter.len_utf8() > 2);
    let is_word = |word: &&str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        word.len() > 1 && word.chars().all(|letter| letter.is_alphabetic() || "'’-".contains(letter))
    };
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    !is_wide && plain.split_whitespace().filter(is_word).count() < FEWEST_WORDS
}

/// Whether it begins inside of a sentence: in lower case, and with no name.
fn goes_on(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_name = first.contains(['`', '_', '(', '/', '.', '-']) || first.chars().skip(1).any(char::is_uppercase);
    text.starts_with('(') || (first.starts_with(char::is_lowercase) && !is_name)
}
