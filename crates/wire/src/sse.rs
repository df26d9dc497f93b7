//! Server-sent events, pushed in as they arrive.
//!
//! Follows the rules of the HTML standard (lines end with CR, LF or both; comments; several `data` lines; one space after
//! the colon), and costs time in proportion to the bytes however they are cut: every byte is searched once. Knows nothing
//! of what the events mean, and nothing of reconnecting: `id` and `retry` are passed over.

#[cfg(test)]
mod tests;

use memchr::memchr2;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The largest event that is taken in. An event holds a whole answer at most, which is a few megabytes; this keeps a
/// broken server from filling the memory.
const LARGEST_EVENT: usize = 16 << 20;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// What the `event` field says; none when it says nothing. Bytes that are not UTF-8 are shown as replacements.
    pub event: Option<String>,
    /// The `data` lines, joined by line feeds, as they came: they may not be UTF-8.
    pub data: Vec<u8>,
}

/// A stream that is not read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum SseError {
    #[error("an event of the stream is larger than {limit} bytes: the server does not send what its API says")]
    TooLarge { limit: usize },
}

/// Takes a stream in pieces of any size and gives out its events.
#[derive(Debug)]
pub struct SseParser {
    /// The line that is not ended yet.
    line: Vec<u8>,
    /// The last byte was a CR: an LF right after it belongs to it.
    after_return: bool,
    first_line: bool,
    event: Vec<u8>,
    /// Each data line with a line feed behind it.
    data: Vec<u8>,
    /// All lines but those of data, blank ones and comments among them.
    other_lines: u64,
    limit: usize,
    failed: Option<SseError>,
}

impl Default for SseParser {
    fn default() -> Self {
        Self::with_limit(LARGEST_EVENT)
    }
}

impl SseParser {
    /// Takes in events of at most so many bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            after_return: false,
            first_line: true,
            event: Vec::new(),
            data: Vec::new(),
            other_lines: 0,
            limit,
            failed: None,
        }
    }

    /// The events that this chunk finishes. An error comes after the events before it were given out, and stays.
    pub fn push(&mut self, mut chunk: &[u8]) -> Result<Vec<SseEvent>, SseError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut events = Vec::new();
        if let (true, [first, rest @ ..]) = (self.after_return, chunk) {
            self.after_return = false;
            if *first == b'\n' {
                chunk = rest;
            }
        }
        while let Some(end) = memchr2(b'\r', b'\n', chunk) {
            let (line, rest) = chunk.split_at(end);
            chunk = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                rest => &rest[1..],
            };
            if self.is_too_large(line) {
                return self.fail(events);
            }
            if self.line.is_empty() {
                events.extend(self.take_line(line));
            } else {
                self.line.extend_from_slice(line);
                let line = std::mem::take(&mut self.line);
                events.extend(self.take_line(&line));
            }
        }
        if self.is_too_large(chunk) {
            return self.fail(events);
        }
        self.line.extend_from_slice(chunk);
        Ok(events)
    }

    /// How many lines came that are no data: those that end an event, and those that are none, as comments and blank
    /// lines. Data is bounded by the size of its event; these would be bounded by nothing.
    pub(crate) fn other_lines(&self) -> u64 {
        self.other_lines
    }

    /// What the stream's end cut off: the standard says to drop it, but some servers leave out the last blank line.
    pub fn finish(mut self) -> Option<SseEvent> {
        if self.failed.is_some() {
            return None;
        }
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line);
        }
        self.take_event()
    }

    fn is_too_large(&self, more: &[u8]) -> bool {
        self.line.len() + self.event.len() + self.data.len() + more.len() > self.limit
    }

    fn fail(&mut self, events: Vec<SseEvent>) -> Result<Vec<SseEvent>, SseError> {
        let error = SseError::TooLarge { limit: self.limit };
        *self = Self { failed: Some(error), ..Self::with_limit(self.limit) };
        if events.is_empty() { Err(error) } else { Ok(events) }
    }

    fn take_line(&mut self, line: &[u8]) -> Option<SseEvent> {
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if self.first_line => rest,
            _ => line,
        };
        self.first_line = false;
        if line.is_empty() {
            self.other_lines += 1;
            return self.take_event();
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        self.other_lines += u64::from(field != b"data");
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.event = value.to_vec(),
            // Older servers of llama.cpp say so that they failed: a field of its own instead of data.
            b"error" => {
                self.event = b"error".to_vec();
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            _ => {}
        }
        None
    }

    fn take_event(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        let event = (!event.is_empty()).then(|| String::from_utf8_lossy(&event).into_owned());
        Some(SseEvent { event, data })
    }
}
