//! What a model's summary says the user wants, held against the user's own turns.
//!
//! Only user turns and gates' decisions say what the work is for (docs/design/folding.md, "Admission"): an instruction
//! that stood in a file must not come back as a preference. All else in a summary is a record, and its voice line says
//! so.

use super::{Section, WrittenSummary};
use crate::{
    admission::{Refusal, admit_preference},
    evidence::pointer::{Place, Pointer},
    proposal::GoalProposal,
    state::Bench,
    trace::{Blobs, decision::TurnRange},
};

/// Words of a label under which a line speaks for the user or says what comes next.
const DIRECTS: [&str; 19] = [
    "goal",
    "goals",
    "objective",
    "objectives",
    "preference",
    "preferences",
    "prefers",
    "decision",
    "decisions",
    "decided",
    "next",
    "user",
    "users",
    "user's",
    "user’s",
    "wants",
    "wishes",
    "instruction",
    "instructions",
];
const DIRECTS_WIDE: [&str; 5] = ["目标", "偏好", "决定", "下一步", "用户"];
/// With more words before its colon, a line is not a label.
const LONGEST_LABEL: usize = 6;

/// The summary without directions that neither a user turn nor a decision supports, and what was taken out.
pub(crate) fn admit_summary(
    bench: Bench<'_>,
    range: TurnRange,
    mut summary: WrittenSummary,
    blobs: &dyn Blobs,
) -> (WrittenSummary, Vec<Refusal>) {
    let mut refused = Vec::new();
    for section in Section::ALL {
        let mut under = None;
        let kept = summary.section(section).lines().filter(|line| {
            let Some(claim) = directive(line, section, &mut under) else { return true };
            let proposal = GoalProposal { text: without_pointers(claim), evidence: pointers_in(claim) };
            match admit_preference(bench, range, proposal, blobs) {
                Ok(_) => true,
                Err(refusal) => {
                    refused.push(refusal);
                    false
                }
            }
        });
        let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
        *summary.section_mut(section) = kept;
    }
    (summary, refused)
}

/// The label whose list is being read.
struct Label {
    /// How far it is indented.
    depth: usize,
    /// Nothing stands behind it: its list may follow without being indented.
    is_bare: bool,
}

/// The part of a line that only the user or a decision may say; None where it holds nothing of the kind.
fn directive<'a>(line: &'a str, section: Section, under: &mut Option<Label>) -> Option<&'a str> {
    let depth = line.len() - line.trim_start().len();
    let item = line.trim().trim_start_matches(['*', '-', '•', ' ']);
    if !item.contains(char::is_alphanumeric) {
        return None;
    }
    let (label, value) = split_label(line).unwrap_or(("", item));
    // In a list, only the next title ends it: a colon can stand in any sentence.
    let is_title = !label.is_empty() && line.contains("**");
    if directs(words(label)) || section == Section::Objectives {
        *under = Some(Label { depth, is_bare: value.is_empty() });
        return (!value.is_empty()).then_some(value);
    }
    let is_under = |over: &Label| depth > over.depth || (depth == over.depth && over.is_bare && !is_title);
    if under.as_ref().is_some_and(is_under) {
        return Some(item);
    }
    *under = None;
    // Without a label: "the user wants …".
    let speaks_for_user = label.is_empty() && !item.starts_with(['[', '`', '(']) && directs(words(item).take(2));
    speaks_for_user.then_some(item)
}

/// `**Label**: value`, `Label: value`, `Label — value`. Paths and finished items are not labels.
fn split_label(line: &str) -> Option<(&str, &str)> {
    let bullet = |character| "-•# \t".contains(character);
    let item = line.trim().trim_start_matches(bullet);
    let item = item.strip_prefix("* ").unwrap_or(item).trim_start_matches(bullet);
    let (label, value) = match item.trim_start_matches('*') {
        bold if bold.len() < item.len() => bold.split_once("**").or_else(|| bold.split_once([':', '：']))?,
        plain if plain.starts_with(['`', '[', '(', '"']) => return None,
        plain => plain.split_once([':', '：', '—', '–'])?,
    };
    if words(label).count() > LONGEST_LABEL {
        return None;
    }
    Some((label, value.trim_matches(|character: char| " *:：—–".contains(character))))
}

fn directs<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    words.any(|word| {
        let word = word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
        DIRECTS.contains(&word.as_str()) || DIRECTS_WIDE.iter().any(|wide| word.contains(wide))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

fn pointer(word: &str) -> Option<String> {
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    let pointer: Pointer = word.parse().ok()?;
    matches!(pointer.place, Place::User(_) | Place::Gate(_) | Place::Turn(_)).then(|| word.to_owned())
}

fn pointers_in(text: &str) -> Vec<String> {
    words(text).filter_map(pointer).collect()
}

fn without_pointers(text: &str) -> String {
    let words: Vec<&str> = words(text).filter(|word| pointer(word).is_none()).collect();
    words.join(" ")
}
