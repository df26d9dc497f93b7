//! Keys that a server repeats in another form: cut, turned round, spelt out with something between the letters, in
//! base64 or hex. No run of eight characters of any of these is shown.

use std::{collections::HashSet, ops::Range};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};

/// Fewer characters are found in ordinary words, and help nobody to guess the rest.
const RUN: usize = 8;

/// Every run of all known keys in all forms.
#[derive(Clone, Default)]
pub(super) struct Runs(HashSet<Box<[char]>>);

impl Runs {
    pub(super) fn add(&mut self, key: &str) {
        for form in forms(key) {
            for kept in [is_shown as fn(char) -> bool, char::is_alphanumeric] {
                let letters: Vec<char> = form.chars().filter(|c| kept(*c)).map(plain).collect();
                self.0.extend(letters.windows(RUN).map(Box::from));
            }
        }
    }

    /// Where the text holds any of them, in order, without overlaps.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        // A key may be spelt out with spaces, or with anything else that is no letter.
        for kept in [is_shown as fn(char) -> bool, char::is_alphanumeric] {
            let (places, letters): (Vec<_>, Vec<_>) =
                text.char_indices().filter(|(_, c)| kept(*c)).map(|(at, c)| (at..at + c.len_utf8(), plain(c))).unzip();
            for (start, run) in letters.windows(RUN).enumerate() {
                if self.0.contains(run) {
                    found.push(places[start].start..places[start + RUN - 1].end);
                }
            }
        }
        found.sort_by_key(|range: &Range<usize>| range.start);
        found.dedup_by(|next, before| {
            let touches = next.start <= before.end;
            if touches {
                before.end = before.end.max(next.end);
            }
            touches
        });
        found
    }
}

fn is_shown(c: char) -> bool {
    !c.is_whitespace()
}

fn plain(c: char) -> char {
    c.to_ascii_lowercase()
}

fn forms(key: &str) -> Vec<String> {
    let turned: String = key.chars().rev().collect();
    let mut forms = Vec::new();
    for key in [key, &turned] {
        forms.push(key.to_owned());
        forms.push(key.bytes().map(|byte| format!("{byte:02x}")).collect());
        forms.extend((0..3).flat_map(|before| in_base64(key, before)));
    }
    forms
}

/// As it stands within a longer text: `before` is how many bytes stand before it, by threes. Letters that depend on what
/// is around the key are left out.
fn in_base64(key: &str, before: usize) -> [String; 2] {
    let bytes = [&vec![0; before], key.as_bytes()].concat();
    let whole = bytes.len() / 3 * 4;
    let first = [0, 2, 3][before];
    [STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)].map(|text| text[first.min(whole)..whole].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_within_a_longer_text_has_the_letters_of_the_key() {
        let key = "sk-test-0123456789-abcdefghij-f3a";
        for before in ["", "u", "us", "use", "Bearer "] {
            for after in ["", ":", ", and more"] {
                let text = STANDARD.encode(format!("{before}{key}{after}"));
                let form = &in_base64(key, before.len() % 3)[0];
                assert!(form.len() >= 40 && text.contains(form.as_str()), "{text} {form}");
            }
        }
    }
}
