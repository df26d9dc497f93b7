//! Evidence pointers: the short texts that name a place in a trace (docs/design/model.md, "Pointers").
//!
//! This is their grammar alone. Whether the place exists, and whether it shows what somebody claims, is not known here.

mod parse;
mod path;

use std::fmt;

pub use parse::PointerError;

use crate::trace::{TurnNo, event::SpanId};

/// A place in a trace, as a text names it: `file:src/a.py:L40-L55`, `cmd#12`, `turn#41`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The short id of the session, where the pointer stands outside it.
    pub session: Option<String>,
    /// Where in it.
    pub place: Place,
}

/// What a pointer names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Place {
    /// What was observed of a file: all of it or some lines, at last or in one turn. The path is relative to the root.
    File { path: String, lines: Option<LineRange>, at: Option<TurnNo> },
    /// A command that ran; with an exit code, only if it ended so.
    Cmd { number: u32, exit: Option<i32> },
    /// A test run; with a name, only if that test failed in it.
    Test { number: u32, failed: Option<String> },
    /// `turn#N`.
    Turn(TurnNo),
    /// `user#N`: the Nth turn of a person.
    User(u32),
    /// `gate#N`: a question to a person, and its decision.
    Gate(u32),
    /// `span#NAME#N`.
    Span(SpanId),
    /// A place in the trace of a child.
    Sub { number: u32, place: Box<Place> },
}

/// Lines `first..=last`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "its line says it")]
pub struct LineRange {
    pub first: u32,
    pub last: u32,
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(session) = &self.session {
            write!(f, "{session}/")?;
        }
        self.place.fmt(f)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, lines, at } => {
                write!(f, "file:{}", path::render_path(path))?;
                if let Some(lines) = lines {
                    write!(f, ":{lines}")?;
                }
                at.map_or(Ok(()), |turn| write!(f, "@turn#{turn}"))
            }
            Self::Cmd { number, exit } => {
                write!(f, "cmd#{number}")?;
                exit.map_or(Ok(()), |exit| write!(f, " exit={exit}"))
            }
            Self::Test { number, failed } => {
                write!(f, "test#{number}")?;
                failed.as_ref().map_or(Ok(()), |name| write!(f, " failed:{name}"))
            }
            Self::Turn(turn) => write!(f, "turn#{turn}"),
            Self::User(number) => write!(f, "user#{number}"),
            Self::Gate(number) => write!(f, "gate#{number}"),
            Self::Span(span) => write!(f, "span#{}#{}", span.name, span.number),
            Self::Sub { number, place } => write!(f, "sub#{number}/{place}"),
        }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            return write!(f, "L{}", self.first);
        }
        write!(f, "L{}-L{}", self.first, self.last)
    }
}
