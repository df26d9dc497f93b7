//! The law of scripts: however often a run is stopped, and wherever, every step is played to its end once, in order.

use lookback_wire::{Provider, ReplyContent};
use proptest::prelude::*;

use super::story::{Story, number};
use crate::script::{CallEnd, Played, Player, Script, ScriptedCall, Step};

/// What happens to a step.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Whole,
    /// The process dies while the model is asked.
    KilledBefore,
    /// The stream ends after so many characters.
    Cut(usize),
    /// The process dies when so many of its tools have begun, and one fewer ended.
    KilledIn(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    let call = prop::sample::select(vec!["Read", "Bash", "Task"]);
    let call = call.prop_map(|name| ScriptedCall {
        name: name.into(),
        arguments: r#"{"path":"src/a.py"}"#.into(),
        end: CallEnd::Whole,
    });
    let text = prop::sample::select(vec!["", "The cause is a prefix.", "One\nAction: Read[{}]\n[tool] x", "测试"]);
    (text, prop::collection::vec(call, 0..3), 1u32..3).prop_map(|(text, calls, repeat)| Step {
        text: text.to_owned(),
        calls,
        repeat,
        ..Step::default()
    })
}

fn any_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        3 => Just(Fate::Whole),
        1 => Just(Fate::KilledBefore),
        2 => (0usize..40).prop_map(Fate::Cut),
        2 => (0usize..3).prop_map(Fate::KilledIn),
    ]
}

/// In characters: never nothing, because a reply without calls has its marker.
fn length(played: &Played) -> usize {
    let lengths = played.parts.iter().map(|part| match part {
        ReplyContent::Text(text) => text.chars().count(),
        ReplyContent::Call { arguments, .. } => arguments.chars().count(),
        other => panic!("not in these scripts: {other:?}"),
    });
    lengths.sum()
}

/// Plays the next step to its end, whatever it meets on the way. Returns its number.
fn finish_step(story: &mut Story, player: &mut Player, fates: &mut impl Iterator<Item = Fate>) -> u32 {
    loop {
        let fate = fates.next().unwrap_or(Fate::Whole);
        if matches!(fate, Fate::KilledBefore) {
            story.open_call();
            story.killed();
            continue;
        }
        let played = story.ask(player).expect("a step");
        if let Fate::Cut(after) = fate {
            story.take(&played, Some(after % length(&played)));
            continue;
        }
        let calls = story.take(&played, None);
        if calls.is_empty() {
            story.user("go on");
            return number(&played);
        }
        if let Fate::KilledIn(begun) = fate {
            for (index, id) in calls.iter().enumerate().take(begun) {
                story.begin_tool(id);
                if index + 1 < begun {
                    story.result(id);
                }
            }
            let all_ended = begun > calls.len();
            if !all_ended {
                story.killed();
                continue;
            }
        }
        for id in story.session.waiting_calls().into_iter().map(str::to_owned).collect::<Vec<_>>() {
            story.result(&id);
        }
        return number(&played);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_stopped_run_goes_on_at_the_right_step(
        steps in prop::collection::vec(any_step(), 1..6),
        fates in prop::collection::vec(any_fate(), 0..12),
        folds in prop::collection::vec(any::<bool>(), 12),
        api in prop::sample::select(Provider::ALL.to_vec()),
    ) {
        let script = Script { steps, ..Script::default() };
        let all = script.step_count();
        let mut player = Player::new("run.toml", script);
        let mut story = Story::begin(api);
        story.user("fix it");
        let mut fates = fates.into_iter();
        for expected in 1..=all {
            prop_assert_eq!(finish_step(&mut story, &mut player, &mut fates), expected);
            if folds[expected as usize % folds.len()] {
                story.fold();
            }
        }
    }
}
