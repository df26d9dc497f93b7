use std::rc::Rc;

use lookback_engine::trace::Origin;

use super::*;
use crate::{
    conversation::NeedKind,
    measure::example,
    recording::{CallItem, Format, Item, Recording, UserItem},
    shown::Stands,
};

const FILE: &str = "let hinge = oil();\nlet nothing = 0;\n";

/// A user's turn that holds the file, and calls of which the given ones need the first line.
fn session(calls: usize, needing: &[usize], test: impl FnOnce(&Conversation<'_>)) {
    let user = Item::User(UserItem { text: FILE.into(), origin: Origin::Person, at: None });
    let call = || {
        Item::Call(Box::new(CallItem {
            id: None,
            at: None,
            model: None,
            parts: Vec::new(),
            stop: lookback_engine::trace::Stop::End,
            results: Vec::new(),
            billed: None,
            unpriced: Default::default(),
        }))
    };
    let items = std::iter::once(user).chain(std::iter::repeat_with(call).take(calls)).collect();
    let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
    let mut conversation = Conversation::new(&recording, &|_| 0);
    conversation.pieces[0].tokens = 18;
    for call in needing {
        conversation.calls[*call].needs = vec![example::need(NeedKind::EditLine, "let hinge = oil();", 8)];
    }
    test(&conversation);
}

fn made(id: u64, text: &str, tokens: u32, stands: Stands) -> Part {
    Part::Made(Rc::new(Made { id, tokens, text: text.into(), stands }))
}

#[test]
fn the_example() {
    session(1, &[0], |conversation| {
        let old = made(0, "STATE_DELTA v1\nold", 0, Stands::Board);
        let shown = Shown {
            parts: vec![old, Part::Raw(0), made(1, "STATE_DELTA v2\n{}", 10, Stands::Board)],
            stable: 0,
            hour: 0,
        };
        let signal = Judge::default().judge(conversation, &shown, 0);
        assert_eq!(signal, Signal { needed_tokens: 9.5 + 10.0, all_tokens: 28.0 });
    });
    example::with(|run, _, _| assert!((mean(run) - 0.3).abs() < 1e-9));
}

#[test]
fn a_line_is_of_use_from_twenty_steps_before_it_is_needed() {
    session(70, &[30, 35, 60], |conversation| {
        let raw = Shown { parts: vec![Part::Raw(0)], stable: 0, hour: 0 };
        let block = Shown { parts: vec![made(7, FILE, 18, Stands::Alone)], stable: 0, hour: 0 };
        let mut judge = Judge::default();
        for call in 0..70 {
            let expected = if (11..=35).contains(&call) || (41..=60).contains(&call) { 9.5 } else { 0.0 };
            assert_eq!(judge.judge(conversation, &raw, call).needed_tokens, expected, "raw, call {call}");
            assert_eq!(judge.judge(conversation, &block, call).needed_tokens, expected, "made, call {call}");
        }
    });
}
