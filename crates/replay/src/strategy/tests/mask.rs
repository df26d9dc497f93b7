use super::*;
use crate::{
    parameters::{MaskParameters, POLLING},
    strategy::{Append, mask::Mask},
};

const HIDDEN: &str = "Old environment output: (2 lines omitted)";

fn mask<'a>(conversation: &'a Conversation<'a>, n: usize, polling: usize) -> Mask<'a> {
    Mask::new(conversation, MaskParameters { n, polling }, counter())
}

/// The results that are hidden before each call.
fn hidden(mask: &mut Mask<'_>, calls: usize) -> Vec<Vec<usize>> {
    let hidden = |shown: Shown| {
        shown.parts.into_iter().filter_map(|part| match part {
            Part::Made(made) => match made.stands {
                Stands::ForResult(piece) => Some(piece),
                _ => None,
            },
            Part::Raw(_) => None,
        })
    };
    (0..calls).map(|call| hidden(mask.show(call).shown).collect()).collect()
}

#[test]
fn append_shows_everything_and_expects_it_to_stay() {
    let story = Story::new().user("go").step(&["a", "b"]).say("done");
    let conversation = story.conversation();
    let step = Append { conversation: &conversation }.show(1);
    assert_eq!(describe(&step.shown), raw([0, 1, 2, 3]));
    assert_eq!(step.shown.stable, 4);
    assert!(step.did.is_empty());
}

#[test]
fn the_published_number_is_ten_steps_every_step() {
    let story = Story::new().user("go").steps(12, "one\ntwo").say("done");
    let conversation = story.conversation();
    let mut mask = Mask::new(&conversation, MaskParameters::default(), counter());
    // Pieces: 0 the task, then answer and result of each step; call n comes after n steps.
    let hidden = hidden(&mut mask, 13);
    assert!(hidden[..=10].iter().all(Vec::is_empty));
    assert_eq!(hidden[11..], [vec![2], vec![2, 4]]);
}

#[test]
fn results_of_one_step_are_hidden_together_and_the_rest_stays() {
    let story = Story::new().user("go").step(&["a\nb", "c\nd"]).step(&["e"]).say("done");
    let conversation = story.conversation();
    let mut mask = mask(&conversation, 1, 1);
    mask.show(1);
    let step = mask.show(2);
    let placeholder = |piece: usize| format!("{piece}: {HIDDEN}");
    let expected = ["0".into(), "1".into(), placeholder(2), placeholder(3), "4".into(), "5".into()];
    assert_eq!(describe(&step.shown), expected);
    // The result of the newest step may still change; what stands before it will not.
    assert_eq!(step.shown.stable, 5);
    assert_eq!(step.did[0].note, "results of turn 2 became placeholders");
}

#[test]
fn only_what_is_hidden_for_the_first_time_was_done() {
    let story = Story::new().user("go").steps(4, "one\ntwo").say("done");
    let conversation = story.conversation();
    let mut mask = mask(&conversation, 1, 1);
    let turns: Vec<Vec<String>> =
        (0..5).map(|call| mask.show(call).did.into_iter().map(|did| did.note).collect()).collect();
    let note = |turn: u32| vec![format!("results of turn {turn} became placeholders")];
    assert_eq!(turns, [vec![], vec![], note(2), note(4), note(6)]);
}

#[test]
fn a_placeholder_is_the_same_part_in_every_view() {
    let story = Story::new().user("go").steps(3, "one\ntwo").say("done");
    let conversation = story.conversation();
    let mut mask = mask(&conversation, 1, 1);
    let before = mask.show(2).shown.parts[2].id();
    assert_eq!(mask.show(3).shown.parts[2].id(), before);
}

/// SWE-agent's own formula with the task as first observation: `observations[1 : len // polling * polling - n]`.
#[test]
fn polling_changes_the_view_only_when_the_observations_fill_a_batch() {
    let story = Story::new().user("go").steps(9, "one\ntwo").say("done");
    let conversation = story.conversation();
    let hidden = hidden(&mut mask(&conversation, 2, 4), 10);
    let none: Vec<usize> = Vec::new();
    // With 3 steps there are 4 observations: 4 - 2 = 2, the task and the first result.
    let (first, second) = (vec![2], vec![2, 4, 6, 8, 10]);
    assert_eq!(hidden[..3], [none.clone(), none.clone(), none]);
    assert!(hidden[3..7].iter().all(|pieces| *pieces == first), "{hidden:?}");
    assert!(hidden[7..].iter().all(|pieces| *pieces == second), "{hidden:?}");
}

#[test]
fn batches_of_twenty_keep_ten_to_twenty_nine() {
    let story = Story::new().user("go").steps(45, "one\ntwo").say("done");
    let conversation = story.conversation();
    let hidden = hidden(&mut mask(&conversation, 10, POLLING), 46);
    let kept: Vec<usize> = hidden.iter().enumerate().map(|(steps, hidden)| steps - hidden.len()).collect();
    assert_eq!(kept[18..20], [18, 10]);
    assert_eq!(kept[38..40], [29, 10]);
    assert_eq!(*kept.iter().max().unwrap(), 29);
}

#[test]
fn a_person_who_goes_back_sees_old_results_again() {
    let story = Story::new().user("go").steps(3, "one\ntwo").rewind(1).user("other").step(&["x"]).say("done");
    let conversation = story.conversation();
    let mut mask = mask(&conversation, 1, 1);
    assert_eq!(hidden(&mut mask, 3)[2], [2]);
    // Items 0 and 1 are left: the task and the first step, which is the newest again.
    assert_eq!(show(&mut mask, 3), raw([0, 1, 2, 7]));
    assert_eq!(describe(&mask.show(4).shown)[2], format!("2: {HIDDEN}"));
}

#[test]
fn steps_without_results_are_no_observations() {
    let silent = NewPart::Call { id: "lost".into(), name: "run".into(), arguments: "{}".into() };
    let story = Story::new().user("go").step(&["a\nb"]).call(vec![silent], &[]).user("again").say("done");
    let conversation = story.conversation();
    assert_eq!(show(&mut mask(&conversation, 1, 1), 2), raw([0, 1, 2, 3, 4]));
}
