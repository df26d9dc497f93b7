//! The history forms of an edit and of a written file: which file, where, and a snippet (docs/seeds.md A3).
//!
//! What the file held before, or holds now, is not known here.

use super::{SettleLimits, object::Object, shorten};
use crate::{
    evidence::lines::{lossy, split_lines},
    trace::{
        Output,
        result::{EditData, FileFate, Hunk, PatchData, PatchedFile, WriteData},
    },
};

pub(super) fn settle_edit(edit: &EditData, limits: &SettleLimits) -> String {
    let added: usize = edit.hunks.iter().map(|hunk| hunk.added.len()).sum();
    let removed: usize = edit.hunks.iter().map(|hunk| hunk.removed.len()).sum();
    let named = limits.snippet.of(edit.hunks.len());

    let mut data = Object::new();
    data.field("path", shorten::shorten(&edit.path, limits.characters));
    data.field("lines_added", added);
    data.field("lines_removed", removed);
    data.field("changes", edit.hunks[..named].iter().map(render_range).collect::<Vec<_>>());
    data.left_out("changes_left_out", edit.hunks.len() - named);
    // A3: "大 diff 仅保留摘要". Half a diff would pass for the whole one, and the call above it holds the new text.
    if added + removed > limits.snippet.whole {
        data.left_out("diff_lines_left_out", added + removed);
    } else if added + removed > 0 {
        let snippet: Vec<String> = edit.hunks.iter().flat_map(|hunk| render_hunk(hunk, limits.characters)).collect();
        data.field("diff", snippet.join("\n"));
    }
    data.end()
}

pub(super) fn settle_patch(patch: &PatchData, limits: &SettleLimits) -> String {
    let named = limits.snippet.of(patch.files.len());
    let file = |file: &PatchedFile| match file.fate {
        FileFate::Deleted => {
            let mut data = Object::new();
            data.field("path", shorten::shorten(&file.edit.path, limits.characters));
            data.field("deleted", true);
            data.end()
        }
        FileFate::Created | FileFate::Edited => settle_edit(&file.edit, limits),
    };
    let files: Vec<String> = patch.files[..named].iter().map(file).collect();
    let mut data = Object::new();
    data.json("files", &format!("[{}]", files.join(",")));
    data.left_out("files_left_out", patch.files.len() - named);
    data.end()
}

/// `40-42 +3 -1`: the lines as they are after the edit. Where lines only went, the place they stood at.
fn render_range(hunk: &Hunk) -> String {
    let (added, removed) = (hunk.added.len(), hunk.removed.len());
    let first = hunk.first_line;
    match u32::try_from(added).unwrap_or(u32::MAX) {
        0 | 1 => format!("{first} +{added} -{removed}"),
        length => format!("{first}-{} +{added} -{removed}", first.saturating_add(length - 1)),
    }
}

/// `-40: old` and `+40: new`.
fn render_hunk(hunk: &Hunk, characters: usize) -> impl Iterator<Item = String> {
    let sides = [('-', &hunk.removed), ('+', &hunk.added)];
    sides.into_iter().flat_map(move |(sign, lines)| {
        (hunk.first_line..=u32::MAX)
            .zip(lines)
            .map(move |(number, line)| format!("{sign}{number}: {}", shorten::shorten(line, characters)))
    })
}

pub(super) fn settle_write(write: &WriteData, limits: &SettleLimits) -> String {
    let mut data = Object::new();
    data.field("path", shorten::shorten(&write.path, limits.characters));
    data.field("created", write.created);
    data.field("bytes", write.content.len());
    let at_hand = match &write.content {
        Output::Inline(content) => content,
        Output::Beyond(ends) => &ends.head,
        Output::Blob { .. } => return data.end(),
    };
    let present = split_lines(at_hand).count();
    if let Output::Inline(_) = write.content {
        data.field("line_count", present);
    }
    let kept = limits.snippet.of(present);
    let lines = (1..=u32::MAX).zip(split_lines(at_hand).take(kept).map(lossy));
    data.field("content", shorten::render_numbered(lines, limits.characters));
    data.left_out("lines_left_out", present - kept);
    data.end()
}
