//! The data files are what the witness has. After a change of it: `LOOKBACK_WRITE_TABLES=1 cargo test -p lookback-tokens --test tables`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test reads the files that it guards")]

use std::{collections::HashMap, env, fs, path::Path};

use regex_syntax::hir::{Class, HirKind};

/// The same bits as in `classes.rs`.
const SETS: [(u8, &str); 6] = [
    (1, r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"),
    (2, r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"),
    (4, r"[\p{L}]"),
    (8, r"[\p{N}]"),
    (16, r"[\s]"),
    (32, r"[\r\n]"),
];

fn expect_file(name: &str, made: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
    if env::var_os("LOOKBACK_WRITE_TABLES").is_some() {
        fs::write(&path, made).expect("the file is written");
    }
    // Not `assert_eq`: two megabytes are nothing to print.
    assert!(fs::read(&path).expect("the file is there") == made, "{name} is not what the witness has");
}

#[test]
fn the_tokens_are_those_of_the_witness_in_its_order() {
    let witness = &bpe_openai::o200k_base().bpe;
    let tokens: Vec<&[u8]> = (0..witness.num_tokens() as u32).map(|token| witness.token_bytes(token)).collect();
    let ranks = tokens.iter().enumerate().map(|(rank, token)| (*token, rank)).collect();
    let byte = |length: usize| u8::try_from(length).expect("a short token");
    let record = |token: &&[u8]| [&[byte(token.len()), byte(left_half(token, &ranks))], *token].concat();
    expect_file("o200k.tokens", &tokens.iter().flat_map(record).collect::<Vec<u8>>());
}

/// Bytes of the left one of the two tokens that are joined last when this one is made, by the definition of byte-pair encoding.
fn left_half(token: &[u8], ranks: &HashMap<&[u8], usize>) -> usize {
    let mut cuts: Vec<usize> = (0..=token.len()).collect();
    while cuts.len() > 3 {
        let rank = |part: &usize| ranks.get(&token[cuts[*part]..cuts[*part + 2]]).unwrap_or(&usize::MAX);
        let earliest = (0..cuts.len() - 2).min_by_key(rank).expect("two parts");
        cuts.remove(earliest + 1);
    }
    if token.len() == 1 { 0 } else { cuts[1] }
}

#[test]
fn the_classes_are_those_of_the_witness() {
    let mut characters = vec![0; char::MAX as usize + 1];
    for (bit, pattern) in SETS {
        let parsed = regex_syntax::parse(pattern).expect("a pattern");
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else { panic!("{pattern} is a class") };
        for range in class.ranges() {
            characters[range.start() as usize..=range.end() as usize].iter_mut().for_each(|sets| *sets |= bit);
        }
    }
    let (mut index, mut blocks) = (Vec::new(), Vec::new());
    for block in characters.chunks(128) {
        let known = blocks.iter().position(|known| *known == block);
        index.push(u8::try_from(known.unwrap_or(blocks.len())).expect("at most 256 blocks"));
        if known.is_none() {
            blocks.push(block);
        }
    }
    expect_file("unicode.classes", &[index, blocks.concat()].concat());
}
