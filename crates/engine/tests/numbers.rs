//! Numbers that somebody could choose otherwise stand in `configuration/`, lists of words in data files.
//!
//! It reads the sources line by line: numbers above four, and lists of more than four texts, of everything but tests.
#![allow(clippy::disallowed_methods, reason = "a test reads the sources that it guards")]

use std::{fs, path::Path};

/// No choice: bases and units, what a byte, a letter or a year has.
const UNITS: &str = "10 16 24 26 60 100 365 400 1_000 3_600 60_000 3_600_000 1_000_000";

/// Nor are these: a part of a file's path and of its line, and why.
const NO_CHOICE: &[(&str, &str, &str)] = &[
    ("archive/time.rs", "", "the calendar"),
    ("cache/chain.rs", "wrapping_mul", "a known mixing function"),
    ("cache/chain.rs", ">> 31", "the same"),
    ("trace/ids.rs", "", "the form of ids and hashes"),
    ("view.rs", "1 << 63", "one bit"),
    ("view.rs", "Source::Dialogue => (5, 0)", "a byte of a key"),
    ("view.rs", "bytes[1..5]", "its place"),
    ("ledger.rs", "seconds", "which unit of time is written"),
    ("ledger.rs", "tokens @", "which unit is written"),
    ("card/speech.rs", "WRITTEN_BY_CLIENT", "names of providers' fields"),
    ("proposal/schema.rs", "POINTED", "names of claims"),
    ("trace/upgrade.rs", "CHANGED", "names of events"),
    ("shell/purpose.rs", "RUNS", "options of find"),
];

#[test]
fn numbers_and_lists_stand_where_they_are_found() {
    let mut elsewhere = Vec::new();
    let mut needed = [false; NO_CHOICE.len()];
    for (path, text) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "") {
        for (line, number) in text.split("#[cfg(test)]").next().unwrap_or("").lines().zip(1..) {
            if !has_list(line) && numbers(line).is_empty() {
                continue;
            }
            let is_it = |(file, part, _): &(&str, &str, &str)| path == *file && line.contains(part);
            match NO_CHOICE.iter().position(is_it) {
                Some(known) => needed[known] = true,
                None => elsewhere.push(format!("{path}:{number}: {}", line.trim())),
            }
        }
    }
    assert!(elsewhere.is_empty(), "not in configuration/ nor in a data file:\n{}", elsewhere.join("\n"));
    let gone: Vec<_> = NO_CHOICE.iter().zip(needed).filter(|(_, needed)| !needed).collect();
    assert!(gone.is_empty(), "allowed and not there: {gone:?}");
}

#[test]
fn a_number_is_found() {
    assert_eq!(numbers("let most = (0..9).sum() * 7 / 100; // 12"), ["9", "7"]);
    assert_eq!(numbers(r#"let [a, b] = [x[6], "9", 'a', u32::MAX, f64::from(0.5)]; [u8; 32]"#), ["0.5"]);
    assert!(has_list("const A: [&str; 12] = [") && !has_list("const A: [&str; 4] = ["));
}

fn has_list(line: &str) -> bool {
    let length = line.split("[&str; ").nth(1).and_then(|rest| rest.split(']').next());
    line.contains("const ") && length.and_then(|length| length.parse::<u32>().ok()).is_some_and(|length| length > 4)
}

/// The numbers of a line of code that are somebody's choice.
fn numbers(line: &str) -> Vec<&str> {
    let code = if line.trim_start().starts_with("//") { "" } else { line.split(" //").next().unwrap_or("") };
    // Every second piece stands in quotation marks; what follows `\u{` or `#` names a sign or a thing.
    let pieces = code
        .split('"')
        .step_by(2)
        .flat_map(|piece| piece.split(|letter: char| !letter.is_ascii_alphanumeric() && !"_.#{".contains(letter)));
    let numbers = pieces.flat_map(|piece| piece.split("..")).filter_map(|word| {
        let word = word.trim_end_matches("_u32");
        let value: f64 = word.replace('_', "").parse().ok().filter(|_| !word.starts_with('.'))?;
        // A place in a list or a tuple, or how long it is.
        let is_place = [format!("[{word}"), format!("; {word}]")].iter().any(|place| code.contains(place));
        ((value > 4.0 || value.fract() > 0.0)
            && !UNITS.split(' ').any(|unit| unit == word.trim_end_matches(".0"))
            && !is_place)
            .then_some(word)
    });
    numbers.collect()
}

fn sources(folder: &Path, name: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{name}{}", path.file_name().expect("a name").to_string_lossy());
        let is_left_out = ["tests", "tests.rs", "configuration", "configuration.rs", "story.rs"]
            .contains(&name.rsplit('/').next().unwrap_or(""));
        match path.is_dir() {
            _ if is_left_out => {}
            true => found.extend(sources(&path, &format!("{name}/"))),
            false if name.ends_with(".rs") => found.push((name, fs::read_to_string(&path).expect("a source file"))),
            false => {}
        }
    }
    found
}
