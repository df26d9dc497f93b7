//! Which of the sets that o200k's pattern speaks of a character is in.
//!
//! The table has two levels: the number of a block for each 128 characters, then the blocks, one byte for each character.
//! `tests/tables.rs` compares it with the Unicode version of the witness, character by character, and writes it.

/// `\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`: what a word begins with.
pub(crate) const UPPER: u8 = 1;
/// `\p{Ll}\p{Lm}\p{Lo}\p{M}`: what a word goes on with.
pub(crate) const LOWER: u8 = 2;
/// `\p{L}`.
pub(crate) const LETTER: u8 = 4;
/// `\p{N}`.
pub(crate) const NUMBER: u8 = 8;
/// `\s`.
pub(crate) const SPACE: u8 = 16;
/// `\r\n`.
pub(crate) const NEWLINE: u8 = 32;
/// Behind the last character.
pub(crate) const END: u8 = 64;

const BLOCK: usize = 128;

static TABLE: &[u8] = include_bytes!("../data/unicode.classes");

/// The sets of the character that begins at `place`, and its length. Behind the end it is [`END`] and 0 long.
#[inline]
pub(crate) fn at(text: &str, place: usize) -> (u8, usize) {
    match text.as_bytes().get(place) {
        None => (END, 0),
        Some(&byte) if byte < 128 => (TABLE[FIRST_BLOCK + usize::from(byte)], 1),
        Some(_) => text[place..].chars().next().map_or((END, 0), |character| (of(character), character.len_utf8())),
    }
}

const FIRST_BLOCK: usize = (char::MAX as usize + 1) / BLOCK;

#[inline]
fn of(character: char) -> u8 {
    let code = character as usize;
    let block = usize::from(TABLE[code / BLOCK]);
    TABLE[FIRST_BLOCK + block * BLOCK + code % BLOCK]
}
