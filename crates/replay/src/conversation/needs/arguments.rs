//! What the arguments of a call name.

use serde_json::{Map, Value};

use super::{Holds, NeedKind, holds, names::weight, patch, shell};
use crate::parameters::NAMED_WEIGHT;

/// docs/measuring.md, "Recall": 12 characters or more. Shorter lines stand in any file.
pub(super) const SHORTEST_LINE: usize = 12;
/// `[A-Za-z_][A-Za-z0-9_]{5,}`: docs/measuring.md, "Recall".
const SHORTEST_SYMBOL: usize = 6;
/// What a `Read` without a limit gives, in Claude Code.
const USUAL_LIMIT: u32 = 2_000;

/// Everything that the calls of one step name; the same thing may come twice.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) items: Vec<(NeedKind, String)>,
    /// Lines of files that are asked for.
    pub(super) places: Vec<Place>,
    weight: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The last component of the path.
    pub(super) name: String,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Named {
    /// Arguments are JSON, or raw text: a patch, a command, or code whose string literals are commands.
    pub(super) fn read(&mut self, arguments: &str) {
        match serde_json::from_str(arguments) {
            Ok(Value::Object(fields)) => self.object(&fields),
            Ok(Value::String(text)) => self.raw(&text),
            Ok(_) => {}
            Err(_) => self.raw(arguments),
        }
    }

    fn raw(&mut self, text: &str) {
        if let Some(patch) = patch::parse_patch(text) {
            self.patch(patch);
        } else if text.contains("await ") || text.contains("tools.") {
            literals(text).iter().for_each(|literal| self.command(literal));
        } else {
            self.command(text);
        }
    }

    fn object(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            self.value(holds(name), value);
        }
        self.range(fields);
    }

    /// A list holds what its name says; an object in it has names of its own.
    fn value(&mut self, holds: Holds, value: &Value) {
        match value {
            Value::String(text) => self.text(holds, text),
            Value::Array(items) => items.iter().for_each(|item| self.value(holds, item)),
            Value::Object(fields) => self.object(fields),
            _ => {}
        }
    }

    fn text(&mut self, holds: Holds, text: &str) {
        match holds {
            Holds::Path => self.path(text),
            Holds::Pattern => self.symbols(text),
            Holds::Command => self.command(text),
            Holds::Replaced => self.lines(text.lines()),
            Holds::Patch => {
                if let Some(patch) = patch::parse_patch(text) {
                    self.patch(patch);
                }
            }
            Holds::Contents => {}
        }
    }

    /// Behind as many as are looked for in a session none is kept.
    fn has_room(&mut self, text: &str) -> bool {
        self.weight += weight(text);
        self.weight <= NAMED_WEIGHT
    }

    fn item(&mut self, kind: NeedKind, text: &str) {
        if self.has_room(text) {
            self.items.push((kind, text.to_owned()));
        }
    }

    fn place(&mut self, name: &str, first: u32, last: u32) {
        if self.has_room(name) {
            self.places.push(Place { name: name.to_owned(), first, last });
        }
    }

    fn path(&mut self, path: &str) {
        if let Some(name) = shell::last_component(path) {
            self.item(NeedKind::Path, name);
        }
        self.symbols(path);
    }

    fn symbols(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let symbol = word.trim_start_matches(|c: char| c.is_ascii_digit());
            if symbol.len() >= SHORTEST_SYMBOL {
                self.item(NeedKind::Symbol, symbol);
            }
        }
    }

    fn lines<'t>(&mut self, lines: impl Iterator<Item = &'t str>) {
        // Blanks before a line belong to it: an edit copied with others fails.
        let long = lines.map(str::trim_end).filter(|line| line.trim_start().chars().count() >= SHORTEST_LINE);
        long.for_each(|line| self.item(NeedKind::EditLine, line));
    }

    fn patch(&mut self, patch: patch::Patch) {
        patch.paths.iter().for_each(|path| self.path(path));
        self.lines(patch.lines.iter().map(String::as_str));
    }

    fn command(&mut self, command: &str) {
        let trimmed = command.trim();
        if trimmed.chars().count() >= SHORTEST_LINE {
            self.item(NeedKind::Command, trimmed);
        }
        let shell::Told { text, documents, words } = shell::tell(command);
        for document in &documents {
            if let Some(patch) = patch::parse_patch(document) {
                self.patch(patch);
            }
        }
        if documents.is_empty()
            && let Some(patch) = patch::parse_patch(&text)
        {
            return self.patch(patch);
        }
        self.symbols(&text);
        let mut range = None;
        for word in words {
            range = sed_range(&word).or(range);
            let Some((path, line)) = shell::path_of(&word) else { continue };
            let Some(name) = shell::last_component(path) else { continue };
            self.item(NeedKind::Path, name);
            if let Some((first, last)) = line.map(|line| (line, line)).or(range.take()) {
                self.place(name, first, last);
            }
        }
    }

    /// `offset` and `limit`, `start_line` and `end_line`, `view_range`, beside a path.
    fn range(&mut self, fields: &Map<String, Value>) {
        let path = fields.iter().find(|(name, _)| holds(name) == Holds::Path).and_then(|(_, path)| path.as_str());
        let Some(name) = path.and_then(shell::last_component) else { return };
        let number = |name: &str| fields.get(name).and_then(Value::as_u64).map(|number| number as u32);
        let of_view = |at: usize| fields.get("view_range")?.as_array()?.get(at)?.as_u64().map(|number| number as u32);
        let Some(first) = number("offset").or(number("start_line")).or(of_view(0)) else { return };
        let limit = number("limit").unwrap_or(USUAL_LIMIT);
        let last = number("end_line").or(of_view(1)).unwrap_or(first.saturating_add(limit));
        self.place(name, first, last);
    }
}

/// `12,40p` and `12p`.
fn sed_range(word: &str) -> Option<(u32, u32)> {
    let lines = word.strip_suffix('p')?;
    let (first, last) = lines.split_once(',').unwrap_or((lines, lines));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The string literals of code, decoded.
fn literals(code: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut characters = code.chars();
    while let Some(quote) = characters.next() {
        if !matches!(quote, '"' | '\'' | '`') {
            continue;
        }
        let mut literal = String::new();
        while let Some(c) = characters.next() {
            match c {
                '\\' => {
                    literal.push('\\');
                    literal.extend(characters.next());
                }
                c if c == quote => break,
                c => literal.push(c),
            }
        }
        literals.push(patch::decode(&literal));
    }
    literals
}

/// The strings of arguments, decoded, one a line.
pub(crate) fn push_decoded(found: &mut String, arguments: &str) {
    fn walk(value: &Value, found: &mut String) {
        match value {
            Value::String(text) => {
                found.push_str(text);
                found.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            Value::Object(fields) => fields.values().for_each(|item| walk(item, found)),
            _ => {}
        }
    }
    match serde_json::from_str(arguments) {
        Ok(value) => walk(&value, found),
        Err(_) => found.push_str(arguments),
    }
}
