//! From the files of other agents to [`Item`]s.
//!
//! Each format has a file of its own that knows its lines or its document and the table of its tools; none reads a disk.
//! What cannot be used is skipped and said ([`Skipped`]); what could be read is given out.
//!
//! Formats of lines are pushed line by line and give out an item as soon as it is whole, so a file of any length needs
//! memory for one call. Formats that are one document are parsed whole, up to [`DOCUMENT_LIMIT`]. How much is parsed and
//! held at once is bounded ([`Held`], [`check_values`]).

mod bounds;
mod change;
mod claude_code;
mod codex;
#[cfg(test)]
#[path = "import/tests/described.rs"]
mod described;
mod detect;
mod fields;
mod gemini_cli;
pub mod live;
mod lookback;
mod mini_swe_agent;
mod open_call;
mod opencode;
mod patch;
mod paths;
mod pi;
mod results;
mod swe_agent;
mod time;

pub use crate::parameters::{DOCUMENT_LIMIT, OPEN_WEIGHT};
pub use bounds::{Held, TooMuch, check_event, check_values, frame_of, leave_out_arguments, weight};
pub use detect::detect;

use lookback_wire::mend_halves;

use crate::recording::{About, Format, Item, Recording, Skipped};

/// How a format is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Shape {
    Lines,
    Document,
}

/// Why a file could not be read as a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum ImportError {
    #[error(
        "no known session format: none of Claude Code, Codex, SWE-agent, mini-swe-agent, opencode, pi, gemini-cli or Lookback writes files like this"
    )]
    Unknown,
    #[error("the file is empty")]
    Empty,
    #[error("not a whole JSON document (line {line}, column {column}): {reason}")]
    Damaged { line: usize, column: usize, reason: String },
    #[error("{place}: {error}")]
    TooLarge { place: String, error: TooMuch },
    #[error("{0}")]
    Unusable(String),
}

/// Where an importer puts what it has read.
pub trait Sink {
    /// The next thing of the session.
    fn item(&mut self, item: Item);
    /// Something that could not be used.
    fn skipped(&mut self, skipped: Skipped);
}

/// Reads a format of lines.
pub trait LineImporter {
    /// One line without its line feed, counted from 1. Blank ones say nothing; what cannot be used is skipped and said.
    fn line(&mut self, number: u64, line: &[u8], sink: &mut dyn Sink) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let read = self.check(line).and_then(|()| self.read(number, &mend_halves(line), sink));
        if let Err(reason) = read {
            sink.skipped(Skipped { line: number, reason });
        }
    }
    /// Whether a line is small enough to be read.
    fn check(&self, line: &[u8]) -> Result<(), String> {
        check_values(line)
    }
    /// The same for a line that is not blank and has no half of a character, or why it cannot be used.
    fn read(&mut self, number: u64, line: &[u8], sink: &mut dyn Sink) -> Result<(), String>;
    /// Gives out what is still open.
    fn flush(&mut self, sink: &mut dyn Sink);
    /// The file has ended.
    fn finish(&mut self, sink: &mut dyn Sink) {
        self.flush(sink);
    }
    /// What is known so far.
    fn about(&self) -> &About;
}

impl Sink for Recording {
    fn item(&mut self, item: Item) {
        self.items.push(item);
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }
}

impl Recording {
    /// Nothing yet.
    pub fn new(format: Format) -> Self {
        Self { format, about: About::default(), items: Vec::new(), skipped: Vec::new() }
    }
}

/// The reader of a format of lines; none for formats that are one document.
pub fn importer(format: Format) -> Option<Box<dyn LineImporter>> {
    match format {
        Format::ClaudeCode => Some(Box::new(claude_code::ClaudeCode::default())),
        Format::Codex => Some(Box::new(codex::Codex::default())),
        Format::Pi => Some(Box::new(pi::PiImporter::default())),
        Format::Lookback => Some(Box::new(lookback::LookbackImporter::default())),
        Format::SweAgent | Format::MiniSweAgent | Format::Opencode | Format::GeminiCli => None,
    }
}

/// How a format is read.
pub fn shape(format: Format) -> Shape {
    if importer(format).is_some() { Shape::Lines } else { Shape::Document }
}

/// Reads a whole document of a format that is one.
pub fn parse_document(format: Format, bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    let bytes = &*mend_halves(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
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
