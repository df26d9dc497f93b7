//! How much of a text another text says: the part of its significant words that occur there.
//!
//! Words count as the same when they differ in their ending only (touch, touching). Chinese and Japanese have no blanks
//! between words: there, pairs of neighbouring characters stand for words. Meaning is not known here.

use std::collections::BTreeSet;

use crate::text::words;

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
        Self { words: texts.into_iter().flat_map(significant).collect() }
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
    let words: BTreeSet<String> = significant(text).collect();
    (words.iter().filter(|word| vocabulary.knows(word)).count(), words.len())
}

fn significant(text: &str) -> impl Iterator<Item = String> {
    // A character alone says too little, however many bytes it has.
    let says_something = |word: &String| word.len() >= 3 && word.chars().nth(1).is_some();
    words(text).into_iter().filter(move |word| says_something(word) && !COMMON.contains(&word.as_str()))
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
