//! A shell command as a flat list of simple commands, with what stands between them.
//!
//! The structure of loops, conditions and functions is not kept: each command in them counts as run. What the commands
//! mean is not known here.

use std::ops::Range;

use super::pattern::{Element, Pattern};

/// What [`Script::parse`] reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// In their order; the last one is a joint.
    pub items: Vec<Item>,
    /// The texts of its here-documents, and where they stand.
    pub documents: Vec<(String, Range<usize>)>,
    /// Every quote, bracket and here-document is closed.
    pub complete: bool,
}

/// A simple command, or what stands between two.
#[derive(Debug, PartialEq, Eq)]
pub enum Item {
    /// A simple command.
    Command(Command),
    /// And where it stands.
    Joint(Joint, Range<usize>),
}

/// What stands behind a command, or around some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// `|`.
    Pipe,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `;`, also the end of the text.
    Semicolon,
    /// `&`.
    Background,
    /// The end of a line, with the here-documents that begin behind it.
    Line,
    /// `(` of a subshell.
    Open,
    /// `)` of a subshell.
    Close,
}

/// A program with its words. Places are bytes of the whole text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Assignments and words like `if` and `do` among them.
    pub words: Vec<Word>,
    /// In their order.
    pub redirections: Vec<Redirection>,
    /// What runs while its words are made.
    pub nested: Vec<Script>,
}

/// `2> log`.
#[derive(Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The `2` of `2>`.
    pub descriptor: Option<u32>,
    /// What it does.
    pub kind: RedirectionKind,
    /// A file, a descriptor, or what its kind says.
    pub target: Word,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionKind {
    /// From a file.
    Read,
    /// To a file.
    Write,
    /// To another descriptor.
    Duplicate,
    /// The target ends it; its text by its place in the script.
    Document(usize),
    /// `<<<`.
    Text,
}

/// One word as the shell reads it, before variables and wildcards stand for something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub(super) pieces: Vec<Piece>,
    /// Where it begins.
    pub start: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Plain(Element),
    /// Without a name where it is a number of the shell's own, as in `$?`.
    Variable {
        name: String,
        quoted: bool,
    },
}

impl Script {
    /// The simple commands, without those of substitutions.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.items.iter().filter_map(|item| if let Item::Command(command) = item { Some(command) } else { None })
    }

    /// Every word, of redirections and substitutions too.
    pub fn words(&self) -> Vec<&Word> {
        let mut words = Vec::new();
        for command in self.commands() {
            words.extend(&command.words);
            words.extend(command.redirections.iter().map(|redirection| &redirection.target));
            words.extend(command.nested.iter().flat_map(Self::words));
        }
        words
    }

    /// The text without the here-documents, also those of substitutions.
    pub fn without_documents(&self, text: &str) -> String {
        let mut spans: Vec<Range<usize>> = self.all_documents().into_iter().map(|(_, span)| span.clone()).collect();
        spans.sort_unstable_by_key(|span| span.start);
        let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
        for span in spans {
            kept.push_str(text.get(from..span.start).unwrap_or_default());
            from = from.max(span.end);
        }
        kept + text.get(from..).unwrap_or_default()
    }

    /// Also those of substitutions.
    pub fn all_documents(&self) -> Vec<&(String, Range<usize>)> {
        let nested = self.commands().flat_map(|command| &command.nested);
        self.documents.iter().chain(nested.flat_map(Self::all_documents)).collect()
    }

    /// What is read from the here-documents of a command.
    pub fn documents_of<'a>(&'a self, command: &'a Command) -> impl Iterator<Item = &'a str> {
        command.redirections.iter().filter_map(|redirection| match redirection.kind {
            RedirectionKind::Document(place) => Some(self.documents[place].0.as_str()),
            _ => None,
        })
    }
}

impl Command {
    /// Its words, where each stands in the text as the program gets it.
    pub fn literal(&self) -> Option<Vec<&str>> {
        self.words.iter().map(Word::literal).collect()
    }
}

impl Word {
    /// The text, where it is nothing else.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Plain(Element::Text(text))] => Some(text),
            _ => None,
        }
    }

    /// Without its quotes; what is not text by a sign of its kind.
    pub fn text(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Plain(Element::Text(text)) => text.clone(),
            Piece::Plain(Element::Unknown) => "$".to_owned(),
            Piece::Plain(Element::One) => "?".to_owned(),
            Piece::Plain(Element::Star | Element::Deep) => "*".to_owned(),
            Piece::Variable { name, .. } => format!("${name}"),
        };
        self.pieces.iter().map(text).collect()
    }

    /// Where nothing is known of the variables.
    pub(super) fn pattern(&self) -> Pattern {
        let mut pattern = Pattern::default();
        for piece in &self.pieces {
            match piece {
                Piece::Plain(element) => pattern.push(element.clone()),
                Piece::Variable { .. } => pattern.push(Element::Unknown),
            }
        }
        pattern
    }

    /// `NAME=value`, cut into both.
    pub(super) fn assignment(&self) -> Option<(&str, Word)> {
        let Some(Piece::Plain(Element::Text(text))) = self.pieces.first() else { return None };
        let (name, value) = text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !is_name {
            return None;
        }
        let mut rest = Word { pieces: vec![Piece::Plain(Element::Text(value.to_owned()))], start: self.start };
        rest.pieces.extend(self.pieces[1..].iter().cloned());
        Some((name, rest))
    }

    pub(super) fn push(&mut self, element: Element) {
        self.pieces.push(Piece::Plain(element));
    }

    pub(super) fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Plain(Element::Text(last))) => last.push_str(text),
            _ => self.push(Element::Text(text.to_owned())),
        }
    }

    pub(super) fn push_character(&mut self, character: char) {
        self.push_text(character.encode_utf8(&mut [0; 4]));
    }
}
