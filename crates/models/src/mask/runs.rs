//! Keys that a server repeats in another form: cut, turned round, spelt out with something between the letters, as
//! numbers, in base64, base32 or hex. No run of eight characters of any of these is shown.

use std::{collections::HashSet, ops::Range};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};

use super::{
    drawn::plain,
    reading::{Letter, readings},
};

/// Fewer characters are found in ordinary words, and help nobody to guess the rest.
const RUN: usize = 8;
/// So far apart may the letters of a key stand where the same number of others follows each.
const LONGEST_STRIDE: usize = 32;
/// Of the table of pairs. Letters beyond share a place with others, which costs a second look and nothing else.
const ROWS: usize = 128;

/// That of RFC 4648, its second one, and Crockford's, in small letters.
pub(super) const BASE32: [&[u8; 32]; 3] =
    [b"abcdefghijklmnopqrstuvwxyz234567", b"0123456789abcdefghijklmnopqrstuv", b"0123456789abcdefghjkmnpqrstvwxyz"];

/// Every run of all known keys in all forms.
#[derive(Clone, Default)]
pub(super) struct Runs {
    whole: HashSet<Box<[char]>>,
    /// What they are made of.
    letters: HashSet<char>,
    /// Which letter follows which in any of them: a bit of a row. It tells most texts from all runs at a glance.
    pairs: Vec<u128>,
}

/// What is to be hidden of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// In order, without overlaps.
    Places(Vec<Range<usize>>),
    /// A key with letters between its own: who knows of it reads it out of whatever is left.
    Everywhere,
}

impl Runs {
    pub(super) fn add(&mut self, key: &str) {
        self.pairs.resize(ROWS, 0);
        for form in forms(key) {
            for kept in [is_shown as fn(char) -> bool, char::is_alphanumeric] {
                let letters: Vec<char> = form.chars().filter(|c| kept(*c)).map(plain).collect();
                self.letters.extend(&letters);
                for pair in letters.windows(2) {
                    self.pairs[row(pair[0])] |= 1 << row(pair[1]);
                }
                self.whole.extend(letters.windows(RUN).map(Box::from));
            }
        }
    }

    pub(super) fn find(&self, text: &str) -> Found {
        let mut found = Vec::new();
        if self.whole.is_empty() {
            return Found::Places(found);
        }
        let spelt = self.spelt(text);
        for letters in &spelt {
            found.extend(self.runs(letters, 1));
        }
        found.sort_by_key(|range: &Range<usize>| range.start);
        found.dedup_by(|next, before| {
            let touches = next.start <= before.end;
            if touches {
                before.end = before.end.max(next.end);
            }
            touches
        });
        let is_left = |(place, _): &Letter| {
            let next = found.partition_point(|hidden| hidden.end <= place.start);
            found.get(next).is_none_or(|hidden| place.end <= hidden.start)
        };
        let is_woven_in = spelt.into_iter().any(|mut letters| {
            letters.retain(is_left);
            (2..=LONGEST_STRIDE).any(|stride| self.runs(&letters, stride).next().is_some())
        });
        if is_woven_in { Found::Everywhere } else { Found::Places(found) }
    }

    /// A key may be spelt out with spaces, or with anything else that no key is made of.
    fn spelt(&self, text: &str) -> Vec<Vec<Letter>> {
        let mut spelt = Vec::new();
        for reading in readings(text) {
            let letters = || reading.iter().map(|(place, c)| (place.clone(), plain(*c)));
            spelt.push(letters().filter(|(_, c)| is_shown(*c)).collect());
            spelt.push(letters().filter(|(_, c)| c.is_alphanumeric() && self.letters.contains(c)).collect());
        }
        spelt
    }

    /// Where every `stride`th letter makes a run.
    fn runs(&self, letters: &[Letter], stride: usize) -> impl Iterator<Item = Range<usize>> {
        let last = (RUN - 1) * stride;
        (0..letters.len().saturating_sub(last)).filter_map(move |start| {
            let letter = |nth: usize| letters[start + nth * stride].1;
            let may_be = (1..RUN).all(|nth| self.pairs[row(letter(nth - 1))] >> row(letter(nth)) & 1 == 1);
            let is_one = may_be && self.whole.contains(&std::array::from_fn::<char, RUN, _>(letter)[..]);
            is_one.then(|| letters[start].0.start..letters[start + last].0.end)
        })
    }
}

fn row(c: char) -> usize {
    c as usize % ROWS
}

fn is_shown(c: char) -> bool {
    !c.is_whitespace()
}

fn forms(key: &str) -> Vec<String> {
    let turn = |text: &str| text.chars().rev().collect::<String>();
    let mut forms = Vec::new();
    for key in [key, &turn(key)] {
        forms.push(key.to_owned());
        forms.push(key.bytes().map(|byte| format!("{byte:02x}")).collect());
        forms.push(key.bytes().map(|byte| byte.to_string()).collect());
        // What is encoded cannot be read as small letters or without its spaces any more.
        let spaced = key.chars().flat_map(|c| [c, ' ']).collect();
        for key in [key.to_owned(), key.to_uppercase(), key.to_lowercase(), spaced] {
            forms.extend((0..3).flat_map(|before| in_base64(&key, before)));
        }
        forms.extend((0..5).flat_map(|before| BASE32.map(|alphabet| in_base32(key, before, alphabet))));
    }
    let turned: Vec<String> = forms.iter().map(|form| turn(form)).collect();
    forms.extend(turned);
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

/// The same, by fives.
pub(super) fn in_base32(key: &str, before: usize, alphabet: &[u8; 32]) -> String {
    let bits = vec![0; before]
        .into_iter()
        .chain(key.bytes())
        .flat_map(|byte: u8| (0..8).rev().map(move |bit| byte >> bit & 1));
    let bits: Vec<u8> = bits.skip((before * 8).next_multiple_of(5)).collect();
    let letter = |bits: &[u8]| char::from(alphabet[bits.iter().fold(0, |number, bit| number << 1 | usize::from(*bit))]);
    bits.chunks_exact(5).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As coreutils' `base32` and `basenc --base32hex` write them.
    #[test]
    fn base32_within_a_longer_text_has_the_letters_of_the_key() {
        let [usual, hex, _] = BASE32.map(|alphabet| in_base32("sk-test-01", 0, alphabet));
        assert_eq!([usual, hex], ["onvs25dfon2c2mbr", "edliqt35edq2qc1h"]);
        for before in ["u", "us", "use", "uses", "Bearer "] {
            let text = in_base32(&format!("{before}sk-test-0123456789, and"), 0, BASE32[0]);
            let form = in_base32("sk-test-0123456789", before.len() % 5, BASE32[0]);
            assert!(form.len() >= 27 && text.contains(form.as_str()), "{text} {form}");
        }
    }

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
