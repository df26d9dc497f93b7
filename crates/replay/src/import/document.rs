//! Sessions that are one JSON document: which importer reads it, and what they share.
//!
//! The messages of a document are kept as raw slices and parsed one after another, so that a broken one costs itself
//! only and the memory is that of the file plus one message.

use serde::Deserialize;
use serde_json::{Value, error::Category, value::RawValue};

use super::{ImportError, Sink, gemini_cli, mini_swe_agent, opencode, surrogates, swe_agent};
use crate::recording::{About, Format, Skipped};

/// Reads a whole document of a format that is one.
pub fn parse_document(format: Format, bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    let bytes = &*surrogates::mend(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    match format {
        Format::MiniSweAgent => mini_swe_agent::parse(bytes, sink),
        Format::Opencode => opencode::parse(bytes, sink),
        Format::SweAgent => swe_agent::parse(bytes, sink),
        Format::GeminiCli => gemini_cli::parse(bytes, sink),
        Format::ClaudeCode | Format::Codex | Format::Pi | Format::Lookback => Err(ImportError::Unusable(format!(
            "{} writes one JSON value a line, and this is read as one document",
            format.label()
        ))),
    }
}

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
