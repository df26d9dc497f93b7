//! What is reported apart and does not enter recall: line ranges, errors, tests, commands.
//!
//! They are looser than paths, symbols and edit lines: that a step *uses* them is a guess from what it does.
//!
//! - **Line range**: the step asks for lines of a file (`offset` and `limit`, `sed -n 120,160p main.rs`, `main.rs:120`), and
//!   something had printed a place inside of them as `main.rs:134:`. The newest such place is needed. Example: a search
//!   printed `src/main.rs:134:fn open`, the step reads 120 to 160: it needs `main.rs:134:`.
//! - **Error**: the newest run failed (its code is not 0, or the tool itself failed). While that is so, each step needs the
//!   last line of its output that says so (`error`, `failed`, `panicked`, `exception`). Example: `cargo check` ended with 101
//!   and its last such line is `error[E0425]: cannot find value`: the next steps need that line until something runs well.
//! - **Test**: the names of the tests that failed in the newest run of tests, likewise. Example: `test door::opens ... FAILED`:
//!   `door::opens` is needed until tests are run again.
//! - **Command**: the step runs a command of 12 characters or more that stands in an earlier piece. Example: `cargo test -p door`
//!   for the second time.

use lookback_engine::{
    evidence::recognise,
    shell::Script,
    trace::{ResultData, Status},
};

use super::{
    NeedKind, Seen,
    arguments::{Place, SHORTEST_LINE},
    is_before,
};
use crate::conversation::{Call, Piece};

const WORDS: [&str; 4] = ["error", "failed", "panicked", "exception"];

/// What the runs of a step came to.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Of its last run, if there was one.
    run: Option<Ran>,
    /// Names of failed tests, if tests were run.
    tests: Option<Vec<String>>,
}

#[derive(Debug)]
enum Ran {
    Well,
    Badly { error: Option<String> },
}

impl Outcome {
    pub(super) fn of(call: &Call<'_>, pieces: &[Piece]) -> Self {
        let mut outcome = Self::default();
        for (result, piece) in call.recorded.results.iter().zip(call.results.clone()) {
            let ResultData::Run(run) = &result.data else { continue };
            let text = &pieces[piece].text;
            let failed = result.status == Status::Error || run.exit_code.is_some_and(|code| code != 0);
            outcome.run = Some(if failed { Ran::Badly { error: last_error(text) } } else { Ran::Well });
            if let Some(report) = recognise(&Script::parse(&run.command), text) {
                outcome.tests = Some(report.failures);
            }
        }
        outcome
    }
}

fn last_error(text: &str) -> Option<String> {
    let says_so = |line: &&str| {
        let line = line.to_ascii_lowercase();
        // As for edit lines: a line `error` alone says nothing.
        line.len() >= SHORTEST_LINE && WORDS.iter().any(|word| line.contains(word))
    };
    text.lines().rev().map(str::trim).find(says_so).map(str::to_owned)
}

/// The error and the failed tests that stand open before a call.
pub(super) fn open_failures(number: usize, calls: &[Call<'_>], outcomes: &[Outcome]) -> Vec<(NeedKind, String)> {
    let call = &calls[number];
    let earlier = || (0..number).rev().filter(|earlier| is_before(call, calls[*earlier].answer)).map(|n| &outcomes[n]);
    let mut open = Vec::new();
    if let Some(Ran::Badly { error: Some(error) }) = earlier().find_map(|outcome| outcome.run.as_ref()) {
        open.push((NeedKind::Error, error.clone()));
    }
    if let Some(tests) = earlier().find_map(|outcome| outcome.tests.as_ref()) {
        open.extend(tests.iter().map(|name| (NeedKind::Test, name.clone())));
    }
    open
}

/// The newest place inside of the lines asked for that was printed before.
pub(super) fn printed_place(place: &Place, call: &Call<'_>, seen: &mut Seen<'_, '_>) -> Option<String> {
    let name = format!("{}:", place.name);
    let known = seen.find(&name);
    let pieces = seen.index.pieces();
    known.pieces.iter().rev().filter(|piece| is_before(call, **piece)).find_map(|piece| {
        pieces[*piece].text.rmatch_indices(&name).find_map(|(at, _)| {
            let rest = &pieces[*piece].text[at + name.len()..];
            let (number, _) = rest.split_once(':')?;
            let line: u32 = number.parse().ok()?;
            (place.first..=place.last).contains(&line).then(|| format!("{name}{line}:"))
        })
    })
}
