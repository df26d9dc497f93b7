use std::time::Duration;

use insta::assert_snapshot;
use lookback_wire::TokenUsage;
use proptest::prelude::*;

use crate::script::{CallEnd, Fault, Script, ScriptedCall, Step, StepStop};

const WHOLE: &str = r#"
# what the model says, step by step
model = "claude-sonnet-4-6"

[[step]]
thinking = "The test first."
text = "I'll look at the failing test first."
calls = [
  { name = "Read", arguments = { path = "src/ledger.py", limit = 40 } },
  { name = "Bash", arguments = '{ "command":  "pytest -q" }' },
]
first_byte_ms = 20
piece_ms = 5
repeat = 3
usage = { uncached = 1200, cached = 9000, written = 300, output = 80 }
faults = ["429 retry-after=1", "529", "cut after=20", "stall", "wrong-json", "overflow", "refuse-thinking"]

[[step]]
text = "Halfway through"
stop = "limit"

[[compaction]]
after = 2
text = '''
{"compressed_turns": {}}'''
"#;

#[test]
fn a_file_says_everything() {
    let script = Script::parse(WHOLE).expect("a script");
    assert_eq!(script.model.as_deref(), Some("claude-sonnet-4-6"));
    assert_eq!(script.step_count(), 4);
    let first = script.step(3).expect("the third time");
    assert_eq!(first.calls[0].arguments, r#"{"limit":40,"path":"src/ledger.py"}"#);
    assert_eq!(first.calls[1].arguments, r#"{ "command":  "pytest -q" }"#);
    assert_eq!(
        first.usage,
        Some(TokenUsage { uncached: 1200, cached: 9000, written: 300, output: 80, ..TokenUsage::default() })
    );
    assert_eq!(first.faults[0], Fault::Status { status: 429, retry_after: Some(1) });
    assert_eq!(first.faults[3], Fault::Stall { after: 0 });
    assert_eq!(script.step(4).expect("the last").stop, StepStop::Limit);
    assert_eq!(script.step(5), None);
    assert_eq!(
        (script.compaction[0].after, script.compaction[0].text.as_str()),
        (Some(2), "{\"compressed_turns\": {}}")
    );
}

#[test]
fn a_file_is_written_for_people() {
    let script = Script::parse(WHOLE).expect("a script");
    let notes = |section, index| {
        if (section, index) == (None, 1) { vec!["the person\nstopped it".to_owned()] } else { Vec::new() }
    };
    assert_snapshot!(script.render(notes), @r#"
    model = "claude-sonnet-4-6"

    [[step]]
    thinking = "The test first."
    text = "I'll look at the failing test first."
    calls = [
      { name = "Read", arguments = '{"limit":40,"path":"src/ledger.py"}' },
      { name = "Bash", arguments = '{ "command":  "pytest -q" }' },
    ]
    first_byte_ms = 20
    piece_ms = 5
    repeat = 3
    usage = { uncached = 1200, cached = 9000, written = 300, output = 80 }
    faults = ["429 retry-after=1", "529", "cut after=20", "stall", "wrong-json", "overflow", "refuse-thinking"]

    # the person stopped it
    [[step]]
    text = "Halfway through"
    stop = "limit"

    [[compaction]]
    after = 2
    text = '{"compressed_turns": {}}'
    "#);
}

#[test]
fn mistakes_are_named_with_their_line() {
    let complaint = |text: &str| Script::parse(text).expect_err("a mistake").to_string();
    assert_snapshot!(complaint("[[step]]\ntext = \"a\"\ntxet = \"b\"\n"), @"line 3: unknown field `txet`, expected one of `after`, `thinking`, `text`, `calls`, `stop`, `first_byte_ms`, `piece_ms`, `repeat`, `usage`, `faults`");
    assert_snapshot!(complaint("[[step]]\n\nstop = \"maybe\"\n"), @r#"line 3: "maybe" is no stop: write one of end, limit, refused, window_full, cut"#);
    assert_snapshot!(complaint("[[step]]\nfaults = [\"429 after=1\"]\n"), @r#"line 2: "429 after=1" is no fault: write a status from 400 to 599 (429 may say retry-after=SECONDS), cut or stall (both may say after=CHARACTERS), wrong-json, overflow or refuse-thinking"#);
    assert_snapshot!(complaint("[[step]]\ncalls = [{ name = \"Read\", arguments = 3 }]\n"), @"line 2: arguments are a table, or the JSON text itself, and not a integer");
    assert_snapshot!(complaint("[[step]]\ntext = \"a\"\n[[step]]\nafter = 3\n"), @"line 4: after belongs in [[compaction]], [[archive]] and [[state]]: steps follow one another");
    assert_snapshot!(complaint("[[step]]\nrepeat = 0\n"), @"line 2: repeat says how often the step is played: from 1 to 1,000,000");
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z '\"\\\\\n]{0,12}",
        "(a|'''|\"\"\"|\\\\|\r\n|\n|\t|\u{7f}|\u{1}|\u{85}|测试|🦀){0,8}",
        any::<String>(),
    ]
}

fn any_fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (400u16..600, proptest::option::of(0u32..100))
            .prop_map(|(status, retry_after)| Fault::Status { status, retry_after }),
        (0usize..50).prop_map(|after| Fault::Cut { after }),
        (0usize..50).prop_map(|after| Fault::Stall { after }),
        Just(Fault::WrongJson),
        Just(Fault::Overflow),
        Just(Fault::RefuseThinking),
    ]
}

fn any_call() -> impl Strategy<Value = ScriptedCall> {
    (any_text(), any_text(), any::<bool>()).prop_map(|(name, arguments, whole)| ScriptedCall {
        name,
        arguments,
        end: if whole { CallEnd::Whole } else { CallEnd::Unfinished },
    })
}

fn any_step(after: Option<u32>) -> impl Strategy<Value = Step> {
    let stop = prop::sample::select(StepStop::ALL.to_vec());
    let usage = proptest::option::of((0u32.., 0u32.., 0u32.., 0u32..));
    let times = (0u32..5, 0u32..5, 1u32..4);
    let parts = (any_text(), any_text(), prop::collection::vec(any_call(), 0..3));
    (parts, stop, times, usage, prop::collection::vec(any_fault(), 0..3)).prop_map(
        move |((thinking, text, calls), stop, (first_byte, piece, repeat), usage, faults)| Step {
            after,
            thinking,
            text,
            calls,
            stop,
            first_byte: Duration::from_millis(first_byte.into()),
            piece: Duration::from_millis(piece.into()),
            repeat,
            usage: usage.map(|(uncached, cached, written, output)| TokenUsage {
                uncached,
                cached,
                written,
                output,
                ..TokenUsage::default()
            }),
            faults,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_reads_the_same(
        model in proptest::option::of(any_text()),
        steps in prop::collection::vec(any_step(None), 0..3),
        compaction in prop::collection::vec(any_step(Some(3)), 0..2),
        note in any_text(),
    ) {
        let script = Script { model, steps, compaction, ..Script::default() };
        let text = script.render(|_, _| vec![note.clone()]);
        prop_assert_eq!(Script::parse(&text).expect(&text), script);
    }
}
