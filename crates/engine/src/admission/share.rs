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

/// How many of a text's significant words were said, and how many it has. What was said is read no further than needed:
/// mostly a text repeats its beginning.
pub(super) fn shared<'a>(text: &str, said: impl IntoIterator<Item = &'a str>) -> (usize, usize) {
    let mut unsaid: BTreeSet<String> = significant(text).collect();
    let all = unsaid.len();
    // No word goes on in the next line.
    let mut said = said.into_iter().flat_map(str::lines).flat_map(significant);
    while !unsaid.is_empty()
        && let Some(said) = said.next()
    {
        unsaid.retain(|word| !is_alike(word, &said));
    }
    (all - unsaid.len(), all)
}

fn is_alike(word: &str, said: &str) -> bool {
    let common = word.bytes().zip(said.bytes()).take_while(|(one, other)| one == other).count();
    let is_stem = common >= SHORTEST_STEM && word.as_bytes()[..SHORTEST_STEM].is_ascii();
    let is_ending = word.len() - common <= LONGEST_ENDING && said.len() - common <= LONGEST_ENDING;
    word == said || (is_stem && is_ending)
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
        shared(text, [known])
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
