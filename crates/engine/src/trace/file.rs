//! What a trace keeps of a file: lines that were seen, and that it is no longer what it was.

use serde::{Deserialize, Serialize};

use super::{
    claim::Anchor,
    ids::{BlobHash, EventNo},
    result::LineForm,
};

/// Lines of a file that a result showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileObserved {
    /// Relative to the root.
    pub path: String,
    /// Counted from 1.
    pub first_line: u32,
    /// How many follow one another from there.
    pub line_count: u32,
    /// The `tool result` whose text shows them.
    pub source: EventNo,
    /// How they stand in its text; None: they are the matches of a search that have this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<LineForm>,
    /// Modification time in milliseconds, where the tool knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime: Option<i64>,
    /// They are the whole file: it has no others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Of the lines, joined by line feeds.
    pub hash: BlobHash,
    /// Anchors that say something else: the file changed at an unknown time.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub anchors: Box<[FollowedAnchor]>,
}

/// A file is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChanged {
    /// Relative to the root.
    pub path: String,
    /// How it changed.
    pub change: FileChange,
    /// What it did to the anchors on the board and in blocks.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub anchors: Box<[FollowedAnchor]>,
}

/// An anchor after its file changed: at its new place, with its new text, or gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedAnchor {
    /// As the board calls it.
    pub id: String,
    /// None: gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Anchor>,
}

/// How a file changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The hunks are in the edit's result.
    Edited {
        /// That result.
        source: EventNo,
    },
    /// The whole file is in the write's result.
    Written {
        /// That result.
        source: EventNo,
    },
    /// Somebody else or a command changed it, in an unknown way.
    Outside {
        /// When, where that is known.
        mtime: Option<i64>,
    },
}
