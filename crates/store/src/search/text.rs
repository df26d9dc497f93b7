//! What an event says, for searching, and how long texts are divided into documents. Knows nothing of words.

use lookback_engine::trace::{AssistantPart, AssistantTurn, Event, EventBody, Output};
use rusqlite::Connection;
use serde_json::Value;

use crate::{StoreError, blobs::PartReader};

/// How much of an output can be found by its words. Whoever needs more greps the output itself.
const INDEXED: usize = 8 << 20;

/// Small enough to be read and ranked in well below a millisecond.
const DOCUMENT: usize = 64 << 10;

const TEXT: u8 = 0;
const OUTPUT: u8 = 1;

/// A document's place in its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) field: u8,
    pub(super) start: usize,
    pub(super) length: usize,
    /// The number of its first line, from 1.
    pub(super) line: u64,
}

/// The documents of an event that is about to be written, with their contents.
pub(super) fn divide(connection: &Connection, event: &Event) -> Result<Vec<(Part, String)>, StoreError> {
    let mut documents = Vec::new();
    let mut add = |field, bytes: &[u8]| {
        for part in parts(field, bytes) {
            let content = &bytes[part.start..part.start + part.length];
            documents.push((part, String::from_utf8_lossy(content).into_owned()));
        }
    };
    add(TEXT, text(&event.event).as_bytes());
    if let Some(output) = output(&event.event) {
        match output {
            Output::Inline(bytes) => add(OUTPUT, bytes),
            Output::Blob { hash, .. } => {
                add(OUTPUT, &PartReader::open(connection, hash)?.read(connection, 0, INDEXED)?);
            }
            Output::Beyond(ends) => add(OUTPUT, &ends.head),
        }
    }
    Ok(documents)
}

/// Documents' contents again, from their event as it is stored; what it took to read one is kept for the next.
pub(super) struct Contents<'a> {
    connection: &'a Connection,
    body: &'a EventBody,
    text: Option<String>,
    blob: Option<PartReader>,
}

impl<'a> Contents<'a> {
    pub(super) fn new(connection: &'a Connection, body: &'a EventBody) -> Self {
        Self { connection, body, text: None, blob: None }
    }

    pub(super) fn read(&mut self, part: Part) -> Result<String, StoreError> {
        let within = |bytes: &[u8]| {
            let bytes = bytes.get(part.start..part.start + part.length).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        match output(self.body).filter(|_| part.field == OUTPUT) {
            Some(output) => match output {
                Output::Inline(bytes) => Ok(within(bytes)),
                Output::Beyond(ends) => Ok(within(&ends.head)),
                Output::Blob { hash, .. } => {
                    let reader = match &mut self.blob {
                        Some(reader) => reader,
                        none => none.insert(PartReader::open(self.connection, hash)?),
                    };
                    let bytes = reader.read(self.connection, part.start, part.length)?;
                    Ok(String::from_utf8(bytes)
                        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
                }
            },
            None => Ok(within(self.text.get_or_insert_with(|| text(self.body)).as_bytes())),
        }
    }
}

/// What something printed.
fn output(body: &EventBody) -> Option<&Output> {
    match body {
        EventBody::ToolResult { result, .. } => Some(&result.text),
        EventBody::JobEnded(job) => Some(&job.output),
        _ => None,
    }
}

/// What stands in the event itself, a line for each thing.
fn text(body: &EventBody) -> String {
    match body {
        EventBody::UserTurn(turn) => turn.text.clone(),
        EventBody::AssistantTurn(turn) => assistant_text(turn),
        EventBody::ToolResult { result, .. } => {
            result.error.as_ref().map_or_else(String::new, |error| format!("{}: {}", error.code, error.message))
        }
        EventBody::NoteShown { content, .. } => content.text.clone(),
        EventBody::Error { kind, message } => format!("{kind}: {message}"),
        // As it was found while it was an error of that kind.
        EventBody::TextRefused(refused) => format!("text_refused: {}", refused.reason),
        EventBody::SpanStarted { span, goal, .. } => format!("{}#{}: {goal}", span.name, span.number),
        EventBody::SpanEnded { span, outcome, .. } => format!("{}#{}: {outcome}", span.name, span.number),
        _ => String::new(),
    }
}

fn assistant_text(turn: &AssistantTurn) -> String {
    let mut lines = Vec::new();
    for part in &turn.parts {
        match part {
            AssistantPart::Text { text, .. } | AssistantPart::Thinking { text, .. } => lines.push(text.clone()),
            AssistantPart::Call { name, arguments, .. } => {
                lines.push(name.clone());
                match serde_json::from_str(arguments) {
                    Ok(value) => strings(&value, &mut lines),
                    Err(_) => lines.push(arguments.clone()),
                }
            }
            // In its provider's bytes, which nobody here can read.
            AssistantPart::Unknown { .. } => {}
        }
    }
    lines.join("\n")
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Cuts after a line feed where there is one, else between characters.
fn parts(field: u8, bytes: &[u8]) -> Vec<Part> {
    let bytes = &bytes[..bytes.len().min(INDEXED)];
    let mut parts = Vec::new();
    let (mut start, mut line) = (0, 1);
    while start < bytes.len() {
        let mut end = (start + DOCUMENT).min(bytes.len());
        if end < bytes.len() {
            let after_line = bytes[start..end].iter().rposition(|byte| *byte == b'\n').map(|at| start + at + 1);
            let between = (end - 3..=end).rev().find(|at| bytes[*at] & 0xc0 != 0x80);
            end = after_line.or(between).unwrap_or(end);
        }
        parts.push(Part { field, start, length: end - start, line });
        line += bytes[start..end].iter().filter(|byte| **byte == b'\n').count() as u64;
        start = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_and_cut_after_lines_or_between_characters() {
        let lines = "a line of forty characters, or nearly so\n".repeat(5000);
        let unbroken = "字".repeat(100_000);
        for text in [lines.as_str(), unbroken.as_str(), "", "short"] {
            let mut end = 0;
            for part in parts(OUTPUT, text.as_bytes()) {
                assert_eq!(part.start, end);
                end += part.length;
                assert!(text.is_char_boundary(end));
                assert_eq!(part.line, 1 + text[..part.start].matches('\n').count() as u64);
            }
            assert_eq!(end, text.len());
        }
    }
}
