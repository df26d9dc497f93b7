//! How much of a text another text says: the part of its significant words that occur there.
//!
//! Words count as the same when they differ in their ending only (touch, touching). Chinese and Japanese have no blanks
//! between words: there, pairs of neighbouring characters stand for words. Meaning is not known here.

use std::collections::BTreeSet;

use crate::evidence::copied::is_wide;

/// Words that say nothing about what a text is about.
const COMMON: [&str; 48] = [
    "the", "and", "for", "with", "without", "that", "this", "these", "those", "from", "into", "onto", "when", "then",
    "than", "them", "they", "their", "its", "not", "but", "are", "was", "were", "will", "would", "should", "could",
    "can", "may", "must", "has", "have", "had", "our", "your", "you", "please", "make", "makes", "use", "uses", "any",
    "all", "only", "also", "user", "wants",
];

/// Endings up to this length do not make another word.
const LONGEST_ENDING: usize = 3;
/// A shorter common beginning means nothing.
const SHORTEST_STEM: usize = 4;

pub(super) struct Vocabulary {
    words: BTreeSet<String>,
}

impl Vocabulary {
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self { words: texts.into_iter().flat_map(words).collect() }
    }

    fn knows(&self, word: &str) -> bool {
        if self.words.contains(word) {
            return true;
        }
        let Some(stem) = word.get(..SHORTEST_STEM).filter(|stem| stem.is_ascii()) else { return false };
        let alike = self.words.range(stem.to_owned()..).take_while(|known| known.starts_with(stem));
        alike.into_iter().any(|known| {
            let common = word.bytes().zip(known.bytes()).take_while(|(one, other)| one == other).count();
            word.len() - common <= LONGEST_ENDING && known.len() - common <= LONGEST_ENDING
        })
    }
}

/// How many of a text's significant words are known, and how many it has.
pub(super) fn shared(text: &str, vocabulary: &Vocabulary) -> (usize, usize) {
    let words: BTreeSet<String> = words(text).collect();
    (words.iter().filter(|word| vocabulary.knows(word)).count(), words.len())
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut before = None;
    for character in text.chars().chain([' ']) {
        let wide = is_wide(character);
        if !wide && (character.is_alphanumeric() || character == '_') {
            word.extend(character.to_lowercase());
        } else if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if let (Some(before), true) = (before, wide) {
            found.push([before, character].iter().collect());
        }
        before = wide.then_some(character);
    }
    found.into_iter().filter(|word| word.len() >= 3 && !COMMON.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str, known: &str) -> (usize, usize) {
        shared(text, &Vocabulary::of([known]))
    }

    #[test]
    fn endings_do_not_matter() {
        assert_eq!(share("without touching the tests", "don't touch the test"), (2, 2));
        assert_eq!(share("testament", "test"), (0, 1));
    }

    #[test]
    fn common_words_do_not_count() {
        assert_eq!(share("the user wants all of this", "please"), (0, 0));
    }

    #[test]
    fn pairs_of_characters_are_words() {
        assert_eq!(share("修复测试", "请修复失败的测试"), (2, 3));
    }
}
