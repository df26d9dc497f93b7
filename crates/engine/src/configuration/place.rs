//! Where in a TOML text a field stands, for messages.
//!
//! It reads lines, not TOML: a heading and a key are enough to find a setting, since none of ours is longer than a line.

use std::collections::BTreeMap;

/// A place in a text, for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInText {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// As far as the line names one.
    pub field: Option<String>,
}

/// Line, column and field of a byte.
pub fn at(text: &str, offset: usize) -> PlaceInText {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    let field = named_fields(text).into_iter().find(|named| named.line == line).map(|named| named.field);
    PlaceInText { line, column, field }
}

/// The line that sets a field: one with its name, the heading of its table, or what an inline table is given to.
pub fn line_of(text: &str, field: &str) -> Option<usize> {
    FieldLines::of(text).line_of(field)
}

/// The lines of all fields of a text: for whoever asks for many.
#[derive(Debug)]
pub struct FieldLines {
    named: BTreeMap<String, usize>,
    /// Without the headings.
    given: BTreeMap<String, usize>,
}

impl FieldLines {
    /// Reads the text once.
    pub fn of(text: &str) -> Self {
        let (mut named, mut given) = (BTreeMap::new(), BTreeMap::new());
        for Named { line, field, is_heading } in named_fields(text) {
            if !is_heading {
                given.insert(field.clone(), line);
            }
            named.insert(field, line);
        }
        Self { named, given }
    }

    /// See [`line_of`].
    pub fn line_of(&self, field: &str) -> Option<usize> {
        // A longer name says it more exactly.
        let mut above = field.rmatch_indices('.').map(|(end, _)| &field[..end]);
        self.named.get(field).copied().or_else(|| above.find_map(|name| self.given.get(name).copied()))
    }
}

struct Named {
    line: usize,
    field: String,
    is_heading: bool,
}

fn named_fields(text: &str) -> Vec<Named> {
    let mut table = String::new();
    let mut fields = Vec::new();
    for (line, written) in (1..).zip(text.lines()) {
        let written = written.trim();
        if let Some(heading) = written.strip_prefix('[') {
            table = plain(heading.split(']').next().unwrap_or(heading));
            fields.push(Named { line, field: table.clone(), is_heading: true });
        } else if let Some((key, _)) = written.split_once('=').filter(|_| !written.starts_with('#')) {
            let key = plain(key);
            let field = if table.is_empty() { key } else { format!("{table}.{key}") };
            fields.push(Named { line, field, is_heading: false });
        }
    }
    fields
}

/// A dotted name without quotes and the blanks around its parts. Blanks inside of a name stay: what hides keys looks for
/// words.
fn plain(name: &str) -> String {
    let parts = name.split('.').map(|part| part.trim().replace(['"', '\''], ""));
    parts.collect::<Vec<_>>().join(".")
}
