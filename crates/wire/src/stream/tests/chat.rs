//! Chat Completions, and the ways of servers that speak it.

use super::*;

/// Chunks whose first choice has these deltas; a line that is a whole chunk, or `[DONE]`, stays.
fn chunks(deltas: &str) -> String {
    let lines = deltas.lines().map(str::trim).filter(|line| !line.is_empty());
    let chunks = lines.map(|line| {
        if line == "[DONE]" || line.starts_with(r#"{"id""#) || line.starts_with(r#"{"error""#) {
            return line.to_owned();
        }
        let (delta, reason) = match line.split_once(" finish ") {
            Some((delta, reason)) => (delta, format!("\"{reason}\"")),
            None => (line, "null".to_owned()),
        };
        format!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"some-model","choices":[{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{reason}}}]}}"#
        )
    });
    chunks.collect::<Vec<_>>().join("\n")
}

fn show_chunks(deltas: &str) -> String {
    let events = chunks(deltas);
    if !deltas.contains("{\"error\"") {
        assert_equal_under_every_chunking(Provider::Chat, &events);
    }
    show(Provider::Chat, &events)
}

#[test]
fn text_then_two_calls() {
    insta::assert_snapshot!(show_chunks(r#"
        {"role":"assistant","content":"","refusal":null}
        {"content":"Reading 两"}
        {"content":"个 files."}
        {"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"Read","arguments":""}}]}
        {"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": "}}]}
        {"tool_calls":[{"index":0,"function":{"arguments":"\"a.rs\"}"}}]}
        {"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"LS","arguments":""}}]}
        {"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}
        {} finish tool_calls
        {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":1200,"completion_tokens":31,"total_tokens":1231,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}
        [DONE]
    "#), @r#"
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    > Call { name: "LS" }
    text "Reading 两个 files."
    call call_a Read {"path": "a.rs"}
    call call_b LS {}
    End; 176 uncached, 1024 cached, 0 written, 31 out; chatcmpl-1, some-model
    complete: true, content: true
    "#);
}

#[test]
fn a_thinking_model_wants_its_reasoning_back() {
    insta::assert_snapshot!(show_chunks(r#"
        {"role":"assistant","content":null,"reasoning_content":"Let me "}
        {"content":null,"reasoning_content":"look."}
        {"content":"Looking.","reasoning_content":null}
        {} finish stop
        {"id":"x","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}
        [DONE]
    "#), @r#"
    > Thinking("Let me ")
    > Thinking("look.")
    > Text("Looking.")
    thinking "Let me look." Plain
    text "Looking."
    End; 36 uncached, 64 cached, 0 written, 20 out; chatcmpl-1, some-model
    complete: true, content: true
    "#);
}

#[test]
fn reasoning_under_another_name_with_its_details() {
    insta::assert_snapshot!(show_chunks(r#"
        {"role":"assistant","content":"","reasoning":"Let me ","reasoning_details":[{"type":"reasoning.text","text":"Let me ","format":"anthropic-claude-v1","index":0}]}
        {"content":"","reasoning":"look.","reasoning_details":[{"type":"reasoning.text","text":"look.","format":"anthropic-claude-v1","index":0}]}
        {"content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.text","signature":"Eq==","format":"anthropic-claude-v1","index":0}]}
        {"content":"Looking."} finish stop
        [DONE]
    "#), @r#"
    > Thinking("Let me ")
    > Thinking("look.")
    > Text("Looking.")
    thinking "Let me look." Plain
        native "reasoning":"Let me look."
    text "Looking."
    unknown
        native "reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"Eq==","text":"Let me look.","type":"reasoning.text"}]
    End; no usage; chatcmpl-1, some-model
    complete: true, content: true
    "#);
}

#[test]
fn both_names_say_it_once() {
    insta::assert_snapshot!(show_chunks(r#"
        {"reasoning_content":"a","reasoning":"a"}
        {"reasoning_content":"b","reasoning":"b"}
        {"content":"c"} finish stop
    "#), @r#"
    > Thinking("a")
    > Thinking("b")
    > Text("c")
    thinking "ab" Plain
    text "c"
    End; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
}

#[test]
fn calls_as_servers_cut_them() {
    // Whole at once, without an index; arguments as an object; no id at all.
    insta::assert_snapshot!(show_chunks(r#"
        {"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{\"n\":1}"}}]}
        {"tool_calls":[{"id":"b","type":"function","function":{"name":"Read","arguments":{"n":2}}}]}
        {"tool_calls":[{"type":"function","function":{"name":"LS","arguments":""}}]}
        {"tool_calls":[{"function":{"arguments":"{}"}}]}
        {} finish tool_calls
    "#), @r#"
    > Call { name: "Read" }
    > Call { name: "Read" }
    > Call { name: "LS" }
    call a Read {"n":1}
    call b Read {"n":2}
    call chatcmpl-1-3 LS {}
    End; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
    // Every call numbered 0; name and id said again with every piece; a name in pieces.
    insta::assert_snapshot!(show_chunks(r#"
        {"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{"}}]}
        {"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"}"}}]}
        {"tool_calls":[{"index":0,"id":"b","function":{"name":"Gr","arguments":null}}]}
        {"tool_calls":[{"index":0,"id":"b","function":{"name":"ep","arguments":""}}]}
        {"tool_calls":[{"index":0,"id":"b","function":{"arguments":"{}"}}]}
        {} finish tool_calls
    "#), @r#"
    > Call { name: "Read" }
    > Call { name: "Gr" }
    call a Read {}
    call b Grep {}
    End; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
}

#[test]
fn fields_that_we_do_not_know() {
    insta::assert_snapshot!(show_chunks(r#"
        {"role":"assistant","content":"Hi","annotations":[],"audio":null,"mood":{"joy":1.0}}
        {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Cs=="}}}]}
        {"annotations":[{"type":"url_citation"}],"function_call":{"name":"x"}}
        {} finish stop
    "#), @r#"
    > Text("Hi")
    > Call { name: "Read" }
    text "Hi"
    call a Read {}
        native {"id":"a","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Cs=="}}}
    unknown
        native "mood":{"joy":1.0}
    End; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
}

#[test]
fn cut_limited_and_refused() {
    let call = r#"
        {"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{}"}}]}
        {"tool_calls":[{"index":1,"id":"b","function":{"name":"Read","arguments":"{\"pa"}}]}"#;
    insta::assert_snapshot!(show_chunks(call), @r#"
    > Call { name: "Read" }
    > Call { name: "Read" }
    call a Read {}
    unfinished b Read {"pa
    Cut; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
    insta::assert_snapshot!(show_chunks(&format!("{call}\n {{}} finish length\n[DONE]")), @r#"
    > Call { name: "Read" }
    > Call { name: "Read" }
    call a Read {}
    unfinished b Read {"pa
    Limit; no usage; chatcmpl-1, some-model
    complete: true, content: true
    "#);
    insta::assert_snapshot!(show_chunks(r#"{"reasoning_content":"half a th"}"#), @r#"
    > Thinking("half a th")
    thinking "half a th" None
    Cut; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
    insta::assert_snapshot!(show_chunks("{\"refusal\":\"I can\"}\n{\"refusal\":\"not.\"} finish stop"), @r#"
    Refused("I cannot."); no usage; chatcmpl-1, some-model
    complete: false, content: false
    "#);
    insta::assert_snapshot!(show_chunks("{\"content\":\"Well\"} finish content_filter"), @r#"
    > Text("Well")
    text "Well"
    Refused(""); no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
    insta::assert_snapshot!(show_chunks("{\"content\":\"Well\"} finish insufficient_system_resource\n[DONE]"), @r#"
    > Text("Well")
    text "Well"
    Cut; no usage; chatcmpl-1, some-model
    complete: true, content: true
    "#);
    insta::assert_snapshot!(show_chunks("{\"content\":\"Well\"}\n[DONE]"), @r#"
    > Text("Well")
    text "Well"
    End; no usage; chatcmpl-1, some-model
    complete: true, content: true
    "#);
}

#[test]
fn errors_in_the_stream() {
    insta::assert_snapshot!(show_chunks("{\"content\":\"Well\"}\n{\"error\":{\"message\":\"Overloaded\",\"code\":503}}"), @r#"
    > Text("Well")
    ! the provider broke off with an error: {"error":{"message":"Overloaded","code":503}}
    text "Well"
    Cut; no usage; chatcmpl-1, some-model
    complete: false, content: true
    "#);
    // As older servers of llama.cpp say it.
    let mut reader = ReplyReader::new(Provider::Chat);
    let error = reader.push(b"error: {\"code\":500,\"message\":\"no\"}\n\n").expect_err("an error");
    assert_eq!(error, StreamError::Provider { raw: r#"{"code":500,"message":"no"}"#.into() });
}

#[test]
fn usage_in_every_chunk_and_zeros_in_between() {
    let chunk =
        |usage: &str| format!(r#"{{"id":"x","choices":[{{"index":0,"delta":{{"content":"a"}}}}],"usage":{usage}}}"#);
    let events = [
        chunk(r#"{"prompt_tokens":10,"completion_tokens":1}"#),
        chunk("null"),
        chunk(r#"{"prompt_tokens":0,"completion_tokens":0}"#),
        chunk(
            r#"{"prompt_tokens":12,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":8}}"#,
        ),
        chunk(r#"{"prompt_tokens":0,"completion_tokens":0,"prompt_tokens_details":null}"#),
    ];
    let (_, reply) = read(Provider::Chat, [stream(&events.join("\n")).as_slice()]).expect("no error");
    assert_eq!(reply.usage, Some(TokenUsage { cached: 4, written: 8, output: 7, ..TokenUsage::default() }));
}

#[test]
fn a_stream_without_its_last_blank_line() {
    let events = chunks("{\"content\":\"Hi\"} finish stop");
    let bytes = stream(&events);
    let (_, reply) = read(Provider::Chat, [bytes.trim_ascii_end()]).expect("no error");
    assert_eq!(reply.stop, ReplyStop::End);
}

#[test]
fn broken_characters_are_replaced() {
    let mut reader = ReplyReader::new(Provider::Chat);
    let chunk = [&br#"data: {"choices":[{"delta":{"content":"a\ud83d "#[..], b"\xff", b"\"}}]}\n\n"].concat();
    assert_eq!(reader.push(&chunk), Ok(vec![Delta::Text("a\u{fffd} \u{fffd}".into())]));
}

#[test]
fn a_whole_body() {
    let body = r#"{"id":"chatcmpl-2","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant",
        "content":"Hi","refusal":null,"annotations":[],"reasoning_details":[{"type":"reasoning.encrypted"}],
        "tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{ }"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":9,"completion_tokens":3},"timings":{"cache_n":5}}"#;
    insta::assert_snapshot!(show_body(Provider::Chat, body), @r#"
    text "Hi"
    call a Read { }
    unknown
        native "reasoning_details":[{"type":"reasoning.encrypted"}]
    End; 9 uncached, 0 cached, 0 written, 3 out; chatcmpl-2, m
    "#);
    insta::assert_snapshot!(show_body(Provider::Chat, r#"{"error":{"message":"no"}}"#), @r#"! the provider broke off with an error: {"error":{"message":"no"}}"#);
}
