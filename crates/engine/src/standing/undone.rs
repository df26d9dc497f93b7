//! Whether the edits of a file took each other back, word for word.
//!
//! What was written as a whole or by a command is never known to be taken back.

use std::collections::BTreeMap;

use crate::trace::{ResultData, result::Hunk};

/// By file, what its edits come to.
#[derive(Default)]
pub(super) struct Edits(BTreeMap<String, Vec<Hunk>>);

impl Edits {
    /// Whether the file is again what it was, now that this came.
    pub(super) fn are_undone(&mut self, path: &str, data: &ResultData) -> bool {
        let edit = data.edit_of(path).filter(|edit| !edit.hunks.is_empty() && !data.creates(path));
        let Some(edit) = edit else {
            self.lose(path);
            return false;
        };
        let left = self.0.entry(path.to_owned()).or_default();
        edit.hunks.iter().for_each(|hunk| follow(left, hunk));
        left.is_empty()
    }

    /// Nobody knows what became of its text.
    pub(super) fn lose(&mut self, path: &str) {
        self.0.insert(path.to_owned(), vec![Hunk { first_line: 0, removed: Vec::new(), added: Vec::new() }]);
    }

    /// It is as it was.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.remove(path);
    }
}

fn follow(left: &mut Vec<Hunk>, hunk: &Hunk) {
    // Whoever does not know the line needed a text that stands in the file once.
    let is_here = |was: &Hunk| match (was.first_line, hunk.first_line) {
        (0, _) | (_, 0) => !hunk.removed.is_empty(),
        (one, other) => one == other,
    };
    let before = left.iter().position(|was| was.added == hunk.removed && is_here(was));
    let came = hunk.added.len() as i64 - hunk.removed.len() as i64;
    for was in left.iter_mut().filter(|was| hunk.first_line > 0 && was.first_line > hunk.first_line) {
        was.first_line = (i64::from(was.first_line) + came).max(1) as u32;
    }
    match before {
        Some(at) if left[at].removed == hunk.added => drop(left.remove(at)),
        Some(at) => left[at].added.clone_from(&hunk.added),
        None => left.push(hunk.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::edit;

    #[test]
    fn what_is_edited_back_word_for_word_is_as_it_was() {
        let undone = |steps: &[(u32, &[&str], &[&str])]| {
            let mut edits = Edits::default();
            let results = steps.iter().map(|(line, removed, added)| edit("a.rs", *line, removed, added).data);
            results.map(|data| edits.are_undone("a.rs", &data)).last()
        };
        assert_eq!(undone(&[(3, &["a"], &["b"]), (3, &["b"], &["a"])]), Some(true));
        assert_eq!(undone(&[(0, &["a"], &["b"]), (0, &["b"], &["c"]), (0, &["c"], &["a"])]), Some(true));
        assert_eq!(
            undone(&[(9, &["x"], &["y"]), (3, &[], &["a", "b"]), (11, &["y"], &["x"]), (3, &["a", "b"], &[])]),
            Some(true)
        );
        assert_eq!(undone(&[(3, &["a"], &["b"]), (9, &["b"], &["a"])]), Some(false), "another place");
        assert_eq!(undone(&[(0, &["a"], &[]), (0, &[], &["a"])]), Some(false), "moved, perhaps");
        let mut edits = Edits::default();
        edits.lose("a.rs");
        assert!(!edits.are_undone("a.rs", &edit("a.rs", 3, &[], &["a"]).data));
        assert!(!edits.are_undone("a.rs", &edit("a.rs", 3, &["a"], &[]).data));
    }
}
