use insta::assert_snapshot;
use lookback_models::script::StepStop;
use lookback_wire::{Provider, ReplyContent, Seal, TokenUsage};

use super::{Ending, Shown, Spoken, react::render_react, render_stream, render_whole};

fn parts(seal: Seal) -> Vec<ReplyContent> {
    vec![
        ReplyContent::Thinking { text: "The test first.".into(), seal },
        ReplyContent::Text("I'll look.".into()),
        ReplyContent::Call {
            id: "step-1-1".into(),
            name: "Read".into(),
            arguments: r#"{"path": "src/ledger.py"}"#.into(),
        },
    ]
}

fn spoken(parts: &[ReplyContent], ending: Ending) -> Spoken<'_> {
    Spoken {
        number: 1,
        created: 1_763_200_000,
        model: "m",
        parts,
        ending,
        usage: TokenUsage { uncached: 100, cached: 900, written: 24, output: 30, ..TokenUsage::default() },
        thinking_tokens: 4,
        shown: Shown { usage_in_stream: true, encrypted_reasoning: true },
    }
}

fn stream(api: Provider, spoken: &Spoken<'_>) -> String {
    let bytes: Vec<u8> = render_stream(api, spoken).iter().flat_map(super::Event::to_bytes).collect();
    String::from_utf8(bytes).expect("text")
}

const END: Ending = Ending::Said(StepStop::End);

#[test]
fn a_stream_of_messages() {
    let parts = parts(Seal::Signature("EoSealed".into()));
    assert_snapshot!(stream(Provider::Anthropic, &spoken(&parts, END)));
}

#[test]
fn a_stream_of_chat_completions() {
    assert_snapshot!(stream(Provider::Chat, &spoken(&parts(Seal::Plain), END)));
}

#[test]
fn a_stream_of_responses() {
    let seal = Seal::Encrypted { id: Some("rs_7".into()), content: "gAAAsealed".into() };
    assert_snapshot!(stream(Provider::Responses, &spoken(&parts(seal), END)));
}

#[test]
fn whole_bodies() {
    let seal = |api| match api {
        Provider::Anthropic => Seal::Signature("EoSealed".into()),
        Provider::Responses => Seal::Encrypted { id: Some("rs_7".into()), content: "gAAAsealed".into() },
        Provider::Chat | Provider::React => Seal::Plain,
    };
    for api in [Provider::Anthropic, Provider::Chat, Provider::Responses] {
        let parts = parts(seal(api));
        let body: serde_json::Value = serde_json::from_slice(&render_whole(api, &spoken(&parts, END))).expect("JSON");
        insta::assert_snapshot!(format!("whole_{api}"), serde_json::to_string_pretty(&body).expect("JSON"));
    }
}

#[test]
fn an_answer_that_is_cut_closes_nothing() {
    let parts = [ReplyContent::Text("Look".into())];
    let streams = [Provider::Anthropic, Provider::Chat, Provider::Responses].map(|api| {
        render_stream(api, &spoken(&parts, Ending::Open))
            .iter()
            .filter_map(|event| event.name)
            .collect::<Vec<_>>()
            .join(" ")
    });
    assert_snapshot!(streams.join("\n"), @r"
    message_start ping content_block_start content_block_delta

    response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta
    ");
    assert!(!stream(Provider::Chat, &spoken(&parts, Ending::Open)).contains("[DONE]"));
}

#[test]
fn each_stop_has_the_providers_name() {
    let parts = [ReplyContent::Text("No.".into())];
    let said = |api, stop| String::from_utf8(render_whole(api, &spoken(&parts, Ending::Said(stop)))).expect("text");
    for (stop, anthropic, chat, responses) in [
        (StepStop::End, "\"end_turn\"", "\"stop\"", "\"completed\""),
        (StepStop::Limit, "\"max_tokens\"", "\"length\"", "\"max_output_tokens\""),
        (StepStop::WindowFull, "\"model_context_window_exceeded\"", "\"length\"", "\"incomplete\""),
        (StepStop::Refused, "\"refusal\"", "\"content_filter\"", "\"type\":\"refusal\""),
    ] {
        assert!(said(Provider::Anthropic, stop).contains(anthropic), "{stop:?}");
        assert!(said(Provider::Chat, stop).contains(chat), "{stop:?}");
        assert!(said(Provider::Responses, stop).contains(responses), "{stop:?}");
    }
}

#[test]
fn react_is_one_text() {
    let mut parts = parts(Seal::None);
    assert_snapshot!(render_react(&parts), @r#"
    Thought: The test first.

    I'll look.
    Action: Read[{"path": "src/ledger.py"}]
    "#);
    if let Some(ReplyContent::Call { id, name, .. }) = parts.pop() {
        parts.push(ReplyContent::UnfinishedCall { id, name, arguments: "{\"pa".into() });
    }
    assert_snapshot!(render_react(&parts), @r#"
    Thought: The test first.

    I'll look.
    Action: Read[{"pa
    "#);
    assert_snapshot!(render_react(&[ReplyContent::Text("Done. ⟦step 2⟧".into())]), @"Action: Finish[Done. ⟦step 2⟧]");
}
