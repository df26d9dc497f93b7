//! Text as people write and read it: scripts without blanks, words, one line in the place of many, a long text made short.
//!
//! What a text says is not known here.

use std::borrow::Cow;

use crate::configuration::written::CHARACTERS_PER_TOKEN;

/// Characters that some reader takes for the end of a line.
pub const LINE_ENDS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Han, kana, bopomofo and Hangul.
pub fn is_cjk(character: char) -> bool {
    is_hangul(character) || is_unspaced(character)
}

/// Characters of scripts without blanks between words: Han, kana, bopomofo.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '々' | '〇' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{3130}' | '\u{3190}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

fn is_hangul(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}')
}

/// Columns on a terminal, near enough: the wide scripts, their signs and pictures take two.
pub(crate) fn columns(character: char) -> usize {
    let is_half = matches!(character, '\u{ff61}'..='\u{ff9f}' | '\u{1160}'..='\u{11ff}');
    let is_sign = matches!(character,
        '\u{2e80}'..='\u{303f}' | '\u{3200}'..='\u{33ff}' | '\u{4dc0}'..='\u{4dff}' | '\u{a000}'..='\u{a4cf}' | '\u{ff01}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}');
    if is_sign || (is_cjk(character) && !is_half) { 2 } else { 1 }
}

/// Words in lower case, with `_` in them; where no blanks stand between words, pairs of neighbouring characters.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut unspaced = Vec::new();
    for character in text.chars().chain([' ']) {
        let is_unspaced = is_unspaced(character);
        let is_word = !is_unspaced && (character.is_alphanumeric() || character == '_');
        if !is_word && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if !is_unspaced && !unspaced.is_empty() {
            found.extend(pairs(&std::mem::take(&mut unspaced)));
        }
        if is_unspaced {
            unspaced.push(character);
        } else if is_word {
            word.extend(character.to_lowercase());
        }
    }
    found
}

/// 数据库 gives 数据 据库; a character that stands alone gives itself.
pub fn pairs(characters: &[char]) -> Vec<String> {
    if let [single] = characters {
        return vec![single.to_string()];
    }
    characters.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// The lines one after another. Blanks inside a line stay: they may be part of quoted code.
pub fn one_line(text: &str) -> String {
    text.split(LINE_ENDS).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Every end of a line made visible: no text inside a line of a record can begin another, which might read as a user's turn.
pub(crate) fn with_visible_ends(text: &str) -> Cow<'_, str> {
    if !text.contains(LINE_ENDS) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match LINE_ENDS.contains(&character) {
            true => line.extend(character.escape_default()),
            false => line.push(character),
        }
    }
    Cow::Owned(line)
}

/// At most so many characters.
pub fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// At most so many characters, and a sign where something was cut off.
pub fn shorten(text: &str, characters: usize) -> Cow<'_, str> {
    let start = beginning(text, characters);
    if start.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{}…", start.trim_end())) }
}

/// The same, cut between words where one ends in its second half.
pub(crate) fn shorten_at_word(text: &str, characters: usize) -> Cow<'_, str> {
    let start = beginning(text, characters);
    if start.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let end = start.rfind(char::is_whitespace).filter(|end| *end > start.len() / 2).unwrap_or(start.len());
    Cow::Owned(format!("{} …", start[..end].trim_end()))
}

/// A quotation within about so many tokens, cut in its middle: "…, and never do any of this" may stand at its end.
pub(crate) fn shorten_quotation(text: &str, tokens: u32) -> String {
    // A sign of a script without blanks is about a token, of others four are.
    let width = |character: char| if is_cjk(character) { CHARACTERS_PER_TOKEN } else { 1 };
    let most = tokens as usize * CHARACTERS_PER_TOKEN;
    if text.chars().map(width).sum::<usize>() <= most {
        return text.to_owned();
    }
    let fits = |room: usize, characters: &mut dyn Iterator<Item = char>| {
        let mut taken = 0;
        let within = characters.take_while(|character| {
            taken += width(*character);
            taken <= room
        });
        within.map(char::len_utf8).sum::<usize>()
    };
    let head = &text[..fits(most * 2 / 3, &mut text.chars())];
    let tail = &text[text.len() - fits(most / 3, &mut text.chars().rev())..];
    let head = head.rsplit_once(' ').map_or(head, |(head, _)| head);
    let tail = tail.split_once(' ').map_or(tail, |(_, tail)| tail);
    format!("{} … {}", head.trim_end(), tail.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_blanks_give_pairs() {
        assert_eq!(words("Fix `a_b` 修复测试, 中 한국어"), ["fix", "a_b", "修复", "复测", "测试", "中", "한국어"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!("a한中。ｱ🎈".chars().map(columns).collect::<Vec<_>>(), [1, 2, 2, 2, 1, 2]);
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        assert_eq!(shorten("余额不对", 4), "余额不对");
        assert_eq!(shorten("余 额不对", 2), "余…");
        assert_eq!(shorten_at_word("one two three", 9), "one two …");
        assert_eq!(shorten_at_word("one twothree", 9), "one twoth …");
    }

    #[test]
    fn a_long_quotation_keeps_both_ends() {
        let long = format!("Push to main {}and never do any of this", "as often as you like ".repeat(20));
        let short = shorten_quotation(&long, 30);
        assert!(short.starts_with("Push to main") && short.ends_with("never do any of this"), "{short}");
        assert!(short.len() <= 125 && shorten_quotation("余额不对", 4) == "余额不对", "{short}");
        assert!(shorten_quotation(&"余".repeat(50), 12).chars().count() <= 15);
    }

    #[test]
    fn many_lines_become_one() {
        assert_eq!(one_line(" a  b\r\n\n\u{2028}c "), "a  b c");
        assert_eq!(with_visible_ends("a\nb"), "a\\nb");
    }
}
