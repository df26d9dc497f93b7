//! What holds for any body of any client: generated ones, small ones in the shape of real clients, and recorded ones
//! where they are at hand.

mod generated;
mod laws;
mod recorded;
mod witness;

use lookback_wire::{
    Body, BodyError,
    body::{Edit, SectionKind},
};
use proptest::{collection::vec, prelude::*, sample::Index};

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_spliced_is_the_same_bytes((provider, json) in generated::body()) {
        laws::identity(&laws::parse(provider, &json));
    }

    #[test]
    fn spans_tile((provider, json) in generated::body()) {
        laws::spans_tile(&laws::parse(provider, &json));
    }

    #[test]
    fn serde_json_sees_the_same_places((provider, json) in generated::body()) {
        witness::agrees(&laws::parse(provider, &json));
    }

    #[test]
    fn a_spliced_range_keeps_every_byte_outside((provider, json) in generated::body(), ends in any::<(Index, Index)>()) {
        let body = laws::parse(provider, &json);
        laws::range_is_replaced(&body, laws::range(&body, ends));
        laws::range_is_removed(&body, laws::range(&body, ends));
    }

    #[test]
    fn many_edits_do_what_they_would_do_to_a_list(
        (provider, json) in generated::body(),
        cuts in vec((any::<Index>(), any::<Option<u8>>()), 0..8),
    ) {
        laws::edits_act_as_on_a_list(&laws::parse(provider, &json), cuts);
    }

    #[test]
    fn broken_bodies_are_refused_as_serde_json_refuses_them(
        (provider, json) in generated::body(),
        damage in vec((any::<Index>(), generated::damage()), 1..4),
    ) {
        let mut bytes = json.into_bytes();
        for (at, damage) in damage {
            damage.apply(&mut bytes, at);
        }
        let accepted = witness::is_object(&bytes);
        match Body::parse(provider, bytes.clone()) {
            Ok(body) => {
                prop_assert!(accepted, "read, though serde_json refuses it: {}", String::from_utf8_lossy(&bytes));
                laws::all(&body);
            }
            Err(error) => {
                prop_assert!(!accepted, "{error}: {}", String::from_utf8_lossy(&bytes));
                let (BodyError::NotText { offset } | BodyError::NotJson { offset, .. }) = error else {
                    return Err(TestCaseError::fail(format!("{error}")));
                };
                prop_assert!(offset <= bytes.len());
            }
        }
    }
}

#[test]
fn every_recorded_body_obeys_the_laws() {
    for recorded in recorded::all() {
        let body =
            Body::parse(recorded.provider, recorded.bytes).unwrap_or_else(|error| panic!("{}: {error}", recorded.name));
        assert!(!body.messages().is_empty(), "{}: no messages were found", recorded.name);
        assert!(body.model().is_some(), "{}: no model was found", recorded.name);
        laws::all(&body);
        for message in 0..body.messages().len() {
            let read = body.message(message).expect("there is one");
            let read = read.unwrap_or_else(|error| panic!("{}, message {message}: {error}", recorded.name));
            assert!(!read.is_empty(), "{}, message {message} says nothing", recorded.name);
        }
        assert!(body.message(body.messages().len()).is_none());
    }
}

#[test]
fn fixtures_read_as_their_clients_meant_them() {
    let shown: Vec<String> = recorded::fixtures().into_iter().map(outline).collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    claude-anthropic (anthropic): claude-opus-5-5 streamed None Some("{\"device_id\":\"0\",\"account_uuid\":\"\",\"session_id\":\"11111111-2222-4333-8444-555555555555\"}")
      Tools: 2 entries, marks at []
      System: 3 entries, marks at [(1, None), (2, None)]
      Messages: 6 entries, marks at [(5, Some(1))]
        user – [text text]
        system – []
        assistant – [thinking text tool_use]
        user – [tool_result]
        assistant – [redacted_thinking tool_use tool_use]
        user – [tool_result tool_result]
    codex-responses (responses): gpt-6-sol streamed Some("01a1dee3-0000-7000-8000-000000000001") None
      Messages: 10 entries, marks at []
        developer additional_tools []
        developer message [input_text input_text]
        user message [input_text]
        – reasoning []
        – custom_tool_call []
        – custom_tool_call_output [input_text input_text]
        – function_call []
        – function_call_output []
        assistant message [output_text]
        – compaction_trigger []
    goose-chat (chat): gpt-5.1 streamed None None
      Tools: 1 entries, marks at []
      Messages: 6 entries, marks at []
        system – []
        user – [text image_url]
        assistant – []
        user – []
        assistant – []
        tool – []
    opencode-chat (chat): deepseek-reasoner streamed None None
      Tools: 2 entries, marks at []
      Messages: 5 entries, marks at []
        system – []
        user – []
        assistant – []
        tool – []
        tool – []
    qwen-anthropic (anthropic): qwen3-coder-plus streamed None None
      Tools: 2 entries, marks at [(1, None)]
      System: 2 entries, marks at [(0, None), (1, None)]
      Messages: 3 entries, marks at [(2, Some(1))]
        user – [text]
        assistant – [thinking tool_use]
        user – [tool_result text]
    "#);
}

/// A body in a few lines: who is who, and what lies where.
fn outline(recorded: recorded::Recorded) -> String {
    let body = Body::parse(recorded.provider, recorded.bytes).expect("fixtures are JSON");
    let mut lines = vec![format!(
        "{} ({}): {} {} {:?} {:?}",
        recorded.name,
        body.provider(),
        body.model().expect("fixtures name a model"),
        if body.value("stream") == Some(b"true") { "streamed" } else { "whole" },
        body.prompt_cache_key(),
        body.user_id(),
    )];
    for section in body.sections() {
        let marks: Vec<_> = section.marks().iter().map(|mark| (mark.entry, mark.block)).collect();
        lines.push(format!("  {:?}: {} entries, marks at {marks:?}", section.kind, section.entries().len()));
        if section.kind != SectionKind::Messages {
            continue;
        }
        for (at, entry) in section.entries().iter().enumerate() {
            let says = |text: Option<_>| text.map_or("–".into(), |text| body.text(text));
            let blocks: Vec<_> = body.blocks(at).iter().map(|block| says(block.kind)).collect();
            lines.push(format!("    {} {} [{}]", says(entry.role), says(entry.kind), blocks.join(" ")));
        }
    }
    lines.join("\n")
}

/// An edit that replaces messages, for the laws.
fn replace(range: std::ops::Range<usize>, with: &[u8]) -> Edit<'_> {
    Edit::Messages { range, with: with.into() }
}
