use insta::assert_snapshot;
use lookback_wire::{Provider, ReplyContent};

use super::story::{Story, number};
use crate::script::{Fault, Place, Player, Script, Section, position_of_call, without_marker};

const JSON_APIS: [Provider; 3] = [Provider::Anthropic, Provider::Chat, Provider::Responses];

fn player(text: &str) -> Player {
    Player::new("fix.toml", Script::parse(text).expect("a script"))
}

const TWO: &str = r#"
[[step]]
text = "Looking."
calls = [{ name = "Read", arguments = { path = "a" } }, { name = "Read", arguments = { path = "b" } }]

[[step]]
text = "Done."
"#;

fn text_of(parts: &[ReplyContent]) -> &str {
    parts
        .iter()
        .find_map(|part| if let ReplyContent::Text(text) = part { Some(text.as_str()) } else { None })
        .unwrap_or("")
}

#[test]
fn steps_follow_one_another_in_every_api() {
    for api in Provider::ALL {
        let mut player = player(TWO);
        let mut story = Story::begin(api);
        story.user("fix it");
        let first = story.ask(&mut player).expect("a step");
        assert_eq!(number(&first), 1, "{api}");
        let marked = if api == Provider::React { "Looking. ⟦step 1⟧" } else { "Looking." };
        assert_eq!(text_of(&first.parts), marked, "{api}");
        for id in story.take(&first, None) {
            assert_eq!(position_of_call(&id), Some((1, 1)));
            story.result(&id);
        }
        let second = story.ask(&mut player).expect("a step");
        assert_eq!(text_of(&second.parts), "Done. ⟦step 2⟧", "{api}");
        story.take(&second, None);
        story.user("and now?");
        let end = story.ask(&mut player).expect_err("the end").to_string();
        assert_eq!(end, "fix.toml ends with step 2, and this conversation asks for step 3: add a [[step]] to it");
    }
}

#[test]
fn faults_are_met_one_by_one_before_the_step_is_played() {
    let mut player = player("[[step]]\ntext = \"Done.\"\nfaults = [\"529\", \"cut after=2\"]\n");
    let mut story = Story::begin(Provider::Chat);
    story.user("fix it");
    let body = story.body();
    let mut fault = || player.play(Provider::Chat, &body).expect("a step").fault;
    assert_eq!(fault(), Some(Fault::Status { status: 529, retry_after: None }));
    assert_eq!(fault(), Some(Fault::Cut { after: 2 }));
    assert_eq!(fault(), None);
    assert_eq!(fault(), None);
}

#[test]
fn a_reply_that_stops_at_the_limit_is_not_played_again() {
    for api in Provider::ALL {
        let mut player = player(
            "[[step]]\ncalls = [{ name = \"Read\" }]\nstop = \"limit\"\n[[step]]\ncalls = [{ name = \"Read\", unfinished = true }]\nstop = \"limit\"\n[[step]]\ntext = \"Half\"\nstop = \"cut\"\n[[step]]\ntext = \"Done.\"\n",
        );
        let mut story = Story::begin(api);
        story.user("fix it");
        for expected in 1..=4 {
            let played = story.ask(&mut player).expect("a step");
            assert_eq!(number(&played), expected, "{api}");
            assert!(story.take(&played, None).is_empty());
        }
    }
}

const SIDES: &str = r#"
[[step]]
calls = [{ name = "Read" }]
repeat = 3

[[compaction]]
after = 2
text = "at two"

[[compaction]]
text = '{"replaces": {"start_turn": {start_turn}, "end_turn": {end_turn}}}'

[[archive]]
text = "first"
faults = ["stall"]

[[archive]]
text = "then"
"#;

#[test]
fn compactors_are_answered_from_their_own_sections() {
    for api in JSON_APIS {
        let mut player = player(SIDES);
        let mut story = Story::begin(api);
        story.user("fix it");
        let mut said = Vec::new();
        for _ in 0..3 {
            let played = story.ask(&mut player).expect("a step");
            for id in story.take(&played, None) {
                story.result(&id);
            }
            let english = "[Meta instruction / TAIL_COMPACTION]\nCompress the turns turn#3 to turn#17 of this.";
            let chinese = "[Meta 指令 / TAIL_COMPACTION]\n压缩本对话中 turn#3 到 turn#17 的 turns。";
            for prompt in [english, chinese] {
                let side = player.play(api, &story.body_asking(prompt)).expect("an answer");
                said.push(text_of(&side.parts).to_owned());
            }
        }
        let filled = r#"{"replaces": {"start_turn": 3, "end_turn": 17}}"#;
        assert_eq!(said, [filled, filled, "at two", "at two", filled, filled], "{api}");
    }
}

#[test]
fn answers_of_a_section_come_in_order_and_the_last_one_stays() {
    let mut player = player(SIDES);
    let mut story = Story::begin(Provider::Anthropic);
    story.user("x");
    let body = story.body_asking("[Meta instruction / ARCHIVE_SUMMARY]\nSummarise.");
    let mut ask = || player.play(Provider::Anthropic, &body).expect("an answer");
    assert_eq!(ask().fault, Some(Fault::Stall { after: 0 }));
    let said: Vec<String> = (0..3).map(|_| text_of(&ask().parts).to_owned()).collect();
    assert_eq!(said, ["first", "then", "then"]);
    let body = story.body_asking("[Meta instruction / STATE_UPDATE]\nThe board.");
    let error = player.play(Provider::Anthropic, &body).expect_err("no section").to_string();
    assert_snapshot!(error, @"fix.toml has no [[state]] to answer this call with: add one to it");
    let place =
        player.play(Provider::Anthropic, &story.body_asking("[Meta instruction / ARCHIVE_SUMMARY]\n")).expect("one");
    assert_eq!(place.place, Place::Side { section: Section::Archive, number: 2 });
}

#[test]
fn a_conversation_of_blocks_alone_is_not_begun_again() {
    let body =
        br#"{"messages":[{"role":"user","content":"<lookback-block>\nCOMPRESSED_TURNS v1\n</lookback-block>"}]}"#;
    let error = player(TWO).play(Provider::Chat, body).expect_err("lost").to_string();
    assert!(error.contains("which step of fix.toml was played last"), "{error}");
    let quoted = "<lookback-block>\nthe assistant concluded: “Found it ⟦step 1⟧”\n</lookback-block>";
    let quoted = serde_json::json!({"messages": [{"role": "user", "content": quoted}]}).to_string();
    assert_eq!(number(&player(TWO).play(Provider::Chat, quoted.as_bytes()).expect("a step")), 2);
}

#[test]
fn a_marker_can_be_taken_off_again() {
    for text in ["", "Done.", "One\ntwo\n```\nx\n```", "a ⟦step 3⟧ quoted"] {
        let marked = crate::script::position::with_marker(text, 12);
        assert_eq!(without_marker(&marked), (text, Some(12)));
    }
    assert_eq!(without_marker("⟦step x⟧"), ("⟦step x⟧", None));
    // Cut within the marker: the reply is not whole.
    assert_eq!(without_marker("Done. ⟦step 12"), ("Done. ⟦step 12", None));
    assert_eq!(crate::script::position::markers("Done. ⟦step 12").count(), 0);
}
