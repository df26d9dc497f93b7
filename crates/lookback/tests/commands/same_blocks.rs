//! Blocks that are made after an import are those that replay makes of the same turns.

#![allow(clippy::print_stderr, reason = "what is left out is said")]

use std::fs;

use lookback_engine::{
    Configuration, Context, Session,
    card::{Cards, Lifetime},
    trace::{EventBody, NoBlobs, ResultData, Timestamp, TurnNo, decision::TurnRange},
};
use lookback_replay::{
    conversation::Conversation,
    import::{detect, importer, parse_document},
    recording::{Item, Recording},
    simulate::Tariff,
    strategy::driven::{Driven, Powers},
};
use lookback_tokens::count_o200k as count;
use serde_json::{Value, json};

use crate::person::{Person, corpus};

/// Room for everything: what an importer writes down was shown whole.
const WINDOW: u32 = 1_000_000_000;

fn read(bytes: &[u8]) -> Recording {
    let format = detect(bytes).expect("a known format");
    let mut recording = Recording::new(format);
    recording.about = match importer(format) {
        Some(mut importer) => {
            for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
                importer.line(number, line, &mut recording);
            }
            importer.finish(&mut recording);
            importer.about().clone()
        }
        None => parse_document(format, bytes, &mut recording).expect("a document"),
    };
    // Without times no cache grows cold, and the view stays in one layout.
    for item in &mut recording.items {
        match item {
            Item::User(user) => user.at = None,
            Item::Call(call) => call.at = None,
            Item::Compaction(_) | Item::Rewind { .. } => {}
        }
    }
    recording
}

fn tariff() -> Tariff {
    let cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).expect("cards");
    let card = cards.find("claude-opus-4-6").expect("a card").clone();
    let rates = card.rates(Lifetime::Usual).expect("prices");
    Tariff::new(card, Lifetime::Usual, rates)
}

/// The session that `import` stores.
fn imported(bytes: &[u8]) -> Session {
    let person = Person::new();
    person.import(bytes).shown();
    let store = person.store();
    let id = store.sessions().expect("a list").remove(0).id;
    let mut events = store.events(&id).expect("events");
    for event in &mut events {
        for output in event.event.outputs_mut() {
            *output = lookback_engine::trace::Output::new(output.bytes(&store).expect("stored").to_vec());
        }
    }
    Session::replay(events, &NoBlobs).expect("it replays")
}

/// Turns in their order, and where steps end.
fn turns(session: &Session) -> (Vec<(TurnNo, &'static str)>, Vec<TurnNo>) {
    let turns = session.trace().iter().filter_map(|event| match &event.event {
        EventBody::UserTurn(turn) => Some((turn.turn, "user")),
        EventBody::AssistantTurn(turn) => Some((turn.turn, "assistant")),
        EventBody::StepEnded { turn, .. } => Some((*turn, "results")),
        _ => None,
    });
    let turns: Vec<_> = turns.collect();
    let ends = turns.iter().filter(|(_, kind)| *kind == "results").map(|(turn, _)| *turn).collect();
    (turns, ends)
}

/// The text of the block that rules write for a range; none where it cannot be folded.
fn block(session: &mut Session, range: TurnRange, budget: u32) -> Option<String> {
    let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    let mut draft = session.draft_range(range, None, "test").ok()?;
    // Reminders that were shown make a stretch longer, and with it its budget.
    draft.budget = budget;
    session.fold_by_rules(&draft, &context).ok()?;
    session.trace().iter().rev().find_map(|event| match &event.event {
        EventBody::Fold(fold) => Some(fold.content.text.clone()),
        _ => None,
    })
}

/// Folds the same stretches of both, and says how many blocks were compared; none where replay numbers turns otherwise.
fn compare(name: &str, bytes: &[u8]) -> Option<usize> {
    let recording = read(bytes);
    if recording.items.iter().any(|item| matches!(item, Item::Rewind { last: None })) {
        eprintln!("{name}: goes back to its very beginning, where replay begins a new session: not compared");
        return None;
    }
    let mut conversation = Conversation::new(&recording, &count);
    (conversation.scale.base, conversation.scale.factor) = (0, 1.0);
    let mut configuration = Configuration::default();
    configuration.window.tokens = Some(WINDOW);
    let tariff = tariff();
    let last = conversation.calls.len().checked_sub(1)?;
    let mut driven = Driven::new(&conversation, Powers::Planned, &tariff, configuration, &count);
    driven.feed(last).expect("it is fed");
    let mut fed = Session::replay(driven.session().trace().to_vec(), &NoBlobs).expect("it replays");
    let mut imported = imported(bytes);
    let (known, ends) = turns(&fed);
    if !turns(&imported).0.starts_with(&known) {
        eprintln!("{name}: replay had to tell its client to go on, so turns have other numbers: not compared");
        return None;
    }
    let ends: Vec<TurnNo> = ends.iter().rev().skip(5).rev().copied().collect();
    let mut compared = 0;
    let mut first = TurnNo(0);
    for last in [ends.len() / 3, ends.len() * 2 / 3, ends.len()].iter().filter_map(|end| ends.get(end.checked_sub(1)?))
    {
        let range = TurnRange { first, last: *last };
        let blocks = [&mut fed, &mut imported].map(|session| block(session, range, 2_000));
        if let [Some(fed), Some(imported)] = &blocks {
            assert_eq!(imported, fed, "{name}: turns {}–{}", range.first, range.last);
            compared += 1;
        }
        first = TurnNo(last.0 + 1);
    }
    Some(compared)
}

fn codex(payload: Value) -> String {
    json!({"timestamp": "2026-01-01T00:00:00.000Z", "type": "response_item", "payload": payload}).to_string() + "\n"
}

/// `cat a.py`, an `apply_patch` on its line 7 that names no line, and enough behind it to leave the patch foldable.
fn patched() -> String {
    let meta = json!({"id": "s1", "cwd": "/shop", "base_instructions": {"text": "Be good."}});
    let mut lines =
        json!({"timestamp": "2026-01-01T00:00:00.000Z", "type": "session_meta", "payload": meta}).to_string() + "\n";
    let said = |text: &str| {
        codex(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
    };
    let run = |id: &str, command: &str, output: &str| {
        let call = json!({"cmd": command}).to_string();
        codex(json!({"type": "function_call", "name": "exec_command", "arguments": call, "call_id": id}))
            + &codex(json!({"type": "function_call_output", "call_id": id,
                "output": format!("Exit code: 0\nWall time: 0 seconds\nOutput:\n{output}")}))
    };
    let source: String = (1..=60).map(|line| format!("value_{line} = compute({line}, rate={line}.5)\n")).collect();
    lines += &said("make line seven right");
    lines += &run("c1", "cat a.py", &source);
    let patch = "*** Begin Patch\n*** Update File: /shop/a.py\n@@\n-value_7 = compute(7, rate=7.5)\n+value_7 = 7\n*** End Patch";
    lines += &codex(json!({"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c2"}));
    lines += &codex(json!({"type": "custom_tool_call_output", "call_id": "c2",
        "output": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"}));
    for step in 3..12 {
        lines += &run(&format!("c{step}"), &format!("cat b{step}.py"), &source.replace("value", &format!("b{step}")));
    }
    lines + &said("thanks")
}

#[test]
fn an_edit_without_line_numbers_is_placed_by_the_import_as_by_replay() {
    let lines = patched();
    assert!(compare("patched", lines.as_bytes()).is_some_and(|blocks| blocks > 0));
    let session = imported(lines.as_bytes());
    let hunks = session.trace().iter().find_map(|event| match &event.event {
        EventBody::ToolResult { result, .. } => match &result.data {
            ResultData::Edit(edit) => Some(edit.hunks.clone()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(hunks.expect("an edit")[0].first_line, 7);
    let place =
        |pointer: &str| pointer.parse::<lookback_engine::evidence::pointer::Pointer>().expect("a pointer").place;
    let line = |pointer: &str| {
        let recalled = session.recall(&place(pointer), &NoBlobs).expect("it was seen");
        String::from_utf8_lossy(&recalled.pieces[0].bytes).trim_end().to_owned()
    };
    assert_eq!(line("file:a.py:L1"), "value_1 = compute(1, rate=1.5)");
    assert_eq!(line("file:a.py:L7"), "value_7 = 7");
}

#[test]
fn the_sample_is_folded_the_same_after_import_and_in_replay() {
    let sample = include_bytes!("../../../../fixtures/sample-session.jsonl");
    assert!(compare("the sample", sample).is_some_and(|blocks| blocks > 0));
}

/// Of all recordings; what cannot be compared says so, and there is little of it.
#[test]
fn so_are_the_sessions_of_the_corpus() {
    let (mut sessions, mut left_out, mut blocks) = (0, 0, 0);
    let corpus = corpus();
    for path in &corpus {
        let bytes = zstd::decode_all(&*fs::read(path).expect("a file")).expect("zstd");
        match compare(&path.display().to_string(), &bytes) {
            Some(compared) => (sessions, blocks) = (sessions + 1, blocks + compared),
            None => left_out += 1,
        }
    }
    eprintln!("{sessions} sessions of the corpus, {blocks} blocks compared, {left_out} sessions left out");
    assert!(blocks >= sessions && left_out * 20 <= sessions, "{left_out} of {sessions} left out");
    assert!(blocks > 0 || corpus.is_empty());
}
