//! Recordings of all formats, changed at random and always in the same way: whatever they hold, `import`, `fold`, `show` and
//! `replay` end with an answer or an error, within ten seconds and 512 MB.
//!
//! More of them, and of recordings of your own:
//! `LOOKBACK_MUTATED=5000 LOOKBACK_RECORDINGS=FOLDER cargo test --release -p lookback --test commands mutated -- --nocapture`
#![allow(clippy::print_stdout, reason = "whoever asks for more wants to see what came of them")]

mod mutation;

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::Duration,
};

use crate::bounded::{Ended, run};
use mutation::Mutation;

/// How many without being asked for more.
const USUAL: u64 = 200;

#[test]
fn no_recording_breaks_the_program() {
    let wanted = env::var("LOOKBACK_MUTATED").ok().map_or(USUAL, |count| count.parse().expect("a number"));
    let recordings = recordings();
    let next = AtomicU64::new(0);
    // Each waits for programs most of the time, so there are as many as cores.
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<Found> = thread::scope(|scope| {
        let work = || try_some(&recordings, || Some(next.fetch_add(1, Relaxed)).filter(|number| *number < wanted));
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("it ends")).collect()
    });
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (key, count) in found.iter().flat_map(|found| &found.counts) {
        *counts.entry(*key).or_default() += count;
    }
    let slowest = found.iter().map(|found| found.slowest).max().unwrap_or_default();
    let findings: Vec<&str> = found.iter().flat_map(|found| &found.findings).map(String::as_str).collect();
    println!("{wanted} recordings, changed from {}:", recordings.len());
    for ((command, word), count) in counts {
        println!("{command:<7} ended {word:<14} {count:>6}");
    }
    println!("the slowest command took {:.1} s", slowest.as_secs_f64());
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// What came of some of them.
#[derive(Default)]
struct Found {
    counts: BTreeMap<(&'static str, &'static str), u64>,
    findings: Vec<String>,
    slowest: Duration,
}

fn try_some(recordings: &[(String, Vec<u8>)], next: impl Fn() -> Option<u64>) -> Found {
    let mut found = Found::default();
    while let Some(number) = next() {
        let (name, bytes) = &recordings[number as usize % recordings.len()];
        let mutated = Mutation::new(number).apply(bytes, recordings);
        for (command, ended, took) in run_all(&mutated) {
            found.slowest = found.slowest.max(took);
            let word = match &ended {
                Ended::Well => "well",
                Ended::WithAnError => "with an error",
                Ended::Badly(_) => "badly",
            };
            *found.counts.entry((command, word)).or_default() += 1;
            if let Ended::Badly(how) = ended {
                let kept = env::temp_dir().join(format!("lookback-mutated-{number}"));
                fs::write(&kept, &mutated).expect("a file");
                let kept = kept.display();
                found.findings.push(format!("{command} of number {number} ({name}): {how}; kept as {kept}"));
            }
        }
    }
    found
}

/// Those of the repository, and those of a folder, by name.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/trace");
    let mut folders: Vec<PathBuf> = vec![fixtures.join("sessions"), trace];
    let mut recordings = vec![("the sample".to_owned(), read(&fixtures.join("sample-session.jsonl")))];
    folders.extend(env::var_os("LOOKBACK_RECORDINGS").map(PathBuf::from));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => recordings.push((entry.path().display().to_string(), read(&entry.path()))),
            }
        }
    }
    recordings.sort();
    recordings
}

fn read(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).expect("a file");
    zstd::decode_all(&*bytes).unwrap_or(bytes)
}

/// What a person does with a recording.
fn run_all(recording: &[u8]) -> Vec<(&'static str, Ended, Duration)> {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("recording.jsonl");
    fs::write(&file, recording).expect("a file");
    let file = file.to_str().expect("text");
    let mut ended = Vec::new();
    let mut try_it = |command: &'static str, arguments: &[&str]| {
        let ran = run(home.path(), arguments);
        ended.push((command, ran.ended, ran.took));
        ran.out
    };
    try_it("import", &["import", file]);
    let listed = try_it("list", &["sessions", "--json"]);
    let sessions: Vec<serde_json::Value> = serde_json::from_slice(&listed).unwrap_or_default();
    for session in &sessions {
        let id = session["id"].as_str().expect("an id");
        try_it("fold", &["fold", id]);
        try_it("show", &["show", id]);
        try_it("show", &["show", id, "--trace"]);
    }
    try_it("replay", &["replay", file]);
    ended
}
