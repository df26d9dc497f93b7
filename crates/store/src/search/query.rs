//! From what a person or a model asks to an FTS5 expression. Every token is quoted: no input is syntax.

use super::words::{self, Joint, Run, each_run, pairs};

/// Shorter beginnings would match most of the index and tell nothing.
const SHORTEST_PREFIX: usize = 3;

/// Nobody looks for more words at once; whoever pastes a page finds what holds its first ones.
const MOST_WORDS: usize = 32;

#[derive(Debug)]
pub(super) struct Query {
    /// All of these have to be in a document.
    terms: Vec<Term>,
    /// The query as it was written, in lower case, for finding it literally.
    pub(super) literal: String,
    /// Tokens to look for in lines where it is not literally.
    pub(super) tokens: Vec<String>,
    /// Has to be in a document as written, but for case: the index knows a path only by its neighbours.
    pub(super) paths: Vec<String>,
    pub(super) case: Case,
}

/// Which letters of a document have to be lowered before the query can be looked for in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// Those of ASCII, which is many times faster: the query has no others.
    Ascii,
    Unicode,
}

#[derive(Debug, Clone)]
enum Term {
    /// Tokens one after another; or, where one identifier was asked for, the same joined.
    Phrase { tokens: Vec<String>, whole: Option<String> },
    /// Words with slashes: neighbours, and what has none, in the order of the text.
    Path { tokens: Vec<String>, pieces: Vec<String>, last: Joint, written: String },
    /// A single CJK character inside other text.
    Character(String),
}

impl Query {
    /// None where it holds nothing to search for.
    pub(super) fn parse(query: &str) -> Option<Self> {
        let terms = query.split_whitespace().take(MOST_WORDS).flat_map(terms).collect();
        Self::of(terms, query.trim().to_lowercase())
    }

    /// The same with paths as words one after another, whatever is between them; none where there is no path.
    pub(super) fn loosened(&self) -> Option<Self> {
        if self.paths.is_empty() {
            return None;
        }
        let terms = self.terms.iter().cloned().map(Term::loosened).collect();
        Self::of(terms, self.literal.clone())
    }

    fn of(terms: Vec<Term>, literal: String) -> Option<Self> {
        let tokens = terms.iter().flat_map(Term::tokens).cloned().collect::<Vec<_>>();
        let paths = terms.iter().filter_map(Term::written).map(str::to_owned).collect();
        let cased = |character: char| !character.is_ascii() && character.to_uppercase().ne([character]);
        let case = if literal.chars().any(cased) { Case::Unicode } else { Case::Ascii };
        (!tokens.is_empty()).then_some(Self { terms, literal, tokens, paths, case })
    }

    /// Documents with all words, as they stand; only those of a session, where one is given.
    pub(super) fn exact(&self, session: Option<i64>) -> String {
        let terms = self.terms.iter().map(|term| term.render("")).collect();
        with_session(terms, session)
    }

    /// The same with the last word as the beginning of one; none where it cannot be.
    pub(super) fn prefix(&self, session: Option<i64>) -> Option<String> {
        let (last, others) = self.terms.split_last()?;
        let end = match last {
            Term::Phrase { whole: Some(whole), .. } => whole,
            Term::Phrase { tokens, .. } | Term::Path { tokens, .. } => tokens.last()?,
            Term::Character(_) => return None,
        };
        let long_enough = end.chars().count() >= SHORTEST_PREFIX && end.chars().all(|character| character < '\u{1100}');
        long_enough.then(|| {
            let terms = others.iter().map(|term| term.render("")).chain([last.render(" *")]).collect();
            with_session(terms, session)
        })
    }

    /// The last word itself, where `prefix` would take it as a beginning.
    pub(super) fn last_word(&self) -> Option<String> {
        match self.terms.last()? {
            Term::Phrase { tokens, .. } => tokens.last().map(|token| format!("\"{token}\"")),
            Term::Path { .. } | Term::Character(_) => None,
        }
    }

    /// What can hold the query literally among the documents with all words; none where that excludes none or cannot be
    /// asked.
    pub(super) fn adjacent(&self, session: Option<i64>) -> Option<String> {
        let expression = match self.terms.as_slice() {
            [Term::Phrase { whole: Some(whole), .. }] => format!("\"{whole}\""),
            [_] => return None,
            terms if terms.iter().any(|term| matches!(term, Term::Character(_))) => return None,
            _ => format!("text : \"{}\"", self.tokens.join(" ")),
        };
        Some(with_session(vec![expression], session))
    }
}

impl Term {
    fn tokens(&self) -> &[String] {
        match self {
            Self::Phrase { tokens, .. } | Self::Path { tokens, .. } => tokens,
            Self::Character(character) => std::slice::from_ref(character),
        }
    }

    fn written(&self) -> Option<&str> {
        match self {
            Self::Path { written, .. } => Some(written),
            Self::Phrase { .. } | Self::Character(_) => None,
        }
    }

    fn loosened(self) -> Self {
        match self {
            Self::Path { tokens, .. } => Self::Phrase { tokens, whole: None },
            other => other,
        }
    }

    /// `star` follows the phrases that may be beginnings only.
    fn render(&self, star: &str) -> String {
        match self {
            Self::Phrase { tokens, whole: None } => match tokens.as_slice() {
                [token] => format!("\"{token}\"{star}"),
                tokens => format!("text : \"{}\"{star}", tokens.join(" ")),
            },
            Self::Phrase { tokens, whole: Some(whole) } => {
                format!("(text : \"{}\"{star} OR \"{whole}\"{star})", tokens.join(" "))
            }
            Self::Path { pieces, last, .. } => {
                let mut pieces: Vec<String> = pieces.iter().map(|piece| format!("\"{piece}\"")).collect();
                match last {
                    Joint::Slash => pieces.iter_mut().next_back().into_iter().for_each(|last| last.push_str(star)),
                    // All words that begin like an `.rs` or `.json` would be most of the index. The text tells.
                    Joint::Other if !star.is_empty() => drop(pieces.pop()),
                    Joint::Other => {}
                }
                pieces.join(" AND ")
            }
            Self::Character(character) => format!("extra : \"{character}\""),
        }
    }
}

fn with_session(mut terms: Vec<String>, session: Option<i64>) -> String {
    terms.extend(session.map(|key| format!("\"{}\"", words::of_session(key))));
    terms.join(" AND ")
}

/// What one word of the query asks for: mostly one phrase. A single CJK character breaks it, because in a document it
/// may be half of a pair.
fn terms(word: &str) -> Vec<Term> {
    let mut runs = Vec::new();
    each_run(word, |joint, run| runs.push((joint, run)));
    if let [(_, Run::Word { parts, whole })] = runs.as_slice() {
        let whole = (parts.len() > 1).then(|| whole.clone());
        return vec![Term::Phrase { tokens: parts.clone(), whole }];
    }
    if let Some(path) = path(word, &runs) {
        return vec![path];
    }
    let mut terms = Vec::new();
    let mut phrase = Vec::new();
    for (_, run) in runs {
        match run {
            Run::Word { parts, .. } => phrase.extend(parts),
            Run::Cjk(characters) => match characters.as_slice() {
                [single] => {
                    terms.extend(close(&mut phrase));
                    terms.push(Term::Character(single.to_string()));
                }
                characters => phrase.extend(pairs(characters)),
            },
        }
    }
    terms.extend(close(&mut phrase));
    terms
}

fn close(phrase: &mut Vec<String>) -> Option<Term> {
    (!phrase.is_empty()).then(|| Term::Phrase { tokens: std::mem::take(phrase), whole: None })
}

/// The word as a path, where it has a slash between words and no CJK.
fn path(word: &str, runs: &[(Joint, Run)]) -> Option<Term> {
    let mut tokens = Vec::new();
    let mut wholes = Vec::new();
    for (joint, run) in runs {
        let Run::Word { parts, whole } = run else { return None };
        tokens.extend(parts.iter().cloned());
        wholes.push((*joint, whole.as_str()));
    }
    let mut pieces = Vec::new();
    let mut last = Joint::Other;
    for (at, (joint, whole)) in wholes.iter().enumerate() {
        let next = wholes.get(at + 1).map(|(joint, _)| *joint);
        last = if at > 0 { *joint } else { Joint::Other };
        match last {
            Joint::Slash => pieces.push(words::neighbours(wholes[at - 1].1, whole)),
            Joint::Other if next != Some(Joint::Slash) => pieces.push((*whole).to_owned()),
            Joint::Other => {}
        }
    }
    let is_path = pieces.iter().any(|piece| piece.contains('/'));
    let written = word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
    is_path.then_some(Term::Path { tokens, pieces, last, written })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(query: &str) -> String {
        Query::parse(query).unwrap().exact(None)
    }

    #[test]
    fn words_are_joined_by_and_and_identifiers_are_phrases() {
        assert_eq!(exact("fix get_user_name"), "\"fix\" AND text : \"get user name\"");
        assert_eq!(exact("userName"), "(text : \"user name\" OR \"username\")");
        assert_eq!(exact("数据库 中"), "text : \"数据 据库\" AND extra : \"中\"");
    }

    #[test]
    fn only_the_last_word_is_a_prefix_and_only_if_it_says_something() {
        let prefix = |query| Query::parse(query).unwrap().prefix(Some(7));
        assert_eq!(prefix("a load"), Some("\"a\" AND \"load\" * AND \"/7\"".into()));
        assert_eq!(prefix("load a"), None);
        assert_eq!(prefix("load 数据"), None);
    }

    #[test]
    fn paths_are_asked_for_by_their_neighbours() {
        assert_eq!(exact("./src/a-b/c.py:12"), "\"src/a\" AND \"b/c\" AND \"py\" AND \"12\"");
        assert_eq!(exact("crates/x/myApp"), "\"crates/x\" AND \"x/myapp\"");
        assert_eq!(exact("https://a.b"), "text : \"https a b\"");
        assert_eq!(exact("路径/src"), "text : \"路径 src\"");
        let query = |text| Query::parse(text).unwrap();
        assert_eq!(query("src/test").prefix(None).unwrap(), "\"src/test\" *");
        assert_eq!(query("src/a.toml").prefix(None).unwrap(), "\"src/a\"");
        assert_eq!(query("in /Src/a.rs:").paths, ["src/a.rs"]);
        assert_eq!(query("src/a.rs").loosened().unwrap().exact(None), "text : \"src a rs\"");
        assert!(query("src a").loosened().is_none());
    }

    #[test]
    fn what_may_be_literal_has_its_words_together() {
        let adjacent = |query| Query::parse(query).unwrap().adjacent(None);
        assert_eq!(adjacent("fix get_user 数据库"), Some("text : \"fix get user 数据 据库\"".into()));
        assert_eq!(adjacent("userName"), Some("\"username\"".into()));
        assert_eq!(adjacent("src/a.rs"), None);
        assert_eq!(adjacent("user"), None);
        assert_eq!(adjacent("get_user"), None);
        assert_eq!(adjacent("中 user"), None);
    }

    #[test]
    fn only_letters_beyond_ascii_that_have_case_need_unicode() {
        let case = |query| Query::parse(query).unwrap().case;
        assert_eq!([case("Name"), case("数据 a"), case("Größe")], [Case::Ascii, Case::Ascii, Case::Unicode]);
    }

    #[test]
    fn punctuation_alone_asks_for_nothing() {
        for query in ["", "  ", "\"'*()", "-- : ^", "。，"] {
            assert!(Query::parse(query).is_none(), "{query}");
        }
    }
}
