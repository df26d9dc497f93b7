use super::*;
use crate::{
    parameters::ClearParameters,
    strategy::clear_tools::{ClearTools, PLACEHOLDER},
};

fn cleared(piece: usize) -> String {
    format!("{piece}: {PLACEHOLDER}")
}

#[test]
fn the_published_numbers() {
    let expected = ClearParameters { trigger: 100_000, keep: 3, clear_at_least: 20_000 };
    assert_eq!(ClearParameters::default(), expected);
    assert_eq!(ClearParameters::documented(), ClearParameters { clear_at_least: 0, ..expected });
}

#[test]
fn at_the_trigger_all_but_the_newest_uses_are_cleared_once() {
    let output = "x".repeat(300);
    let story = Story::new().user("go").steps(6, &output).say("done");
    let conversation = story.conversation();
    let parameters = ClearParameters { trigger: 1000, keep: 1, clear_at_least: 100 };
    let mut strategy = ClearTools::new(&conversation, parameters, counter());
    // Three steps have more than 900 tokens, but not 1,000.
    assert_eq!(show(&mut strategy, 3), raw(0..7));
    let step = strategy.show(4);
    let expected = ["0".into(), "1".into(), cleared(2), "3".into(), cleared(4), "5".into(), cleared(6)];
    assert_eq!(describe(&step.shown)[..7], expected);
    assert_eq!(describe(&step.shown)[7..], raw([7, 8]));
    assert_eq!(step.shown.stable, 8);
    assert_eq!(step.did[0].what, "clear");
    // Below the trigger again: what was cleared stays so, the rest stays too.
    let step = strategy.show(5);
    assert_eq!(describe(&step.shown)[..7], expected);
    assert_eq!(describe(&step.shown)[7..], raw(7..11));
    assert!(step.did.is_empty());
}

#[test]
fn nothing_is_cleared_where_it_would_not_be_enough() {
    let output = "x".repeat(300);
    let story = Story::new().user("go").steps(5, &output).say("done");
    let conversation = story.conversation();
    let parameters = ClearParameters { trigger: 500, keep: 1, clear_at_least: 900 };
    let mut strategy = ClearTools::new(&conversation, parameters, counter());
    // Three clearable results free 3 × (300 − 33) = 801 tokens, four of them 1,068.
    assert_eq!(show(&mut strategy, 4), raw(0..9));
    assert_eq!(show(&mut strategy, 5).iter().filter(|part| part.ends_with(PLACEHOLDER)).count(), 4);
}

#[test]
fn the_base_counts_and_parallel_uses_count_one_by_one() {
    let story = Story::new().user("go").step(&[&"x".repeat(200), &"y".repeat(200)]).say("done");
    let mut conversation = story.conversation();
    conversation.scale.base = 10_000;
    let parameters = ClearParameters { trigger: 10_000, keep: 1, clear_at_least: 1 };
    let mut strategy = ClearTools::new(&conversation, parameters, counter());
    assert_eq!(show(&mut strategy, 1), ["0".into(), "1".into(), cleared(2), "3".into()]);
}

#[test]
fn what_was_cleared_stays_so_when_a_person_goes_back() {
    let output = "x".repeat(300);
    let story = Story::new().user("go").steps(3, &output).rewind(2).user("other").say("done");
    let conversation = story.conversation();
    let parameters = ClearParameters { trigger: 600, keep: 1, clear_at_least: 1 };
    let mut strategy = ClearTools::new(&conversation, parameters, counter());
    (0..3).for_each(|call| drop(strategy.show(call)));
    assert_eq!(show(&mut strategy, 3), ["0".into(), "1".into(), cleared(2), "3".into(), "4".into(), "7".into()]);
}

#[test]
fn a_short_session_is_left_alone() {
    let story = Story::new().user("go").steps(20, "short").say("done");
    let conversation = story.conversation();
    let mut strategy = ClearTools::new(&conversation, ClearParameters::default(), counter());
    assert_eq!(show(&mut strategy, 20), raw(0..41));
}
