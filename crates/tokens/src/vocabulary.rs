//! The tokens of o200k_base, found by their bytes.
//!
//! Their records are in the order of their ranks. So the place of a record is as good as the rank wherever two are compared, and
//! nothing is read, built or allocated before the first one is looked for.

mod layout;

use layout::{
    BUCKET, BUCKETS, HALF, HEAD, HEAD_BITS, HEADS, LEFT, LONG, RIGHT, WORD, home, home_of, home_of_head,
    place_in_bucket, word,
};

/// Where in a record the bytes begin.
const BYTES: usize = RIGHT + layout::PLACE;

static RECORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/records"));
static BY_HASH: &[[u8; BUCKET]] = include_bytes!(concat!(env!("OUT_DIR"), "/buckets")).as_chunks().0;
static BY_HEAD: &[[u8; 8]] = include_bytes!(concat!(env!("OUT_DIR"), "/heads")).as_chunks().0;

const EACH: u64 = u64::from_le_bytes([1; 8]);

/// No token is longer.
pub(crate) const LONGEST: usize = 128;

/// The place of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(u32);

impl Token {
    /// The token that is these bytes of a text.
    #[inline]
    pub(crate) fn find(text: &[u8], start: usize, length: usize) -> Option<Self> {
        if length > WORD {
            return Self::find_long(&text[start..start + length]);
        }
        let word = first_of(word(text, start), length);
        Self::search(home(word, length), |token| token.length() == length && token.word() == word)
    }

    #[inline(never)]
    fn find_long(bytes: &[u8]) -> Option<Self> {
        Self::search(home_of(bytes), |token| token.bytes() == bytes)
    }

    #[inline]
    fn search((mut home, mark): (usize, u8), is: impl Fn(Self) -> bool) -> Option<Self> {
        loop {
            let bucket = &BY_HASH[home];
            let marks = bucket.first_chunk().map_or(0, |marks| u64::from_le_bytes(*marks));
            // Has the highest bit of each byte that is the mark, and now and then of one above it.
            let different = marks ^ (EACH * u64::from(mark));
            let mut alike = different.wrapping_sub(EACH) & !different & (EACH << 7);
            while alike != 0 {
                let token = Self(place(bucket, place_in_bucket(alike.trailing_zeros() as usize / 8)));
                if is(token) {
                    return Some(token);
                }
                alike &= alike - 1;
            }
            if marks >> 56 == 0 {
                return None;
            }
            home = (home + 1) % BUCKETS;
        }
    }

    /// The longest token of at most `limit` bytes that begins there in a text. Every byte is a token.
    #[inline]
    pub(crate) fn longest(text: &[u8], start: usize, limit: usize) -> Option<Self> {
        let of = |length: usize| Self::find(text, start, length);
        if limit >= HEAD {
            let mut lengths = text[start..].first_chunk().map_or(0, |head| lengths(*head));
            if limit >= LONG && lengths >> (LONG - HEAD) != 0 {
                let found = (LONG..=limit.min(LONGEST)).rev().find_map(of);
                if found.is_some() {
                    return found;
                }
            }
            lengths &= (1 << (limit.min(LONG - 1) + 1 - HEAD)) - 1;
            while lengths != 0 {
                let highest = lengths.ilog2();
                let found = of(highest as usize + HEAD);
                if found.is_some() {
                    return found;
                }
                lengths ^= 1 << highest;
            }
        }
        (1..=limit.min(HEAD - 1)).rev().find_map(of)
    }

    /// Of two tokens the one with the lesser rank was learnt earlier and is joined first.
    #[inline]
    pub(crate) fn rank(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) fn length(self) -> usize {
        RECORDS[self.0 as usize].into()
    }

    /// The first of the two tokens that it was made of; of a single byte itself.
    #[inline]
    pub(crate) fn left(self) -> Self {
        Self(place(&RECORDS[self.0 as usize..], LEFT))
    }

    /// The second of them.
    #[inline]
    pub(crate) fn right(self) -> Self {
        Self(place(&RECORDS[self.0 as usize..], RIGHT))
    }

    /// The token that was made of these two, which are next to each other at that place of a text.
    #[inline]
    pub(crate) fn made_of(text: &[u8], place: usize, left: Self, right: Self) -> Option<Self> {
        if !left.is_half(LEFT) || !right.is_half(RIGHT) {
            return None;
        }
        let token = Self::find(text, place - left.length(), left.length() + right.length());
        token.filter(|token| (token.left(), token.right()) == (left, right))
    }

    #[inline]
    fn is_half(self, side: usize) -> bool {
        RECORDS[self.0 as usize + side + layout::PLACE - 1] & HALF != 0
    }

    /// Its bytes, if they are at most a word.
    #[inline]
    fn word(self) -> u128 {
        first_of(word(RECORDS, self.0 as usize + BYTES), self.length())
    }

    fn bytes(self) -> &'static [u8] {
        &RECORDS[self.0 as usize + BYTES..][..self.length()]
    }
}

/// Of a word so many bytes.
#[inline]
fn first_of(word: u128, length: usize) -> u128 {
    word & MASKS[length]
}

static MASKS: [u128; WORD + 1] = {
    let mut masks = [0; WORD + 1];
    let mut length = 1;
    while length <= WORD {
        masks[length] = masks[length - 1] << 8 | 0xff;
        length += 1;
    }
    masks
};

#[inline]
fn place(bytes: &[u8], begin: usize) -> u32 {
    let bytes = &bytes[begin..begin + layout::PLACE];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2] & !HALF, 0])
}

/// A bit for each length that tokens with this head have.
#[inline]
fn lengths(head: [u8; HEAD]) -> u64 {
    let (head, mut slot) = home_of_head(head);
    loop {
        let found = u64::from_le_bytes(BY_HEAD[slot]);
        if found == 0 || found & ((1 << HEAD_BITS) - 1) == head {
            return found >> HEAD_BITS;
        }
        slot = (slot + 1) % HEADS;
    }
}
