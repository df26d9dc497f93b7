//! What goes out for a call, and what comes back in the provider's own bytes.

use crate::story::*;
use lookback_engine::{
    Miss, ModelChoice, NewPart, Session, SessionError,
    card::{Card, Cards, Lifetime, PlainThinking},
    session::{Overflow, Room, Schema},
    trace::{
        NoBlobs, Stop, TurnNo,
        event::{CompactorPurpose, Interruption, Ride},
    },
};
use lookback_wire::{Message, Provider, Seal, TokenUsage, check_body};

fn card(model: &str) -> Card {
    let mut cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).expect("cards");
    for file in [
        include_str!("../../../../prices/openai.toml"),
        include_str!("../../../../prices/deepseek.toml"),
        include_str!("../../../../prices/local.toml"),
    ] {
        cards.add(Cards::parse(file).expect("cards"));
    }
    cards.find(model).expect("a card").clone()
}

fn driven(model: &str) -> Session {
    let mut session = session();
    session.use_card(card(model), Lifetime::Usual);
    user(&mut session, "fix it");
    session
}

fn request(session: &Session) -> String {
    let body = session.request(&NoBlobs).expect("no blobs");
    assert_eq!(check_body(session.prompt_provider(), &body), Ok(()), "{}", String::from_utf8_lossy(&body));
    String::from_utf8(body).expect("text")
}

fn big() -> lookback_engine::trace::ToolResult {
    other(&"many words of output\n".repeat(400))
}

#[test]
fn marks_stand_at_the_head_the_seam_the_previous_tail_and_the_tail() {
    let mut session = driven("claude-sonnet-4-6");
    session.start_call(&NOW).expect("a call");
    assert_eq!(request(&session).matches("cache_control").count(), 2, "head (the seam, too) and tail");
    session.assistant_turn(vec![NewPart::Text("done".into())], Stop::End, &NOW).expect("an answer");
    user(&mut session, "more");
    for id in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        step(&mut session, id, big());
    }
    let draft = session.draft_fold(None, &NOW).expect("enough to fold");
    session.fold_by_rules(&draft, &NOW).expect("it is shorter");
    step(&mut session, "i", big());
    session.start_call(&NOW).expect("a call");
    let sent = request(&session);
    assert_eq!(sent.matches("cache_control").count(), 4);
    let block = sent.find("COMPRESSED_TURNS").expect("a block");
    assert!(sent[block..].contains("</lookback-block>\",\"cache_control\""), "the seam is right behind the block");
}

#[test]
fn without_marks_a_request_is_the_prompt_of_the_ledger() {
    let mut session = driven("claude-sonnet-4-6");
    step(&mut session, "a", big());
    session.start_call(&NOW).expect("a call");
    let marked = request(&session);
    let prompt = sent(&session);
    let messages = |body: &str| body[body.find("\"tools\"").expect("tools")..].to_owned();
    assert_eq!(messages(&marked.replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "")), messages(&prompt));
}

#[test]
fn what_we_do_not_understand_of_an_answer_goes_back_to_its_api_as_it_came() {
    let mut session = driven("claude-sonnet-4-6");
    session.start_call(&NOW).expect("a call");
    let note = r#"{"type":"server_note","text":"kept"}"#;
    let cited = r#"{"type":"text","text":"see there","citations":[{"n":1}]}"#;
    let called = r#"{"type":"tool_use","id":"c1","name":"Tool","input":{},"caller":{"type":"direct"}}"#;
    let native = |raw: &str, plain: Option<NewPart>| NewPart::Native {
        provider: Provider::Anthropic,
        raw: raw.into(),
        plain: plain.map(Box::new),
    };
    let call = NewPart::Call { id: "c1".into(), name: "Tool".into(), arguments: "{}".into() };
    let parts = vec![
        native(note, None),
        native(cited, Some(NewPart::Text("see there".into()))),
        native(called, Some(call.clone())),
    ];
    let recorded = session.assistant_turn(parts, Stop::End, &NOW).expect("a turn");
    session.tool_result(&recorded.calls[0], other("ok"), &NOW).expect("the call waits");
    session.start_call(&NOW).expect("a call");
    let sent = request(&session);
    for raw in [note, cited, called] {
        assert!(sent.contains(raw), "{raw}");
    }
    let chat = body(&session, Provider::Chat);
    assert!(chat.contains("see there") && !chat.contains("server_note") && !chat.contains("citations"));
    assert_eq!(recall(&session, "turn#1").expect("it was said"), format!("{note}|see there|{{}}"));
    let again = Session::replay(session.trace().to_vec(), &NoBlobs).expect("a whole trace");
    assert_eq!(again.body(&NoBlobs).expect("no blobs"), session.body(&NoBlobs).expect("no blobs"));
}

#[test]
fn a_call_that_was_given_another_id_is_not_sent_in_its_old_bytes() {
    let mut session = driven("claude-sonnet-4-6");
    let native = || NewPart::Native {
        provider: Provider::Anthropic,
        raw: r#"{"type":"tool_use","id":"0","name":"Tool","input":{},"caller":1}"#.into(),
        plain: Some(Box::new(NewPart::Call { id: "0".into(), name: "Tool".into(), arguments: "{}".into() })),
    };
    for _ in 0..2 {
        session.start_call(&NOW).expect("a call");
        let recorded = session.assistant_turn(vec![native()], Stop::End, &NOW).expect("a turn");
        session.tool_result(&recorded.calls[0], other("ok"), &NOW).expect("the call waits");
    }
    session.start_call(&NOW).expect("a call");
    assert_eq!(request(&session).matches("\"caller\"").count(), 1);
}

#[test]
fn a_riding_request_is_the_next_one_and_what_is_appended() {
    let mut session = driven("claude-sonnet-4-6");
    step(&mut session, "a", other("ok"));
    let plain = body(&session, session.prompt_provider());
    let riding = session.riding_request(&[Message::user("INSTRUCTION")], Schema::Constrained("{}"), &NoBlobs);
    let riding = String::from_utf8(riding.expect("no blobs")).expect("text");
    let tools = |body: &str| body[body.find("\"tools\"").expect("tools")..].to_owned();
    let unmarked = tools(&riding).replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
    assert!(unmarked.starts_with(tools(&plain).strip_suffix("]}").expect("a closed body")), "{unmarked}");
    assert!(unmarked.contains("INSTRUCTION") && !riding.contains("json_schema"), "a schema would change the prompt");
}

#[test]
fn a_prompt_that_was_too_long_makes_room_and_teaches_the_window() {
    let mut session = driven("claude-sonnet-4-6");
    for id in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        step(&mut session, id, big());
    }
    session.start_call(&NOW).expect("a call");
    assert!(matches!(session.make_room(Overflow::default(), &NOW), Err(SessionError::CallOpen)));
    session.interrupt(Interruption::Failed("too long".into()), &NOW).expect("a call is open");
    let before = session.view().tokens();
    let overflow = Overflow { sent: Some(before), limit: Some(before / 2) };
    assert_eq!(session.make_room(overflow, &NOW).expect("idle"), Room::Made);
    assert!(session.view().tokens() < before / 2, "{} of {before}", session.view().tokens());
    assert_eq!(u64::from(session.state().model().window), before / 2);
    session.start_call(&NOW).expect("a call");
    request(&session);
}

#[test]
fn where_there_is_nothing_to_leave_out_no_room_is_made() {
    let mut session = driven("claude-sonnet-4-6");
    assert_eq!(session.make_room(Overflow::default(), &NOW).expect("idle"), Room::NotFound);
    assert_eq!(session.turns(), 1);
}

#[test]
fn a_prompt_that_its_provider_refused_is_not_expected_in_its_cache() {
    let mut session = driven("deepseek-chat");
    step(&mut session, "a", big());
    let first = session.last_call();
    session.start_call(&NOW).expect("a call");
    session.interrupt(Interruption::Failed("500".into()), &NOW).expect("a call is open");
    let failed = session.last_call();
    answer(&mut session, "done");
    let read = |call| session.expected_bill(call).map(|split| split.read);
    assert_eq!((read(first), read(failed)), (Some(0), None));
    let prompt_and_answer = session.expected_bill(session.last_call()).expect("it ended").read;
    assert!(prompt_and_answer < 200, "only the first prompt and its answer: {prompt_and_answer}");
}

#[test]
fn compactor_calls_are_told_with_what_they_cost_and_leave_the_view_alone() {
    let mut session = driven("claude-sonnet-4-6");
    step(&mut session, "a", big());
    step(&mut session, "b", other("a few words"));
    let before = body(&session, Provider::Anthropic);
    let call = session.ask_compactor(CompactorPurpose::Block, "test", Ride::Live, "INSTRUCTION", &NOW).expect("idle");
    assert_eq!(session.start_call(&NOW), Err(SessionError::CallOpen), "a call like any other");
    let billed = TokenUsage { cached: 90, uncached: 10, output: 7, ..TokenUsage::default() };
    session.compactor_ended(Some(billed), None, &NOW).expect("it is under way");
    assert_eq!(body(&session, Provider::Anthropic), before);
    assert_eq!(session.turns(), TurnNo(5).0);
    let expected = session.expected_bill(call).expect("the provider has it");
    let line = session.ledger().last().expect("a line").clone();
    assert_eq!((line.call, &*line.reasons), (call, &[Miss::Compactor][..]));
    assert_eq!(expected.read + expected.written + expected.uncached, line.reused.tokens + line.written.tokens);
    assert!(line.written.tokens < line.reused.tokens, "only the newest step and the question are new: {line:?}");

    let replayed = Session::replay(session.trace().to_vec(), &NoBlobs).expect("whole");
    assert_eq!(replayed.ledger(), session.ledger());
    session.ask_compactor(CompactorPurpose::Summary, "other", Ride::Alone, "PROMPT", &NOW).expect("idle");
    session.compactor_ended(None, Some(Interruption::Failed("no answer".into())), &NOW).expect("it is under way");
    let alone = session.ledger().last().expect("a line");
    assert_eq!((alone.reused.tokens, alone.written.bytes), (0, 6));
    answer(&mut session, "done");
}

/// The trace keeps what the server gave, whoever may be asked later.
#[test]
fn plain_thinking_keeps_its_seal_and_goes_back_to_a_model_that_needs_it() {
    let mut session = driven("claude-sonnet-4-6");
    session.start_call(&NOW).expect("a call");
    let thinking = NewPart::Thinking { text: "hm".into(), seal: Seal::Plain };
    session.assistant_turn(vec![thinking, NewPart::Text("I see".into())], Stop::End, &NOW).expect("an answer");
    assert!(!body(&session, Provider::Chat).contains("reasoning_content"));
    let choice =
        ModelChoice { plain_thinking: PlainThinking::SentBack, ..ModelChoice::new("r", Provider::Chat, 90_000) };
    session.model_changed(choice, &NOW).expect("idle");
    assert!(body(&session, Provider::Chat).contains(r#""reasoning_content":"hm""#));
}
