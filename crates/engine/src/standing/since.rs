//! What speaks against a sentence of the assistant's: later edits, and what the user said to it.

use std::{collections::BTreeSet, sync::Arc};

use super::{past::Past, turns::own_words, wording::wording};
use crate::{configuration::standing::OBJECTION_CUE, history::EditWords, text::beginning, trace::TurnNo};

/// What came after a sentence: edits, and what people said.
pub(super) struct Since<'a> {
    edits: Vec<Edit<'a>>,
    /// The turns in which people spoke against what was said before, oldest first, with the answer that they mean.
    objections: Vec<TurnNo>,
}

struct Edit<'a> {
    turn: TurnNo,
    path: &'a str,
    words: Arc<EditWords>,
}

impl<'a> Since<'a> {
    pub(super) fn new(past: Past<'a>, first: TurnNo) -> Self {
        let edits = past.done_from(first).flat_map(|done| {
            let data = &done.result.data;
            done.changed().enumerate().map(move |(place, path)| {
                let hunks = || data.edit_of(path).into_iter().flat_map(|edit| &edit.hunks);
                let read = || {
                    let removed = hashes(hunks().flat_map(|hunk| hunk.removed.iter().map(String::as_str)));
                    let added = hashes(hunks().flat_map(|hunk| hunk.added.iter().map(String::as_str)));
                    Arc::new(EditWords { removed, added })
                };
                Edit { turn: done.turn, path, words: past.history.edit_words((done.event, place), read) }
            })
        });
        let objecting = past.users().take_while(|user| user.turn > first).filter(|user| {
            let lower = beginning(own_words(&user.text), OBJECTION_CUE).to_lowercase();
            wording().objects.begin(&lower) && past.kind(user).says_something()
        });
        let meant = objecting.filter_map(|user| past.said().find(|said| said.turn < user.turn)).map(|said| said.turn);
        Self { edits: edits.collect(), objections: meant.collect() }
    }

    pub(super) fn user_objects(&self, turn: TurnNo) -> bool {
        self.objections.contains(&turn)
    }

    /// A later edit took away a name that stands in the sentence, or changed what it says is missing.
    pub(super) fn edit_speaks_against(&self, turn: TurnNo, text: &str) -> bool {
        let lower = text.to_lowercase().replace('’', "'");
        let lacks = wording().lacks.stand_in(&lower);
        let named: Vec<(&str, u64)> = subject_names(text).into_iter().map(|name| (name, hash_of(name))).collect();
        self.edits.iter().filter(|edit| edit.turn > turn).any(|edit| {
            let file = edit.path.rsplit('/').next().unwrap_or(edit.path);
            let removes = |hash: &u64| edit.words.removed.binary_search(hash).is_ok();
            let adds = |hash: &u64| edit.words.added.binary_search(hash).is_ok();
            let takes = named.iter().any(|(name, hash)| removes(hash) && !adds(hash) && is_name(name));
            let mends = || text.contains(file) || named.iter().any(|(_, hash)| adds(hash) || removes(hash));
            takes || (lacks && mends())
        })
    }

    pub(super) fn changes_right_behind(&self, turn: TurnNo) -> bool {
        self.edits.iter().any(|edit| edit.turn.0 == turn.0 + 1)
    }
}

/// Names of code in a sentence: what stands in code marks, and words that no prose has.
fn subject_names(text: &str) -> BTreeSet<&str> {
    let in_marks = names(text.split('`').skip(1).step_by(2));
    names(std::iter::once(text)).filter(|name| is_name(name)).chain(in_marks).collect()
}

fn names<'a>(texts: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let words = texts.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.filter(|word| word.len() > 2)
}

fn hashes<'a>(texts: impl Iterator<Item = &'a str>) -> Box<[u64]> {
    let mut hashes: Vec<u64> = names(texts).map(hash_of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// FNV-1a. Two words with the same hash are the same word, as far as a sentence's worth is concerned.
fn hash_of(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// `snake_case`, `camelCase`, `PascalCase`.
fn is_name(word: &str) -> bool {
    let inner = word.char_indices().skip(1).any(|(_, letter)| letter.is_uppercase());
    word.contains('_') || (inner && word.chars().any(char::is_lowercase))
}
