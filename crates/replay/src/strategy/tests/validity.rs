use std::rc::Rc;

use lookback_wire::Seal;

use super::*;
use crate::{
    shown::Made,
    strategy::validity::{Checked, Validity},
};

const FORMATS: [Format; 3] = [Format::ClaudeCode, Format::Codex, Format::MiniSweAgent];

fn check(story: &Story, pieces: &[usize]) -> Result<(), String> {
    let conversation = story.conversation();
    let parts = pieces.iter().map(|piece| Part::Raw(*piece)).collect();
    verdict(&conversation, parts)
}

/// The verdict on a view of the last call. What passes stretch by stretch passes at once.
fn verdict(conversation: &Conversation<'_>, parts: Vec<Part>) -> Result<(), String> {
    let (last, shown) = (conversation.calls.len() - 1, Shown { parts, stable: 0, hour: 0 });
    let mut validity = Validity::new(conversation);
    let (verdict, whole) = (validity.check(last, &shown), validity.check_whole(last, &shown));
    assert!(verdict.is_err() || whole.is_ok(), "{whole:?}");
    // What does not pass fails at once, too, where no answer stands twice and results may not be late.
    let repeated = verdict.as_ref().is_err_and(|problem| problem.contains("twice"));
    let may_be_late = conversation.recording.format == Format::Codex;
    assert!(verdict.is_ok() || whole.is_err() || repeated || may_be_late, "{verdict:?}");
    verdict
}

fn made(stands: Stands, text: &str) -> Part {
    Part::Made(Rc::new(Made { id: 7, tokens: 1, text: text.into(), stands }))
}

fn two_steps(format: Format) -> Story {
    Story::of(format).user("go").step(&["a", "b"]).step(&["c"]).say("done")
}

#[test]
fn a_conversation_as_it_was_is_valid_everywhere() {
    for format in FORMATS {
        assert_eq!(check(&two_steps(format), &[0, 1, 2, 3, 4, 5]), Ok(()), "{format:?}");
    }
}

#[test]
fn a_call_without_its_result_and_a_result_without_its_call_are_refused_everywhere() {
    for format in FORMATS {
        let missing = check(&two_steps(format), &[0, 1, 2, 4, 5]).unwrap_err();
        assert!(missing.contains("has no result"), "{format:?}: {missing}");
        let alone = check(&two_steps(format), &[2, 3, 4, 5]).unwrap_err();
        assert!(alone.contains("answers no open call"), "{format:?}: {alone}");
    }
}

#[test]
fn a_view_that_begins_or_ends_with_an_answer_is_refused() {
    let begins = check(&two_steps(Format::ClaudeCode), &[1, 2, 3]).unwrap_err();
    assert!(begins.contains("begins with the assistant"), "{begins}");
    for format in FORMATS {
        let ends = check(&two_steps(format), &[0, 6]).unwrap_err();
        assert!(ends.contains("ends with the assistant"), "{format:?}: {ends}");
    }
}

#[test]
fn a_view_behind_another_is_judged_as_if_it_were_alone() {
    let views: [&[usize]; 10] = [
        &[0, 1, 2, 3],
        &[0, 1, 2, 3, 4, 5],
        &[0, 1, 2, 4, 5],
        &[0, 1, 2, 3, 4, 5],
        &[0, 1, 2, 3, 4, 4, 5],
        &[0, 1, 2, 3, 4],
        &[0, 1, 2, 3, 4, 5],
        &[2, 3, 4, 5],
        &[0, 4, 5],
        &[0, 1, 2, 3, 4, 5, 6],
    ];
    for format in FORMATS {
        let story = two_steps(format);
        let conversation = story.conversation();
        let last = conversation.calls.len() - 1;
        let mut following = Validity::new(&conversation);
        for view in views {
            let shown = Shown { parts: view.iter().map(|piece| Part::Raw(*piece)).collect(), stable: 0, hour: 0 };
            let alone = Validity::new(&conversation).check(last, &shown);
            assert_eq!(following.check(last, &shown), alone, "{format:?}: {view:?}");
        }
    }
}

#[test]
fn what_stands_for_a_result_keeps_its_place_among_the_others() {
    let story = two_steps(Format::ClaudeCode);
    let conversation = story.conversation();
    let shown = |parts: Vec<Part>| verdict(&conversation, parts);
    let hidden = || made(Stands::ForResult(2), "hidden");
    assert_eq!(shown(vec![Part::Raw(0), Part::Raw(1), hidden(), Part::Raw(3)]), Ok(()));
    assert!(shown(vec![Part::Raw(0), Part::Raw(1), hidden(), Part::Raw(2), Part::Raw(3)]).is_err());
    let alone = made(Stands::Alone, "summary");
    assert_eq!(shown(vec![alone, Part::Raw(4), Part::Raw(5)]), Ok(()));
}

#[test]
fn what_stands_for_an_answer_keeps_its_calls() {
    let story = two_steps(Format::ClaudeCode);
    let conversation = story.conversation();
    let parts = vec![Part::Raw(0), made(Stands::ForAnswer(1), "short"), Part::Raw(2), Part::Raw(3)];
    assert_eq!(verdict(&conversation, parts), Ok(()));
}

#[test]
fn thinking_goes_back_with_its_seal_and_never_alone() {
    let thinking = |seal| NewPart::Thinking { text: "hm ".repeat(50), seal };
    let text = NewPart::Text("so".into());
    let signed = thinking(Seal::Signature("s".repeat(500)));
    let signed = Story::new().user("go").call(vec![signed, text], &[]).user("on").say("done");
    assert_eq!(check(&signed, &[0, 1, 2]), Ok(()));
    let alone = thinking(Seal::Encrypted { id: None, content: "c".repeat(500) });
    let alone = Story::of(Format::Codex).user("go").call(vec![alone], &[]).user("on").say("done");
    assert_eq!(check(&alone, &[0, 1, 2]), Ok(()));
}

#[test]
fn ids_that_were_used_twice_are_told_apart() {
    let call = || vec![NewPart::Call { id: "call_0".into(), name: "run".into(), arguments: "{}".into() }];
    for format in FORMATS {
        let story = Story::of(format).user("go").call(call(), &["a"]).call(call(), &["b"]).say("done");
        assert_eq!(check(&story, &[0, 1, 2, 3, 4]), Ok(()), "{format:?}");
    }
}

#[test]
fn a_call_that_never_had_a_result_is_not_sent_again() {
    let story = Story::new().user("go");
    let call = |id: &str| NewPart::Call { id: id.into(), name: "run".into(), arguments: "{}".into() };
    let story = story.call(vec![call("one"), call("two")], &["a"]).user("on").say("done");
    assert_eq!(check(&story, &[0, 1, 2, 3]), Ok(()));
}

#[test]
fn a_checked_strategy_says_what_is_wrong_with_its_last_view() {
    #[derive(Debug)]
    struct Headless;
    impl Strategy for Headless {
        fn show(&mut self, call: usize) -> crate::strategy::Step {
            let parts = if call == 0 { vec![Part::Raw(0)] } else { vec![Part::Raw(2)] };
            crate::strategy::Step { shown: Shown { parts, stable: 0, hour: 0 }, ..Default::default() }
        }
    }
    let story = two_steps(Format::ClaudeCode);
    let conversation = story.conversation();
    let mut checked = Checked::new(Headless, &conversation);
    checked.show(0);
    assert_eq!(checked.invalid(), None);
    checked.show(1);
    assert!(checked.invalid().unwrap().contains("answers no open call"));
}

/// All views of four parts of two steps, in any order: most of them are wrong in some way.
#[test]
fn stretches_say_what_the_whole_body_says() {
    for format in FORMATS {
        let story = two_steps(format);
        let conversation = story.conversation();
        let (mut valid, mut invalid) = (0, 0);
        for number in 0..7_usize.pow(4) {
            let digits = (0..4).map(|place| number / 7_usize.pow(place) % 7);
            let parts = digits.map(Part::Raw).collect();
            match verdict(&conversation, parts) {
                Ok(()) => valid += 1,
                Err(_) => invalid += 1,
            }
        }
        assert!(valid > 0 && invalid > 1000, "{format:?}: {valid} {invalid}");
    }
}

#[test]
fn a_recording_that_goes_on_after_an_answer_may_end_with_it() {
    let story = Story::new().user("go").say("first").say("second").user("on").say("done");
    let conversation = story.conversation();
    let check = |call, pieces: &[usize]| {
        let parts = pieces.iter().map(|piece| Part::Raw(*piece)).collect();
        Validity::new(&conversation).check(call, &Shown { parts, stable: 0, hour: 0 })
    };
    assert_eq!(check(1, &[0, 1]), Ok(()));
    assert!(check(2, &[0, 1]).is_err());
}

#[test]
fn an_answer_that_is_shown_twice_is_refused() {
    let twice = check(&two_steps(Format::ClaudeCode), &[0, 1, 2, 3, 1, 2, 3]).unwrap_err();
    assert!(twice.contains("twice"), "{twice}");
    assert!(check(&two_steps(Format::ClaudeCode), &[]).is_err());
}
