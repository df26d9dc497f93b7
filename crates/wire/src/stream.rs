//! Answers from streams and whole bodies, in one form for all providers.
//!
//! Bytes are pushed in as they arrive; what is to be shown at once comes back as [`Delta`]s, and the whole [`Reply`] at the
//! end. Events of kinds that we do not know are passed over, blocks and items of such kinds are kept. Knows nothing of
//! connections, statuses or retries.

mod anthropic;
mod assembly;
mod chat;
mod places;
mod react;
mod responses;
#[cfg(test)]
mod tests;
mod usage;

use std::{borrow::Cow, fmt};

use crate::{
    Delta, Provider, Reply, SseError, SseEvent, SseParser, count_values, members::Members, mend_halves, parse::excerpt,
};

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
    #[error("the answer has more than {limit} JSON values: the server does not send what its API says")]
    TooManyValues { limit: usize },
}

/// Of one event, or of a whole body. A tree of so many takes some megabytes; the largest answers have some thousands.
const MOST_VALUES_AT_ONCE: usize = 100_000;
/// Of all events of a stream. One of 128,000 tokens has an event of some 15 values for each; 64 MiB of the shortest events that
/// say something have fewer.
const MOST_VALUES: usize = 6_000_000;

/// Reads one answer. After an error, [`finish`](Self::finish) still gives what came before it.
#[derive(Debug)]
pub struct ReplyReader {
    events: SseParser,
    reading: Box<dyn Reading + Sync>,
    has_content: bool,
    has_stopped: bool,
    /// Lines of the stream when something of the answer last came.
    heard_at: u64,
    /// Of all events so far.
    values: usize,
}

/// Whether an event adds anything to the answer: bytes of what we know, or a part. What says the same again, nothing, or more
/// of what we do not know, does not keep a stream going.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Content,
    Nothing,
}

impl Heard {
    fn content_if(is_content: bool) -> Self {
        if is_content { Self::Content } else { Self::Nothing }
    }
}

/// What is known of an answer while its events come in, each read as an object.
trait Reading: fmt::Debug + Send {
    fn event(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> Result<Heard, StreamError>;

    /// `[DONE]`: how streams of Chat Completions end.
    fn done(&mut self) {}

    fn is_complete(&self) -> bool;

    /// Whether the answer itself has ended; a bill may still come.
    fn has_stopped(&self) -> bool {
        self.is_complete()
    }

    fn finish(self: Box<Self>) -> Reply;
}

impl ReplyReader {
    /// For one answer of this API.
    pub fn new(provider: Provider) -> Self {
        let reading: Box<dyn Reading + Sync> = match provider {
            Provider::Anthropic => Box::<anthropic::Reading>::default(),
            Provider::Chat => Box::<chat::Reading>::default(),
            Provider::Responses => Box::<responses::Reading>::default(),
            // One text in an answer of Chat Completions.
            Provider::React => Box::<react::Reading>::default(),
        };
        Self { events: SseParser::default(), reading, has_content: false, has_stopped: false, heard_at: 0, values: 0 }
    }

    /// What the chunk adds to the answer. When it fails, what the chunk said before the error is in the reply only.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Delta>, StreamError> {
        let mut deltas = Vec::new();
        for event in self.events.push(chunk)? {
            let read = self.check_values(&event.data);
            let read = read.and_then(|()| read_event(&mut *self.reading, &event, &mut deltas));
            self.has_content |= !deltas.is_empty();
            let stops = !self.has_stopped && self.reading.has_stopped();
            self.has_stopped |= stops;
            match read {
                Ok(heard) if stops || heard == Heard::Content => self.heard_at = self.events.other_lines(),
                Ok(_) => {}
                Err(error) => {
                    // What follows the error is not part of the answer, however far the chunk went.
                    self.events = SseParser::default();
                    return Err(error);
                }
            }
        }
        Ok(deltas)
    }

    /// Before anything is made of them.
    fn check_values(&mut self, data: &[u8]) -> Result<(), StreamError> {
        let values = check_values(data)?;
        self.values += values;
        if self.values > MOST_VALUES { Err(StreamError::TooManyValues { limit: MOST_VALUES }) } else { Ok(()) }
    }

    /// Whether anything was shown: text, thinking or a call.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// Whether the stream said why the answer ends. Some say no more, and some never close.
    pub fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    /// How many lines came since anything of the answer or its end did, without those of data: pings, comments, blank lines.
    pub fn lines_without_content(&self) -> u64 {
        self.events.other_lines().saturating_sub(self.heard_at)
    }

    /// Whether the stream said that nothing more will come. One that ends without saying so may still have been whole:
    /// the reply's `stop` tells.
    pub fn is_complete(&self) -> bool {
        self.reading.is_complete()
    }

    /// The answer, whole or as far as it came.
    pub fn finish(self) -> Reply {
        let Self { events, mut reading, .. } = self;
        // Where only the last blank line is missing, the event before it is still complete.
        if let Some(event) = events.finish().filter(|event| check_values(&event.data).is_ok()) {
            let _ = read_event(&mut *reading, &event, &mut Vec::new());
        }
        reading.finish()
    }
}

fn read_event(reading: &mut dyn Reading, event: &SseEvent, deltas: &mut Vec<Delta>) -> Result<Heard, StreamError> {
    let data = readable(&event.data);
    match data.trim() {
        "" => return Ok(Heard::Nothing),
        "[DONE]" => {
            reading.done();
            return Ok(Heard::Nothing);
        }
        _ => {}
    }
    let said = parse_said(&data, event.event.as_deref())?;
    reading.event(&said, deltas)
}

/// An answer that came as one JSON body.
pub fn parse_reply(provider: Provider, body: &[u8]) -> Result<Reply, StreamError> {
    check_values(body)?;
    let body = readable(body);
    let said = parse_said(&body, None)?;
    let reply = match provider {
        Provider::Anthropic => anthropic::parse_body(&said),
        Provider::Chat => chat::parse_body(&said),
        Provider::Responses => responses::parse_body(&said),
        Provider::React => react::parse_body(&said),
    };
    reply.ok_or_else(|| nonsense("not an answer of this API".to_owned(), &body))
}

/// What was said, unless it is that the provider failed. `event` is what the stream calls it.
fn parse_said<'a>(data: &'a str, event: Option<&str>) -> Result<Members<'a>, StreamError> {
    let said: Members<'a> = serde_json::from_str(data).map_err(|error| nonsense(error.to_string(), data))?;
    let is_error = event == Some("error") || said.text("type").as_deref() == Some("error");
    if is_error || said.get("error").is_some_and(|error| error.get() != "null") {
        return Err(StreamError::Provider { raw: data.to_owned() });
    }
    Ok(said)
}

/// How many values a text has, unless it has more than one tree is made of.
fn check_values(json: &[u8]) -> Result<usize, StreamError> {
    let values = count_values(json);
    match values > MOST_VALUES_AT_ONCE {
        true => Err(StreamError::TooManyValues { limit: MOST_VALUES_AT_ONCE }),
        false => Ok(values),
    }
}

fn nonsense(reason: String, data: &str) -> StreamError {
    StreamError::Nonsense { reason, excerpt: excerpt(data) }
}

/// The text, with what cannot be read of it replaced.
fn readable(data: &[u8]) -> Cow<'_, str> {
    match mend_halves(data) {
        Cow::Borrowed(data) => String::from_utf8_lossy(data),
        Cow::Owned(data) => Cow::Owned(String::from_utf8_lossy(&data).into_owned()),
    }
}
