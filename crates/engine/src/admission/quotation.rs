//! Words of people and of the assistant: found where they are said to stand, and copied from there in whole sentences.
//!
//! Half a sentence can mean the opposite of the whole ("push to main" of "never push to main"), so a quotation begins and
//! ends with its sentences, has the words that open its list before it, and takes a short "Don't." behind it along.

use super::{
    RefusalKind,
    resolve::{Resolver, Voice},
};
use crate::{
    configuration::written::{CHARACTERS_PER_TOKEN, QUOTE_TOKENS},
    history::LiveTurn,
    proposal::QuoteProposal,
    text::{one_line, shorten_at_word},
    trace::{
        AssistantPart, EventBody, Origin, TurnNo,
        claim::{Evidence, Quote},
    },
};

/// What a person said or decided: the sentences that hold the wanted words, or the first that says something.
pub(crate) fn of_person(proposal: &QuoteProposal, resolver: &mut Resolver<'_>) -> Result<Quote, RefusalKind> {
    let pointer = proposal.pointer.as_deref().ok_or(RefusalKind::NoEvidence)?;
    let resolved = resolver.resolve(pointer)?;
    if resolved.voice != Voice::Person {
        return Err(RefusalKind::NotThePersons { pointer: pointer.to_owned() });
    }
    let text = resolver.decision_of(pointer).unwrap_or_else(|| resolved.text.clone());
    quote(&text, proposal.text.as_deref(), resolved.evidence.clone())
}

/// What the assistant said in a turn.
pub(crate) fn of_assistant(proposal: &QuoteProposal, resolver: &mut Resolver<'_>) -> Result<Quote, RefusalKind> {
    let pointer = proposal.pointer.as_deref().ok_or(RefusalKind::NoEvidence)?;
    let resolved = resolver.resolve(pointer)?;
    if resolved.voice != Voice::Said {
        return Err(RefusalKind::OtherThing { pointers: pointer.to_owned(), needs: "a turn of the assistant" });
    }
    let wanted = proposal.text.as_deref().ok_or(RefusalKind::Blank)?;
    quote(&resolved.text, Some(wanted), resolved.evidence.clone())
}

fn quote(said: &str, wanted: Option<&str>, evidence: Evidence) -> Result<Quote, RefusalKind> {
    let text = match wanted {
        Some(wanted) => sentences_with(said, wanted),
        None => quotable(said).into_iter().next(),
    };
    let text = text.ok_or_else(|| RefusalKind::NotSaid { place: evidence.pointer.clone() })?;
    Ok(Quote { text: shortened(&text), evidence })
}

/// A quotation above its budget is cut at a word and says so; its pointer has the rest.
pub(crate) fn shortened(text: &str) -> String {
    shorten_at_word(text, QUOTE_TOKENS as usize * CHARACTERS_PER_TOKEN).into_owned()
}

/// The fewest whole sentences that hold these words.
pub(crate) fn sentences_with(said: &str, wanted: &str) -> Option<String> {
    let wanted = bare(wanted);
    if wanted.is_empty() {
        return None;
    }
    let sentences = quotable(said);
    for length in 1..=sentences.len().min(LONGEST_RUN) {
        for start in 0..=sentences.len() - length {
            let joined = sentences[start..start + length].join(" ");
            if bare(&joined).contains(&wanted) || bare(&shortened(&joined)) == wanted {
                return Some(joined);
            }
        }
    }
    None
}

/// No quotation of a proposal is longer.
const LONGEST_RUN: usize = 6;

/// Letters as they are, without marks of quotation, emphasis and blanks at the edges.
fn bare(text: &str) -> String {
    let edge = |letter: char| letter.is_whitespace() || "\"'“”‘’`*_".contains(letter);
    let line = one_line(text);
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").trim_matches(edge).trim_end_matches(" …").trim_end_matches('…').to_owned()
}

/// The sentences of a text as they can be quoted: over the ends of lines, items of a list with the words that open it,
/// and each with a short refusal that follows.
pub(crate) fn quotable(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut opening: Option<String> = None;
    for paragraph in paragraphs(text) {
        let sentences = split(&paragraph.text);
        for (place, sentence) in sentences.iter().enumerate() {
            let refuses = place > 0 && takes_back(sentence);
            match found.last_mut().filter(|_| refuses) {
                Some(before) => *before = format!("{before} {sentence}"),
                None => {
                    let led = opening.as_ref().filter(|_| paragraph.listed && place == 0);
                    found.push(led.map_or_else(|| sentence.clone(), |led| format!("{led} {sentence}")));
                }
            }
        }
        if !paragraph.listed {
            let last = sentences.last().cloned();
            opening = last.filter(|last| refuses(last) && paragraph.heading || last.ends_with([':', '：']));
        }
    }
    found
}

/// A heading that turns what stands under it into its opposite.
fn refuses(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let words = ["not", "never", "no", "don't", "avoid", "without", "forbidden", "rejected", "wrong", "unless"];
    let says =
        |word: &str| lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '\'')).any(|part| part == word);
    words.iter().any(|word| says(word)) || ["不", "别", "勿", "禁"].iter().any(|mark| lower.contains(mark))
}

/// "Don't.", "Never mind.", "不要。": what was said before it is not wanted.
fn takes_back(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let short = lower.split_whitespace().count() <= 5 && lower.chars().count() <= 40;
    let starts =
        ["don", "do not", "never", "not ", "no,", "no.", "just kidding", "or not", "wait", "actually no", "scratch"];
    short
        && (starts.iter().any(|start| lower.starts_with(start))
            || ["不", "别", "算了"].iter().any(|start| lower.starts_with(start)))
}

struct Paragraph {
    text: String,
    listed: bool,
    heading: bool,
}

/// Lines that belong together; an item of a list is one of its own, code and quoted lines are passed over.
fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let mut goes_on = false;
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            goes_on = false;
            continue;
        }
        if in_code || line.is_empty() || !line.chars().any(char::is_alphanumeric) {
            goes_on = false;
            continue;
        }
        let heading = line.starts_with('#');
        let (content, listed) = match heading {
            true => (line.trim_start_matches('#').trim(), false),
            false => crate::standing::sentences::without_list_mark(line),
        };
        match found.last_mut().filter(|_| goes_on && !listed && !heading) {
            Some(paragraph) => {
                paragraph.text.push(' ');
                paragraph.text.push_str(content);
            }
            None => found.push(Paragraph { text: one_line(content), listed, heading }),
        }
        goes_on = !heading;
    }
    found
}

fn split(paragraph: &str) -> Vec<String> {
    let pieces = crate::standing::sentences::split(paragraph).into_iter().map(|sentence| sentence.trim().to_owned());
    pieces.filter(|sentence| sentence.chars().any(char::is_alphanumeric)).collect()
}

/// What comes next, in words of the todo list, of a person, or of the assistant in the turns from `first` to `last`.
pub(super) fn of_action(
    proposal: &QuoteProposal,
    (first, last): (TurnNo, TurnNo),
    todo: &[crate::trace::result::TodoItem],
    resolver: &mut Resolver<'_>,
) -> Result<String, RefusalKind> {
    let wanted = proposal.text.as_deref().map(bare).filter(|text| !text.is_empty()).ok_or(RefusalKind::Blank)?;
    use crate::trace::result::TodoState::{InProgress, Pending};
    let open = todo.iter().filter(|item| matches!(item.state, InProgress | Pending));
    if let Some(item) =
        open.map(|item| one_line(&item.text)).find(|item| bare(item) == wanted || bare(&shortened(item)) == wanted)
    {
        return Ok(shortened(&item));
    }
    let history = resolver.history;
    let turns = history.live_turns(crate::trace::decision::TurnRange { first, last }).rev();
    for (_, turn) in turns {
        let texts: Vec<&str> = match turn {
            LiveTurn::User(user) if user.origin != Origin::Machine => vec![user.text.as_str()],
            LiveTurn::Assistant(assistant) => assistant
                .parts
                .iter()
                .filter_map(|part| match part {
                    AssistantPart::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect(),
            _ => continue,
        };
        if let Some(found) = texts.into_iter().find_map(|text| sentences_with(text, &wanted)) {
            return Ok(shortened(&found));
        }
    }
    Err(RefusalKind::NotSaid { place: "the todo list, the user or the assistant in these turns".into() })
}

impl Resolver<'_> {
    /// Recalling a gate also gives its question and options, which a program wrote: only the decision counts.
    fn decision_of(&self, pointer: &str) -> Option<String> {
        let number: u32 = pointer.trim().strip_prefix("gate#")?.parse().ok()?;
        let gate = self.history.index().gates.get((number as usize).checked_sub(1)?)?;
        let decided =
            gate.events().rev().filter_map(|event| self.history.live_body(event)).find_map(EventBody::decided_gate);
        Some(decided.map(|(_, text)| text.to_owned()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_sentence_is_quoted_whole() {
        let said = "Please fix the parser. Never\npush to main without asking. Thanks";
        assert_eq!(sentences_with(said, "push to main").as_deref(), Some("Never push to main without asking."));
        let list = "Do none of these:\n- push to main\n- delete files\n\nGo on.";
        assert_eq!(sentences_with(list, "push to main").as_deref(), Some("Do none of these: push to main"));
        assert_eq!(sentences_with("# Never\n* push", "push").as_deref(), Some("Never push"));
        assert_eq!(
            sentences_with("You could push to main. Don't.", "push to main").as_deref(),
            Some("You could push to main. Don't.")
        );
    }

    #[test]
    fn words_that_were_not_said_are_not_found() {
        for wanted in ["push to the main", "Push to main", "fix the tests"] {
            assert_eq!(sentences_with("never push to main. fix the parser", wanted), None, "{wanted}");
        }
    }

    #[test]
    fn several_sentences_can_be_quoted_together() {
        let said = "Balances are wrong. Make them exact! Do not touch the test.";
        let found = sentences_with(said, "wrong. Make them exact!");
        assert_eq!(found.as_deref(), Some("Balances are wrong. Make them exact!"));
        assert_eq!(quotable("余额不对。请修复它！").len(), 2);
    }
}
