//! The text that stands for a tool result while it is live: whole, or both ends with a pointer between them.
//!
//! What is shown is decided elsewhere ([`super::large`]) and recorded; here it is only written.

use std::borrow::Cow;

use bytes::Bytes;

pub(crate) use crate::evidence::lines::lossy;
use crate::trace::{
    BlobError, Blobs, Output, ToolResult,
    event::{Cut, Shown},
};

/// A live result: its `text`, an error as `code: message` (docs/design/model.md, "Results").
pub(crate) fn live_bytes(result: &ToolResult, blobs: &dyn Blobs) -> Result<Bytes, BlobError> {
    match &result.error {
        Some(error) => Ok(format!("{}: {}", error.code, error.message).into()),
        None => result.text.bytes(blobs),
    }
}

/// The ends of a text with a line between them that says what is missing and where the whole is.
pub(crate) fn render_cut(bytes: &[u8], cut: Cut, pointer: &str) -> String {
    if cut == (Cut { head: 0, tail: 0 }) {
        // Many results at once: even a sentence for each would be too much.
        return format!("[{} bytes: Recall {pointer}]", bytes.len());
    }
    render_ends(bytes, cut, &format!(": Recall {pointer}"))
}

/// The same where `back` says how to get the whole.
pub(crate) fn render_ends(bytes: &[u8], cut: Cut, back: &str) -> String {
    let head = &bytes[..bytes.len().min(cut.head as usize)];
    let tail = &bytes[bytes.len() - (bytes.len() - head.len()).min(cut.tail as usize)..];
    let missing = &bytes[head.len()..bytes.len() - tail.len()];
    let lines = missing.iter().filter(|byte| **byte == b'\n').count();
    let mut text = lossy(head).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[… {} bytes in {lines} lines are not shown here{back}]\n", missing.len()));
    text.push_str(&lossy(tail));
    text
}

/// What stands in the place of pictures that are not shown though the model would see them.
pub(crate) const NO_ROOM: &str = "\n[No room for the picture: Read it again when there is.]";

/// The same for a model that took over from one that sees.
pub(crate) const NOT_SEEN: &str = "\n[You do not see the picture.]";

/// What enters the view as text, given the recorded decision. Bytes that are not UTF-8 stay in the trace; the view shows
/// replacement characters.
pub(crate) fn render_shown<'a>(
    result: &'a ToolResult,
    shown: &Shown,
    pointer: impl Fn() -> String,
    blobs: &dyn Blobs,
) -> Result<Cow<'a, str>, BlobError> {
    let text = match (shown.cut, result) {
        // Nearly all: nothing need be copied.
        (None, ToolResult { error: None, text: Output::Inline(bytes), .. }) => lossy(bytes),
        (None, _) => lossy(&live_bytes(result, blobs)?).into_owned().into(),
        (Some(cut), _) => render_cut(&live_bytes(result, blobs)?, cut, &pointer()).into(),
    };
    Ok(if shown.pictures == Some(0) { format!("{text}{NO_ROOM}").into() } else { text })
}
