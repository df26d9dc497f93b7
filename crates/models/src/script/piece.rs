//! A reply in the pieces in which it comes, and a reply that ends before its end. Knows no API.

use lookback_wire::{ReplyContent, Seal};

/// A text in its words, each with the space behind it. Together they are the text.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '\n'])
}

/// The first `characters` of what a reply says. Where it ends inside of thinking, nothing was sealed; where inside of a
/// call, the call is unfinished.
pub fn cut_reply(parts: &[ReplyContent], characters: usize) -> Vec<ReplyContent> {
    let mut left = characters;
    let mut kept = Vec::new();
    for part in parts {
        if left == 0 {
            break;
        }
        let (text, ends_inside) = match part {
            ReplyContent::Text(text) | ReplyContent::Thinking { text, .. } => head(text, left),
            ReplyContent::Call { arguments, .. } | ReplyContent::UnfinishedCall { arguments, .. } => {
                head(arguments, left)
            }
            ReplyContent::Unknown => continue,
        };
        left -= text.chars().count().min(left);
        let text = text.to_owned();
        kept.push(match part.clone() {
            ReplyContent::Thinking { .. } if ends_inside => ReplyContent::Thinking { text, seal: Seal::None },
            ReplyContent::Call { id, name, .. } if ends_inside => {
                ReplyContent::UnfinishedCall { id, name, arguments: text }
            }
            ReplyContent::UnfinishedCall { id, name, .. } => ReplyContent::UnfinishedCall { id, name, arguments: text },
            ReplyContent::Text(_) => ReplyContent::Text(text),
            whole => whole,
        });
    }
    kept
}

/// At most so many characters, and whether the stream ends with or within them.
fn head(text: &str, characters: usize) -> (&str, bool) {
    let end = text.char_indices().nth(characters).map_or(text.len(), |(end, _)| end);
    (&text[..end], text.chars().count() >= characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text() {
        for text in ["", "one", "one two\n\n  three 测试 四\n"] {
            assert_eq!(pieces(text).collect::<String>(), text);
        }
        assert_eq!(pieces("a b\nc").collect::<Vec<_>>(), ["a ", "b\n", "c"]);
    }

    #[test]
    fn a_cut_leaves_what_came_before_it() {
        let thinking = ReplyContent::Thinking { text: "测试".into(), seal: Seal::Plain };
        let call = ReplyContent::Call { id: "a".into(), name: "Read".into(), arguments: "{}".into() };
        let parts = [thinking.clone(), ReplyContent::Text("abc".into()), call];
        let unsealed = ReplyContent::Thinking { text: "测".into(), seal: Seal::None };
        let unfinished = |arguments: &str| ReplyContent::UnfinishedCall {
            id: "a".into(),
            name: "Read".into(),
            arguments: arguments.into(),
        };
        assert_eq!(cut_reply(&parts, 0), []);
        assert_eq!(cut_reply(&parts, 1), [unsealed]);
        assert_eq!(cut_reply(&parts, 4), [thinking.clone(), ReplyContent::Text("ab".into())]);
        assert_eq!(cut_reply(&parts, 6), [thinking.clone(), ReplyContent::Text("abc".into()), unfinished("{")]);
        assert_eq!(cut_reply(&parts, 7), [thinking, ReplyContent::Text("abc".into()), unfinished("{}")]);
        assert_eq!(cut_reply(&parts, 8), parts);
    }
}
