//! What the assistant concluded, in its own words: causes, decisions, what was done and why.
//!
//! Chosen by wording and place: sentences that conclude, those before an edit, those of an answer that ended a round. One
//! for each subject, the newest; none that a later edit or the user's next turn speaks against, and none about how a run
//! ended, which the run itself says better. Each is quoted with its turn. Whether it is true is not known here.

use std::sync::Arc;

use super::{
    past::{Past, Said, shortened},
    sentences::{sentences, without_list_mark},
    since::{Since, hash_of, names_of_code, relearns, sorted},
    turns::{Kind, is_question, own_words},
    wording::{wording, words},
    worth::{says_done, worth},
};
use crate::{
    configuration::rules,
    configuration::standing::{
        APPROVED, ASIDES, CAUSE, CAUSES_OF_ROUND, CONCLUSIONS_PER_TURN, FURTHER_CONCLUSION, LAST_SENTENCES,
        LEAST_WORTH, SAME_SUBJECT, SHORTEST_CONCLUSION,
    },
    evidence::pointer::Place,
    history::Weighed,
    text::one_line,
    trace::{TurnNo, claim::Quote},
};

/// One sentence that was concluded.
pub(crate) struct Concluded {
    pub(crate) quote: Quote,
    pub(crate) turn: TurnNo,
    /// The more, the better.
    pub(crate) value: i32,
}

struct Choice<'a> {
    turn: TurnNo,
    text: &'a str,
    value: i32,
    /// Its longer words, by their hashes.
    subject: Box<[u64]>,
}

/// The best first, of the turns from `first` on.
pub(super) fn concluded(past: Past<'_>, first: TurnNo, most: usize) -> Vec<Concluded> {
    let since = Since::new(past, first);
    let mut choices: Vec<Choice<'_>> = Vec::new();
    let rounds: Vec<TurnNo> = past.users().map(|user| user.turn).collect();
    let mut causes = (None, 0);
    let mut asides = 0;
    let handed_on = past.users().find(|user| past.kind(user) == Kind::Closes).map(|user| user.turn);
    let mut newer: Option<&str> = None;
    // Newest first: of two about one subject the older goes.
    for said in past.said().take_while(|said| said.turn >= first) {
        let taken_back = newer.replace(said.text).is_some_and(relearns);
        if since.user_objects(said.turn) {
            continue;
        }
        let changes = since.changes_right_behind(said.turn);
        let weighed = past.history.weighed((said.turn, said.part, changes), || weigh(&said, changes));
        let mut best: Vec<(&Weighed, &str)> =
            weighed.iter().map(|weighed| (weighed, &said.text[weighed.start..weighed.end])).collect();
        best.retain(|(sentence, text)| {
            let is_over = !sentence.lasts && handed_on.is_some_and(|turn| said.turn < turn);
            let contradicted = (sentence.names_cause && taken_back)
                || since.edit_speaks_against(said.turn, text, sentence)
                || since.user_rejects(said.turn, text)
                || since.run_refutes(said.turn, sentence);
            !is_over && !contradicted
        });
        best.sort_by_key(|(sentence, _)| std::cmp::Reverse(sentence.worth));
        if !said.answers && !changes {
            // Whoever looks for a cause names several on the way; the last ones are what came of it.
            let round = rounds.iter().find(|turn| **turn < said.turn);
            causes = if causes.0 == Some(round) { causes } else { (Some(round), 0) };
            best.retain(|(sentence, _)| {
                let names_cause = sentence.names_cause_as_written;
                causes.1 += usize::from(names_cause);
                !names_cause || causes.1 <= CAUSES_OF_ROUND
            });
            best.truncate(CONCLUSIONS_PER_TURN.min(ASIDES.saturating_sub(asides)));
            asides += best.len();
        }
        for (place, (sentence, text)) in (0..).zip(best.into_iter().take(CONCLUSIONS_PER_TURN)) {
            let is_known = |newer: &Choice<'_>| is_about_the_same(&sentence.subject, &newer.subject);
            if choices.iter().any(|newer| newer.turn > said.turn && is_known(newer)) {
                continue;
            }
            let value = sentence.worth + freshness(past, said.turn) - FURTHER_CONCLUSION * place;
            choices.push(Choice { turn: said.turn, text, value, subject: sentence.subject.clone() });
        }
    }
    choices.extend(approved(past, first));
    choices.sort_by_key(|choice| (std::cmp::Reverse(choice.value), std::cmp::Reverse(choice.turn)));
    let quoted = choices.into_iter().filter_map(|choice| {
        let quote = past.quote(choice.text, &Place::Turn(choice.turn))?;
        Some(Concluded { quote, turn: choice.turn, value: choice.value })
    });
    quoted.take(most).collect()
}

/// What an answer of a word or two is about, without which it means nothing: the option that it chooses, or the question
/// that it says yes to.
fn approved(past: Past<'_>, first: TurnNo) -> Vec<Choice<'_>> {
    let answers = past.users().take_while(|user| user.turn > first);
    let answers = answers.filter(|user| past.kind(user) == Kind::Answer);
    let answered = past.said().find(|said| said.answers).map(|said| said.turn);
    let asked = answers.filter_map(|user| {
        let said = past.said().find(|said| said.turn < user.turn)?;
        let value = APPROVED + freshness(past, said.turn);
        if let Some(text) = chosen(said.text, own_words(&user.text)) {
            return Some(Choice { turn: said.turn, text, value, subject: Box::default() });
        }
        // What was asked for with a "yes" is done once an answer follows.
        if answered.is_some_and(|answered| answered > user.turn) {
            return None;
        }
        let is_asked =
            |text: &&str| is_question(text) && !text.contains(['“', '”']) && text.len() >= SHORTEST_CONCLUSION;
        let text =
            sentences(said.text).into_iter().rev().take(LAST_SENTENCES).map(|sentence| sentence.text).find(is_asked)?;
        Some(Choice { turn: said.turn, text, value, subject: Box::default() })
    });
    asked.collect()
}

/// The items of lists right below a question or a supposition, or lines that are named so: what can be chosen or may be,
/// and nothing that was concluded.
fn options(text: &str) -> Vec<&str> {
    let named: Vec<&str> =
        text.lines().map(|line| line.trim_start_matches(['#', ' '])).filter(|line| is_named(line)).collect();
    if named.len() > 1 {
        return named;
    }
    let mut found = Vec::new();
    let mut below = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_item = without_list_mark(line).1;
        if below && is_item {
            found.push(line);
        } else {
            below = is_question(line) || supposes(line);
        }
    }
    found
}

/// `**Option 2: as text**`
fn is_named(line: &str) -> bool {
    let lower = without_list_mark(line.trim()).0.trim_start_matches(['*', '_']).to_lowercase();
    let mut words = words(&lower);
    words.next().is_some_and(|first| first == "option" || first == "选项")
        && words.next().is_some_and(|second| second.len() < 3 && second.chars().all(char::is_alphanumeric))
}

/// Whether a line that leads to a list says that its items are no more than possible.
fn supposes(line: &str) -> bool {
    let lower = line.trim_end_matches('*').to_lowercase();
    let leads = lower.starts_with('#') || lower.ends_with([':', '：']);
    leads && wording().supposes.stand_in(&lower)
}

/// The option that an answer names: by its number, or by a word that no other has.
fn chosen<'a>(asked: &'a str, answer: &str) -> Option<&'a str> {
    let options = options(asked);
    let lower = answer.to_lowercase();
    let by_number = words(&lower).find_map(|word| options.get(word.parse::<usize>().ok()?.checked_sub(1)?));
    let by_word = || {
        let told: Vec<&str> = words(&lower).filter(|word| word.len() > 3 && !wording().go_on.has(word)).collect();
        let mut named = options.iter().filter(|option| {
            let option = option.to_lowercase();
            words(&option).any(|word| told.contains(&word))
        });
        named.next().filter(|_| named.next().is_none())
    };
    sentences(by_number.or_else(by_word)?).first().map(|sentence| sentence.text)
}

fn freshness(past: Past<'_>, turn: TurnNo) -> i32 {
    rules::freshness(past.last.0.min(past.history.turns()).saturating_sub(turn.0))
}

pub(super) fn says(past: Past<'_>, quote: &Quote) -> bool {
    let mut there = past.said().filter(|said| Place::Turn(said.turn).to_string() == quote.evidence.pointer);
    there.any(|said| sentences(said.text).iter().any(|sentence| shortened(&one_line(sentence.text)) == quote.text))
}

/// The sentences that are worth their tokens.
fn weigh(said: &Said<'_>, changes: bool) -> Arc<[Weighed]> {
    let all = sentences(said.text);
    let offers = said.answers && all.iter().rev().take(LAST_SENTENCES).any(|sentence| is_question(sentence.text));
    let options = options(said.text);
    let is_option = |text: &str| options.iter().any(|option| option.as_bytes().as_ptr_range().contains(&text.as_ptr()));
    let concluding = all.iter().filter(|sentence| !is_option(sentence.text));
    let weighed = concluding.filter_map(|sentence| {
        let worth = worth(sentence, said, offers, changes);
        // A sentence is borrowed from its text.
        let start = sentence.text.as_ptr() as usize - said.text.as_ptr() as usize;
        (worth >= LEAST_WORTH).then(|| read(worth, sentence.text, start))
    });
    weighed.collect()
}

/// What its wording tells of a sentence.
fn read(worth: i32, text: &str, start: usize) -> Weighed {
    let as_written = text.to_lowercase();
    let lower = as_written.replace('’', "'");
    let list = wording();
    let names_cause = list.strength(&lower) >= CAUSE;
    let (names, marked) = names_of_code(text);
    let words = crate::text::words(&as_written).into_iter().filter(|word| word.len() > 3);
    Weighed {
        worth,
        start,
        end: start + text.len(),
        names_cause,
        names_cause_as_written: list.strength(&as_written) >= CAUSE,
        // What was done before the work was handed on stands in the log; why things are as they are still holds.
        lasts: names_cause || list.limits.stand_in(&lower) || !says_done(&lower),
        lacks: list.lacks.stand_in(&lower),
        names,
        marked,
        subject: sorted(words.map(|word| hash_of(&word))),
    }
}

fn is_about_the_same(one: &[u64], other: &[u64]) -> bool {
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    let fewer = one.len().min(other.len());
    fewer > 0 && shared * 100 >= fewer * SAME_SUBJECT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        story::{Story, edit, run},
        trace::NoBlobs,
    };
    use serde_json::json;

    fn quotes(story: &Story) -> Vec<String> {
        let past = Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs);
        concluded(past, TurnNo(0), 10).into_iter().map(|concluded| concluded.quote.text).collect()
    }

    #[test]
    fn conclusions_are_quoted_and_what_is_none_is_not() {
        for text in [
            "Let me look at the ledger module next, because the cause is there.",
            "I'll fix the root cause in `balance()` now.",
            "Should the separator be configurable because of this?",
            "The root cause might be the cache of `balance()`.",
            "All 12 tests pass because `balance()` is exact.",
            "I'd lean toward option 1, because it is simple.",
            "让我看一下账本模块的实现，然后再决定怎么做。",
        ] {
            let mut story = Story::new();
            story.user("fix the ledger");
            story.answer(text);
            assert!(quotes(&story).is_empty(), "{text}");
        }
        let mut story = Story::new();
        story.user("fix the ledger");
        story
            .answer("The root cause is that `balance()` compares prefixes.\n- `--raw` returns the transcript as it is");
        assert_eq!(quotes(&story).len(), 2);
        story.user("but that is not what happens with new accounts");
        assert!(quotes(&story).is_empty());
    }

    #[test]
    fn of_options_the_chosen_one_is_said() {
        let asked = "Which form should the report have?\n\n1. **Table** - rows of months. All at once.\n2. **Chart** - one bar a month.\n\nThe first is simple.";
        for (answer, quoted) in [("2", "**Chart** - one bar a month."), ("yes, table", "**Table** - rows of months.")] {
            let mut story = Story::new();
            story.user("add a report");
            story.answer(asked);
            assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
            story.user(answer);
            assert_eq!(quotes(&story), [quoted]);
        }
    }

    #[test]
    fn what_only_may_be_is_no_conclusion() {
        for lead in
            ["It might be empty because:", "**If the other account had:**", "## Possible causes", "What may be:"]
        {
            let mut story = Story::new();
            story.user("fix the ledger");
            story.answer(&format!("{lead}\n\n- `balance()` was never called because of the lock\n"));
            assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
        }
    }

    #[test]
    fn an_edit_speaks_against_what_it_takes_away() {
        let mut story = Story::new();
        story.user("fix the ledger");
        story.answer(
            "- Added `find_old_name()` to the ledger\n- `report.rs` is missing the month, which is why it is empty.",
        );
        assert_eq!(quotes(&story).len(), 2);
        story.user("rename it");
        story.step("", "Edit", json!({}), edit("src/a.rs", 1, &["fn find_old_name() {"], &["fn find_name() {"]));
        story.step("", "Edit", json!({}), edit("src/report.rs", 1, &["a"], &["b"]));
        assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
    }

    #[test]
    fn fragments_and_steps_of_a_thought_are_no_conclusions() {
        let mut story = Story::new();
        story.user("fix the ledger");
        for said in [
            "So `balance()` never sees the second account because of the prefix.",
            "This means `balance()` skips accounts that begin alike.",
            "If `raw` is set, no month is asked because it returns early.",
            "That's expected because `report.rs` has no such month.",
        ] {
            story.step(said, "Bash", json!({}), run("ls", 0, "a"));
        }
        story.answer("Done.\n- `a.rs` → `b.rs`\n- Monthly totals/sums in a table\n- sums, months already present\n");
        assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
    }

    #[test]
    fn of_the_causes_that_a_search_went_through_the_last_stay() {
        let mut story = Story::new();
        story.user("fix the ledger");
        for said in [
            "The problem is that `parse()` drops empty lines.",
            "The issue is that `load()` opens another file.",
            "The root cause is that `balance()` compares prefixes.",
        ] {
            story.step(said, "Bash", json!({}), run("ls", 0, "a"));
        }
        assert_eq!(
            quotes(&story),
            ["The root cause is that `balance()` compares prefixes.", "The issue is that `load()` opens another file."]
        );
    }

    #[test]
    fn what_a_yes_asked_for_is_said_until_it_is_done() {
        let mut story = Story::new();
        story.user("fix the ledger");
        story.answer("It compares prefixes. Shall I compare whole names instead?");
        story.user("yes");
        assert_eq!(quotes(&story), ["Shall I compare whole names instead?"]);
        story.answer("Done.");
        assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
    }

    #[test]
    fn bold_lines_that_are_named_so_are_options() {
        let asked = "There are two ways.\n\n**Option 1: Panics with a message**\nSimple, because nothing else changes.\n\n**Option 2: Typed structs with checks**\nMore code.\n\nWhich do you prefer?";
        let mut story = Story::new();
        story.user("add a report");
        story.answer(asked);
        story.user("let's try 2=");
        assert_eq!(quotes(&story), ["Option 2: Typed structs with checks"]);
    }

    #[test]
    fn what_the_user_repeats_to_reject_it_is_gone() {
        let mut story = Story::new();
        story.user("fix the ledger");
        story.answer("- Fixed the `report` by default\n- Added `months()` to the ledger");
        assert_eq!(quotes(&story).len(), 2);
        story.user("- Fixed the report by default\n\nThis should not be changed, only the flag should do it");
        assert_eq!(quotes(&story), ["Added `months()` to the ledger"]);
    }

    #[test]
    fn a_cause_is_gone_when_the_work_on_it_changed_nothing_or_it_is_taken_back() {
        let failed = || run("./report", 1, "src/a.rs:1:2: error: no month\n");
        let mut story = Story::new();
        story.user("fix the ledger");
        story.step("", "Bash", json!({}), failed());
        let cause = "The issue is that `load()` opens the old file.";
        story.step(cause, "Edit", json!({}), edit("src/b.rs", 1, &["a"], &["b"]));
        assert_eq!(quotes(&story), [cause]);
        story.step("", "Bash", json!({}), failed());
        assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
        story.step("The problem is that `parse()` drops lines.", "Bash", json!({}), run("ls", 0, "a"));
        story.step("Oh wait, it does not.", "Bash", json!({}), run("ls", 0, "a"));
        assert!(quotes(&story).is_empty(), "{:?}", quotes(&story));
    }

    #[test]
    fn what_was_done_goes_once_it_was_handed_on_and_limits_stay() {
        let mut story = Story::new();
        story.user("fix the ledger");
        story.answer("- Added `months()` to the ledger\n- `load()` was fixed to never open a file twice, as it cannot");
        assert_eq!(quotes(&story).len(), 2);
        story.user("commit");
        story.answer("Done.");
        story.user("add cents to the report");
        assert_eq!(quotes(&story), ["`load()` was fixed to never open a file twice, as it cannot"]);
    }

    #[test]
    fn the_newest_about_a_subject_stays() {
        let mut story = Story::new();
        story.user("fix the ledger");
        story.answer("The cause is that `balance()` compares prefixes of accounts.");
        story.user("look again please");
        story.answer("The cause is that `balance()` compares whole names of accounts.");
        assert_eq!(quotes(&story), ["The cause is that `balance()` compares whole names of accounts."]);
    }
}
