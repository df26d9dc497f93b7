//! The names of an object's fields, three levels deep, as far as its text goes.

/// No agent's sessions nest deeper.
const DEPTH: usize = 128;
/// Fields deeper than this tell nothing about a format.
const NAMED: usize = 3;

/// Paths such as `info.id` and `messages[].role`, of arrays only the first element, with the beginning of each text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline(Vec<(String, Option<String>)>);

impl Outline {
    /// Of the object with which the bytes begin.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut reader = Reader { bytes, at: 0, found: Vec::new() };
        // None where the text ends or is broken: what was found until there holds.
        let _ = reader.value("", 0);
        Self(reader.found)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|(known, _)| known == path)
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == path)?.1.as_deref()
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Vec<(String, Option<String>)>,
}

impl Reader<'_> {
    fn value(&mut self, path: &str, depth: usize) -> Option<()> {
        match self.peek()? {
            _ if depth > DEPTH => None,
            b'{' => self.object(path, depth),
            b'[' => self.array(path, depth),
            b'"' => {
                let text = self.string()?;
                if let Some((_, known)) = self.found.last_mut().filter(|(last, _)| last == path) {
                    *known = Some(text);
                }
                Some(())
            }
            _ => {
                let rest = &self.bytes[self.at..];
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                let length = rest.iter().position(ends)?;
                self.at += length;
                (length > 0).then_some(())
            }
        }
    }

    fn object(&mut self, path: &str, depth: usize) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                b',' => self.at += 1,
                b'"' => {
                    let name = self.string()?;
                    let is_named = depth < NAMED && !path.ends_with('\0');
                    let path = match (is_named, path) {
                        (false, _) => "\0".to_owned(),
                        (true, "") => name,
                        (true, path) => format!("{path}.{name}"),
                    };
                    if is_named {
                        self.found.push((path.clone(), None));
                    }
                    if self.peek()? != b':' {
                        return None;
                    }
                    self.at += 1;
                    self.value(&path, depth + 1)?;
                }
                _ => return None,
            }
        }
    }

    fn array(&mut self, path: &str, depth: usize) -> Option<()> {
        self.at += 1;
        let mut element = format!("{path}[]");
        loop {
            match self.peek()? {
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                b',' => self.at += 1,
                _ => {
                    self.value(&element, depth + 1)?;
                    // No name has a zero byte: the other elements are passed over.
                    element = "\0".to_owned();
                }
            }
        }
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        let blank = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blank;
        self.bytes.get(self.at).copied()
    }

    /// The beginning of a string, which is left behind. A line feed cannot stand in one: the line was cut off.
    fn string(&mut self) -> Option<String> {
        let from = self.at + 1;
        let mut at = from;
        loop {
            match self.bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                b'\n' => return None,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some(String::from_utf8_lossy(&self.bytes[from..at.min(from + 64)]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_three_levels_deep_and_as_far_as_the_text_goes() {
        let outline = Outline::read(
            br#"{"a": {"b": {"c": {"d": 1}}}, "l": [{"x": "y"}, {"z": 1}], "t": "te\"xt", "cut": {"in": "the mid"#,
        );
        let names: Vec<&str> = outline.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "a.b", "a.b.c", "l", "l[].x", "t", "cut", "cut.in"]);
        assert_eq!(outline.text("l[].x"), Some("y"));
        assert_eq!(outline.text("t"), Some(r#"te\"xt"#));
        assert_eq!(outline.text("cut.in"), None);
    }
}
