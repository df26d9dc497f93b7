//! A shell script as a flat list of simple commands, with what stands between them.
//!
//! Unlike the plain words of `attribute`, this reads any text and never refuses: what it does not understand becomes a
//! part of a word that nobody knows. The structure of loops, conditions and functions is not kept: each command in them
//! counts as run. What the commands mean is not known here.

use super::pattern::{Element, Pattern};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Plain(Element),
    Variable { name: String, quoted: bool },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word(pub(super) Vec<Piece>);

#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    /// The files that its output is redirected to.
    pub(super) writes: Vec<Word>,
    /// Its here-documents, by their places in the script.
    pub(super) bodies: Vec<usize>,
    /// What runs while its words are made.
    pub(super) nested: Vec<Script>,
}

#[derive(Debug)]
pub(super) enum Item {
    Command(Command),
    Pipe,
    /// Any other end of a command.
    End,
    /// Of a subshell.
    Open,
    Close,
}

#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) items: Vec<Item>,
    pub(super) bodies: Vec<String>,
}

/// Substitutions nested deeper than this are not looked into.
const DEEPEST: u32 = 16;

/// Looking further for the end of each bracket would take too long.
const LONGEST_CLASS: usize = 64;

pub(super) fn parse_script(text: &str) -> Script {
    parse_at(text, 0)
}

fn parse_at(text: &str, depth: u32) -> Script {
    let mut parser = Parser { rest: text, depth, waiting: Vec::new(), bodies: Vec::new() };
    let items = parser.parse_list(Until::End);
    Script { items, bodies: parser.bodies }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Parenthesis,
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
    /// Here-documents whose lines have not come yet.
    waiting: Vec<HereDocument>,
    bodies: Vec<String>,
}

struct HereDocument {
    body: usize,
    delimiter: String,
    indented: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_blanks(&mut self) {
        while self.take(" ") || self.take("\t") || self.take("\r") || self.take("\\\n") {}
    }

    fn parse_list(&mut self, until: Until) -> Vec<Item> {
        let mut items = Vec::new();
        let mut command = Command::default();
        let mut open = 0_u32;
        loop {
            self.skip_blanks();
            let Some(next) = self.peek() else { break };
            match next {
                '\n' => {
                    self.next();
                    self.read_bodies();
                    end(&mut items, &mut command, Item::End);
                }
                '&' if self.rest.starts_with("&>") => {
                    self.next();
                    self.parse_redirection(&mut command);
                }
                ';' | '&' => {
                    self.next();
                    end(&mut items, &mut command, Item::End);
                }
                '|' => {
                    let item = if self.take("||") { Item::End } else { Item::Pipe };
                    let _ = matches!(item, Item::Pipe) && (self.take("|&") || self.take("|"));
                    end(&mut items, &mut command, item);
                }
                '(' if command.words.is_empty() && self.rest.starts_with("((") => self.skip_arithmetic(),
                '(' => {
                    self.next();
                    open += 1;
                    end(&mut items, &mut command, Item::Open);
                }
                ')' => {
                    self.next();
                    if open == 0 && until == Until::Parenthesis {
                        break;
                    }
                    open = open.saturating_sub(1);
                    end(&mut items, &mut command, Item::Close);
                }
                '#' => self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]),
                '<' | '>' => self.parse_redirection(&mut command),
                _ if self.skip_descriptor() => self.parse_redirection(&mut command),
                _ => {
                    let word = self.parse_word(&mut command.nested);
                    command.words.push(word);
                }
            }
        }
        end(&mut items, &mut command, Item::End);
        items
    }

    /// The `2` of `2>`.
    fn skip_descriptor(&mut self) -> bool {
        let behind = self.rest.trim_start_matches(|next: char| next.is_ascii_digit());
        let is_descriptor = behind.len() < self.rest.len() && behind.starts_with(['<', '>']);
        if is_descriptor {
            self.rest = behind;
        }
        is_descriptor
    }

    fn parse_redirection(&mut self, command: &mut Command) {
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            self.next();
            self.next();
            let piece = self.parse_substitution(&mut command.nested);
            command.words.push(Word(vec![piece]));
            return;
        }
        let operators = ["<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">"];
        let Some(operator) = operators.into_iter().find(|operator| self.take(operator)) else { return };
        self.skip_blanks();
        if self.peek().is_none_or(|next| "\n;&|()<>".contains(next)) {
            return;
        }
        let word = self.parse_word(&mut command.nested);
        match operator {
            "<<" | "<<-" => {
                let body = self.bodies.len();
                self.bodies.push(String::new());
                command.bodies.push(body);
                self.waiting.push(HereDocument { body, delimiter: word.delimiter(), indented: operator == "<<-" });
            }
            ">&" if word.is_descriptor() => {}
            ">" | ">>" | ">|" | ">&" => command.writes.push(word),
            _ => {}
        }
    }

    /// The lines of the here-documents that were announced on the line before.
    fn read_bodies(&mut self) {
        for HereDocument { body, delimiter, indented } in std::mem::take(&mut self.waiting) {
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                let line = if indented { line.trim_start_matches('\t') } else { line };
                if line.strip_suffix('\r').unwrap_or(line) == delimiter {
                    break;
                }
                self.bodies[body].push_str(line);
                self.bodies[body].push('\n');
            }
        }
    }

    /// `((…))`, in which `>` compares.
    fn skip_arithmetic(&mut self) {
        let mut open = 0_u32;
        while let Some(next) = self.next() {
            match next {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    fn parse_word(&mut self, nested: &mut Vec<Script>) -> Word {
        let mut word = Word::default();
        while let Some(next) = self.peek() {
            if matches!(next, ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>') {
                break;
            }
            self.next();
            match next {
                '\'' => self.parse_single_quoted(&mut word),
                '"' => self.parse_double_quoted(&mut word, nested),
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(character) => word.push_character(character),
                },
                '$' if self.take("'") => self.parse_escaped(&mut word),
                '$' if self.take("\"") => self.parse_double_quoted(&mut word, nested),
                '$' => self.parse_expansion(&mut word, nested, false),
                '`' => self.parse_backquoted(&mut word, nested),
                '*' => word.push(Element::Star),
                '?' => word.push(Element::One),
                '[' => self.parse_class(&mut word),
                '{' => self.parse_braces(&mut word),
                character => word.push_character(character),
            }
        }
        word
    }

    fn parse_single_quoted(&mut self, word: &mut Word) {
        let (text, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
        self.rest = rest;
        word.push_text(text);
    }

    /// `$'…'`. The escapes are left as they are: names with line feeds in them are not worth the trouble.
    fn parse_escaped(&mut self, word: &mut Word) {
        while let Some(next) = self.next() {
            match next {
                '\'' => return,
                '\\' => {
                    if let Some(character) = self.next() {
                        word.push_character(character);
                    }
                }
                character => word.push_character(character),
            }
        }
    }

    fn parse_double_quoted(&mut self, word: &mut Word, nested: &mut Vec<Script>) {
        word.push_text("");
        while let Some(next) = self.next() {
            match next {
                '"' => return,
                '$' => self.parse_expansion(word, nested, true),
                '`' => self.parse_backquoted(word, nested),
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(character @ ('$' | '`' | '"' | '\\')) => word.push_character(character),
                    Some(character) => {
                        word.push_character('\\');
                        word.push_character(character);
                    }
                },
                character => word.push_character(character),
            }
        }
    }

    /// What follows a dollar sign.
    fn parse_expansion(&mut self, word: &mut Word, nested: &mut Vec<Script>, quoted: bool) {
        if self.rest.starts_with("((") {
            self.skip_arithmetic();
            word.push(Element::Unknown);
        } else if self.take("(") {
            let piece = self.parse_substitution(nested);
            word.0.push(piece);
        } else if self.take("{") {
            let inside = self.skip_to_brace();
            let is_name =
                |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            word.0.push(match is_name(inside) {
                true => Piece::Variable { name: inside.to_owned(), quoted },
                false => Piece::Plain(Element::Unknown),
            });
        } else {
            let end = self.rest.find(|next: char| !(next.is_ascii_alphanumeric() || next == '_'));
            let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            if !name.is_empty() {
                self.rest = rest;
                word.0.push(Piece::Variable { name: name.to_owned(), quoted });
            } else if self.peek().is_some_and(|next| "@*#?$!-".contains(next)) {
                self.next();
                word.push(Element::Unknown);
            } else {
                word.push_character('$');
            }
        }
    }

    /// Up to the brace that closes `${`.
    fn skip_to_brace(&mut self) -> &str {
        let mut open = 1_u32;
        for (at, byte) in self.rest.bytes().enumerate() {
            match byte {
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            if open == 0 {
                let inside = &self.rest[..at];
                self.rest = &self.rest[at + 1..];
                return inside;
            }
        }
        std::mem::take(&mut self.rest)
    }

    /// What stands in `$(…)`, behind the parenthesis.
    fn parse_substitution(&mut self, nested: &mut Vec<Script>) -> Piece {
        if self.depth < DEEPEST {
            self.depth += 1;
            let outside = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.bodies));
            let items = self.parse_list(Until::Parenthesis);
            nested.push(Script { items, bodies: std::mem::take(&mut self.bodies) });
            (self.waiting, self.bodies) = outside;
            self.depth -= 1;
        }
        Piece::Plain(Element::Unknown)
    }

    fn parse_backquoted(&mut self, word: &mut Word, nested: &mut Vec<Script>) {
        let mut text = String::new();
        while let Some(next) = self.next().filter(|next| *next != '`') {
            match next {
                '\\' => text.extend(self.next()),
                character => text.push(character),
            }
        }
        if self.depth < DEEPEST {
            nested.push(parse_at(&text, self.depth + 1));
        }
        word.push(Element::Unknown);
    }

    /// `[…]`, or a bracket that nothing closes before the word ends.
    fn parse_class(&mut self, word: &mut Word) {
        let mut near = self.rest.char_indices().take(LONGEST_CLASS);
        let end = near.find(|(_, next)| "] \t\n/;|&'\"".contains(*next)).map(|(end, _)| end);
        match end.filter(|end| *end > 0 && self.rest[*end..].starts_with(']')) {
            Some(end) => {
                self.rest = &self.rest[end + 1..];
                word.push(Element::One);
            }
            None => word.push_character('['),
        }
    }

    /// `{a,b}` and `{1..3}` stand for several words; anything else in braces is text.
    fn parse_braces(&mut self, word: &mut Word) {
        let end = self.rest.find(['}', '{', ' ', '\t', '\n', ';', '|', '&', '\'', '"', '$']);
        let inside = end.filter(|end| self.rest[*end..].starts_with('}')).map(|end| &self.rest[..end]);
        match inside.filter(|inside| inside.contains(',') || inside.contains("..")) {
            Some(inside) => {
                word.push(if inside.contains(['/', '*']) { Element::Deep } else { Element::Star });
                self.rest = &self.rest[inside.len() + 1..];
            }
            None => word.push_character('{'),
        }
    }
}

fn end(items: &mut Vec<Item>, command: &mut Command, item: Item) {
    let command = std::mem::take(command);
    if !(command.words.is_empty() && command.writes.is_empty() && command.nested.is_empty()) {
        items.push(Item::Command(command));
    }
    items.push(item);
}

impl Word {
    fn push(&mut self, element: Element) {
        self.0.push(Piece::Plain(element));
    }

    fn push_text(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Piece::Plain(Element::Text(last))) => last.push_str(text),
            _ => self.push(Element::Text(text.to_owned())),
        }
    }

    fn push_character(&mut self, character: char) {
        self.push_text(character.encode_utf8(&mut [0; 4]));
    }

    /// The text that it begins with.
    pub(super) fn prefix(&self) -> &str {
        match self.0.first() {
            Some(Piece::Plain(Element::Text(text))) => text,
            _ => "",
        }
    }

    fn is_descriptor(&self) -> bool {
        let digits = |text: &str| text.strip_suffix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
        matches!(self.0.as_slice(), [Piece::Plain(Element::Text(text))] if digits(text))
    }

    /// The last line of a here-document: nothing is expanded in it.
    fn delimiter(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Plain(Element::Text(text)) => text.clone(),
            Piece::Variable { name, .. } => format!("${name}"),
            Piece::Plain(_) => "*".to_owned(),
        };
        self.0.iter().map(text).collect()
    }

    /// `NAME=value`, cut into both.
    pub(super) fn assignment(&self) -> Option<(&str, Word)> {
        let (name, value) = self.prefix().split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !is_name {
            return None;
        }
        let mut rest = Word(vec![Piece::Plain(Element::Text(value.to_owned()))]);
        rest.0.extend(self.0[1..].iter().cloned());
        Some((name, rest))
    }
}

impl Pattern {
    pub(super) fn push_plain(&mut self, element: &Element) {
        match element {
            Element::Text(text) => self.push_text(text),
            element => self.push(element.clone()),
        }
    }
}
