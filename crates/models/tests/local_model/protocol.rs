//! The server's protocol as Lookback relies on it. When llama.cpp changes one of these, this says so before a session does.

use serde_json::{Value, json};

use crate::server::server;

#[tokio::test]
async fn a_stream_ends_with_its_usage_when_asked_for_it() {
    let Some(alone) = server() else { return };
    // A model that may not end its answer comes to the limit, whatever it says.
    let mut body = json!({"messages": [user("Say hello.")], "max_tokens": 4, "ignore_eos": true, "stream": true});
    let silent = alone.server.chat(&body).await;
    body["stream_options"] = json!({"include_usage": true});
    let telling = alone.server.chat(&body).await;

    let (done, chunks) = parse_chunks(&silent.events());
    assert_eq!(done, "[DONE]");
    assert!(chunks.iter().all(|chunk| chunk["usage"].is_null()), "{}", silent.body);

    let (done, chunks) = parse_chunks(&telling.events());
    assert_eq!(done, "[DONE]");
    let (last, others) = chunks.split_last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert_eq!(last["usage"]["completion_tokens"], 4);
    let tokens = last["usage"]["prompt_tokens"].as_u64().unwrap();
    // The same prompt a moment ago: all of it is there but the last token, whose answer is computed anew.
    assert_eq!(last["usage"]["prompt_tokens_details"]["cached_tokens"], tokens - 1);
    let reasons: Vec<_> = others.iter().filter_map(|chunk| chunk["choices"][0]["finish_reason"].as_str()).collect();
    assert_eq!(reasons, ["length"]);
}

fn parse_chunks<'a>(events: &[&'a str]) -> (&'a str, Vec<Value>) {
    let (done, chunks) = events.split_last().unwrap();
    (done, chunks.iter().map(|chunk| serde_json::from_str(chunk).unwrap()).collect())
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_refused_with_both_numbers() {
    let Some(alone) = server() else { return };
    let context = alone.server.context().await;
    // One word is one token or more.
    let words = "word ".repeat(context as usize);
    for stream in [false, true] {
        let answer = alone.server.chat(&json!({"messages": [user(&words)], "max_tokens": 1, "stream": stream})).await;
        assert_eq!(answer.status, 400);
        let error = &answer.json()["error"];
        assert_eq!(error["type"], "exceed_context_size_error");
        assert_eq!(error["code"], 400);
        assert_eq!(error["n_ctx"], context);
        assert!(error["n_prompt_tokens"].as_u64().unwrap() >= context, "{error}");
        assert!(error["message"].as_str().unwrap().contains("exceeds the available context size"), "{error}");
    }
}

#[tokio::test]
async fn a_schema_with_an_enum_gives_one_of_it() {
    let Some(alone) = server() else { return };
    let pointers = ["turn#3", "cmd#12", "test#5", "src/parse.rs:10-24"];
    let schema = json!({
        "type": "object",
        "properties": {"evidence": {"enum": pointers}},
        "required": ["evidence"],
        "additionalProperties": false
    });
    let question =
        "The tests were run and two of them failed. Which record shows it? Answer freely, in a long sentence.";
    for seed in 0..4 {
        let body = json!({
            "messages": [user(question)],
            "max_tokens": 40,
            "temperature": 1.5,
            "seed": seed,
            "response_format": {"type": "json_schema", "json_schema": {"name": "fact", "strict": true, "schema": schema}}
        });
        let answer = alone.server.chat(&body).await.json();
        let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
        let fact: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in: {text}"));
        assert!(pointers.contains(&fact["evidence"].as_str().unwrap()), "{text}");
    }
}

#[tokio::test]
async fn a_changed_tail_keeps_the_cache_and_a_changed_head_loses_it() {
    let Some(alone) = server() else { return };
    let question = user("Which step comes next?");
    let instructions = json!({"role": "system", "content": "You are a coding agent in a Rust project."});
    let changed =
        json!({"role": "system", "content": "Steps 0 to 9 are done. You are a coding agent in a Rust project."});
    let block = user("Folded: steps 12 to 16 are done, 2 facts.");
    let whole = prompt(&instructions, &steps(0..17), std::slice::from_ref(&question));
    let seam = prompt(&instructions, &steps(0..12), &[]);
    let tail_folded = prompt(&instructions, &steps(0..12), &[block, question.clone()]);
    let head_folded = prompt(&changed, &steps(10..17), &[question]);

    let (before_seam, _) = alone.server.prompt_tokens(&seam).await;
    let (all, cached) = alone.server.prompt_tokens(&whole).await;
    assert!((1100..1300).contains(&all), "{all} tokens");
    assert!(cached * 100 >= before_seam * 95, "grown: {cached} of {before_seam} tokens before the seam");

    let (_, cached) = alone.server.prompt_tokens(&tail_folded).await;
    assert!(cached * 100 >= before_seam * 95, "tail: {cached} of {before_seam} tokens before the seam");

    let (after, cached) = alone.server.prompt_tokens(&head_folded).await;
    assert!(after > 400 && cached < 10, "head: {cached} of {after} tokens");
}

fn prompt(instructions: &Value, steps: &[Value], end: &[Value]) -> Vec<Value> {
    [std::slice::from_ref(instructions), steps, end].concat()
}

/// Each step is two messages of some 35 tokens, unlike those of every other step.
fn steps(numbers: std::ops::Range<u32>) -> Vec<Value> {
    const FILES: [&str; 7] = ["lexer", "parser", "planner", "ledger", "archive", "window", "cursor"];
    let step = |number: u32| {
        let file = FILES[number as usize % FILES.len()];
        let line = 37 * number + 11;
        let order = format!(
            "Step {number}: read src/{file}.rs around line {line} and say which function fails, and why it does."
        );
        let done = format!(
            "In src/{file}.rs the function at line {line} returns {number} instead of {}; its test number {number} shows that.",
            number + 1
        );
        [user(&order), json!({"role": "assistant", "content": done})]
    };
    numbers.flat_map(step).collect()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}
