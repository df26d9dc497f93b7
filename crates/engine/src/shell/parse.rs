//! Reads any text as a shell command, by the rules of the POSIX shell and the most used ones of bash.
//!
//! It never refuses: what it does not understand becomes a part of a word that nobody knows.

use std::ops::Range;

use super::{
    pattern::Element,
    script::{Command, Item, Joint, Piece, Redirection, RedirectionKind, Script, Word},
};
use crate::configuration::commands::LONGEST_SCRIPT;
use crate::configuration::commands::{LONGEST_CLASS, SUBSTITUTIONS_DEEP};

impl Script {
    /// Any text. One that is too long is not read: it may do anything.
    pub fn parse(text: &str) -> Self {
        match text.len() > LONGEST_SCRIPT {
            true => Self { items: Vec::new(), documents: Vec::new(), complete: false },
            false => parse_part(text, text.len(), 0),
        }
    }
}

/// `end` is where the part ends in the whole text.
fn parse_part(part: &str, end: usize, depth: u32) -> Script {
    let mut parser = Parser { rest: part, end, depth, waiting: Vec::new(), documents: Vec::new(), complete: true };
    let items = parser.parse_list(Until::End);
    let complete = parser.complete && parser.waiting.is_empty();
    Script { items, documents: parser.documents, complete }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Parenthesis,
}

struct Parser<'a> {
    rest: &'a str,
    /// Where it ends in the whole text.
    end: usize,
    depth: u32,
    /// Here-documents whose lines have not come yet.
    waiting: Vec<HereDocument>,
    documents: Vec<(String, Range<usize>)>,
    complete: bool,
}

struct HereDocument {
    place: usize,
    delimiter: String,
    indented: bool,
}

impl<'a> Parser<'a> {
    /// How far it has come.
    fn at(&self) -> usize {
        self.end - self.rest.len()
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    /// The next one inside of something that must be closed.
    fn next_inside(&mut self) -> Option<char> {
        let next = self.next();
        self.complete &= next.is_some();
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
            let start = self.at();
            let Some(next) = self.peek() else {
                self.complete &= until == Until::End && open == 0;
                break;
            };
            let joint = match next {
                '\n' => {
                    self.next();
                    self.read_documents();
                    Joint::Line
                }
                _ if self.is_redirection() => {
                    self.parse_redirection(&mut command);
                    continue;
                }
                '&' if self.take("&&") => Joint::And,
                '|' if self.take("||") => Joint::Or,
                '|' if self.take("|&") || self.take("|") => Joint::Pipe,
                ';' if self.take(";") => Joint::Semicolon,
                '&' if self.take("&") => Joint::Background,
                '(' if command.words.is_empty() && self.rest.starts_with("((") => {
                    self.skip_to_close(['(', ')'], 0);
                    continue;
                }
                '(' if self.take("(") => {
                    open += 1;
                    Joint::Open
                }
                ')' => {
                    self.next();
                    if open == 0 && until == Until::Parenthesis {
                        break;
                    }
                    open = open.saturating_sub(1);
                    Joint::Close
                }
                '#' => {
                    self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
                    continue;
                }
                _ => {
                    let word = self.parse_word(&mut command.nested);
                    command.words.push(word);
                    continue;
                }
            };
            end(&mut items, &mut command, joint, start..self.at());
        }
        end(&mut items, &mut command, Joint::Semicolon, self.at()..self.at());
        items
    }

    /// `>`, `2>`, `&>`.
    fn is_redirection(&self) -> bool {
        let behind = self.rest.trim_start_matches(|next: char| next.is_ascii_digit());
        behind.starts_with(['<', '>']) || self.rest.starts_with("&>")
    }

    fn parse_redirection(&mut self, command: &mut Command) {
        self.take("&");
        let behind = self.rest.trim_start_matches(|next: char| next.is_ascii_digit());
        let descriptor = self.rest[..self.rest.len() - behind.len()].parse().ok();
        self.rest = behind;
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            let start = self.at();
            self.next();
            self.next();
            let piece = self.parse_substitution(&mut command.nested);
            command.words.push(Word { pieces: vec![piece], start });
            return;
        }
        let operators = ["<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">"];
        let Some(operator) = operators.into_iter().find(|operator| self.take(operator)) else { return };
        self.skip_blanks();
        if self.peek().is_none_or(|next| "\n;&|()<>".contains(next)) {
            self.complete = false;
            return;
        }
        let target = self.parse_word(&mut command.nested);
        let kind = match operator {
            "<<" | "<<-" => {
                let place = self.documents.len();
                self.documents.push((String::new(), 0..0));
                self.waiting.push(HereDocument { place, delimiter: target.text(), indented: operator == "<<-" });
                RedirectionKind::Document(place)
            }
            ">&" | "<&" if is_descriptor(&target) => RedirectionKind::Duplicate,
            ">" | ">>" | ">|" | ">&" => RedirectionKind::Write,
            "<<<" => RedirectionKind::Text,
            _ => RedirectionKind::Read,
        };
        command.redirections.push(Redirection { descriptor, kind, target });
    }

    /// The lines of the here-documents that were announced on the line before.
    fn read_documents(&mut self) {
        for HereDocument { place, delimiter, indented } in std::mem::take(&mut self.waiting) {
            let start = self.at();
            let mut text = String::new();
            let mut ended = false;
            while !self.rest.is_empty() && !ended {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                let line = if indented { line.trim_start_matches('\t') } else { line };
                ended = line.strip_suffix('\r').unwrap_or(line) == delimiter;
                if !ended {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            self.complete &= ended;
            self.documents[place] = (text, start..self.at());
        }
    }

    /// What stands before the bracket that closes all that is open: of `${…}`, and of `((…))`, in which `>` compares.
    fn skip_to_close(&mut self, [opens, closes]: [char; 2], mut open: u32) -> &'a str {
        let from = self.rest;
        while let Some(next) = self.next_inside() {
            open = open + u32::from(next == opens) - u32::from(next == closes);
            if open == 0 {
                return &from[..from.len() - self.rest.len() - closes.len_utf8()];
            }
        }
        from
    }

    fn parse_word(&mut self, nested: &mut Vec<Script>) -> Word {
        let mut word = Word { pieces: Vec::new(), start: self.at() };
        while let Some(next) = self.peek() {
            if let Some(rest) = self.behind_group().filter(|_| next == '(' && !word.pieces.is_empty()) {
                self.rest = rest;
                word.push(Element::Unknown);
                continue;
            }
            if matches!(next, ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>') {
                break;
            }
            self.next();
            match next {
                '\'' => self.parse_single_quoted(&mut word),
                '"' => self.parse_double_quoted(&mut word, nested),
                '\\' => match self.next_inside() {
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

    /// What follows `(app)` inside of a word: some shells have groups there.
    fn behind_group(&self) -> Option<&'a str> {
        let inside = self.rest.strip_prefix('(')?;
        let end = inside.find([')', '(', ' ', '\t', '\n', ';', '\'', '"', '$', '`']).filter(|end| *end > 0)?;
        inside[end..].strip_prefix(')')
    }

    fn parse_single_quoted(&mut self, word: &mut Word) {
        let end = self.rest.find('\'');
        self.complete &= end.is_some();
        let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        word.push_text(text);
        self.rest = rest.strip_prefix('\'').unwrap_or(rest);
    }

    /// `$'…'`. The escapes are left as they are: names with line feeds in them are not worth the trouble.
    fn parse_escaped(&mut self, word: &mut Word) {
        while let Some(next) = self.next_inside() {
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
        while let Some(next) = self.next_inside() {
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
            self.skip_to_close(['(', ')'], 0);
            word.push(Element::Unknown);
        } else if self.take("(") {
            let piece = self.parse_substitution(nested);
            word.pieces.push(piece);
        } else if self.take("{") {
            let inside = self.skip_to_close(['{', '}'], 1);
            let is_name =
                |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            word.pieces.push(match is_name(inside) {
                true => Piece::Variable { name: inside.to_owned(), quoted },
                false if inside.starts_with("PIPESTATUS[") => Piece::Variable { name: String::new(), quoted },
                false => Piece::Plain(Element::Unknown),
            });
        } else {
            let end = self.rest.find(|next: char| !(next.is_ascii_alphanumeric() || next == '_'));
            let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            if !name.is_empty() {
                self.rest = rest;
                word.pieces.push(Piece::Variable { name: name.to_owned(), quoted });
            } else if self.peek().is_some_and(|next| "#?$!".contains(next)) {
                self.next();
                word.pieces.push(Piece::Variable { name: String::new(), quoted });
            } else if self.peek().is_some_and(|next| "@*-".contains(next)) {
                self.next();
                word.push(Element::Unknown);
            } else {
                word.push_character('$');
            }
        }
    }

    /// What stands in `$(…)`, behind the parenthesis.
    fn parse_substitution(&mut self, nested: &mut Vec<Script>) -> Piece {
        if self.depth < SUBSTITUTIONS_DEEP {
            self.depth += 1;
            let outside = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.documents));
            let items = self.parse_list(Until::Parenthesis);
            let complete = self.complete && self.waiting.is_empty();
            nested.push(Script { items, documents: std::mem::take(&mut self.documents), complete });
            (self.waiting, self.documents) = outside;
            self.depth -= 1;
        } else {
            self.complete = false;
        }
        Piece::Plain(Element::Unknown)
    }

    /// Read as it stands: another substitution inside, behind backslashes, is text.
    fn parse_backquoted(&mut self, word: &mut Word, nested: &mut Vec<Script>) {
        let (part, start) = (self.rest, self.at());
        while let Some(next) = self.next_inside().filter(|next| *next != '`') {
            if next == '\\' {
                self.next();
            }
        }
        let length = part.len() - self.rest.len();
        let inside = part[..length].strip_suffix('`').unwrap_or(&part[..length]);
        if self.depth < SUBSTITUTIONS_DEEP {
            nested.push(parse_part(inside, start + inside.len(), self.depth + 1));
        } else {
            self.complete = false;
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

fn end(items: &mut Vec<Item>, command: &mut Command, joint: Joint, span: Range<usize>) {
    let command = std::mem::take(command);
    if !(command.words.is_empty() && command.redirections.is_empty() && command.nested.is_empty()) {
        items.push(Item::Command(command));
    }
    items.push(Item::Joint(joint, span));
}

/// `1`, `-`, `2-`: no name of a file.
fn is_descriptor(target: &Word) -> bool {
    let digits = |text: &str| text.strip_suffix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    target.literal().is_some_and(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of each command, without redirections and comments.
    #[track_caller]
    fn reads(text: &str, expected: &[&[&str]]) {
        let script = Script::parse(text);
        let words = |command: &Command| command.words.iter().map(Word::text).collect::<Vec<_>>();
        let commands: Vec<Vec<String>> = script.commands().map(words).filter(|words| !words.is_empty()).collect();
        assert_eq!(commands, expected, "{text}");
        assert!(script.complete, "{text}");
    }

    #[test]
    fn lists_and_pipes() {
        reads("cd x && pytest | tail -5", &[&["cd", "x"], &["pytest"], &["tail", "-5"]]);
        reads("a;b & c || d\n(e f)|& g # h; i", &[&["a"], &["b"], &["c"], &["d"], &["e", "f"], &["g"]]);
        reads("", &[]);
        reads("# only a comment", &[]);
    }

    #[test]
    fn words() {
        reads(
            "echo 'a;b' \"c | \\\"d\\\" $e\" f\\ g h#i \\\n ${j} *",
            &[&["echo", "a;b", "c | \"d\" $e", "f g", "h#i", "$j", "*"]],
        );
        reads("echo ''", &[&["echo", ""]]);
        reads("cat a'b'\"c\"'' x/(app)/y f() { z; }", &[&["cat", "abc", "x/$/y", "f"], &["{", "z"], &["}"]]);
        reads(r#"grep -n "a\|b.*\$" "end$" f"#, &[&["grep", "-n", r"a\|b.*$", "end$", "f"]]);
    }

    #[test]
    fn redirections() {
        reads("a >b 2>&1 <c >>d &>e 2> /dev/null f2>g h", &[&["a", "f2", "h"]]);
        reads("cat <<< pytest; b", &[&["cat"], &["b"]]);
        reads("cat <<'EOF' >x\npytest; '\nEOF\nb", &[&["cat"], &["b"]]);
        reads("cat <<-A <<B; b\n1\n\tA\n2\nB", &[&["cat"], &["b"]]);
    }

    #[test]
    fn what_is_not_closed_is_not_complete() {
        for text in [
            "echo 'a",
            "echo \"a",
            "echo $(a",
            "echo `a",
            "echo \"$(a\"",
            "cat <(a",
            "echo $'a",
            "a \\",
            "a >",
            "(a",
            "echo ${a",
            "cat <<EOF\nno end",
            "cat <<EOF",
        ] {
            assert!(!Script::parse(text).complete, "{text}");
        }
    }

    #[test]
    fn what_is_too_long_is_not_read_and_may_do_anything() {
        let long = "{ ".repeat(LONGEST_SCRIPT);
        let script = Script::parse(&long);
        assert!(script.items.is_empty() && !script.complete);
        assert!(!crate::shell::changed_files(&script, "").patterns.is_empty());
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "cd 'a b' && x \"$(y z)\" `w` > f | tail <<E\nbody\nE\n";
        let script = Script::parse(text);
        let starts: Vec<&str> = script.words().iter().map(|word| &text[word.start..=word.start]).collect();
        assert_eq!(starts, ["c", "'", "x", "\"", "`", "f", "y", "z", "w", "t", "E"]);
        let spans = script.items.iter().filter_map(|item| match item {
            Item::Joint(joint, span) => Some((*joint, &text[span.clone()])),
            Item::Command(_) => None,
        });
        let expected = [(Joint::And, "&&"), (Joint::Pipe, "|"), (Joint::Line, "\nbody\nE\n"), (Joint::Semicolon, "")];
        assert_eq!(spans.collect::<Vec<_>>(), expected);
        assert_eq!(script.documents, [("body\n".to_owned(), 42..49)]);
    }
}
