//! From text to tokens: identifiers by their parts and as a whole, CJK by pairs of characters and by single ones.
//!
//! `getUserName` and `get_user_name` both become `get user name`, next to one another, so a query for either finds
//! both, and `user` finds them, too. Case is ignored. The whole `getusername` and single CJK characters stand apart, in
//! `extra`, where positions mean nothing. So do the neighbours in paths, `src/main` and `main/java`: a path of words that
//! are everywhere took 50 ms as a phrase, and its neighbours are rare. Knows nothing of FTS5 but that tokens are separated
//! by spaces and may hold a `/`.

use std::collections::BTreeSet;

use lookback_engine::text::is_cjk;
pub(super) use lookback_engine::text::pairs;

/// Longer tokens are hashes and encoded data; their beginning identifies them.
const LONGEST: usize = 64;

pub(super) struct DocumentWords {
    pub(super) text: String,
    pub(super) extra: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Run {
    /// Letters and digits, in lower case: the parts, and all of them joined.
    Word { parts: Vec<String>, whole: String },
    /// Characters of a script that writes no spaces between words.
    Cjk(Vec<char>),
}

/// How a run stands to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// With a slash between them, and at most what names of files begin and end with.
    Slash,
    Other,
}

/// What finds the documents of one session. All other tokens have a letter or a digit before a slash.
pub(super) fn of_session(key: i64) -> String {
    format!("/{key}")
}

/// What finds two words with a slash between them.
pub(super) fn neighbours(before: &str, after: &str) -> String {
    format!("{before}/{after}")
}

pub(super) fn of_document(content: &str) -> DocumentWords {
    let mut text = String::with_capacity(content.len());
    let mut extra = BTreeSet::new();
    let mut before = String::new();
    let mut push = |token: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(token);
    };
    each_run(content, |joint, run| match run {
        Run::Word { parts, whole } => {
            parts.iter().for_each(|part| push(part));
            if joint == Joint::Slash && !before.is_empty() {
                extra.insert(neighbours(&before, &whole));
            }
            before.clone_from(&whole);
            if parts.len() > 1 {
                extra.insert(whole);
            }
        }
        Run::Cjk(characters) => {
            before.clear();
            pairs(&characters).iter().for_each(|pair| push(pair));
            extra.extend(characters.iter().map(char::to_string));
        }
    });
    DocumentWords { text, extra: extra.into_iter().collect::<Vec<_>>().join(" ") }
}

pub(super) fn each_run(text: &str, mut give: impl FnMut(Joint, Run)) {
    let mut word = Vec::new();
    let mut cjk = Vec::new();
    // Of the run being collected, and of the next one as far as its characters are known.
    let (mut joint, mut next) = (Joint::Other, Between::default());
    for character in text.chars().map(narrow) {
        let is_cjk = is_cjk(character);
        if !is_cjk && is_mark(character) {
            continue;
        }
        if !is_cjk && !cjk.is_empty() {
            give(joint, Run::Cjk(std::mem::take(&mut cjk)));
        }
        let is_word = !is_cjk && character.is_alphanumeric();
        if !is_word && !word.is_empty() {
            give(joint, word_run(&word));
            word.clear();
        }
        if !is_cjk && !is_word {
            next.note(character);
        } else {
            if word.is_empty() && cjk.is_empty() {
                joint = std::mem::take(&mut next).joint();
            }
            if is_cjk { cjk.push(character) } else { word.push(character) }
        }
    }
    if !cjk.is_empty() {
        give(joint, Run::Cjk(cjk));
    }
    if !word.is_empty() {
        give(joint, word_run(&word));
    }
}

/// What stands between two runs.
#[derive(Debug, Default)]
struct Between {
    slash: bool,
    broken: bool,
}

impl Between {
    fn note(&mut self, character: char) {
        self.slash |= character == '/';
        // `src/__init__/.x` is one path; `</b><b>`, `a / b` and `https://` are none.
        self.broken |= !matches!(character, '/' | '.' | '_' | '-' | '@' | '~');
    }

    fn joint(&self) -> Joint {
        if self.slash && !self.broken { Joint::Slash } else { Joint::Other }
    }
}

fn word_run(characters: &[char]) -> Run {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..=characters.len() {
        if at == characters.len() || is_hump(characters, at) {
            let part = &characters[start..at];
            let letters = part.len() - part.iter().rev().take_while(|character| character.is_numeric()).count();
            parts.extend([&part[..letters], &part[letters..]].into_iter().filter(|part| !part.is_empty()).map(lower));
            start = at;
        }
    }
    Run::Word { parts, whole: lower(characters) }
}

/// Whether a new part begins at `at`: `get|User`, `HTTP|Server`.
fn is_hump(characters: &[char], at: usize) -> bool {
    let upper = |at: usize| characters.get(at).is_some_and(|character: &char| character.is_uppercase());
    let lower = |at: usize| characters.get(at).is_some_and(|character: &char| character.is_lowercase());
    upper(at) && (!upper(at - 1) || lower(at + 1))
}

fn lower(characters: &[char]) -> String {
    characters.iter().take(LONGEST).flat_map(|character| character.to_lowercase()).collect()
}

/// Full-width letters and digits, as Chinese and Japanese input methods write them, are the plain ones.
fn narrow(character: char) -> char {
    match character {
        '！'..='～' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        other => other,
    }
}

/// Combining accents: an `é` of two characters is found as `e`, and does not split its word.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> String {
        of_document(content).text
    }

    fn extra(content: &str) -> String {
        of_document(content).extra
    }

    #[test]
    fn identifiers_and_paths_fall_into_their_parts() {
        assert_eq!(text("get_user_name getUserName"), "get user name get user name");
        assert_eq!(text("HTTPServer2 parseJSON utf8Decode"), "http server 2 parse json utf 8 decode");
        assert_eq!(text("src/a-b/c.py:12"), "src a b c py 12");
        assert_eq!(text("3f9ab12c sha256sum"), "3f9ab12c sha256sum");
    }

    #[test]
    fn joined_identifiers_stand_apart_once() {
        assert_eq!(extra("getUserName HTTPServer2 getUserName plain"), "getusername httpserver2");
    }

    #[test]
    fn the_neighbours_in_paths_stand_apart() {
        assert_eq!(extra("see ./src/a-b/c.py:12 and src/__init__/.x"), "b/c init/x src/a src/init");
        assert_eq!(extra("/usr/myApp"), "myapp usr/myapp");
        assert_eq!(extra("</b><b> a / b https://x c,/d 路径/e"), "径 路");
    }

    #[test]
    fn cjk_falls_into_pairs_and_singles() {
        assert_eq!(text("数据库getName中"), "数据 据库 get name 中");
        assert_eq!(extra("数据库"), "库 据 数");
        assert_eq!(text("データ 한국어"), "デー ータ 한국 국어");
        assert_eq!(text("ＡＢＣ１"), "abc 1");
    }
}
