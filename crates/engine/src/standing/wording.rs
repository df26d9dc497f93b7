//! Words that ask, go on, announce, conclude or doubt: `words.toml`, as it is read, and whether a text holds them.
//!
//! All ask about texts in lower case. What follows from an answer is not known here.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// A constant that stands in a file instead of the code: made at its first use, never changed.
static WORDS: LazyLock<Wording> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("a test reads the same file"));

pub(super) fn wording() -> &'static Wording {
    &WORDS
}

/// The fields are explained where they are filled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wording {
    #[serde(rename = "version")]
    _version: u32,
    pub(super) go_on: Cues,
    pub(super) closes: Cues,
    pub(super) closing: Cues,
    pub(super) replies: Cues,
    pub(super) drops: Cues,
    pub(super) leads_on: Cues,
    pub(super) continues: Cues,
    pub(super) turns_to: Cues,
    pub(super) constrains: Cues,
    pub(super) requests: Cues,
    pub(super) reminds: Cues,
    pub(super) wishes: Cues,
    pub(super) muses: Cues,
    pub(super) conditions: Cues,
    pub(super) takes_back: Cues,
    pub(super) asks: Cues,
    pub(super) trouble: Cues,
    pub(super) persons: Cues,
    pub(super) interrogatives: Cues,
    pub(super) levels: Cues,
    pub(super) data: Cues,
    pub(super) frames: Cues,
    pub(super) lead_ins: Cues,
    pub(super) foreign_tags: Cues,
    pub(super) foreign_starts: Cues,
    pub(super) announces: Cues,
    pub(super) changing: Cues,
    pub(super) running: Cues,
    pub(super) submits: Cues,
    pub(super) plans: Cues,
    pub(super) dangling: Cues,
    pub(super) steps: Cues,
    pub(super) done: Cues,
    pub(super) manners: Cues,
    pub(super) doubts: Cues,
    pub(super) supposes: Cues,
    pub(super) verdicts: Cues,
    pub(super) lacks: Cues,
    pub(super) objects: Cues,
    pub(super) rejects: Cues,
    pub(super) relearns: Cues,
    pub(super) limits: Cues,
    concludes: Strengths,
}

impl Wording {
    /// How strongly a sentence concludes; 0 where it does not.
    pub(super) fn strength(&self, lower: &str) -> i32 {
        let found = self.concludes.cues.in_text(lower);
        found.filter_map(|cue| self.concludes.of.get(cue)).copied().max().unwrap_or(0)
    }
}

#[derive(Deserialize)]
#[serde(from = "BTreeMap<String, i32>")]
struct Strengths {
    of: BTreeMap<String, i32>,
    cues: Cues,
}

impl From<BTreeMap<String, i32>> for Strengths {
    fn from(of: BTreeMap<String, i32>) -> Self {
        Self { cues: of.keys().cloned().collect::<Vec<_>>().into(), of }
    }
}

/// Cues by their first byte: every sentence of a session is asked about all of them, so one pass must do.
#[derive(Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct Cues {
    starting_with: Vec<Vec<String>>,
}

impl From<Vec<String>> for Cues {
    fn from(cues: Vec<String>) -> Self {
        let mut starting_with = vec![Vec::new(); 256];
        for cue in cues {
            if let Some(first) = cue.bytes().next() {
                starting_with[usize::from(first)].push(cue);
            }
        }
        Self { starting_with }
    }
}

impl Cues {
    /// Those that stand in a text; as whole words, where they are written in letters.
    pub(super) fn in_text<'a>(&'a self, lower: &'a str) -> impl Iterator<Item = &'a str> {
        let bytes = lower.as_bytes();
        // Most places are inside of a word, where no cue begins.
        let some = move |at: &usize| starts_word(bytes, *at) && !self.starting_with[usize::from(bytes[*at])].is_empty();
        (0..bytes.len()).filter(some).flat_map(move |at| self.at(bytes, at))
    }

    pub(super) fn stand_in(&self, lower: &str) -> bool {
        self.in_text(lower).next().is_some()
    }

    /// Whether a text begins with one of them.
    pub(super) fn begin(&self, lower: &str) -> bool {
        !lower.is_empty() && self.at(lower.as_bytes(), 0).next().is_some()
    }

    /// Whether a word is one of them.
    pub(super) fn has(&self, word: &str) -> bool {
        word.bytes().next().is_some_and(|first| self.starting_with[usize::from(first)].iter().any(|cue| cue == word))
    }

    fn at<'a>(&'a self, bytes: &'a [u8], at: usize) -> impl Iterator<Item = &'a str> {
        let starts = starts_word(bytes, at);
        let cues = self.starting_with[usize::from(bytes[at])].iter().filter(move |_| starts);
        let here = cues.filter(move |cue| {
            let last_is_letter = cue.bytes().last().is_some_and(|last| last.is_ascii_alphanumeric());
            bytes[at..].starts_with(cue.as_bytes()) && !(last_is_letter && in_word(bytes, at + cue.len()))
        });
        here.map(String::as_str)
    }
}

/// In lower case, with the apostrophe that the words have.
pub(super) fn lower(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower.contains('’') { lower.replace('’', "'") } else { lower }
}

fn in_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_alphanumeric)
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !in_word(bytes, at - 1) || !bytes[at].is_ascii()
}

/// The words of a text, in lower case already.
pub(super) fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_cues_are_whole_words() {
        assert_eq!(wording()._version, 1);
        assert!(wording().announces.begin("let me see") && !wording().announces.begin("let meat"));
        assert!(wording().doubts.stand_in("this might be it") && !wording().doubts.stand_in("almighty"));
        assert!(wording().closes.stand_in("请提交代码"));
        assert_eq!(wording().strength("the root cause is that it never ran"), 40);
        assert_eq!(wording().strength("a test"), 0);
    }
}
