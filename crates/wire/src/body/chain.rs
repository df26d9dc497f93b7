//! What a conversation is known by: a hash for each of its messages, over that message and all before it.
//!
//! Two requests go on from the same conversation as far as their chains agree. So a message must hash the same however a
//! client writes it next time: cache marks wander, a text becomes a list of one text, items get new ids. None of this is
//! part of what was said, and none of it enters the hash.

use blake3::Hasher;

use super::{Body, BodyError, Entry, Span, Text, scan::Scanner};
use crate::{Provider, parse::CACHE_MARKS};

/// The hash of a conversation up to one of its messages.
pub type Link = [u8; 32];
/// The hash of one message alone.
pub type Digest = [u8; 32];

/// Of an item of Responses: names and states that its client or server gives it, and codex's own notes.
const OF_ITEMS: [&str; 3] = ["id", "status", "internal_chat_message_metadata_passthrough"];

impl Body {
    /// One link for each message. `seed` is what conversations must share besides their messages: where they go, and for whom.
    pub fn chain(&self, seed: &Link) -> Vec<Link> {
        chain_of(seed, &self.digests())
    }

    /// What each message says, wherever it stands.
    pub fn digests(&self) -> Vec<Digest> {
        let digest = |entry: &Entry| {
            let mut walk = Walk { hasher: Hasher::new(), provider: self.provider };
            if walk.message(&mut Scanner::within(&self.bytes, entry.span)).is_err() {
                // Not an object, or one that no walk understands: its bytes are what it says.
                walk.hasher.reset().update(self.slice(entry.span));
            }
            walk.hasher.finalize().into()
        };
        self.messages().iter().map(digest).collect()
    }
}

/// The chain of a conversation of which the messages are known by their digests.
pub fn chain_of(seed: &Link, digests: &[Digest]) -> Vec<Link> {
    let links = digests.iter().scan(*seed, |link, digest| {
        *link = blake3::keyed_hash(link, digest).into();
        Some(*link)
    });
    links.collect()
}

struct Walk {
    hasher: Hasher,
    provider: Provider,
}

impl Walk {
    fn message(&mut self, scanner: &mut Scanner<'_>) -> Result<(), BodyError> {
        let left_out: &[&str] = if self.provider == Provider::Responses { &OF_ITEMS } else { &[] };
        self.members(scanner, left_out, &["content", "output"])
    }

    /// All members of an object but cache marks and those that are left out. What is said stands under `contents`.
    fn members(&mut self, scanner: &mut Scanner<'_>, left_out: &[&str], contents: &[&str]) -> Result<(), BodyError> {
        scanner.object(|scanner, name| {
            let is_one_of = |names: &[&str]| names.iter().any(|expected| name.says(scanner.bytes(), expected));
            if is_one_of(&CACHE_MARKS) || is_one_of(left_out) {
                return scanner.value().map(drop);
            }
            let is_content = is_one_of(contents);
            self.add(scanner, b'm', name.span);
            if is_content { self.content(scanner) } else { self.value(scanner) }
        })?;
        Ok(())
    }

    /// A text, or a list of blocks: one text is the same either way.
    fn content(&mut self, scanner: &mut Scanner<'_>) -> Result<(), BodyError> {
        match scanner.peek() {
            Some(b'"') => {
                if let Some(text) = scanner.text()? {
                    self.add(scanner, b't', text.span);
                }
                Ok(())
            }
            Some(b'[') => scanner.list(|scanner| self.block(scanner)).map(|_| ()),
            _ => self.value(scanner),
        }
    }

    fn block(&mut self, scanner: &mut Scanner<'_>) -> Result<(), BodyError> {
        if scanner.peek() != Some(b'{') {
            return self.value(scanner);
        }
        let start = scanner.at();
        if let Some(text) = plain_text(scanner)? {
            self.add(scanner, b't', text.span);
            return Ok(());
        }
        let end = scanner.at();
        let mut scanner = Scanner::within(scanner.bytes(), Span { start, end });
        self.hasher.update(b"{");
        self.members(&mut scanner, &[], &["content"])
    }

    fn value(&mut self, scanner: &mut Scanner<'_>) -> Result<(), BodyError> {
        let span = scanner.value()?;
        self.add(scanner, b'v', span);
        Ok(())
    }

    /// With its length, so that no two sequences look alike.
    fn add(&mut self, scanner: &Scanner<'_>, tag: u8, span: Span) {
        let mut head = [tag; 9];
        head[1..].copy_from_slice(&(span.len() as u64).to_le_bytes());
        self.hasher.update(&head).update(&scanner.bytes()[span.start..span.end]);
    }
}

/// The text of a block that says nothing else. The scanner stands behind the block either way.
fn plain_text(scanner: &mut Scanner<'_>) -> Result<Option<Text>, BodyError> {
    let (mut found, mut is_plain) = (None, true);
    scanner.object(|scanner, name| {
        let is = |expected: &str| name.says(scanner.bytes(), expected);
        let (is_text, is_type) = (is("text"), is("type"));
        let passes = CACHE_MARKS.iter().any(|mark| is(mark));
        match scanner.text()? {
            Some(text) if is_text => found = Some(text),
            Some(kind) if is_type => {
                let texts = ["text", "input_text", "output_text"];
                is_plain &= texts.iter().any(|text| kind.says(scanner.bytes(), text));
            }
            _ => is_plain &= passes,
        }
        Ok(())
    })?;
    Ok(found.filter(|_| is_plain))
}
