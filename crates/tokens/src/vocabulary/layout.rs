//! How the tables lie in the binary. The build script writes them by the same rules.

/// A token's record: how many bytes it has, the places of the two tokens that it was made of, and the bytes. A place is where a
/// record begins; single bytes were made of nothing and have their own place twice.
pub(crate) const LEFT: usize = 1;
pub(crate) const RIGHT: usize = LEFT + PLACE;

/// Places have three bytes, lowest first. The highest bit says in a record whether the token itself is the left one, or the right
/// one, of those that some other token was made of: most are not.
pub(crate) const PLACE: usize = 3;
pub(crate) const HALF: u8 = 0x80;

/// Tokens are spread over buckets of eight; what finds its bucket full goes to the next one, one token in twenty. A bucket has a
/// mark for each of its tokens, which are compared all at once, and then their places. It is filled from the first on; a mark of
/// 0 stands for none.
pub(crate) const BUCKETS: usize = 40_960;
pub(crate) const TOKENS: usize = 8;
pub(crate) const BUCKET: usize = TOKENS + TOKENS * PLACE;

/// A head is the first three bytes of a token, and above them a bit for each length that tokens with this head have. 0 is none.
/// There are 23,822.
pub(crate) const HEADS: usize = 32_768;
pub(crate) const HEAD: usize = 3;
pub(crate) const HEAD_BITS: u32 = 24;

/// The last bit of a head stands for this length and for all above it: 1 token in 2,000.
pub(crate) const LONG: usize = HEAD + 39;

/// Nearly all tokens are at most one word, so that no step depends on how long they are: it would be guessed wrong every other
/// time.
pub(crate) const WORD: usize = 16;

/// The word that begins there in a text. Behind the end it is 0.
#[inline]
pub(crate) fn word(text: &[u8], start: usize) -> u128 {
    match text[start..].first_chunk() {
        Some(word) => u128::from_le_bytes(*word),
        None => last_word(text, start),
    }
}

#[inline(never)]
fn last_word(text: &[u8], start: usize) -> u128 {
    match text.last_chunk::<WORD>() {
        Some(word) => u128::from_le_bytes(*word) >> (8 * (start + WORD - text.len())),
        None => text[start..].iter().rfold(0, |word, byte| word << 8 | u128::from(*byte)),
    }
}

/// The first bucket to look at for a token that is at most a word, and its mark.
#[inline]
pub(crate) fn home(word: u128, length: usize) -> (usize, u8) {
    let hash = mix(length as u64, word);
    (reduced(hash, BUCKETS), (hash as u8).max(1))
}

/// The same for any token: its last word is enough to tell long ones apart by.
pub(crate) fn home_of(token: &[u8]) -> (usize, u8) {
    home(word(token, token.len().saturating_sub(WORD)), token.len())
}

/// Where in a bucket the place of its token with this number is.
#[inline]
pub(crate) fn place_in_bucket(number: usize) -> usize {
    TOKENS + number * PLACE
}

/// The three bytes as a number, and the first head to look at.
#[inline]
pub(crate) fn home_of_head(bytes: [u8; HEAD]) -> (u64, usize) {
    let head = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    (head, reduced(mix(0, head.into()), HEADS))
}

#[inline]
fn reduced(hash: u64, size: usize) -> usize {
    (((hash >> 32) * size as u64) >> 32) as usize
}

/// Both halves of a product, folded: every bit of the input reaches the ones that are used.
#[inline]
fn mix(seed: u64, word: u128) -> u64 {
    let (low, high) = (word as u64 ^ seed ^ 0xa076_1d64_78bd_642f, (word >> 64) as u64 ^ 0xe703_7ed1_a0b4_28db);
    let product = u128::from(low) * u128::from(high);
    (product >> 64) as u64 ^ product as u64
}
