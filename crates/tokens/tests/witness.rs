//! The same count as the witness for every text: invented ones of all kinds, every token, and real files.
#![allow(clippy::disallowed_methods, reason = "a test reads the texts that it counts")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use lookback_tokens::count_o200k;
use proptest::{collection::vec, prelude::*, sample::select};

fn by_witness(bytes: &[u8]) -> u32 {
    bpe_openai::o200k_base().count(String::from_utf8_lossy(bytes).as_ref()) as u32
}

#[track_caller]
fn expect_equal(bytes: &[u8]) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    assert_eq!(count_o200k(bytes), by_witness(bytes), "{} bytes: {shown:?}", bytes.len());
}

/// Characters in which the alternatives of the pattern meet: cases, marks, modifiers, numbers and spaces of several scripts.
const MEETING: &str = "aZ0 \t\n\r'/.s\u{17f}tTrRvVeEmMlLdD_-{中の한ǅʰªéÉß\u{301}\u{309a}\u{20dd}٣Ⅷ½²\u{a0}\u{3000}\u{2028}\u{85}\u{200d}\u{fffd}🙂";

fn meeting() -> impl Strategy<Value = char> {
    select(MEETING.chars().collect::<Vec<_>>())
}

fn of_one_kind() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,80}",
        "[a-zA-Z']{0,40}",
        "[a-z ]{0,80}",
        "[0-9.,:/]{0,20}",
        "[ \t\r\n]{0,30}",
        "[\u{4e00}-\u{9fff}]{0,80}",
        "[\u{3040}-\u{30ff}ー。、]{0,60}",
        "[\u{ac00}-\u{d7a3} ]{0,40}",
        "[\u{400}-\u{4ff}\u{590}-\u{6ff}\u{900}-\u{97f} ]{0,60}",
        "[\u{1f300}-\u{1faff}\u{200d}\u{fe0f}]{0,20}",
        "(don't|WE'LL|it's|I'M|they'Re|y'all'd've| 's|'S|x'\u{17f})( |\n)?",
        "(fn |let |=> |::<>|\\(\\);\n|    |\t\t|// |\\{\n|\\}\n|\"\\\\n\"|== |0x[0-9a-f]{1,8}){0,12}",
        "[A-Za-z0-9+/]{0,200}={0,2}",
        ".{0,40}",
        vec(meeting(), 0..60).prop_map(String::from_iter),
        (meeting(), 1..400_usize).prop_map(|(character, times)| character.to_string().repeat(times)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    vec(of_one_kind(), 0..6).prop_map(|texts| texts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn texts_of_all_kinds(text in text()) {
        prop_assert_eq!(count_o200k(text.as_bytes()), by_witness(text.as_bytes()));
    }

    #[test]
    fn bytes_that_are_no_text(mut bytes in text().prop_map(String::into_bytes), noise in vec((any::<prop::sample::Index>(), any::<u8>()), 0..8)) {
        for (place, byte) in noise {
            bytes.insert(place.index(bytes.len() + 1), byte);
        }
        prop_assert_eq!(count_o200k(&bytes), by_witness(&bytes));
    }

    #[test]
    fn tokens_in_any_order(tokens in vec(0..199_998_u32, 0..200)) {
        let witness = &bpe_openai::o200k_base().bpe;
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| witness.token_bytes(*token)).copied().collect();
        prop_assert_eq!(count_o200k(&bytes), by_witness(&bytes));
    }
}

#[test]
fn up_to_three_meeting_characters_in_every_order() {
    let characters: Vec<char> = MEETING.chars().collect();
    for first in &characters {
        for second in &characters {
            for third in &characters {
                expect_equal(String::from_iter([first, second, third]).as_bytes());
                expect_equal(String::from_iter([' ', *first, *second, *third, 'A']).as_bytes());
            }
        }
    }
}

#[test]
fn every_token_and_every_character() {
    let witness = &bpe_openai::o200k_base().bpe;
    for token in 0..witness.num_tokens() as u32 {
        expect_equal(witness.token_bytes(token));
    }
    for character in ('\0'..=char::MAX).step_by(7) {
        expect_equal(format!("a{character}B {character}'s").as_bytes());
    }
}

#[test]
fn one_piece_without_end() {
    for part in ["a", "ab", "A", " ", "\n", "=", "=-", "好", "汉字学", "🙂", "\u{301}", "xyzzyplugh", "-/", "aA"]
    {
        for times in [60, 200, 5_000] {
            expect_equal(part.repeat(times).as_bytes());
        }
    }
}

/// Sources and documents of this repository, and the recorded sessions beside it where there are any.
#[test]
fn real_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["crates", "docs", "fixtures", "prompts", "prices", "../shared/corpus"] {
        collect(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "the sources are there");
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        // A compressed file is counted both ways: as it is, it is a long text of bytes that are no text.
        let unpacked = zstd::decode_all(bytes.as_slice()).unwrap_or_default();
        for bytes in [bytes, unpacked] {
            bytes.split_inclusive(|byte| *byte == b'\n').for_each(expect_equal);
            expect_equal(&bytes[..bytes.len().min(200_000)]);
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
