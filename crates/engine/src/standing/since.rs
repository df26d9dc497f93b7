//! What speaks against a sentence of the assistant's: later edits, and what the user said to it.

use std::collections::BTreeSet;

use super::{
    past::Past,
    turns::{kind_of, own_words},
    wording::wording,
};
use crate::trace::TurnNo;

/// What came after a sentence: edits, and what people said.
pub(super) struct Since<'a> {
    edits: Vec<Edit<'a>>,
    /// The turns in which people spoke against what was said before, oldest first, with the answer that they mean.
    objections: Vec<TurnNo>,
}

struct Edit<'a> {
    turn: TurnNo,
    path: &'a str,
    removed: BTreeSet<&'a str>,
    added: BTreeSet<&'a str>,
}

impl<'a> Since<'a> {
    pub(super) fn new(past: Past<'a>, first: TurnNo) -> Self {
        let edits = past.done_from(first).flat_map(|done| {
            let data = &done.result.data;
            done.changed().map(move |path| {
                let hunks = || data.edit_of(path).into_iter().flat_map(|edit| &edit.hunks);
                let removed = names(hunks().flat_map(|hunk| hunk.removed.iter().map(String::as_str)));
                let added = names(hunks().flat_map(|hunk| hunk.added.iter().map(String::as_str)));
                Edit { turn: done.turn, path, removed, added }
            })
        });
        let objecting = past.users().take_while(|user| user.turn > first).filter(|user| {
            let lower = own_words(&user.text).to_lowercase();
            wording().objects.begin(&lower) && kind_of(&lower).says_something()
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
        let named = subject_names(text);
        self.edits.iter().filter(|edit| edit.turn > turn).any(|edit| {
            let file = edit.path.rsplit('/').next().unwrap_or(edit.path);
            let takes =
                named.iter().any(|name| is_name(name) && edit.removed.contains(*name) && !edit.added.contains(*name));
            let mends = || {
                text.contains(file)
                    || named.iter().any(|name| edit.added.contains(*name) || edit.removed.contains(*name))
            };
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
    names(std::iter::once(text)).into_iter().filter(|name| is_name(name)).chain(in_marks).collect()
}

fn names<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let words = texts.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.filter(|word| word.len() > 2).collect()
}

/// `snake_case`, `camelCase`, `PascalCase`.
fn is_name(word: &str) -> bool {
    let inner = word.char_indices().skip(1).any(|(_, letter)| letter.is_uppercase());
    word.contains('_') || (inner && word.chars().any(char::is_lowercase))
}
