//! What speaks against a sentence of the assistant's: later edits, and what the user said to it.

use std::sync::Arc;

use super::{
    past::Past,
    turns::own_words,
    wording::{lower, wording, words},
};
use crate::{
    configuration::standing::{LONGEST_CUE, LONGEST_LOOK},
    history::{EditWords, Weighed},
    shell::Purpose,
    text::beginning,
    trace::TurnNo,
};

/// What came after a sentence: edits, and what people said.
pub(super) struct Since<'a> {
    edits: Vec<Edit<'a>>,
    /// The turns in which people spoke against what was said before, oldest first, with the answer that they mean.
    objections: Vec<TurnNo>,
    /// What people wrote, in lower case, who rejected something, with the turn of the text that they had read.
    rejections: Vec<(TurnNo, String)>,
    /// From when until when a cause was looked for that the work then did not show to be one.
    refuted: Vec<(TurnNo, TurnNo)>,
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
        let objecting = past
            .typed()
            .take_while(|user| user.turn > first)
            .filter(|user| past.tone(user).objects && past.kind(user).says_something());
        let meant = objecting.filter_map(|user| past.said().find(|said| said.turn < user.turn)).map(|said| said.turn);
        let rejecting = past.typed().take_while(|user| user.turn > first).filter_map(|user| {
            if !past.tone(user).rejects {
                return None;
            }
            let read = past.said().find(|said| said.turn < user.turn)?.turn;
            Some((read, lower(beginning(own_words(&user.text), LONGEST_LOOK))))
        });
        Self {
            edits: edits.collect(),
            objections: meant.collect(),
            rejections: rejecting.collect(),
            refuted: refuted(past, first),
        }
    }

    /// The user's next turn repeats the sentence and rejects something: what else than the sentence?
    pub(super) fn user_rejects(&self, turn: TurnNo, text: &str) -> bool {
        if !self.rejections.iter().any(|(read, _)| *read == turn) {
            return false;
        }
        let lower = lower(text);
        let plain = |text: &str| words(text).collect::<Vec<_>>().join(" ");
        let said = plain(&lower);
        self.rejections.iter().any(|(read, rejected)| *read == turn && plain(rejected).contains(&said))
    }

    /// It names a cause, what was then done about it changed nothing, and the run fails as it did.
    pub(super) fn run_refutes(&self, turn: TurnNo, sentence: &Weighed) -> bool {
        sentence.names_cause_as_written && self.refuted.iter().any(|(first, last)| *first <= turn && turn < *last)
    }

    pub(super) fn user_objects(&self, turn: TurnNo) -> bool {
        self.objections.contains(&turn)
    }

    /// A later edit took away a name that stands in the sentence, or changed what it says is missing.
    pub(super) fn edit_speaks_against(&self, turn: TurnNo, text: &str, sentence: &Weighed) -> bool {
        let Weighed { lacks, names, marked, .. } = sentence;
        if names.is_empty() && !lacks {
            return false;
        }
        // The newest edits come first.
        self.edits.iter().take_while(|edit| edit.turn > turn).any(|edit| {
            let file = edit.path.rsplit('/').next().unwrap_or(edit.path);
            let removes = |hash: &u64| edit.words.removed.binary_search(hash).is_ok();
            let adds = |hash: &u64| edit.words.added.binary_search(hash).is_ok();
            let takes = names.iter().any(|hash| removes(hash) && !adds(hash));
            let mends = || text.contains(file) || names.iter().chain(marked).any(|hash| adds(hash) || removes(hash));
            takes || (*lacks && mends())
        })
    }

    pub(super) fn changes_right_behind(&self, turn: TurnNo) -> bool {
        self.edits.iter().any(|edit| edit.turn.0 == turn.0 + 1)
    }
}

/// A run that failed, and the newest work before it.
struct Failed {
    key: Arc<str>,
    errors: Arc<str>,
    worked: Option<TurnNo>,
}

/// Whether a text begins with having learned better.
pub(super) fn relearns(text: &str) -> bool {
    wording().relearns.begin(&lower(beginning(text.trim_start(), LONGEST_CUE)))
}

/// From a failing run to the last work before the next run of the same thing, where that fails with the same errors.
fn refuted(past: Past<'_>, first: TurnNo) -> Vec<(TurnNo, TurnNo)> {
    let mut later: Vec<Failed> = Vec::new();
    let mut found = Vec::new();
    for done in past.done_from(first) {
        let run = done.run().map(|(_, run)| run).filter(|run| run.reading().purpose > Purpose::Asks);
        if done.changed().next().is_some() || run.is_some_and(|run| run.exit_code == Some(0)) {
            later.iter_mut().for_each(|run| run.worked = run.worked.or(Some(done.turn)));
        }
        let Some(run) = run else { continue };
        let key = past.run_key(&done, run);
        let failed = run.exit_code.is_some_and(|code| code != 0);
        let errors = failed.then(|| past.errors(&done).ok()).flatten();
        let errors = errors.filter(|errors| !errors.is_empty());
        if let Some(place) = later.iter().position(|run| run.key == key) {
            let again = later.swap_remove(place);
            found.extend(again.worked.filter(|_| errors.as_ref() == Some(&again.errors)).map(|last| (done.turn, last)));
        }
        later.extend(errors.map(|errors| Failed { key, errors, worked: None }));
    }
    found
}

/// Names of code in a sentence: words that no prose has, and what else stands in code marks.
pub(super) fn names_of_code(text: &str) -> (Box<[u64]>, Box<[u64]>) {
    let named = names(std::iter::once(text)).filter(|name| is_name(name));
    let in_marks = names(text.split('`').skip(1).step_by(2)).filter(|name| !is_name(name));
    (sorted(named.map(hash_of)), sorted(in_marks.map(hash_of)))
}

fn names<'a>(texts: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let words = texts.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.filter(|word| word.len() > 2)
}

fn hashes<'a>(texts: impl Iterator<Item = &'a str>) -> Box<[u64]> {
    sorted(names(texts).map(hash_of))
}

/// Each once.
pub(super) fn sorted(hashes: impl Iterator<Item = u64>) -> Box<[u64]> {
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// FNV-1a. Two words with the same hash are the same word, as far as a sentence's worth is concerned.
pub(super) fn hash_of(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// `snake_case`, `camelCase`, `PascalCase`.
fn is_name(word: &str) -> bool {
    let inner = word.char_indices().skip(1).any(|(_, letter)| letter.is_uppercase());
    word.contains('_') || (inner && word.chars().any(char::is_lowercase))
}
