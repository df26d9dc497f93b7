//! Which pieces of a session hold which texts.
//!
//! A session asks for thousands of short texts in megabytes. One by one, each would be looked for in all of them; here all
//! are looked for at once, by what they end with, and only what is longer is compared where its end was found. The answer
//! is the same as of a search through everything.

use std::rc::Rc;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;

use crate::{
    conversation::Piece,
    parameters::{SOUGHT_AT_ONCE, SOUGHT_END},
};

/// For each text the pieces in which it occurs, rising.
pub(super) fn pieces_with(texts: &[Rc<str>], pieces: &[Piece]) -> Vec<Rc<[usize]>> {
    let mut found = vec![Vec::new(); texts.len()];
    let end = |text: &u32| {
        let bytes = texts[*text as usize].as_bytes();
        &bytes[bytes.len().saturating_sub(SOUGHT_END)..]
    };
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    order.sort_unstable_by_key(end);
    let ends: Vec<&[u32]> = order.chunk_by(|one, other| end(one) == end(other)).collect();
    for ends in ends.chunks(SOUGHT_AT_ONCE) {
        let mut builder = AhoCorasick::builder();
        let builder = builder.match_kind(MatchKind::Standard).prefilter(false);
        let automaton = builder.build(ends.iter().map(|texts| end(&texts[0])));
        let automaton = automaton.expect("so few and short ones have a number for each of their bytes");
        let mut last = vec![usize::MAX; ends.len()];
        for (number, piece) in pieces.iter().enumerate() {
            for hit in automaton.find_overlapping_iter(&piece.text) {
                let hit = hit.pattern().as_usize();
                if std::mem::replace(&mut last[hit], number) == number {
                    continue;
                }
                for text in ends[hit] {
                    let sought = texts[*text as usize].as_bytes();
                    if sought.len() <= SOUGHT_END || memmem::find(piece.text.as_bytes(), sought).is_some() {
                        found[*text as usize].push(number);
                    }
                }
            }
        }
    }
    found.into_iter().map(Rc::from).collect()
}
