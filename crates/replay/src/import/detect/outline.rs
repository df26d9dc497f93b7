//! The names of an object's fields, three levels deep, as far as its text goes.

use lookback_wire::body::{BodyError, Scanner, Text};

/// Fields deeper than this tell nothing about a format.
const NAMED: usize = 3;
/// Bytes of a name or a text: nothing that tells formats apart is longer.
const TOLD: usize = 64;

/// Paths such as `info.id` and `messages[].role`, of arrays only the first element, with the beginning of each text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline(Vec<(String, Option<String>)>);

impl Outline {
    /// Of the object with which the bytes begin.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut outline = Self::default();
        // An error where the text ends or is broken: what was found until there holds.
        let _ = outline.value(&mut Scanner::new(bytes), "", NAMED);
        outline
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|(known, _)| known == path)
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == path)?.1.as_deref()
    }

    /// `levels` are those that are still looked into.
    fn value(&mut self, scanner: &mut Scanner<'_>, path: &str, levels: usize) -> Result<(), BodyError> {
        match (scanner.peek(), levels.checked_sub(1)) {
            (Some(b'{'), Some(levels)) => scanner.object(|scanner, name| {
                let name = beginning(scanner, name);
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                self.0.push((path.clone(), None));
                self.value(scanner, &path, levels)
            })?,
            (Some(b'['), Some(levels)) => {
                let (element, mut is_first) = (format!("{path}[]"), true);
                scanner.list(|scanner| match std::mem::take(&mut is_first) {
                    true => self.value(scanner, &element, levels),
                    false => scanner.value().map(drop),
                })?
            }
            _ => {
                let text = scanner.text()?.map(|text| beginning(scanner, text));
                if let Some((_, known)) = self.0.last_mut().filter(|(last, _)| last == path) {
                    *known = text;
                }
                return Ok(());
            }
        };
        Ok(())
    }
}

/// As it is written.
fn beginning(scanner: &Scanner<'_>, text: Text) -> String {
    let (start, end) = (text.span.start, text.span.end.min(text.span.start + TOLD));
    String::from_utf8_lossy(&scanner.bytes()[start..end]).into_owned()
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
