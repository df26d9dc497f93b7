//! A session of sixty calls with five folds: what the upstream bills as cached is what the session's ledger expects, call
//! by call, under each cache rule; and no request is refused.
//!
//! Marks are put into the bodies here, at the places that docs/design/folding.md, "Marks", names.

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    cache::CacheRule,
    card::{Alternation, Card, Cards, Lifetime, PlainThinking},
    trace::{NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, result::RunData},
};
use lookback_upstream::{Billed, Examiner, count_o200k};
use lookback_wire::{Provider, Reply, ReplyContent, ReplyPart, ToolSpec};
use serde_json::{Value, json};

const FILES: [&str; 6] = [
    include_str!("../../../prices/anthropic.toml"),
    include_str!("../../../prices/openai.toml"),
    include_str!("../../../prices/openai-old.toml"),
    include_str!("../../../prices/deepseek.toml"),
    include_str!("../../../prices/local.toml"),
    include_str!("../../../prices/qwen.toml"),
];

const CALLS: usize = 60;
const FOLD_EVERY: usize = 11;

fn card(model: &str) -> Card {
    let mut cards = Cards::default();
    FILES.iter().for_each(|file| cards.add(Cards::parse(file).expect("cards")));
    let card = cards.find(model).expect("a card").clone();
    // Where roles alternate, the ledger takes the line between two users and what follows it as one part of a reckoned
    // size, and a provider as two messages.
    Card { alternation: Alternation::Free, ..card }
}

fn session(provider: Provider, model: &str, card: &Card) -> Session {
    let tool = ToolSpec {
        name: "Bash".into(),
        description: "Run a command. ".repeat(400),
        parameters: r#"{"properties":{"command":{"type":"string"}},"type":"object"}"#.into(),
    };
    let setup = SessionSetup {
        system: "You are careful. ".repeat(400),
        tools: vec![tool],
        provider,
        model: model.into(),
        window: card.window,
        max_output: Some(card.max_output),
        alternation: card.alternation,
        // Every answer here goes back with its thinking.
        plain_thinking: PlainThinking::SentBack,
        tokenizer: "o200k".into(),
        ..SessionSetup::new(SessionId("agrees000000".into()))
    };
    let mut session = Session::start(setup, &at(0)).expect("it starts");
    session.use_card(card.clone(), Lifetime::Usual);
    session
}

fn at(call: usize) -> Context<'static> {
    Context { now: Timestamp(call as i64 * 20_000), count: &count_o200k, blobs: &NoBlobs }
}

/// A one-text prompt travels in a chat body.
fn one_text(session: &Session) -> Vec<u8> {
    let text = String::from_utf8(session.body_for(Provider::React, &NoBlobs).expect("no blobs")).expect("text");
    let model = &session.state().model().name;
    json!({ "model": model, "messages": [{ "role": "user", "content": text }] }).to_string().into_bytes()
}

/// The body with a mark behind the head and behind each of these entries.
fn marked(provider: Provider, session: &Session, entries: &[usize]) -> Vec<u8> {
    let body = session.body_for(provider, &NoBlobs).expect("no blobs");
    let mut body: Value = serde_json::from_slice(&body).expect("JSON");
    let field = if provider == Provider::Responses { "input" } else { "messages" };
    // Only an item of the input can be marked.
    if let Some(text) = body["instructions"].take().as_str() {
        let system = json!({ "type": "message", "role": "system", "content": text });
        body[field].as_array_mut().expect("a list").insert(0, system);
    }
    let list = body[field].as_array().expect("a list").clone();
    let (mark, value) = match provider {
        Provider::Anthropic => ("cache_control", json!({ "type": "ephemeral" })),
        _ if session.state().model().name.starts_with("qwen") => ("cache_control", json!({ "type": "ephemeral" })),
        _ => ("prompt_cache_breakpoint", json!({ "mode": "explicit" })),
    };
    let ends = entry_ends(provider, &list);
    for place in entries.iter().filter_map(|entry| ends.get(*entry)) {
        set_mark(&mut body[field][*place], mark, &value);
    }
    match provider {
        Provider::Anthropic => set_last(&mut body["system"], mark, &value),
        _ if list[0]["role"] == "system" => set_mark(&mut body[field][0], mark, &value),
        _ => {}
    }
    body.to_string().into_bytes()
}

/// Where in the list each entry of the view ends.
fn entry_ends(provider: Provider, list: &[Value]) -> Vec<usize> {
    let role = |item: &Value| match item["type"].as_str() {
        Some("function_call_output") => "tool".to_owned(),
        Some("function_call" | "reasoning") => "assistant".to_owned(),
        _ => item["role"].as_str().unwrap_or_default().to_owned(),
    };
    let joins = |one: &str, other: &str| {
        one == other && (one == "tool" || (one == "assistant" && provider == Provider::Responses))
    };
    let ends = (0..list.len()).filter(|place| {
        let (this, next) = (role(&list[*place]), list.get(place + 1).map(role).unwrap_or_default());
        this != "system" && !joins(&this, &next)
    });
    ends.collect()
}

fn set_mark(item: &mut Value, mark: &str, value: &Value) {
    let field = if item.get("output").is_some() { "output" } else { "content" };
    let text = if field == "output" { "input_text" } else { "text" };
    if let Some(plain) = item[field].as_str() {
        item[field] = json!([{ "type": text, "text": plain }]);
    }
    set_last(&mut item[field], mark, value);
}

fn set_last(blocks: &mut Value, mark: &str, value: &Value) {
    if let Some(last) = blocks.as_array_mut().and_then(|blocks| blocks.last_mut()) {
        last[mark] = value.clone();
    }
}

/// What the model does in a call: it thinks, and runs one or two commands.
fn answer(examiner: &mut Examiner, provider: Provider, billed: &Billed, call: usize) -> Vec<NewPart> {
    let thinking = format!("where does {call} come from?");
    let seal = examiner.seal(provider, &billed.prompt, &thinking);
    let run = |index: usize| NewPart::Call {
        id: format!("call_{call}_{index}"),
        name: "Bash".into(),
        arguments: json!({ "command": format!("grep -rn word{call} src/{index}") }).to_string(),
    };
    let said = NewPart::Text(format!("I look at word{call}."));
    let mut parts = vec![NewPart::Thinking { text: thinking, seal }];
    // A one-text prompt joins both.
    parts.extend((provider != Provider::React).then_some(said));
    parts.extend((0..=call % 2).map(run));
    parts
}

fn reply(parts: &[NewPart]) -> Reply {
    let content = |part: &NewPart| match part.clone() {
        NewPart::Text(text) => ReplyContent::Text(text),
        NewPart::Thinking { text, seal } => ReplyContent::Thinking { text, seal },
        NewPart::Call { id, name, arguments } => ReplyContent::Call { id, name, arguments },
        NewPart::UnfinishedCall { id, name, arguments } => ReplyContent::UnfinishedCall { id, name, arguments },
        NewPart::Native { .. } => ReplyContent::Unknown,
    };
    let parts = parts.iter().map(|part| ReplyPart { content: content(part), native: None });
    Reply { parts: parts.collect(), ..Reply::default() }
}

/// Calls at which the two differ, and how many folds there were.
fn work(provider: Provider, model: &str) -> (Vec<String>, usize) {
    let card = card(model);
    let mut examiner = Examiner::new(card.clone(), Box::new(count_o200k));
    let mut session = session(provider, model, &card);
    session.user_turn("find where the words come from", Origin::Person, &at(0)).expect("idle");
    let (mut differences, mut folds, mut tail) = (Vec::new(), 0, None);
    for call in 0..CALLS {
        let number = session.start_call(&at(call)).expect("it fits");
        let last = session.view().entries().len() - 1;
        let marks = [session.view().seam().checked_sub(1), tail, Some(last)];
        let marks: Vec<usize> = marks.into_iter().flatten().filter(|entry| *entry <= last).collect();
        let body = match provider {
            Provider::Responses | Provider::Anthropic | Provider::Chat => marked(provider, &session, &marks),
            Provider::React => one_text(&session),
        };
        let billed =
            examiner.examine(provider, &body, at(call).now.0).unwrap_or_else(|refused| panic!("{call}: {refused}"));
        let parts = answer(&mut examiner, provider, &billed, call);
        examiner.answered(provider, &billed.prompt, &reply(&parts), at(call).now.0);
        let turn = session.assistant_turn(parts, Stop::End, &at(call)).expect("an answer");
        for id in &turn.calls {
            let data = RunData { command: format!("grep {id}"), exit_code: Some(0), ..RunData::default() };
            let result =
                ToolResult::success(format!("src/a.py:{call}: word{call} in {id}\n").repeat(20), ResultData::Run(data));
            session.tool_result(id, result, &at(call)).expect("it waits");
        }
        tail = Some(last);
        let expected = session.expected_bill(number).expect("a card is in use");
        // Where storing costs nothing, no provider says how much it stored.
        let written = if matches!(card.cache, CacheRule::Prefix { .. }) { 0 } else { expected.written };
        if (billed.tokens, billed.cached, billed.written) != (expected.tokens(), expected.read, written) {
            differences.push(format!("call {call}: {:?}, ledger {expected:?}", billed.usage(0)));
        }
        if call % FOLD_EVERY == FOLD_EVERY - 1 {
            let draft = session.draft_fold(None, &at(call)).expect("there is enough");
            session.fold_by_rules(&draft, &at(call)).expect("it is admitted");
            folds += 1;
        }
    }
    (differences, folds)
}

#[test]
fn call_by_call() {
    let cases = [
        (Provider::Anthropic, "claude-sonnet-4-5"),
        (Provider::Anthropic, "claude-sonnet-5"),
        (Provider::Chat, "qwen3-max"),
        (Provider::Responses, "gpt-5.6"),
        (Provider::Chat, "gpt-5.6"),
        (Provider::Responses, "gpt-5.1"),
        (Provider::Chat, "deepseek-v4-pro"),
        (Provider::Chat, "llama"),
        (Provider::Chat, "vllm"),
        (Provider::React, "llama"),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .filter_map(|(provider, model)| {
            let (differences, folds) = work(provider, model);
            assert_eq!(folds, CALLS / FOLD_EVERY);
            (!differences.is_empty()).then(|| format!("{provider} {model}:\n  {}", differences.join("\n  ")))
        })
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}
