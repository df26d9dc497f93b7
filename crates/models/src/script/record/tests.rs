use insta::assert_snapshot;
use lookback_engine::{
    NewPart,
    session::ModelAttempt,
    trace::{
        Event, Stop, TurnNo,
        event::{Interruption, Usage},
    },
};
use lookback_wire::{Provider, Seal, TokenUsage};
use proptest::prelude::*;

use super::Recorder;
use crate::script::{
    Fault, Player, Script, Section, Step, StepStop,
    tests::story::{Story, number},
};

fn record(events: &[Event]) -> String {
    let mut recorder = Recorder::default();
    events.iter().for_each(|event| recorder.push(event));
    recorder.finish()
}

fn text(text: &str) -> NewPart {
    NewPart::Text(text.into())
}

#[test]
fn a_session_becomes_a_script() {
    let mut story = Story::begin(Provider::Anthropic);
    story.user("fix it");
    story.open_call();
    let parts = vec![
        NewPart::Thinking { text: "The test first.".into(), seal: Seal::Signature("sealed".into()) },
        text("I'll look.\nAt the \"test\"."),
        NewPart::Call { id: "toolu_1".into(), name: "Read".into(), arguments: "{ \"path\":  \"a\" }".into() },
        NewPart::Call { id: "toolu_2".into(), name: "Bash".into(), arguments: "not JSON 'at' all".into() },
    ];
    let call = story.tell(|session, now| {
        session.assistant_turn(parts, Stop::End, now).expect("a call is open");
        let call = session.last_call();
        let billed = TokenUsage { uncached: 12, cached: 900, written: 3, output: 40, ..TokenUsage::default() };
        session.usage(Usage { call, billed }, now).expect("of the last");
        call
    });
    assert_eq!(call.0, 1);
    story.result("toolu_1");
    story.result("toolu_2");
    story.open_call();
    story.tell(|session, now| session.interrupt(Interruption::Failed("529".into()), now).expect("a call is open"));
    story.open_call();
    let half = vec![
        text("Half a"),
        NewPart::UnfinishedCall { id: "c".into(), name: "Edit".into(), arguments: "{\"pa".into() },
    ];
    story.tell(|session, now| session.assistant_turn(half, Stop::Cancelled, now).expect("a call is open"));
    story.user("go on");
    story.open_call();
    story.tell(|session, now| session.assistant_turn(vec![text("A detour.")], Stop::End, now).expect("a call is open"));
    story.tell(|session, now| session.roll_back(TurnNo(4), now).expect("it is there"));
    story.user("finish");
    story.open_call();
    story.tell(|session, now| session.assistant_turn(vec![text("Done.")], Stop::Limit, now).expect("a call is open"));
    assert_snapshot!(record(story.session.trace()), @r#"
    model = "claude-sonnet-4-6"

    [[step]]
    thinking = "The test first."
    text = '''
    I'll look.
    At the "test".'''
    calls = [
      { name = "Read", arguments = '{ "path":  "a" }' },
      { name = "Bash", arguments = "not JSON 'at' all" },
    ]
    usage = { uncached = 12, cached = 900, written = 3, output = 40 }

    # call 2 ended without its answer: it failed: 529
    # the person stopped it here
    [[step]]
    text = "Half a"
    calls = [{ name = "Edit", arguments = '{"pa', unfinished = true }]
    stop = "cut"

    # here the person went back to turn#4; what was said after it is left out
    [[step]]
    text = "Done."
    stop = "limit"
    "#);
}

#[test]
fn a_models_fold_is_recorded_as_it_was_admitted() {
    let mut story = Story::begin(Provider::Anthropic);
    let script = "[[step]]\ncalls = [{ name = \"Read\" }]\nrepeat = 12\n";
    let mut player = Player::new("a.toml", Script::parse(script).expect("a script"));
    story.user("fix the ledger");
    for _ in 0..12 {
        let played = story.ask(&mut player).expect("a step");
        for id in story.take(&played, None) {
            story.result(&id);
        }
    }
    let proposal = |first: u32, last: u32| {
        format!(
            r#"{{"compressed_turns": {{"replaces": {{"start_turn": {first}, "end_turn": {last}}},
            "task": "user#1", "facts": [{{"kind": "verdict", "evidence": ["cmd#99"]}}], "anchors": [],
            "notes": ["why?"]}}, "state_delta": {{"task": "user#1"}}}}"#
        )
    };
    story.tell(|session, now| {
        let draft = session.draft_fold(None, now).expect("enough to fold");
        let range = draft.range;
        session
            .fold_by_model(&draft, &proposal(range.first.0, range.last.0), ModelAttempt::First, now)
            .expect("admitted");
    });
    let recorded = record(story.session.trace());
    let text = Script::parse(&recorded).expect("a script").compaction[0].text.clone();
    assert_snapshot!(text, @r#"
    {
      "compressed_turns": {
        "anchors": [],
        "facts": [],
        "notes": [
          {
            "text": "why?"
          }
        ],
        "replaces": {
          "end_turn": 14,
          "start_turn": 0
        },
        "task": {
          "pointer": "user#1",
          "text": "fix the ledger"
        }
      },
      "state_delta": {
        "task": {
          "pointer": "user#1",
          "text": "fix the ledger"
        }
      }
    }
    "#);
    // Of the model's text, a fact was not admitted: the file says that it is not there.
    let noted = "# as it was admitted: the gate refused 1 claim more\n[[compaction]]\nafter = 12\n";
    assert!(recorded.contains(noted), "{recorded}");
    let again = Script::parse(&recorded).expect("a script");
    assert_eq!((again.step_count(), again.section(Section::Compaction)[0].after), (12, Some(12)));
}

fn any_step() -> impl Strategy<Value = Step> {
    let words = prop::sample::select(vec!["", "The cause is a prefix.", "One\ntwo\n```\nx\n```", "测试 'q' \"\"\""]);
    let call = ("[A-Z][a-z]{1,5}", "[ -~\n]{0,12}").prop_map(|(name, arguments)| super::ScriptedCall {
        name,
        arguments,
        end: crate::script::CallEnd::Whole,
    });
    let stop = prop_oneof![4 => Just(StepStop::End), 1 => Just(StepStop::Limit)];
    (words.clone(), words, prop::collection::vec(call, 0..3), stop).prop_map(|(thinking, text, calls, stop)| Step {
        thinking: thinking.to_owned(),
        text: text.to_owned(),
        calls,
        stop,
        ..Step::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Cuts become faults of the script; nothing else that stops a run does.
    #[test]
    fn a_session_that_a_script_drove_gives_the_script_back(
        mut steps in prop::collection::vec(any_step(), 1..5),
        cuts in prop::collection::vec(prop::collection::vec(1usize..6, 0..2), 5),
        kills in prop::collection::vec(any::<bool>(), 5),
    ) {
        for (step, cuts) in steps.iter_mut().zip(&cuts) {
            let room = super::length(step);
            step.faults = cuts.iter().filter(|after| **after < room).map(|after| Fault::Cut { after: *after }).collect();
        }
        let script = Script { model: Some("claude-sonnet-4-6".into()), steps, ..Script::default() };
        let mut player = Player::new("run.toml", script.clone());
        let mut story = Story::begin(Provider::Anthropic);
        story.user("fix it");
        let mut kills = kills.into_iter();
        let mut next = 1;
        while next <= script.step_count() {
            let played = story.ask(&mut player).expect("a step");
            prop_assert_eq!(number(&played), next);
            if let Some(Fault::Cut { after }) = played.fault {
                story.take(&played, Some(after));
                continue;
            }
            let calls = story.take(&played, None);
            if !calls.is_empty() && kills.next().unwrap_or(false) {
                story.killed();
                continue;
            }
            calls.iter().for_each(|id| story.result(id));
            if story.session.waiting_calls().is_empty() && calls.is_empty() {
                story.user("go on");
            }
            next += 1;
        }
        let text = record(story.session.trace());
        prop_assert_eq!(Script::parse(&text).expect(&text), script);
    }
}
