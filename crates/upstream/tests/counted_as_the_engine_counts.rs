//! For every prompt that a session writes, what the upstream counts from its bytes is what the session has counted.
//!
//! Left out is what a rendering does not show as it was counted: a chat message joins the texts of an answer, and the
//! system text with the rules; a one-text prompt joins thinking with text; arguments that are no object are put into one.

use lookback_engine::{
    Context, NewPart, Session, SessionError, SessionSetup,
    card::PlainThinking,
    trace::{NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, result::RunData},
};
use lookback_upstream::{count_o200k, parse_prompt};
use lookback_wire::{Provider, Seal, ToolSpec};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::json;

const NOW: Context<'static> = Context { now: Timestamp(0), count: &count_o200k, blobs: &NoBlobs };

#[derive(Debug, Clone)]
enum Happened {
    Asked(String),
    Answered(String),
    Worked(Work),
    /// The answer was cancelled after its calls were written: they are answered `interrupted`.
    Cancelled(Work),
    Folded,
    Settled,
}

#[derive(Debug, Clone)]
struct Work {
    thinking: Option<String>,
    said: Option<String>,
    /// Commands and their outputs.
    calls: Vec<(String, String)>,
}

fn text() -> impl Strategy<Value = String> {
    let words = [
        "fix",
        "the",
        "ledger",
        "中文",
        "测试。",
        "\"quoted\"",
        "src/a.py:3",
        "\n",
        "  ",
        "😀",
        "{\"a\": 1}",
        "[tool]",
    ];
    ("[a-z]{1,6}", vec(select(words.to_vec()), 0..12)).prop_map(|(first, words)| format!("{first} {}", words.join(" ")))
}

fn output() -> impl Strategy<Value = String> {
    prop_oneof![1 => Just(String::new()), 6 => text(), 3 => text().prop_map(|line| format!("{line}\n").repeat(80))]
}

fn work() -> impl Strategy<Value = Work> {
    (option::of(text()), option::of(text()), vec((text(), output()), 1..4)).prop_map(|(thinking, said, calls)| Work {
        thinking,
        said,
        calls,
    })
}

fn happened() -> impl Strategy<Value = Happened> {
    prop_oneof![
        2 => text().prop_map(Happened::Asked),
        1 => text().prop_map(Happened::Answered),
        8 => work().prop_map(Happened::Worked),
        1 => work().prop_map(Happened::Cancelled),
        2 => Just(Happened::Folded),
        1 => Just(Happened::Settled),
    ]
}

fn session(provider: Provider) -> Session {
    let tool = |name: &str, description: &str| ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters: r#"{ "type": "object", "properties": {"command": {"type": "string"}} }"#.into(),
    };
    let is_apart = matches!(provider, Provider::Anthropic | Provider::React);
    let rules = if is_apart { "Use tabs.\nNo emoji." } else { "" };
    let setup = SessionSetup {
        system: "You are careful.\n\nYou work in steps.".into(),
        rules: rules.into(),
        tools: vec![tool("Bash", "Run a command."), tool("Read", "Read a file: \"text\" only.")],
        provider,
        model: "some-model".into(),
        plain_thinking: PlainThinking::SentBack,
        tokenizer: "o200k".into(),
        ..SessionSetup::new(SessionId("counted00000".into()))
    };
    Session::start(setup, &NOW).expect("it starts")
}

/// A one-text prompt travels in a chat body.
fn body(session: &Session, provider: Provider) -> Vec<u8> {
    let body = session.body_for(provider, &NoBlobs).expect("no blobs");
    match provider {
        Provider::React => {
            let text = String::from_utf8(body).expect("text");
            json!({ "model": "m", "messages": [{ "role": "user", "content": text }] }).to_string().into_bytes()
        }
        Provider::Anthropic | Provider::Chat | Provider::Responses => body,
    }
}

fn seal(provider: Provider) -> Seal {
    match provider {
        Provider::Anthropic => Seal::Signature("Eo==".into()),
        Provider::Responses => Seal::Encrypted { id: None, content: "gAAA".into() },
        Provider::Chat | Provider::React => Seal::Plain,
    }
}

fn parts(provider: Provider, work: &Work, first_id: usize) -> Vec<NewPart> {
    let thinking = work.thinking.clone().map(|text| NewPart::Thinking { text, seal: seal(provider) });
    // One text prompts join them, too.
    let said = work.said.clone().filter(|_| provider != Provider::React || work.thinking.is_none()).map(NewPart::Text);
    let calls = work.calls.iter().enumerate().map(|(index, (command, _))| NewPart::Call {
        id: format!("call_{}", first_id + index),
        name: "Bash".into(),
        arguments: format!("{{ \"command\": {} }}", json!(command)),
    });
    thinking.into_iter().chain(said).chain(calls).collect()
}

fn happen(session: &mut Session, provider: Provider, happened: &Happened, step: usize) -> Result<(), SessionError> {
    match happened {
        Happened::Asked(text) => session.user_turn(text.as_str(), Origin::Person, &NOW).map(drop),
        Happened::Answered(text) => {
            session.start_call(&NOW)?;
            session.assistant_turn(vec![NewPart::Text(text.clone())], Stop::End, &NOW).map(drop)
        }
        Happened::Worked(work) => {
            session.start_call(&NOW)?;
            let turn = session.assistant_turn(parts(provider, work, step * 10), Stop::End, &NOW)?;
            for (id, (command, output)) in turn.calls.iter().zip(&work.calls) {
                let data = RunData { command: command.clone(), exit_code: Some(0), ..RunData::default() };
                session.tool_result(id, ToolResult::success(output.as_str(), ResultData::Run(data)), &NOW)?;
            }
            Ok(())
        }
        Happened::Cancelled(work) => {
            session.start_call(&NOW)?;
            session.assistant_turn(parts(provider, work, step * 10), Stop::Cancelled, &NOW).map(drop)
        }
        Happened::Folded => {
            let draft = session.draft_fold(None, &NOW)?;
            session.fold_by_rules(&draft, &NOW).map(drop)
        }
        Happened::Settled => session.settle(&NOW).map(drop),
    }
}

#[test]
fn a_long_day_is_folded_and_settled() {
    let work = Work {
        thinking: Some("where is it".into()),
        said: None,
        calls: vec![("grep -rn ledger src".into(), "src/a.py:3: ledger\n".repeat(80))],
    };
    for provider in Provider::ALL {
        let mut session = session(provider);
        session.user_turn("begin", Origin::Person, &NOW).expect("idle");
        for step in 0..12 {
            happen(&mut session, provider, &Happened::Worked(work.clone()), step).expect("a step");
        }
        for happened in [Happened::Folded, Happened::Answered("done".into()), Happened::Settled] {
            happen(&mut session, provider, &happened, 12).expect("it is admitted");
            let body = body(&session, provider);
            let prompt = parse_prompt(provider, &body, &count_o200k).expect("it can be read");
            assert_eq!(prompt.tokens(), session.view().tokens(), "{provider} after {happened:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn total_by_total(story in vec(happened(), 1..30)) {
        for provider in Provider::ALL {
            let mut session = session(provider);
            session.user_turn("begin", Origin::Person, &NOW).expect("idle");
            for (step, happened) in story.iter().enumerate() {
                // What is refused, a fold with nothing to fold, changes nothing.
                let _refused = happen(&mut session, provider, happened, step);
                let body = body(&session, provider);
                let prompt = parse_prompt(provider, &body, &count_o200k).expect("it can be read");
                prop_assert_eq!(
                    prompt.tokens(), session.view().tokens(),
                    "{} after {:?}: {}", provider, happened, String::from_utf8_lossy(&body)
                );
            }
        }
    }
}
