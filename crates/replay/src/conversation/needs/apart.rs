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

use super::{NeedKind, arguments::SHORTEST_LINE, is_before, names::Names};
use crate::{
    conversation::{Call, Piece},
    parameters::MOST_FAILED,
};

const WORDS: [&str; 4] = ["error", "failed", "panicked", "exception"];

/// What the runs of steps came to.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    all: Vec<Outcome>,
    /// The steps that ran something, and those that ran tests.
    runs: Vec<usize>,
    tested: Vec<usize>,
}

impl Outcomes {
    /// Of the next step.
    pub(super) fn add(&mut self, outcome: Outcome) {
        let number = self.all.len();
        self.runs.extend(outcome.run.is_some().then_some(number));
        self.tested.extend(outcome.tests.is_some().then_some(number));
        self.all.push(outcome);
    }
}

/// What the runs of a step came to.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Of its last run, if there was one.
    run: Option<Ran>,
    /// Names of failed tests, if tests were run.
    tests: Option<Vec<u32>>,
}

#[derive(Debug)]
enum Ran {
    Well,
    Badly { error: Option<u32> },
}

impl Outcome {
    pub(super) fn of(call: &Call<'_>, pieces: &[Piece], names: &mut Names) -> Self {
        let mut outcome = Self::default();
        for (result, piece) in call.recorded.results.iter().zip(call.results.clone()) {
            let ResultData::Run(run) = &result.data else { continue };
            let text = &pieces[piece].text;
            let failed = result.status == Status::Error || run.exit_code.is_some_and(|code| code != 0);
            let error = if failed { last_error(text).and_then(|error| names.number(error)) } else { None };
            outcome.run = Some(if failed { Ran::Badly { error } } else { Ran::Well });
            if let Some(report) = recognise(&Script::parse(&run.command), text) {
                let failed = report.failures.iter().take(MOST_FAILED);
                outcome.tests = Some(failed.filter_map(|name| names.number(name)).collect());
            }
        }
        outcome
    }
}

fn last_error(text: &str) -> Option<&str> {
    let says_so = |line: &&str| {
        let line = line.to_ascii_lowercase();
        // As for edit lines: a line `error` alone says nothing.
        line.len() >= SHORTEST_LINE && WORDS.iter().any(|word| line.contains(word))
    };
    text.lines().rev().map(str::trim).find(says_so)
}

/// The error and the failed tests that stand open before a call.
pub(super) fn open_failures(number: usize, calls: &[Call<'_>], outcomes: &Outcomes) -> Vec<(NeedKind, u32)> {
    let newest = |of: &[usize]| {
        let mut earlier = of[..of.partition_point(|earlier| *earlier < number)].iter().rev().copied();
        earlier.find(|earlier| is_before(&calls[number], calls[*earlier].answer))
    };
    let mut open = Vec::new();
    if let Some(Ran::Badly { error: Some(error) }) =
        newest(&outcomes.runs).and_then(|run| outcomes.all[run].run.as_ref())
    {
        open.push((NeedKind::Error, *error));
    }
    let tests = newest(&outcomes.tested).and_then(|run| outcomes.all[run].tests.as_ref());
    open.extend(tests.into_iter().flatten().map(|name| (NeedKind::Test, *name)));
    open
}
