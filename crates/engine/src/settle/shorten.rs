//! Long lines made short, and lines behind their numbers. Which lines stay is not known here.

use std::borrow::Cow;

use crate::evidence::lines::lossy;

/// At most so many characters, then how many more there were. A text that this would not make shorter stays whole.
pub(super) fn shorten(text: &str, characters: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(characters) else {
        return Cow::Borrowed(text);
    };
    let rest = text[end..].chars().count();
    let mark = format!("…[+{rest} characters]");
    if rest <= mark.chars().count() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}{mark}", &text[..end]))
}

/// `12: text`, one below the other.
pub(super) fn render_numbered<'a>(lines: impl Iterator<Item = (u32, Cow<'a, str>)>, characters: usize) -> String {
    let lines: Vec<String> = lines.map(|(number, line)| format!("{number}: {}", shorten(&line, characters))).collect();
    lines.join("\n")
}

/// Lines of bytes, shortened, one below the other.
pub(super) fn render_plain<'a>(lines: impl Iterator<Item = &'a [u8]>, characters: usize) -> String {
    let lines: Vec<String> = lines.map(|line| shorten(&lossy(line), characters).into_owned()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_says_how_much_is_missing() {
        assert_eq!(shorten(&"回".repeat(100), 3), "回回回…[+97 characters]");
        assert_eq!(shorten("short", 5), "short");
    }

    #[test]
    fn what_would_not_get_shorter_stays() {
        let text = "x".repeat(20);
        assert_eq!(shorten(&text, 3), text);
    }
}
