//! What the importers of sessions that are one JSON document share.
//!
//! The messages of a document are kept as raw slices and parsed one after another, so that a broken one costs itself
//! only and the memory is that of the file plus one message.

use serde::Deserialize;
use serde_json::{Value, error::Category, value::RawValue};

use super::{ImportError, Sink};
use crate::recording::Skipped;

/// The frame of a document, its messages still raw.
pub(super) fn parse_frame<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, ImportError> {
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => ImportError::Unusable(format!("a document of this format looks different: {error}")),
        Category::Io | Category::Syntax | Category::Eof => {
            let (line, column) = (error.line(), error.column());
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            ImportError::Damaged { line, column, reason }
        }
    })
}

/// Each message with its number, from 1. What `read` cannot use is skipped and said.
pub(super) fn each_message(
    messages: &[&RawValue],
    sink: &mut dyn Sink,
    mut read: impl FnMut(usize, &Value, &mut dyn Sink) -> Result<(), String>,
) {
    for (number, message) in (1..).zip(messages) {
        let parsed = serde_json::from_str(message.get()).map_err(|error| error.to_string());
        if let Err(reason) = parsed.and_then(|message| read(number, &message, sink)) {
            sink.skipped(Skipped { line: number as u64, reason: format!("message {number}: {reason}") });
        }
    }
}
