//! Which line of a document to show for a query. Works on plain text; knows no events and no index.

use super::query::{Case, Query};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// How many of the query's tokens the line holds.
    pub(super) tokens: usize,
    /// Without the space around it.
    pub(super) line: String,
    /// Characters of it that stand before what was found. Lower case may have more: then it is a little more.
    pub(super) before: usize,
    pub(super) number: u64,
}

/// A document with its text in lower case, as far as the query needs that.
#[derive(Debug)]
pub(super) struct Document {
    text: String,
    /// Lower case keeps the lines and their order, so a line has the same number in both texts.
    lowered: String,
    first_line: u64,
}

impl Document {
    pub(super) fn new(text: String, first_line: u64, query: &Query) -> Self {
        let lowered = match query.case {
            Case::Ascii => text.to_ascii_lowercase(),
            Case::Unicode => text.to_lowercase(),
        };
        Self { text, lowered, first_line }
    }

    pub(super) fn has_paths(&self, query: &Query) -> bool {
        query.paths.iter().all(|path| self.lowered.contains(path.as_str()))
    }

    /// The first line that holds the query as it was written, but for case.
    pub(super) fn find_literal(&self, query: &Query) -> Option<Found> {
        let at = find(&self.lowered, &query.literal)?;
        Some(self.found(at, query.tokens.len()))
    }

    /// The first of the lines that hold most of the query's tokens.
    pub(super) fn find_closest(&self, query: &Query) -> Found {
        let mut best = (0, 0);
        // Where each token stands next: only lines that hold one are looked at.
        let mut next: Vec<Option<usize>> = query.tokens.iter().map(|token| find(&self.lowered, token)).collect();
        while let Some(at) = next.iter().flatten().copied().min() {
            let end = self.lowered[at..].find('\n').map_or(self.lowered.len(), |feed| at + feed);
            let tokens = next.iter().flatten().filter(|at| **at < end).count();
            if tokens > best.0 {
                best = (tokens, at);
            }
            if tokens == query.tokens.len() {
                break;
            }
            for (place, token) in next.iter_mut().zip(&query.tokens) {
                if place.is_some_and(|at| at < end) {
                    *place = self.lowered[end..].find(token.as_str()).map(|at| end + at);
                }
            }
        }
        self.found(best.1, best.0)
    }

    /// The line that byte `at` of the lowered text is in.
    fn found(&self, at: usize, tokens: usize) -> Found {
        let before = &self.lowered[..at];
        let feeds = before.bytes().filter(|byte| *byte == b'\n').count();
        let start = before.rfind('\n').map_or(0, |feed| feed + 1);
        let line = self.text.split('\n').nth(feeds).unwrap_or_default();
        let space = line.chars().take_while(|character| character.is_whitespace()).count();
        let before = before[start..].chars().count().saturating_sub(space);
        Found { tokens, line: line.trim().to_owned(), before, number: self.first_line + feeds as u64 }
    }
}

/// The standard library compares many bytes at a time for whether there is a match, but not for where.
fn find(text: &str, wanted: &str) -> Option<usize> {
    if text.contains(wanted) { text.find(wanted) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    fn find_literal(document: &str, first_line: u64, query: &Query) -> Option<Found> {
        Document::new(document.to_owned(), first_line, query).find_literal(query)
    }

    fn find_closest(document: &str, first_line: u64, query: &Query) -> Found {
        Document::new(document.to_owned(), first_line, query).find_closest(query)
    }

    #[test]
    fn letters_beyond_ascii_have_case_too() {
        let found = find_literal("İx\nDIE GRÖSSE", 1, &query("die Grösse")).unwrap();
        assert_eq!((found.line.as_str(), found.number), ("DIE GRÖSSE", 2));
        let found = find_literal("→ 数据 Index", 1, &query("数据 index")).unwrap();
        assert_eq!(found.line, "→ 数据 Index");
    }

    #[test]
    fn a_literal_line_is_found_whatever_its_case() {
        let found = find_literal("name of a user\n  the User Name \nuser name", 1, &query("user name")).unwrap();
        assert_eq!((found.line.as_str(), found.number), ("the User Name", 2));
        assert_eq!(find_literal("get_user_name", 1, &query("user name")), None);
    }

    #[test]
    fn without_a_literal_line_most_words_win() {
        let found = find_closest("a user\nget_user_name\nname", 1, &query("getUserName"));
        assert_eq!((found.line.as_str(), found.number), ("get_user_name", 2));
        let found = find_closest("a b\nc\nx b c\nd a\nb a c", 7, &query("a b c"));
        assert_eq!((found.line.as_str(), found.number, found.tokens), ("b a c", 11, 3));
        let found = find_closest("nothing\nof that", 7, &query("zz qq"));
        assert_eq!((found.line.as_str(), found.number, found.tokens), ("nothing", 7, 0));
    }

    #[test]
    fn a_long_line_is_whole_and_says_where_the_match_is() {
        let document = format!("first\n  {}needle{}", "é ".repeat(500), " y".repeat(500));
        let found = find_literal(&document, 1, &query("needle")).unwrap();
        assert_eq!((found.line.as_str(), found.before), (document.trim_start_matches("first\n").trim(), 1_000));
    }
}
