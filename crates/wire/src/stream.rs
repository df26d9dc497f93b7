//! Answers from streams and whole bodies, in one form for all providers.
//!
//! Bytes are pushed in as they arrive; what is to be shown at once comes back as [`Delta`]s, and the whole [`Reply`] at the
//! end. Events of kinds that we do not know are passed over, blocks and items of such kinds are kept. Knows nothing of
//! connections, statuses or retries.

mod anthropic;
mod assembly;
mod chat;
mod react;
mod responses;
#[cfg(test)]
mod tests;
mod usage;

use std::borrow::Cow;

use crate::{Delta, Provider, Reply, SseError, SseEvent, SseParser, members::Members, parse::excerpt};

/// An answer that is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum StreamError {
    /// The provider says in its answer that it failed; `raw` is what it said, for whoever sorts errors by kind.
    #[error("the provider broke off with an error: {raw}")]
    Provider { raw: String },
    #[error("the provider's answer cannot be read ({reason}): {excerpt}")]
    Nonsense { reason: String, excerpt: String },
    #[error(transparent)]
    TooLarge(#[from] SseError),
}

/// Reads one answer. After an error, [`finish`](Self::finish) still gives what came before it.
#[derive(Debug)]
pub struct ReplyReader {
    events: SseParser,
    reading: Reading,
    has_content: bool,
}

#[derive(Debug)]
enum Reading {
    Anthropic(anthropic::Reading),
    Chat(chat::Reading),
    Responses(responses::Reading),
    /// One text in an answer of Chat Completions.
    React(react::Reading),
}

impl ReplyReader {
    /// For one answer of this API.
    pub fn new(provider: Provider) -> Self {
        let reading = match provider {
            Provider::Anthropic => Reading::Anthropic(Default::default()),
            Provider::Chat => Reading::Chat(Default::default()),
            Provider::Responses => Reading::Responses(Default::default()),
            Provider::React => Reading::React(Default::default()),
        };
        Self { events: SseParser::default(), reading, has_content: false }
    }

    /// What the chunk adds to the answer. When it fails, what the chunk said before the error is in the reply only.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Delta>, StreamError> {
        let mut deltas = Vec::new();
        for event in self.events.push(chunk)? {
            let read = self.reading.event(&event, &mut deltas);
            self.has_content |= !deltas.is_empty();
            if let Err(error) = read {
                // What follows the error is not part of the answer, however far the chunk went.
                self.events = SseParser::default();
                return Err(error);
            }
        }
        Ok(deltas)
    }

    /// Whether anything was shown: text, thinking or a call.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// Whether the stream said that nothing more will come. One that ends without saying so may still have been whole:
    /// the reply's `stop` tells.
    pub fn is_complete(&self) -> bool {
        match &self.reading {
            Reading::Anthropic(reading) => reading.is_complete(),
            Reading::Chat(reading) => reading.is_complete(),
            Reading::Responses(reading) => reading.is_complete(),
            Reading::React(reading) => reading.is_complete(),
        }
    }

    /// The answer, whole or as far as it came.
    pub fn finish(self) -> Reply {
        let Self { events, mut reading, .. } = self;
        // Where only the last blank line is missing, the event before it is still complete.
        if let Some(event) = events.finish() {
            let _ = reading.event(&event, &mut Vec::new());
        }
        match reading {
            Reading::Anthropic(reading) => reading.finish(),
            Reading::Chat(reading) => reading.finish(),
            Reading::Responses(reading) => reading.finish(),
            Reading::React(reading) => reading.finish(),
        }
    }
}

impl Reading {
    fn event(&mut self, event: &SseEvent, deltas: &mut Vec<Delta>) -> Result<(), StreamError> {
        let data = String::from_utf8_lossy(&event.data);
        if data.trim().is_empty() {
            return Ok(());
        }
        if data.trim() == "[DONE]" {
            match self {
                Self::Chat(reading) => reading.done(),
                Self::React(reading) => reading.done(),
                Self::Anthropic(_) | Self::Responses(_) => {}
            }
            return Ok(());
        }
        let data = readable(data);
        let said = parse_object(&data)?;
        let is_error = event.event.as_deref() == Some("error") || said.text("type").as_deref() == Some("error");
        if is_error || said.get("error").is_some_and(|error| error.get() != "null") {
            return Err(StreamError::Provider { raw: data.into_owned() });
        }
        match self {
            Self::Anthropic(reading) => reading.event(&said, deltas),
            Self::Chat(reading) => reading.chunk(&said, deltas),
            Self::Responses(reading) => return reading.event(&said, deltas),
            Self::React(reading) => reading.chunk(&said, deltas),
        }
        Ok(())
    }
}

/// An answer that came as one JSON body.
pub fn parse_reply(provider: Provider, body: &[u8]) -> Result<Reply, StreamError> {
    let body = readable(String::from_utf8_lossy(body));
    let said = parse_object(&body)?;
    let is_error = said.text("type").as_deref() == Some("error");
    if is_error || said.get("error").is_some_and(|error| error.get() != "null") {
        return Err(StreamError::Provider { raw: body.into_owned() });
    }
    let reply = match provider {
        Provider::Anthropic => anthropic::parse_body(&said),
        Provider::Chat => chat::parse_body(&said),
        Provider::Responses => responses::parse_body(&said),
        Provider::React => react::parse_body(&said),
    };
    reply.ok_or_else(|| nonsense("not an answer of this API".to_owned(), &body))
}

fn parse_object(data: &str) -> Result<Members<'_>, StreamError> {
    serde_json::from_str(data).map_err(|error| nonsense(error.to_string(), data))
}

fn nonsense(reason: String, data: &str) -> StreamError {
    StreamError::Nonsense { reason, excerpt: excerpt(data) }
}

/// The text with halves of surrogate pairs replaced, as bytes that are not UTF-8 are: some servers cut an answer in the
/// middle of a character, and one character is not worth the whole answer.
fn readable(data: Cow<'_, str>) -> Cow<'_, str> {
    let escapes = |text: &str| text.contains("\\ud") || text.contains("\\uD");
    if !escapes(&data) {
        return data;
    }
    let unit = |text: &str, at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(data.len());
    let mut rest = data.as_ref();
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (unit(rest, 0), unit(rest, 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}
