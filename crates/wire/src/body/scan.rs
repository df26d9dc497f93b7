//! Walking over JSON without building anything: what is valid, and where it ends.
//!
//! Written here and not taken from serde_json: its raw values scan every level of a body again, which is two to four
//! times as slow over recorded bodies. It accepts what serde_json accepts and nothing else; `tests/bodies` asks it.

use super::{
    BodyError, DEEPEST, Span, Text,
    span::Spelling,
    string::{end_of_plain, escape_length},
};

/// Stands somewhere in a JSON text. An error says at which byte it is none; what was told before it holds.
#[derive(Debug)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    /// A bit for each open container, the innermost lowest: set for objects.
    path: u128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    List,
    Object,
}

impl<'a> Scanner<'a> {
    /// At the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 0, path: 0 }
    }

    /// For a value that was passed over before.
    pub(super) fn within(bytes: &'a [u8], span: Span) -> Self {
        Self { bytes: &bytes[..span.end], at: span.start, depth: 0, path: 0 }
    }

    /// All of the text.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is not white space; the scanner stands on it.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), BodyError> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// Goes through an object. `each` stands before a value and must pass over it.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, Text) -> Result<(), BodyError>,
    ) -> Result<Span, BodyError> {
        let start = self.open(b'{', Container::Object, "{")?;
        if self.peek() == Some(b'}') {
            return Ok(self.close(start));
        }
        loop {
            let name = self.name()?;
            self.peek();
            each(self, name)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => return Ok(self.close(start)),
                _ => return Err(self.expected("a comma or }")),
            }
        }
    }

    /// Goes through a list. `each` stands before an element and must pass over it.
    pub fn list(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), BodyError>) -> Result<Span, BodyError> {
        let start = self.open(b'[', Container::List, "[")?;
        if self.peek() == Some(b']') {
            return Ok(self.close(start));
        }
        loop {
            self.peek();
            each(self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => return Ok(self.close(start)),
                _ => return Err(self.expected("a comma or ]")),
            }
        }
    }

    /// A string, if one stands here; any other value is passed over.
    pub fn text(&mut self) -> Result<Option<Text>, BodyError> {
        if self.peek() == Some(b'"') { self.string().map(Some) } else { self.value().map(|_| None) }
    }

    /// Passes over any value.
    pub fn value(&mut self) -> Result<Span, BodyError> {
        let outside = self.depth;
        self.peek();
        let start = self.at;
        loop {
            let opened = match self.peek() {
                Some(b'{') => Some(Container::Object),
                Some(b'[') => Some(Container::List),
                _ => None,
            };
            match opened {
                None => self.scalar()?,
                Some(container) => {
                    self.enter(container)?;
                    let empty = self.peek() == Some(container.end());
                    if !empty {
                        if container == Container::Object {
                            self.name()?;
                        }
                        continue;
                    }
                    self.leave();
                }
            }
            // A value has ended, and with it perhaps what is around it.
            loop {
                if self.depth == outside {
                    return Ok(Span { start, end: self.at });
                }
                let container = self.innermost();
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if container == Container::Object {
                            self.name()?;
                        }
                        break;
                    }
                    Some(byte) if byte == container.end() => self.leave(),
                    _ => return Err(self.expected(container.goes_on())),
                }
            }
        }
    }

    /// A name and its colon.
    fn name(&mut self) -> Result<Text, BodyError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a name in quotes"));
        }
        let name = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.expected("a colon"));
        }
        self.at += 1;
        Ok(name)
    }

    /// Stands on the opening quote.
    fn string(&mut self) -> Result<Text, BodyError> {
        let start = self.at + 1;
        let mut spelling = Spelling::Plain;
        self.at = start;
        loop {
            self.at = end_of_plain(self.bytes, self.at);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    let span = Span { start, end: self.at };
                    self.at += 1;
                    return Ok(Text { span, spelling });
                }
                Some(b'\\') => {
                    spelling = Spelling::Escaped;
                    let length = escape_length(&self.bytes[self.at..]);
                    self.at += length.ok_or_else(|| self.expected("an escape of JSON"))?;
                }
                _ => return Err(self.expected("a closing quote (control characters are escaped)")),
            }
        }
    }

    fn scalar(&mut self) -> Result<(), BodyError> {
        match self.bytes.get(self.at) {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => Err(self.expected("a value")),
        }
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), BodyError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), BodyError> {
        self.take(b"-");
        if !self.take(b"0") {
            self.digits()?;
        }
        if self.take(b".") {
            self.digits()?;
        }
        if self.take(b"eE") {
            self.take(b"+-");
            self.digits()?;
        }
        Ok(())
    }

    /// Passes over one byte if it is one of these.
    fn take(&mut self, one_of: &[u8]) -> bool {
        let taken = self.bytes.get(self.at).is_some_and(|byte| one_of.contains(byte));
        self.at += usize::from(taken);
        taken
    }

    fn digits(&mut self) -> Result<(), BodyError> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn open(&mut self, byte: u8, container: Container, expected: &'static str) -> Result<usize, BodyError> {
        if self.peek() != Some(byte) {
            return Err(self.expected(expected));
        }
        let start = self.at;
        self.enter(container)?;
        Ok(start)
    }

    fn close(&mut self, start: usize) -> Span {
        self.leave();
        Span { start, end: self.at }
    }

    fn enter(&mut self, container: Container) -> Result<(), BodyError> {
        if self.depth == DEEPEST {
            return Err(BodyError::TooDeep { offset: self.at });
        }
        self.depth += 1;
        self.path = self.path << 1 | u128::from(container == Container::Object);
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.path >>= 1;
        self.at += 1;
    }

    fn innermost(&self) -> Container {
        if self.path & 1 == 1 { Container::Object } else { Container::List }
    }

    fn expected(&self, expected: &'static str) -> BodyError {
        BodyError::NotJson { offset: self.at, expected }
    }
}

impl Container {
    fn end(self) -> u8 {
        match self {
            Self::List => b']',
            Self::Object => b'}',
        }
    }

    fn goes_on(self) -> &'static str {
        match self {
            Self::List => "a comma or ]",
            Self::Object => "a comma or }",
        }
    }
}
