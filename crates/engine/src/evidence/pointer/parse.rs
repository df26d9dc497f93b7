//! From text to pointer, with errors that a model can mend its pointer by.

use std::str::FromStr;

use super::{
    LineRange, Place, Pointer,
    path::{must_be_encoded, parse_path},
};
use crate::{
    configuration::evidence::CHILDREN_DEEP,
    configuration::evidence::LONGEST_SESSION_ID,
    trace::{TurnNo, event::SpanId},
};

/// Why a text is no pointer, in words by which a model can mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum PointerError {
    #[error("\"{0}\" is not a pointer; {FORMS}")]
    Unknown(String),
    #[error("\"{0}\" is not a number in a pointer; {FORMS}")]
    Number(String),
    #[error("\"{0}\" are not lines: write L22 or L40-L55, counted from 1, the first not after the last")]
    Lines(String),
    #[error("\"{0}\" does not follow @ in a pointer: write @turn#12")]
    At(String),
    #[error(
        "\"{0}\" is not a path in a pointer: relative to the root, without .., and %-encoded where it holds : # % @ or a blank"
    )]
    Path(String),
    #[error("\"{0}\" does not follow {1}#N in a pointer; {FORMS}")]
    Trailing(String, &'static str),
    #[error("more than {CHILDREN_DEEP} sub# in one pointer")]
    TooDeep,
}

const FORMS: &str = "the forms are file:src/a.py:L40-L55, file:src/a.py:L22, file:src/a.py (each may end in @turn#12), \
    cmd#12, cmd#12 exit=1, test#3, test#3 failed:NAME, turn#41, user#2, gate#1, span#diagnose#3, sub#2/turn#5, \
    and k3v9x2ab/turn#41 for another session";

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        match text.split_once('/') {
            Some((session, place)) if names_session(session) && begins_like_place(place) => {
                Ok(Self { session: Some(session.to_owned()), place: parse_place(place, CHILDREN_DEEP)? })
            }
            _ => Ok(Self { session: None, place: parse_place(text, CHILDREN_DEEP)? }),
        }
    }
}

impl Pointer {
    /// Whether a text was meant as a pointer, even if a typing error keeps it from being one: it begins like a place, or
    /// what follows its first slash does. `src/a.py` is neither, so it can be searched for as words.
    pub fn is_meant(text: &str) -> bool {
        let elsewhere = |(session, place): (&str, &str)| {
            !session.is_empty() && !session.contains(char::is_whitespace) && begins_like_place(place)
        };
        begins_like_place(text) || text.split_once('/').is_some_and(elsewhere)
    }
}

impl FromStr for LineRange {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        let line = |text: &str| text.strip_prefix('L').and_then(|digits| parse_number(digits).ok());
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (line(first), line(last)) {
            (Some(first), Some(last)) if 1 <= first && first <= last => Ok(Self { first, last }),
            _ => Err(PointerError::Lines(text.to_owned())),
        }
    }
}

/// Whatever can be the whole id of a stored session or its beginning. How many characters are enough is known only
/// where the sessions are: a whole id may have one.
fn names_session(text: &str) -> bool {
    (1..=LONGEST_SESSION_ID).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

fn begins_like_place(text: &str) -> bool {
    ["file:", "cmd#", "test#", "turn#", "user#", "gate#", "span#", "sub#"].iter().any(|start| text.starts_with(start))
}

fn parse_place(text: &str, depth: u32) -> Result<Place, PointerError> {
    let unknown = || PointerError::Unknown(text.to_owned());
    if let Some(file) = text.strip_prefix("file:") {
        return parse_file(file);
    }
    let (kind, rest) = text.split_once('#').ok_or_else(unknown)?;
    match kind {
        "cmd" => {
            let (number, exit) = parse_detailed(rest, " exit=", "cmd")?;
            Ok(Place::Cmd { number, exit: exit.map(parse_number).transpose()? })
        }
        "test" => {
            let (number, failed) = parse_detailed(rest, " failed:", "test")?;
            Ok(Place::Test { number, failed: failed.map(str::to_owned) })
        }
        "turn" => Ok(Place::Turn(TurnNo(parse_number(rest)?))),
        "user" => Ok(Place::User(parse_number(rest)?)),
        "gate" => Ok(Place::Gate(parse_number(rest)?)),
        "span" => {
            let (name, number) = rest.rsplit_once('#').filter(|(name, _)| !name.is_empty()).ok_or_else(unknown)?;
            Ok(Place::Span(SpanId { name: name.to_owned(), number: parse_number(number)? }))
        }
        "sub" => {
            let (number, place) = rest.split_once('/').ok_or_else(unknown)?;
            let depth = depth.checked_sub(1).ok_or(PointerError::TooDeep)?;
            Ok(Place::Sub { number: parse_number(number)?, place: Box::new(parse_place(place, depth)?) })
        }
        _ => Err(unknown()),
    }
}

fn parse_file(text: &str) -> Result<Place, PointerError> {
    let (text, at) = match text.split_once('@') {
        Some((text, at)) => {
            let turn = at.strip_prefix("turn#").and_then(|digits| parse_number(digits).ok());
            (text, Some(TurnNo(turn.ok_or_else(|| PointerError::At(at.to_owned()))?)))
        }
        None => (text, None),
    };
    let (encoded, lines) = match text.split_once(':') {
        Some((encoded, lines)) => (encoded, Some(lines.parse()?)),
        None => (text, None),
    };
    let path = Some(encoded)
        .filter(|encoded| !encoded.contains(|character| character != '%' && must_be_encoded(character)))
        .and_then(parse_path)
        .filter(|path| !path.is_empty() && !path.starts_with('/') && !path.split('/').any(|part| part == ".."))
        .ok_or_else(|| PointerError::Path(encoded.to_owned()))?;
    Ok(Place::File { path, lines, at })
}

/// `12`, or `12` followed by a mark and a detail that is not empty.
fn parse_detailed<'a>(text: &'a str, mark: &str, kind: &'static str) -> Result<(u32, Option<&'a str>), PointerError> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    let number = parse_number(if number.is_empty() { text } else { number })?;
    match rest.strip_prefix(mark) {
        Some(detail) if !detail.is_empty() => Ok((number, Some(detail))),
        None if rest.is_empty() => Ok((number, None)),
        _ => Err(PointerError::Trailing(rest.to_owned(), kind)),
    }
}

/// The standard library also reads `+1`, which would be a second way to write the same pointer.
fn parse_number<N: FromStr>(text: &str) -> Result<N, PointerError> {
    let refused = || PointerError::Number(text.to_owned());
    if text.starts_with('+') {
        return Err(refused());
    }
    text.parse().map_err(|_| refused())
}

#[cfg(test)]
mod tests;
