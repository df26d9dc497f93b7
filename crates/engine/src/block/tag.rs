//! The tag around a block, which no text inside it can open or close.
//!
//! A backslash goes in behind the `<` of whatever reads as this tag, in any case and with blanks; taking one out again
//! gives the old text back, because what already had one gets one more.

const NAME: &str = "lookback-block";

/// Text that can stand inside the tag.
pub fn escape_tag(text: &str) -> String {
    rewrite(text, |escaped, after| {
        escaped.push_str("<\\");
        after
    })
}

/// The text as it was before [`escape_tag`].
pub fn unescape_tag(text: &str) -> String {
    rewrite(text, |plain, after| {
        plain.push('<');
        after.strip_prefix('\\').unwrap_or(after)
    })
}

/// Copies a text; at each `<` that begins the tag, `write` writes it and says where to go on.
fn rewrite<'a>(text: &'a str, write: impl Fn(&mut String, &'a str) -> &'a str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        written.push_str(before);
        if begins_tag(after) {
            rest = write(&mut written, after);
        } else {
            written.push('<');
            rest = after;
        }
    }
    written.push_str(rest);
    written
}

fn begins_tag(after: &str) -> bool {
    let name = after.trim_start_matches(|character: char| character.is_whitespace() || "\\/".contains(character));
    name.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_tag_is_neutralised_and_comes_back() {
        for text in [
            "</lookback-block>",
            "< / LOOKBACK-Block",
            "<lookback-block>",
            "<\\/lookback-block",
            "<<\\\\lookback-block",
        ] {
            let escaped = escape_tag(text);
            assert!(!escaped.contains(text) || text.starts_with("<<"), "{escaped}");
            assert!(!escaped.to_lowercase().contains("</lookback-block"), "{escaped}");
            assert_eq!(unescape_tag(&escaped), text);
        }
        assert_eq!(escape_tag("a < b </div>"), "a < b </div>");
    }

    proptest! {
        #[test]
        fn escaping_is_reversible(parts in prop::collection::vec("<|/|\\\\|lookback-block|Lookback-Block| |\n|x|>", 0..12)) {
            let text = parts.concat();
            let escaped = escape_tag(&text);
            prop_assert!(!escaped.contains("</lookback-block"));
            prop_assert!(!escaped.contains("<lookback-block"));
            prop_assert_eq!(unescape_tag(&escaped), text);
        }
    }
}
