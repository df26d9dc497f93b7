//! The random sessions really do what the laws are about.

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    driver::{Nothing, Tally, play},
    operations::{sessions, settings},
};

/// In a thousand sessions, at least: about half of what was measured.
const RECORDED: [(&str, u32); 25] = [
    ("fold from the seam", 300),
    ("fold alone", 80),
    ("fold by rules", 250),
    ("fold by a model", 120),
    ("fold for the window", 40),
    ("fold with anchors", 50),
    ("fold with a delta", 60),
    ("unfold", 60),
    ("settle", 400),
    ("archive by rules", 40),
    ("archive by a model", 20),
    ("archive timed out", 10),
    ("archive for the window", 5),
    ("delta", 250),
    ("delta in a step", 250),
    ("anchors followed", 100),
    ("layout: execute", 80),
    ("layout: chat or react", 150),
    ("head changed", 100),
    ("thinking refused", 100),
    ("rollback", 250),
    ("fork", 250),
    ("cold call", 1_500),
    ("call", 6_000),
    ("strict alternation", 2_000),
];

/// The same for refusals, by their kind.
const REFUSED: [(&str, u32); 13] = [
    ("fold: gate", 100),
    ("fold: no proposal", 50),
    ("fold: not raw", 100),
    ("fold: not seen yet", 150),
    ("fold: nothing to fold", 250),
    ("fold: out of date", 5),
    ("fold: splits a step", 10),
    ("unfold: no such block", 250),
    ("unfold: would not fit", 10),
    ("archive: no summary", 5),
    ("archive: not shorter", 30),
    ("delta: no proposal", 100),
    ("delta: nothing admitted", 30),
];

#[test]
fn everything_happens_often_enough() {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut tally = Tally::default();
    for _ in 0..1_000 {
        let (operations, setting) = (sessions(), settings()).new_tree(&mut runner).expect("a random session").current();
        let played = play(&operations, &setting, &mut Nothing);
        tally.add(&played.tally);
        played.traces().for_each(|trace| tally.note_events(trace));
    }
    assert!(tally.exceeded >= 20, "calls that are refused for their size: {tally:#?}");
    for (least, times) in [(RECORDED.as_slice(), &tally.recorded), (REFUSED.as_slice(), &tally.refused)] {
        for (name, least) in least {
            let times = times.get(name).copied().unwrap_or(0);
            assert!(times >= *least, "{name}: {times} times, not {least}, in {tally:#?}");
        }
    }
}
