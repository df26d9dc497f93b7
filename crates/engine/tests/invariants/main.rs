//! The invariants of docs/design/model.md as properties over random sessions.
//!
//! Each runs at least 1,000 sessions with folds, unfolds, settles, archives, deltas and changes of layout between spans,
//! parallel and interrupted calls, forks, rollbacks, edited files, huge and empty outputs, CJK and broken UTF-8, in
//! windows of 8k, 32k and 200k. Some watch a session while it is recorded (`driver::Watch`), some look through its trace
//! event by event afterwards (`walk`).

mod board;
mod bounded;
mod coverage;
mod driver;
mod evidence;
mod folding;
mod frozen;
mod guests;
mod ledger;
mod monotone;
mod nothing_lost;
mod operations;
mod pairs;
mod prefix;
mod rules;
mod same_again;
mod users;
mod walk;
mod whole;

use proptest::prelude::ProptestConfig;

fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(1_000), failure_persistence: None, max_shrink_iters: 4_000, ..default }
}
