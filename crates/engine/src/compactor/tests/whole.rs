//! A complete block, as a person reads it.

use super::{story::thirty_steps, *};
use crate::block::render_block;

#[test]
fn a_session_of_thirty_steps_as_one_block() {
    let story = thirty_steps();
    let content = story.block(&Board::default(), 1_000).expect("it is shorter");
    insta::assert_snapshot!(render_block(
        story.session.bench(),
        1,
        story.whole(),
        &content,
        &crate::configuration::BlockLimits::default(),
        &count
    ));
}

#[test]
fn the_same_session_gives_the_same_block() {
    let compacted = || thirty_steps().compact(&Board::default(), 800, Some("ledger"));
    assert_eq!(compacted(), compacted());
}
