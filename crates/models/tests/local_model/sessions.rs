//! Sessions of ours against the real server: what it keeps of a prompt through a fold, what it says when a prompt is too
//! long, how it takes the react protocol and a schema.
//!
//! So small a model calls no tools. Its words are sent for and billed; where a session needs steps with results, the
//! test records a step of its own in their place.

use lookback_engine::{
    Context, NewPart, Session, SessionSetup, Source,
    card::{Card, Cards, Lifetime},
    fold::{Dialect, citable},
    session::Schema,
    trace::{
        Blobs, EventBody, Layout, NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, result::RunData,
    },
};
use lookback_models::{
    Client, Endpoint, Model, Progress, Request,
    driving::{Canceller, KeepError, Repair, Surroundings, call},
};
use lookback_wire::{
    Message, Provider, Reply, ReplyContent, TokenUsage, ToolSpec, render_body, render_head, render_message,
};

use crate::server::{Alone, server};

/// Bytes / 4: nobody here has the model's tokenizer.
fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

pub(crate) const NOW: Context<'static> = Context { now: Timestamp(1_763_200_000_000), count: &count, blobs: &NoBlobs };

struct Outside;

impl Surroundings for Outside {
    fn now(&self) -> Timestamp {
        NOW.now
    }

    fn count(&self, bytes: &[u8]) -> u32 {
        count(bytes)
    }

    fn blobs(&self) -> &dyn Blobs {
        &NoBlobs
    }

    fn keep(&mut self, _: &mut Session) -> Result<(), KeepError> {
        Ok(())
    }

    fn watch(&mut self, _: &Progress) {}
}

pub(crate) fn card() -> Card {
    let cards = Cards::parse(include_str!("../../../../prices/local.toml")).expect("cards");
    cards.find("llama-local").expect("a card").clone()
}

/// A head of far more than a thousand of the model's tokens.
fn system(name: &str) -> String {
    let lines =
        (1..=60).map(|number| format!("Rule {number} of {name}: keep account number {number} exact to the cent.\n"));
    lines.collect()
}

pub(crate) fn session(layout: Layout, window: u32) -> Session {
    let setup = SessionSetup {
        system: system("the ledger"),
        tools: vec![ToolSpec {
            name: "Bash".into(),
            description: "Runs a command.".into(),
            parameters: r#"{"type":"object","properties":{"command":{"type":"string"}}}"#.into(),
        }],
        provider: Provider::Chat,
        model: "local".into(),
        window,
        max_output: Some(24),
        layout,
        alternation: card().alternation,
        plain_thinking: card().plain_thinking(),
        tokenizer: "bytes/4".into(),
        ..SessionSetup::new(SessionId("local0000000".into()))
    };
    let mut session = Session::start(setup, &NOW).expect("it starts");
    session.use_card(card(), Lifetime::Usual);
    // A small window has room for few steps.
    let mut configuration = session.configuration().clone();
    configuration.fold.keep_steps = 1;
    session.configure(configuration);
    session.user_turn("Bring the ledger in order, account by account.", Origin::Person, &NOW).expect("idle");
    session
}

pub(crate) fn model(alone: &Alone) -> Model {
    let endpoint = Endpoint::new(Provider::Chat, alone.server.url.as_str());
    Model::Http(Client::new(endpoint).expect("an endpoint"))
}

pub(crate) async fn ask(model: &Model, api: Provider, body: Vec<u8>) -> Reply {
    let mut answering = model.send(Request { api, body });
    while answering.next().await.expect("the server answers").is_some() {}
    answering.into_reply()
}

pub(crate) fn prompt_tokens(usage: TokenUsage) -> u32 {
    usage.uncached + usage.cached + usage.written
}

/// Sends the session's next request, and records a step in the place of whatever the model said.
pub(crate) async fn step(session: &mut Session, model: &Model, number: u32) -> TokenUsage {
    let call = session.start_call(&NOW).expect("a call");
    let reply = ask(model, session.prompt_provider(), session.request(&NoBlobs).expect("no blobs")).await;
    answer(session, number);
    assert_eq!(session.last_call(), call);
    reply.usage.expect("it was asked for")
}

/// A step that a model could have made.
pub(crate) fn answer(session: &mut Session, number: u32) {
    let id = format!("call-{number}");
    let parts = vec![
        NewPart::Text(format!("Now account {number}.")),
        NewPart::Call { id: id.clone(), name: "Bash".into(), arguments: format!("{{\"command\":\"check {number}\"}}") },
    ];
    session.assistant_turn(parts, Stop::End, &NOW).expect("a turn");
    let output: String = (1..=22)
        .map(|line| format!("account {number} entry {line}: {} cents carried over\n", number * 37 + line))
        .collect();
    let data = RunData { command: format!("check {number}"), exit_code: Some(0), ..RunData::default() };
    session.tool_result(&id, ToolResult::success(output, ResultData::Run(data)), &NOW).expect("the call waits");
}

#[tokio::test]
async fn a_tail_fold_keeps_what_lies_before_the_seam_in_the_servers_cache() {
    let Some(alone) = server() else { return };
    let model = model(&alone);
    let mut session = session(Layout::Chat, 32_768);
    for number in 1..=4 {
        step(&mut session, &model, number).await;
    }
    // The first fold makes the block that then lies before the seam; the second is the one that is measured.
    let draft = session.draft_fold(None, &NOW).expect("enough to fold");
    session.fold_by_rules(&draft, &NOW).expect("it is shorter");
    for number in 5..=8 {
        step(&mut session, &model, number).await;
    }
    let draft = session.draft_fold(None, &NOW).expect("enough to fold");
    session.fold_by_rules(&draft, &NOW).expect("it is shorter");
    let after = step(&mut session, &model, 9).await;

    let second_block = session.view().entries().iter().position(|entry| entry.source == Source::Block(2));
    let second_block = second_block.expect("a second block");
    assert!(second_block > 0, "the first block lies before it");
    let render = |entry| render_message(Provider::Chat, &session.message(entry, &NoBlobs).expect("no blobs"));
    let mut parts = vec![render_head(Provider::Chat, &session.head())];
    parts.extend(session.view().entries().iter().map(render));
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    let body =
        |head: &[u8], messages: &[&[u8]]| render_body(Provider::Chat, "local", 1, head, messages.iter().copied());
    let ends_at_seam = ask(&model, Provider::Chat, body(parts[0], &parts[1..=second_block])).await;
    let tokens_before = prompt_tokens(ends_at_seam.usage.expect("a whole body says its usage"));
    // Last, because it takes the session's place in the cache.
    let new_head = String::from_utf8_lossy(parts[0]).replace("Rule 1 of the ledger", "Law 1 of the books");
    let rewritten = ask(&model, Provider::Chat, body(new_head.as_bytes(), &parts[1..])).await;
    let rewritten = rewritten.usage.expect("a whole body says its usage");
    assert!(tokens_before > 1_000, "a prefix of about 1,200 tokens: {tokens_before}");
    assert!(
        after.cached * 100 >= tokens_before * 85,
        "after a tail fold {} of {tokens_before} tokens before the seam are cached",
        after.cached
    );
    assert!(
        rewritten.cached * 100 <= prompt_tokens(rewritten) * 15,
        "after a head rewrite {} of {} tokens are cached",
        rewritten.cached,
        prompt_tokens(rewritten)
    );
}

#[tokio::test]
async fn a_prompt_that_is_too_long_for_the_server_is_answered_by_one_fold() {
    let Some(alone) = server() else { return };
    if !alone.server.is_from_script() {
        return;
    }
    let model = model(&alone);
    // The session believes in eight times the window that the server was started with.
    let mut session = session(Layout::Chat, 32_768);
    for number in 1..=6 {
        session.start_call(&NOW).expect("a call");
        let id = format!("call-{number}");
        let called = NewPart::Call { id: id.clone(), name: "Bash".into(), arguments: "{\"command\":\"list\"}".into() };
        session.assistant_turn(vec![called], Stop::End, &NOW).expect("a turn");
        let output: String =
            (1..=70).map(|line| format!("entry {line} of account {number}: {} cents\n", line * number)).collect();
        let data = RunData { command: format!("list {number}"), exit_code: Some(0), ..RunData::default() };
        session.tool_result(&id, ToolResult::success(output, ResultData::Run(data)), &NOW).expect("the call waits");
    }
    let (_canceller, mut cancel) = Canceller::new();
    let called = call(&mut session, &model, &mut cancel, &mut Outside).await.expect("it fits after a fold");
    let [Repair::MadeRoom { before, after }] = called.repairs[..] else { panic!("{:?}", called.repairs) };
    assert!(after < before);
    assert_eq!(session.state().model().window, 4_096, "what the server says is known from now on");
    assert!(session.trace().iter().any(|event| matches!(event.event, EventBody::Fold(_))));
}

#[tokio::test]
async fn the_react_protocol_goes_through_and_its_prefix_is_cached() {
    let Some(alone) = server() else { return };
    let model = model(&alone);
    let mut session = session(Layout::React, 32_768);
    let (_canceller, mut cancel) = Canceller::new();
    let first = call(&mut session, &model, &mut cancel, &mut Outside).await.expect("an answer");
    for id in &first.turn.calls {
        let result = ToolResult::success("nothing to do", ResultData::Other(serde_json::Value::Null));
        session.tool_result(id, result, &NOW).expect("the call waits");
    }
    session.user_turn("And the next account?", Origin::Person, &NOW).expect("idle");
    let second = call(&mut session, &model, &mut cancel, &mut Outside).await.expect("an answer");
    let (first, second) = (first.usage.expect("usage"), second.usage.expect("usage"));
    let sent = prompt_tokens(first);
    assert!(second.cached * 100 >= sent * 85, "{} of {sent}", second.cached);
    assert!(session.trace().iter().filter(|event| matches!(event.event, EventBody::AssistantTurn(_))).count() == 2);
}

#[tokio::test]
async fn under_a_schema_only_pointers_that_exist_are_cited() {
    let Some(alone) = server() else { return };
    let model = model(&alone);
    let mut session = session(Layout::Chat, 32_768);
    for number in 1..=4 {
        session.start_call(&NOW).expect("a call");
        let id = format!("call-{number}");
        let called = NewPart::Call { id: id.clone(), name: "Bash".into(), arguments: "{\"command\":\"check\"}".into() };
        session.assistant_turn(vec![called], Stop::End, &NOW).expect("a turn");
        let data = RunData { command: format!("check {number}"), exit_code: Some(0), ..RunData::default() };
        let output = format!("account {number} is exact\n").repeat(40);
        session.tool_result(&id, ToolResult::success(output, ResultData::Run(data)), &NOW).expect("the call waits");
    }
    let draft = session.draft_fold(None, &NOW).expect("enough to fold");
    let pointers: Vec<String> = citable(session.history(), draft.range).iter().map(ToString::to_string).collect();
    assert!(pointers.contains(&"cmd#1 exit=0".to_owned()), "{pointers:?}");
    let template = include_str!("../../../../prompts/en/tail_compaction.txt");
    let instruction = session.compaction_instruction(&draft, template, &NOW);
    // So small a model says nothing where it may; here it must cite at least once.
    let schema = session.compaction_schema(draft.range, Dialect::Grammar);
    let schema = schema.replace("\"facts\":{", "\"facts\":{\"minItems\":1,");
    let body = session
        .riding_request(&[Message::user(instruction)], Schema::Constrained(&schema), &NoBlobs)
        .expect("no blobs");
    let body = String::from_utf8(body).expect("text").replace("\"max_tokens\":24", "\"max_tokens\":700");
    // What rides must find the live prompt in the cache, tools, schema and all.
    session.start_call(&NOW).expect("a call");
    let live = prompt_tokens(
        ask(&model, Provider::Chat, session.request(&NoBlobs).expect("no blobs"))
            .await
            .usage
            .expect("it was asked for"),
    );
    let reply = ask(&model, Provider::Chat, body.into_bytes()).await;
    let usage = reply.usage.expect("it was asked for");
    assert!(usage.cached * 100 >= live * 85, "{} of {live} tokens of the live prompt are cached", usage.cached);
    let text: String = reply
        .parts
        .iter()
        .filter_map(|part| match &part.content {
            ReplyContent::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    // What so small a model writes may reach its limit before its end; what it cited until then is checked all the same.
    let cited = cited(&text);
    assert!(!cited.is_empty(), "{text}");
    for pointer in cited {
        assert!(pointers.contains(&pointer), "{pointer} is none of {pointers:?}");
    }
}

/// All strings inside of `"evidence": […]`.
fn cited(text: &str) -> Vec<String> {
    let mut cited = Vec::new();
    for list in text.split("\"evidence\"").skip(1) {
        let Some(list) = list.split_once('[').map(|(_, list)| list.split_once(']').map_or("", |(list, _)| list)) else {
            continue;
        };
        let items: Vec<String> = serde_json::from_str(&format!("[{list}]")).unwrap_or_default();
        cited.extend(items);
    }
    cited
}
