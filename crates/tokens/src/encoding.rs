//! How many tokens a piece of a text becomes.
//!
//! By definition neighbours are joined, the earliest learnt token first, until no two of them are one. For short pieces that is
//! also the quickest way; for long ones it costs the square of the length. But a row of tokens is the one that comes out if each
//! two neighbours alone would come out as they are (shown by the authors of the crate `bpe`, our witness). So in a long piece
//! tokens are put behind each other, the longest that fits the one before it, and taken back where none fits.

use std::ops::Range;

use crate::vocabulary::{LONGEST, Token};

/// The longest piece whose parts are joined. Measured: words in other scripts than Latin are slower that way from here on.
const SHORT: usize = 10;

/// The longest run of one byte for which that holds. There is a token for nearly every number of spaces, and each would be tried.
const RUN: usize = 256;

/// Kept from piece to piece for its memory.
#[derive(Debug, Default)]
pub(crate) struct Encoding {
    /// Where the parts of a short piece meet, with both its ends, and the rank of each part together with the next.
    cuts: Vec<usize>,
    ranks: Vec<u32>,
    /// Of a long piece, the tokens so far.
    tokens: Vec<Token>,
    /// Of each place in it, whether no row of tokens leads from there to the end.
    dead: Vec<bool>,
}

impl Encoding {
    #[inline]
    pub(crate) fn count(&mut self, text: &[u8], piece: Range<usize>) -> usize {
        let bytes = &text[piece.clone()];
        if Token::find(text, piece.start, piece.len()).is_some() {
            1
        } else if bytes.len() <= SHORT || bytes.len() <= RUN && bytes[1..] == bytes[..bytes.len() - 1] {
            self.count_by_joining(text, piece)
        } else {
            self.count_in_a_row(text, piece)
        }
    }

    fn count_by_joining(&mut self, text: &[u8], piece: Range<usize>) -> usize {
        let Self { cuts, ranks, .. } = self;
        let rank = |from: usize, to: usize| Token::find(text, from, to - from).map_or(u32::MAX, Token::rank);
        cuts.clear();
        cuts.extend(piece.start..=piece.end);
        ranks.clear();
        ranks.extend((piece.start..piece.end - 1).map(|place| rank(place, place + 2)));
        while let Some((first, earliest)) = ranks.iter().copied().enumerate().min_by_key(|(_, rank)| *rank)
            && earliest != u32::MAX
        {
            ranks.remove(first);
            cuts.remove(first + 1);
            for changed in first.saturating_sub(1)..ranks.len().min(first + 1) {
                ranks[changed] = rank(cuts[changed], cuts[changed + 2]);
            }
        }
        ranks.len() + 1
    }

    fn count_in_a_row(&mut self, text: &[u8], piece: Range<usize>) -> usize {
        self.tokens.clear();
        self.dead.clear();
        self.dead.resize(piece.len() + 1, false);
        let (mut place, mut limit) = (piece.start, LONGEST);
        while place < piece.end {
            match self.next(text, place..piece.end, limit) {
                Some(token) => {
                    self.tokens.push(token);
                    place += token.length();
                    limit = LONGEST;
                }
                None => {
                    self.dead[piece.end - place] = true;
                    let Some(token) = self.tokens.pop() else { break };
                    place -= token.length();
                    limit = token.length() - 1;
                }
            }
        }
        self.tokens.len()
    }

    /// The longest token up to the limit with which the rest of a piece can begin, behind the tokens so far.
    #[inline]
    fn next(&self, text: &[u8], rest: Range<usize>, limit: usize) -> Option<Token> {
        let mut limit = limit.min(rest.len());
        loop {
            let token = Token::longest(text, rest.start, limit)?;
            let dead = self.dead[rest.len() - token.length()];
            if !dead && self.tokens.last().is_none_or(|last| stay_apart(text, rest.start, *last, token)) {
                return Some(token);
            }
            limit = token.length() - 1;
        }
    }
}

/// Whether two tokens that meet at `place` come out as they are: undoes what made them, the latest first, and looks at each
/// stage whether something across the place would have been joined before.
fn stay_apart(text: &[u8], place: usize, mut left: Token, mut right: Token) -> bool {
    let mut limit = u32::MAX;
    loop {
        if Token::made_of(text, place, left, right).is_some_and(|across| across.rank() < limit) {
            return false;
        }
        let (end_of_left, begin_of_right) = (left.right(), right.left());
        if end_of_left != left && (left.rank() > right.rank() || begin_of_right == right) {
            limit = left.rank();
            left = end_of_left;
        } else if begin_of_right != right {
            // Of equal ones the left is joined first.
            limit = right.rank() + 1;
            right = begin_of_right;
        } else {
            return true;
        }
    }
}
