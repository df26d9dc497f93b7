use lookback_engine::{SessionSetup, trace::SessionId};

use super::*;
use crate::strategy::fed::Fed;

fn fed<'a>(conversation: &'a Conversation<'a>) -> Fed<'a> {
    Fed::new(conversation, SessionSetup::new(SessionId("fed".into())), None, Box::new(COUNT))
}

/// The turns of all pieces after everything before a call was fed.
fn turns(fed: &mut Fed<'_>, call: usize, pieces: usize) -> Vec<Option<u32>> {
    fed.feed(call).unwrap();
    (0..pieces).map(|piece| fed.turn(piece).map(|turn| turn.0)).collect()
}

#[test]
fn pieces_know_their_turn_and_turns_their_pieces() {
    let story = Story::new().user("go").step(&["one", "two"]).say("done").user("more").say("end");
    let conversation = story.conversation();
    let mut fed = fed(&conversation);
    assert_eq!(turns(&mut fed, 2, 7), [Some(0), Some(1), Some(2), Some(2), Some(3), Some(4), None]);
    let results = fed.pieces(fed.turn(3).unwrap()).unwrap();
    assert_eq!((results.range.clone(), results.whole), (2..4, true));
}

#[test]
fn a_step_that_was_given_up_has_results_that_are_no_pieces() {
    let lost = |id: &str| NewPart::Call { id: id.into(), name: "run".into(), arguments: "{}".into() };
    let story = Story::new().user("go").call(vec![lost("a")], &[]).user("again");
    let story = story.call(vec![lost("b"), lost("c")], &["only b"]).say("end");
    let conversation = story.conversation();
    let mut fed = fed(&conversation);
    // Turn 2 is the result that never came.
    assert_eq!(turns(&mut fed, 2, 5), [Some(0), Some(1), Some(3), Some(4), Some(5)]);
    assert_eq!(fed.pieces(lookback_engine::trace::TurnNo(2)), None);
    assert!(!fed.pieces(fed.turn(4).unwrap()).unwrap().whole);
}

#[test]
fn a_client_that_goes_on_by_itself_says_so() {
    let story = Story::new().say("first").say("second").user("now you").say("third");
    let conversation = story.conversation();
    let mut fed = fed(&conversation);
    assert_eq!(turns(&mut fed, 2, 3), [Some(1), Some(3), Some(4)]);
    assert_eq!(fed.session().turns(), 5);
}

#[test]
fn an_answer_whose_calls_ran_was_whole() {
    let story = Story::new().user("go").step(&["ran"]).cancelled().say("half").cancelled().say("end");
    let conversation = story.conversation();
    let mut fed = fed(&conversation);
    assert_eq!(turns(&mut fed, 2, 4), [Some(0), Some(1), Some(2), Some(3)]);
    assert!(fed.pieces(fed.turn(2).unwrap()).unwrap().whole);
}

#[test]
fn going_back_to_the_beginning_takes_a_new_session() {
    let story = Story::new().user("go").step(&["one"]).rewind_to_the_beginning().user("other").step(&["two"]);
    let story = story.rewind(2).say("end");
    let conversation = story.conversation();
    let mut fed = fed(&conversation);
    assert_eq!(turns(&mut fed, 1, 4), [None, None, None, Some(0)]);
    assert_eq!((fed.number(), fed.session().turns(), fed.sessions().count()), (1, 1, 2));
    // Items are counted through: 2 is the other user's turn.
    assert_eq!(turns(&mut fed, 2, 6), [None, None, None, Some(0), Some(1), Some(2)]);
    assert_eq!((fed.number(), fed.session().view().entries().len()), (1, 1));
}

#[test]
fn a_branch_that_was_gone_back_from_comes_back_when_it_is_returned_to() {
    let story = Story::new().user("go").step(&["one"]).step(&["two"]).rewind(1).user("other").rewind(2).say("end");
    let conversation = story.conversation();
    let mut fed = fed(&conversation);
    fed.feed(2).unwrap();
    assert_eq!(fed.session().view().entries().len(), conversation.before(2).count());
    assert_eq!(conversation.before(2).count(), 5, "go, one, two");
}
