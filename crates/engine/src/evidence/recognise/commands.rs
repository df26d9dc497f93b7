//! A command line as the simple commands in it, whatever joins them: `a && b | c; (d)`, loops, here-documents.
//!
//! [`super::super::shell`] reads the same language for another purpose: it must know every word as the program will get
//! it, and refuses the rest. Here only the programs must be certain, so globs and variables stay as they are written.

use std::{iter::Peekable, str::Chars};

/// The words of each simple command, without quotes, redirections and comments; assignments and reserved words are words.
/// None where a part cannot be read, or where words come from commands inside them.
pub(super) fn parse_commands(text: &str) -> Option<Vec<Vec<String>>> {
    let mut reader =
        Reader { rest: text.chars().peekable(), commands: Vec::new(), words: Vec::new(), bodies: Vec::new() };
    while let Some(next) = reader.rest.next() {
        reader.read(next)?;
    }
    reader.end_command();
    reader.bodies.is_empty().then_some(reader.commands)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    /// The words that end the here-documents whose texts begin after this line.
    bodies: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self, next: char) -> Option<()> {
        match next {
            ' ' | '\t' | '\r' => {}
            '\n' => {
                self.end_command();
                self.skip_bodies()?;
            }
            '&' if self.rest.next_if_eq(&'>').is_some() => self.skip_target()?,
            ';' | '|' | '&' | '(' | ')' => self.end_command(),
            '#' => while self.rest.next_if(|next| *next != '\n').is_some() {},
            '<' if self.rest.next_if_eq(&'<').is_some() => self.read_here()?,
            '<' | '>' => self.skip_target()?,
            '\\' if self.rest.next_if_eq(&'\n').is_some() => {}
            _ => {
                let word = self.read_word(Some(next))?;
                let descriptor = word.bytes().all(|byte| byte.is_ascii_digit());
                if !(descriptor && matches!(self.rest.peek(), Some('<' | '>'))) {
                    self.words.push(word);
                }
            }
        }
        Some(())
    }

    fn end_command(&mut self) {
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }

    /// What follows `<` or `>`: a file or a descriptor. `<(…)` runs a command.
    fn skip_target(&mut self) -> Option<()> {
        while self.rest.next_if(|next| matches!(next, '>' | '&' | '|')).is_some() {}
        self.read_target().map(|_| ())
    }

    fn read_target(&mut self) -> Option<String> {
        while self.rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
        Some(self.read_word(None)?).filter(|word| !word.is_empty())
    }

    /// What follows `<<`.
    fn read_here(&mut self) -> Option<()> {
        if self.rest.next_if_eq(&'<').is_some() {
            return self.read_target().map(|_| ());
        }
        self.rest.next_if_eq(&'-');
        let end = self.read_target()?;
        self.bodies.push(end);
        Some(())
    }

    fn skip_bodies(&mut self) -> Option<()> {
        for end in std::mem::take(&mut self.bodies) {
            loop {
                self.rest.peek()?;
                let mut line = String::new();
                while let Some(next) = self.rest.next_if(|next| *next != '\n') {
                    line.push(next);
                }
                if line.trim_start_matches('\t') == end {
                    break;
                }
                // Where the end is not quoted, these run; whether it was is not worth knowing.
                if line.contains("$(") || line.contains('`') {
                    return None;
                }
                self.rest.next();
            }
        }
        Some(())
    }

    fn read_word(&mut self, first: Option<char>) -> Option<String> {
        let mut word = String::new();
        let mut next = first.or_else(|| self.next_of_word());
        while let Some(character) = next {
            match character {
                '\'' => loop {
                    match self.rest.next()? {
                        '\'' => break,
                        quoted => word.push(quoted),
                    }
                },
                '"' => self.read_double_quoted(&mut word)?,
                '\\' => word.extend(Some(self.rest.next()?).filter(|escaped| *escaped != '\n')),
                '`' => return None,
                // A command or a sum, or quotes with rules of their own.
                '$' if matches!(self.rest.peek(), Some('(' | '\'')) => return None,
                plain => word.push(plain),
            }
            next = self.next_of_word();
        }
        Some(word)
    }

    fn next_of_word(&mut self) -> Option<char> {
        self.rest.next_if(|next| !" \t\r\n;|&()<>".contains(*next))
    }

    fn read_double_quoted(&mut self, word: &mut String) -> Option<()> {
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '`' => return None,
                '$' if self.rest.peek() == Some(&'(') => return None,
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    escaped @ ('$' | '`' | '"' | '\\') => word.push(escaped),
                    other => word.extend(['\\', other]),
                },
                plain => word.push(plain),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, expected: &[&[&str]]) {
        let commands = parse_commands(text).unwrap();
        assert_eq!(commands, expected, "{text}");
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
            &[&["echo", "a;b", "c | \"d\" $e", "f g", "h#i", "${j}", "*"]],
        );
        reads("echo ''", &[&["echo", ""]]);
        for text in
            ["echo 'a", "echo \"a", "echo $(a)", "echo `a`", "echo \"$(a)\"", "cat <(a)", "echo $'a'", "a \\", "a >"]
        {
            assert_eq!(parse_commands(text), None, "{text}");
        }
    }

    #[test]
    fn redirections() {
        reads("a >b 2>&1 <c >>d &>e 2> /dev/null f2>g h", &[&["a", "f2", "h"]]);
        reads("cat <<< pytest; b", &[&["cat"], &["b"]]);
        reads("cat <<'EOF' >x\npytest; '\nEOF\nb", &[&["cat"], &["b"]]);
        reads("cat <<-A <<B; b\n1\n\tA\n2\nB", &[&["cat"], &["b"]]);
        for text in ["cat <<EOF\n$(pytest)\nEOF", "cat <<EOF\nno end", "cat <<EOF"] {
            assert_eq!(parse_commands(text), None, "{text}");
        }
    }
}
