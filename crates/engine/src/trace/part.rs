//! How a turn or a result came, where that is more than its text: images, and what only its provider has a name for.
//!
//! Nearly every turn and result is one text and nothing else, and everybody reads that text. So the text is kept as one,
//! and the list of parts beside it says which stretch of it each text part is.

use lookback_wire::Provider;
use serde::{Deserialize, Serialize};

use super::output::Output;

/// The parts in their order, and the bytes as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsCame {
    /// All of them, the texts too. Empty: the text alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The message or result as the client or the tool sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Output>,
}

/// One part of a turn or a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The bytes `start..end` of the text.
    Text {
        /// The first byte.
        start: u64,
        /// Behind the last byte.
        end: u64,
    },
    /// A picture.
    Image(Image),
    /// What a provider calls by a name of its own.
    Named(NamedPart),
}

/// A picture, complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// `image/png`…
    pub media_type: String,
    /// The file's bytes.
    pub bytes: Output,
}

/// A part of a kind that only one provider has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedPart {
    /// Whose name it is.
    pub provider: Provider,
    /// `document`, `input_audio`…
    pub name: String,
    /// The part as it came: JSON.
    pub raw: String,
}

/// A part as it comes in, to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CamePart {
    /// Text, of which all parts together are the text of the turn or result.
    Text(String),
    /// A picture.
    Image(Image),
    /// What has no plain reading.
    Named(NamedPart),
}

impl AsCame {
    /// The text of some parts, and how they came where that is more than this text.
    pub fn of(parts: Vec<CamePart>, raw: Option<Output>) -> (String, Option<Box<Self>>) {
        let mut text = String::new();
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|part| match part {
                CamePart::Text(more) => {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    let start = text.len() as u64;
                    text.push_str(&more);
                    Part::Text { start, end: text.len() as u64 }
                }
                CamePart::Image(image) => Part::Image(image),
                CamePart::Named(named) => Part::Named(named),
            })
            .collect();
        let parts = if matches!(parts[..], [] | [Part::Text { .. }]) { Vec::new() } else { parts };
        let as_came = (!parts.is_empty() || raw.is_some()).then(|| Box::new(Self { parts, raw }));
        (text, as_came)
    }

    /// Whether it holds something that no text stands for: a picture, or a part without a plain reading.
    pub(crate) fn has_more_than_text(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::Text { .. }))
    }

    /// The outputs inside, for a store to take out what is large.
    pub fn outputs(&self) -> impl Iterator<Item = &Output> {
        let images =
            self.parts.iter().filter_map(|part| if let Part::Image(image) = part { Some(&image.bytes) } else { None });
        images.chain(&self.raw)
    }

    /// The same, to change.
    pub fn outputs_mut(&mut self) -> impl Iterator<Item = &mut Output> {
        let images = self
            .parts
            .iter_mut()
            .filter_map(|part| if let Part::Image(image) = part { Some(&mut image.bytes) } else { None });
        images.chain(&mut self.raw)
    }
}
