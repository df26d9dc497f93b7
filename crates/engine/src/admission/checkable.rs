//! What of a claim's text can be held against its evidence letter by letter: numbers, words that look like code, and
//! text in backticks or quotes (docs/design/folding.md, "Admission").
//!
//! Everything else in a claim is wording. Which evidence is meant is not known here.

use memchr::memmem;

/// One thing that must occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Checkable {
    Number(String),
    /// A number after "line", or `L22`: a place in a file.
    Line(u32),
    /// Words that hold `_ . / ::` or an inner capital.
    Word(String),
    Quoted(String),
    /// `cmd#3`: names a place of the trace.
    Pointer(String),
}

impl Checkable {
    pub(super) fn render(&self) -> String {
        match self {
            Self::Number(text) | Self::Word(text) | Self::Pointer(text) => text.clone(),
            Self::Line(number) => format!("line {number}"),
            Self::Quoted(text) => format!("`{text}`"),
        }
    }

    /// Whether a text holds it. Places of a trace stand in no text.
    pub(super) fn occurs_in(&self, text: &str) -> bool {
        match self {
            Self::Number(number) => number_occurs(number, text),
            // `balance()` names what stands in code as `balance(self)`.
            Self::Word(word) | Self::Quoted(word) => occurs(word.strip_suffix("()").unwrap_or(word), text),
            Self::Line(_) | Self::Pointer(_) => false,
        }
    }
}

/// They look like code and are ordinary words.
const PLAIN: [&str; 7] = ["and/or", "either/or", "yes/no", "e.g", "i.e", "n/a", "w/o"];

/// Up to this length a word of capitals is taken for a common short form (JSON, HTTP); beyond it for a name (ENOENT).
const LONGEST_ACRONYM: usize = 4;

pub(super) fn checkables(text: &str) -> Vec<Checkable> {
    let (quoted, plain) = split_quoted(text);
    let mut found: Vec<Checkable> = quoted.into_iter().map(Checkable::Quoted).collect();
    let mut follows = Follows::Anything;
    let is_outer = |character: char| !character.is_ascii_graphic() || ";()[]{}<>|=\"'".contains(character);
    for piece in plain.split_inclusive(is_outer) {
        let (word, end) = match piece.char_indices().next_back() {
            Some((at, last)) if is_outer(last) => (&piece[..at], last),
            _ => (piece, ' '),
        };
        let word = word.trim_end_matches(['.', ',', ':', '!', '?', '*']).trim_start_matches('*');
        if !word.is_empty() {
            read_word(word, follows, &mut found);
            follows = follows.after(word);
        }
        follows = match end {
            '第' => Follows::Line,
            '–' | '—' | '、' => follows,
            other if other.is_ascii() => follows,
            _ => Follows::Anything,
        };
    }
    found
}

/// Whether a number that comes now is the number of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    Anything,
    /// "line 22": one number.
    Line,
    /// "lines 22, 23 and 25".
    Lines,
}

impl Follows {
    fn after(self, word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "line" => Self::Line,
            "lines" => Self::Lines,
            "and" | "to" | "through" | "-" if self == Self::Lines => Self::Lines,
            number if self == Self::Lines && number.starts_with(|first: char| first.is_ascii_digit()) => Self::Lines,
            _ => Self::Anything,
        }
    }
}

fn read_word(word: &str, follows: Follows, found: &mut Vec<Checkable>) {
    if PLAIN.contains(&word.to_ascii_lowercase().as_str()) {
        return;
    }
    if let Some((kind, _)) = word.split_once('#')
        && ["cmd", "test", "turn", "user", "gate", "span", "sub"].contains(&kind)
    {
        return found.push(Checkable::Pointer(word.to_owned()));
    }
    if let Some(range) = word.strip_prefix('L').filter(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit())) {
        let numbers = range.split('-').filter_map(|number| number.trim_start_matches('L').parse().ok());
        return found.extend(numbers.map(Checkable::Line));
    }
    if word.contains(|character: char| character.is_ascii_alphabetic()) {
        let names = word.split(',').filter(|name| is_code(name));
        let before = found.len();
        found.extend(names.map(|name| Checkable::Word(name.to_owned())));
        if found.len() > before {
            return;
        }
    }
    for number in numbers(word) {
        match number.parse() {
            Ok(line) if follows != Follows::Anything => found.push(Checkable::Line(line)),
            _ => found.push(Checkable::Number(number.to_owned())),
        }
    }
}

/// Quoted texts, and the rest with a blank where each stood. An unclosed quote is no quote.
fn split_quoted(text: &str) -> (Vec<String>, String) {
    let mut quoted = Vec::new();
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // Once a closing mark is not found it never will be: without this, a text of nothing but opening marks is quadratic.
    let mut unclosed = String::new();
    while let Some(open) = rest.chars().next() {
        let after = &rest[open.len_utf8()..];
        let starts_word = plain.chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let close = match open {
            '`' | '"' => Some(open),
            '\'' if starts_word => Some('\''),
            '“' => Some('”'),
            '「' => Some('」'),
            _ => None,
        };
        let end = close.filter(|close| !unclosed.contains(*close)).and_then(|close| {
            let found = after.find(close);
            if found.is_none() {
                unclosed.push(close);
            }
            found.map(|at| (at, at + close.len_utf8()))
        });
        match end {
            Some((at, end)) => {
                let parts = after[..at].split('…').map(str::trim).filter(|part| !part.is_empty());
                quoted.extend(parts.map(str::to_owned));
                plain.push(' ');
                rest = &after[end..];
            }
            None => {
                plain.push(open);
                rest = after;
            }
        }
    }
    (quoted, plain)
}

/// Nothing but one quotation: none of the words are the author's own.
pub(super) fn is_quotation(text: &str) -> bool {
    let inner = text.strip_prefix('“').and_then(|rest| rest.strip_suffix('”'));
    inner.is_some_and(|inner| inner.contains(char::is_alphanumeric) && !inner.contains(['“', '”']))
}

fn is_code(word: &str) -> bool {
    let bytes = word.as_bytes();
    // A point between digits belongs to a number, unless a name holds it: 0.83s, but v1.2.
    let is_name = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let in_name = |at: usize| is_name(0) || is_name(at + 1) || at.checked_sub(1).is_some_and(is_name);
    let inner_point = (0..bytes.len())
        .any(|at| bytes[at] == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) && in_name(at));
    word.contains('_')
        || word.contains('/')
        || word.contains("::")
        || inner_point
        || word.split('-').any(has_inner_capital)
}

fn has_inner_capital(part: &str) -> bool {
    if !part.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()) {
        return false;
    }
    let singular = part.strip_suffix('s').unwrap_or(part);
    let is_acronym = !singular.bytes().any(|byte| byte.is_ascii_lowercase());
    !is_acronym || singular.len() > LONGEST_ACRONYM
}

/// Digits with points and commas between them, not inside a name.
fn numbers(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while is_digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && is_digit(at + 1)) {
            at += 1;
        }
        if start == 0 || !is_word_byte(bytes[start - 1]) {
            found.push(&word[start..at]);
        }
    }
    found
}

/// Does a text hold this, and not as a part of a longer word?
pub(super) fn occurs(needle: &str, text: &str) -> bool {
    let Some((first, last)) = needle.chars().next().zip(needle.chars().next_back()) else { return true };
    memmem::find_iter(text.as_bytes(), needle).any(|at| {
        let before = text.as_bytes()[..at].last();
        let after = text.as_bytes().get(at + needle.len());
        let joins = |edge: char, next: Option<&u8>| is_word(edge) && next.is_some_and(|byte| is_word_byte(*byte));
        !joins(first, before) && !joins(last, after)
    })
}

/// The same for a number: 3 does not occur in 13, 3.5, 0.3 or x3. Groups of digits may be written without commas.
pub(super) fn number_occurs(number: &str, text: &str) -> bool {
    let stands = |number: &str| {
        memmem::find_iter(text.as_bytes(), number).any(|at| {
            let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + number.len()..]);
            let begins = match before {
                [.., digit, b'.' | b','] => !digit.is_ascii_digit(),
                [.., byte] => !is_word_byte(*byte),
                [] => true,
            };
            let ends = match after {
                [b'.' | b',', digit, ..] => !digit.is_ascii_digit(),
                [byte, ..] => !byte.is_ascii_digit(),
                [] => true,
            };
            begins && ends
        })
    };
    stands(number) || (number.contains(',') && stands(&number.replace(',', "")))
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests;
