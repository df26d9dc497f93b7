//! Words of people and of the assistant: found where they are said to stand, and copied from there in whole sentences.
//!
//! Half a sentence can mean the opposite of the whole ("push to main" of "never push to main"), so a quotation begins and
//! ends with its sentences, and brings along what opens its list or takes it back ([`whole`]).

mod repeated;
mod whole;

use super::{
    RefusalKind,
    resolve::{Resolver, Voice},
};
use crate::{
    configuration::admission::QUOTED_SENTENCES,
    configuration::written::QUOTE_TOKENS,
    evidence::pointer::{Place, Pointer},
    history::LiveTurn,
    proposal::QuoteProposal,
    text::{one_line, shorten_quotation},
    trace::{
        AssistantPart, AssistantTurn, EventBody, Origin, TurnNo,
        claim::{Evidence, Quote},
        decision::TurnRange,
        result::{
            TodoItem,
            TodoState::{InProgress, Pending},
        },
    },
};
use repeated::repeats_output;
use whole::quotable;

/// What a person said or decided: the sentences that hold the wanted words, or the first that says something.
pub(crate) fn of_person(proposal: &QuoteProposal, resolver: &mut Resolver<'_>) -> Result<Quote, RefusalKind> {
    let pointer = proposal.pointer.as_deref().ok_or(RefusalKind::NoEvidence)?;
    let resolved = resolver.resolve(pointer)?;
    if resolved.voice != Voice::Person {
        return Err(RefusalKind::NotThePersons { pointer: pointer.to_owned() });
    }
    let text = match place_of(&resolved.evidence) {
        Some(Place::Gate(number)) => resolver.decision_of(number),
        _ => resolved.text.clone(),
    };
    quote(&text, proposal.text.as_deref(), resolved.evidence.clone())
}

/// What the assistant said in a turn, or at the end of a span. Not what a tool answered to it.
pub(crate) fn of_assistant(proposal: &QuoteProposal, resolver: &mut Resolver<'_>) -> Result<Quote, RefusalKind> {
    let pointer = proposal.pointer.as_deref().ok_or(RefusalKind::NoEvidence)?;
    let resolved = resolver.resolve(pointer)?;
    let said = match place_of(&resolved.evidence) {
        Some(Place::Turn(turn)) => match resolver.history.live_turn(turn) {
            Some(LiveTurn::Assistant(assistant)) => Some(words_of(assistant).collect::<Vec<_>>().join("\n\n")),
            _ => None,
        },
        Some(Place::Span(id)) => {
            let spans = resolver.history.index().spans();
            spans.iter().find(|span| span.id == id).and_then(|span| span.outcome.clone())
        }
        _ => None,
    };
    let needs = "a turn of the assistant";
    let said = said.ok_or_else(|| RefusalKind::OtherThing { pointers: pointer.to_owned(), needs })?;
    let wanted = proposal.text.as_deref().ok_or(RefusalKind::Blank)?;
    quote(&said, Some(wanted), resolved.evidence.clone())
}

/// As admission wrote it, whatever was cited: `ID/gate#1` is `gate#1`.
fn place_of(evidence: &Evidence) -> Option<Place> {
    evidence.pointer.parse::<Pointer>().ok().map(|pointer| pointer.place)
}

fn words_of(assistant: &AssistantTurn) -> impl Iterator<Item = &str> {
    assistant.parts.iter().filter_map(|part| match part {
        AssistantPart::Text { text, .. } => Some(text.as_str()),
        _ => None,
    })
}

fn quote(said: &str, wanted: Option<&str>, evidence: Evidence) -> Result<Quote, RefusalKind> {
    let text = match wanted {
        Some(wanted) => sentences_with(said, wanted),
        None => quotable(said).into_iter().next(),
    };
    let text = text.ok_or_else(|| RefusalKind::NotSaid { place: evidence.pointer.clone() })?;
    Ok(Quote { text: shortened(&text), evidence })
}

pub(crate) fn shortened(text: &str) -> String {
    shorten_quotation(text, QUOTE_TOKENS)
}

/// The fewest whole sentences that hold these words; of several pieces with a gap between them, those of each.
pub(crate) fn sentences_with(said: &str, wanted: &str) -> Option<String> {
    let sentences = quotable(said);
    run_with(&sentences, wanted).map(|(_, found)| found).or_else(|| {
        let mut rest = &sentences[..];
        // One behind the other, as they were said.
        let pieces = wanted.split(GAP).map(|piece| {
            let (end, found) = run_with(rest, piece)?;
            rest = &rest[end..];
            Some(found)
        });
        let pieces = pieces.collect::<Option<Vec<String>>>();
        pieces.filter(|pieces| pieces.len() > 1).map(|pieces| pieces.join(GAP))
    })
}

/// What stands between two pieces of a quotation.
const GAP: &str = " … ";

/// With where it ends.
fn run_with(sentences: &[String], wanted: &str) -> Option<(usize, String)> {
    let wanted = bare(wanted);
    if wanted.is_empty() {
        return None;
    }
    for length in 1..=sentences.len().min(QUOTED_SENTENCES) {
        for start in 0..=sentences.len() - length {
            let joined = sentences[start..start + length].join(" ");
            if holds(&bare(&joined), &wanted) || bare(&shortened(&joined)) == wanted {
                return Some((start + length, joined));
            }
        }
    }
    None
}

/// Whole words: "main" is not in "remain".
fn holds(text: &str, wanted: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() && !crate::text::is_cjk(letter);
    let ends = |edge: Option<char>, inside: Option<char>| !(edge.is_some_and(is_word) && inside.is_some_and(is_word));
    text.match_indices(wanted).any(|(at, _)| {
        ends(text[..at].chars().next_back(), wanted.chars().next())
            && ends(text[at + wanted.len()..].chars().next(), wanted.chars().next_back())
    })
}

/// Letters as they are, without marks of quotation, emphasis and blanks at the edges.
fn bare(text: &str) -> String {
    let edge = |letter: char| letter.is_whitespace() || "\"'“”‘’`*_".contains(letter);
    let line = one_line(text);
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").trim_matches(edge).trim_end_matches(" …").trim_end_matches('…').to_owned()
}

/// What comes next, in words of the todo list, of a person, or of the assistant in the turns from `first` to `last`.
pub(super) fn of_action(
    proposal: &QuoteProposal,
    (first, last): (TurnNo, TurnNo),
    todo: &[TodoItem],
    resolver: &mut Resolver<'_>,
) -> Result<String, RefusalKind> {
    let wanted = proposal.text.as_deref().map(bare).filter(|text| !text.is_empty()).ok_or(RefusalKind::Blank)?;
    let mut open =
        todo.iter().filter(|item| matches!(item.state, InProgress | Pending)).map(|item| one_line(&item.text));
    if let Some(item) = open.find(|item| bare(item) == wanted || bare(&shortened(item)) == wanted) {
        return Ok(shortened(&item));
    }
    let history = resolver.history;
    for (turn, live) in history.live_turns(TurnRange { first, last }).rev() {
        let found = match live {
            LiveTurn::User(user) if user.origin != Origin::Machine => sentences_with(&user.text, &wanted),
            LiveTurn::Assistant(assistant) => words_of(assistant)
                .find_map(|text| sentences_with(text, &wanted))
                .filter(|found| !repeats_output(found, turn, history, resolver.blobs)),
            _ => None,
        };
        if let Some(found) = found {
            return Ok(shortened(&found));
        }
    }
    Err(RefusalKind::NotSaid { place: "the todo list, the user or the assistant in these turns".into() })
}

impl Resolver<'_> {
    /// Recalling a gate also gives its question and options, which a program wrote: only the decision counts.
    fn decision_of(&self, number: u32) -> String {
        let gate = (number as usize).checked_sub(1).and_then(|place| self.history.index().gates.get(place));
        let events = gate.into_iter().flat_map(|gate| gate.events().rev());
        let decided = events.filter_map(|event| self.history.live_body(event)).find_map(EventBody::decided_gate);
        decided.map(|(_, text)| text.to_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_not_said_are_not_found() {
        for wanted in ["push to the main", "Push to main", "fix the tests", "ever push", "the pars", "\u{200b}", "“”"]
        {
            assert_eq!(sentences_with("never push to main. fix the parser", wanted), None, "{wanted}");
        }
    }

    #[test]
    fn several_sentences_can_be_quoted_together() {
        let said = "Balances are wrong. Make them exact! Do not touch the test.";
        let found = sentences_with(said, "wrong. Make them exact!");
        assert_eq!(found.as_deref(), Some("Balances are wrong. Make them exact!"));
    }

    #[test]
    fn a_long_sentence_keeps_its_end() {
        let said = format!("Push to main, {}and so on: none of that is allowed.", "delete the backups, ".repeat(20));
        let quoted = shortened(&sentences_with(&said, "Push to main").expect("it was said"));
        assert!(quoted.starts_with("Push to main, ") && quoted.ends_with("none of that is allowed."), "{quoted}");
        assert!(quoted.chars().count() <= 245, "{quoted}");
        assert_eq!(shortened(&quoted), quoted);
        assert_eq!(shortened(&sentences_with(&said, &quoted).expect("as it was shown")), quoted);
    }
}
