//! Which pieces of a session hold a text.
//!
//! A session asks for thousands of short texts in megabytes. Any occurrence of a text lies along the words of a piece: a
//! word in its middle is a whole word of the piece, one at its edge is part of a word. So the pieces of its rarest word are
//! found first, and only those are looked through. The answer is the same as of a search through everything.

use std::collections::BTreeMap;

use memchr::memmem;

use crate::conversation::Piece;

pub(super) struct Index<'a> {
    pieces: &'a [Piece],
    /// The pieces of each word, rising.
    words: BTreeMap<&'a str, Vec<u32>>,
    /// All words, each behind a line feed, for words of which only a part is known.
    vocabulary: String,
}

impl<'a> Index<'a> {
    pub(super) fn new(pieces: &'a [Piece]) -> Self {
        let mut words: BTreeMap<&'a str, Vec<u32>> = BTreeMap::new();
        let mut vocabulary = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            let number = number as u32;
            for (_, word) in words_of(&piece.text) {
                let places = words.entry(word).or_insert_with(|| {
                    vocabulary.push('\n');
                    vocabulary.push_str(word);
                    Vec::new()
                });
                if places.last() != Some(&number) {
                    places.push(number);
                }
            }
        }
        vocabulary.push('\n');
        Self { pieces, words, vocabulary }
    }

    pub(super) fn pieces(&self) -> &'a [Piece] {
        self.pieces
    }

    /// All pieces in which a text occurs, rising.
    pub(super) fn find(&self, text: &str) -> Vec<usize> {
        let mut whole: Option<&Vec<u32>> = None;
        let mut edge = "";
        for (start, word) in words_of(text) {
            if start == 0 || start + word.len() == text.len() {
                edge = if word.len() > edge.len() { word } else { edge };
                continue;
            }
            let Some(places) = self.words.get(word) else { return Vec::new() };
            if whole.is_none_or(|best| places.len() < best.len()) {
                whole = Some(places);
            }
        }
        match (whole, edge) {
            (Some(places), _) => self.among(text, places.iter().map(|piece| *piece as usize)),
            (None, "") => self.among(text, 0..self.pieces.len()),
            (None, edge) => {
                let pieces = self.with_part(edge);
                if edge == text { pieces } else { self.among(text, pieces.into_iter()) }
            }
        }
    }

    /// The pieces of all words that hold a part of a word.
    fn with_part(&self, part: &str) -> Vec<usize> {
        let bytes = self.vocabulary.as_bytes();
        let mut pieces = Vec::new();
        let mut last = None;
        for at in memmem::find_iter(bytes, part) {
            let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |feed| feed + 1);
            if last == Some(start) {
                continue;
            }
            last = Some(start);
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |feed| at + feed);
            let places = self.words.get(&self.vocabulary[start..end]);
            pieces.extend(places.into_iter().flatten().map(|piece| *piece as usize));
        }
        pieces.sort_unstable();
        pieces.dedup();
        pieces
    }

    fn among(&self, text: &str, pieces: impl Iterator<Item = usize>) -> Vec<usize> {
        let finder = memmem::Finder::new(text);
        pieces.filter(|piece| finder.find(self.pieces[*piece].text.as_bytes()).is_some()).collect()
    }
}

/// Runs of ASCII letters, digits and `_`, with their places.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(is_word)?;
        at = bytes[start..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |length| start + length);
        Some((start, &text[start..at]))
    })
}
