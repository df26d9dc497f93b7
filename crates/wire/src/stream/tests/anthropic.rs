//! Anthropic Messages.

use super::*;

const STEP: &str = r#"
    {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[],"stop_reason":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":300,"cache_read_input_tokens":4000,"output_tokens":1,"service_tier":"standard"}}}
    {"type":"ping"}
    {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
    {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"The parser "}}
    {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"is wrong."}}
    {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB=="}}
    {"type":"content_block_stop","index":0}
    {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"R3k="}}
    {"type":"content_block_stop","index":1}
    {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}
    {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Reading 两"}}
    {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"个 files."}}
    {"type":"content_block_stop","index":2}
    {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}}
    {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}
    {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a."}}
    {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"rs\"}"}}
    {"type":"content_block_stop","index":3}
    {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"LS","input":{}}}
    {"type":"content_block_stop","index":4}
    {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":12,"cache_creation_input_tokens":300,"cache_read_input_tokens":4000,"output_tokens":87}}
    {"type":"message_stop"}
"#;

/// The first so many events.
fn first(count: usize) -> String {
    STEP.lines().filter(|line| !line.trim().is_empty()).take(count).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_step_with_thinking_and_two_calls() {
    insta::assert_snapshot!(show(Provider::Anthropic, STEP), @r#"
    > Thinking("The parser ")
    > Thinking("is wrong.")
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    > Call { name: "LS" }
    thinking "The parser is wrong." Signature("EqQB==")
    thinking "" Redacted("R3k=")
    text "Reading 两个 files."
    call toolu_1 Read {"path": "a.rs"}
    call toolu_2 LS {}
    End; 12 uncached, 4000 cached, 300 written, 87 out; msg_1, claude-opus-5
    complete: true, content: true
    "#);
    assert_equal_under_every_chunking(Provider::Anthropic, STEP);
}

#[test]
fn cut_in_the_middle_of_a_call() {
    insta::assert_snapshot!(show(Provider::Anthropic, &first(16)), @r#"
    > Thinking("The parser ")
    > Thinking("is wrong.")
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    thinking "The parser is wrong." Signature("EqQB==")
    thinking "" Redacted("R3k=")
    text "Reading 两个 files."
    unfinished toolu_1 Read {"path": "a.
    Cut; 12 uncached, 4000 cached, 300 written, 1 out; msg_1, claude-opus-5
    complete: false, content: true
    "#);
}

#[test]
fn cut_in_the_middle_of_thinking() {
    insta::assert_snapshot!(show(Provider::Anthropic, &first(5)), @r#"
    > Thinking("The parser ")
    > Thinking("is wrong.")
    thinking "The parser is wrong." None
    Cut; 12 uncached, 4000 cached, 300 written, 1 out; msg_1, claude-opus-5
    complete: false, content: true
    "#);
}

#[test]
fn more_than_we_understand() {
    let events = r#"
    {"type":"message_start","message":{"id":"msg_2","model":"m","usage":{"input_tokens":5,"output_tokens":1}}}
    {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}
    {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}
    {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"rust\"}"}}
    {"type":"content_block_stop","index":0}
    {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"","citations":[]}}
    {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Rust is fast."}}
    {"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"url":"u", "n":1.0}}}
    {"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"url":"v"}}}
    {"type":"content_block_stop","index":1}
    {"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":"","signature":""}}
    {"type":"content_block_delta","index":2,"delta":{"type":"estimate_delta","estimate":{"tokens":3}}}
    {"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"EqZ="}}
    {"type":"content_block_stop","index":2}
    {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_3","name":"Read","input":{},"caller":{"type":"direct"}}}
    {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}
    {"type":"content_block_stop","index":3}
    {"type":"content_block_start","index":4,"content_block":{"type":"hologram","shape":"a"}}
    {"type":"content_block_delta","index":4,"delta":{"type":"shape_delta","shape":"bc"}}
    {"type":"content_block_stop","index":4}
    {"type":"content_block_start","index":5,"content_block":{"type":"hologram","shape":"unfinished"}}
    {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":9}}
    {"type":"message_stop"}
    "#;
    assert_equal_under_every_chunking(Provider::Anthropic, events);
    insta::assert_snapshot!(show(Provider::Anthropic, events), @r#"
    > Text("Rust is fast.")
    > Call { name: "Read" }
    unknown
        native {"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"rust"}}
    text "Rust is fast."
        native {"type":"text","text":"Rust is fast.","citations":[{"url":"u", "n":1.0},{"url":"v"}]}
    thinking "" Signature("EqZ=")
        native {"type":"thinking","thinking":"","signature":"EqZ=","estimate":{"tokens":3}}
    call toolu_3 Read {}
        native {"type":"tool_use","id":"toolu_3","name":"Read","input":{},"caller":{"type":"direct"}}
    unknown
        native {"type":"hologram","shape":"abc"}
    End; 5 uncached, 0 cached, 0 written, 9 out; msg_2, m
    complete: true, content: true
    "#);
}

#[test]
fn the_output_limit_inside_a_call() {
    let limited = first(16)
        + r#"
    {"type":"content_block_stop","index":3}
    {"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":64}}
    {"type":"message_stop"}"#;
    assert_equal_under_every_chunking(Provider::Anthropic, &limited);
    insta::assert_snapshot!(show(Provider::Anthropic, &limited), @r#"
    > Thinking("The parser ")
    > Thinking("is wrong.")
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    thinking "The parser is wrong." Signature("EqQB==")
    thinking "" Redacted("R3k=")
    text "Reading 两个 files."
    unfinished toolu_1 Read {"path": "a.
    Limit; 12 uncached, 4000 cached, 300 written, 64 out; msg_1, claude-opus-5
    complete: true, content: true
    "#);
}

#[test]
fn stops() {
    let stopped = |delta: &str| {
        let events = format!(r#"{{"type":"message_delta","delta":{delta},"usage":{{"output_tokens":1}}}}"#);
        read(Provider::Anthropic, [stream(&events).as_slice()]).expect("no error").1.stop
    };
    assert_eq!(stopped(r#"{"stop_reason":"model_context_window_exceeded"}"#), ReplyStop::WindowFull);
    assert_eq!(stopped(r#"{"stop_reason":"stop_sequence"}"#), ReplyStop::End);
    assert_eq!(stopped(r#"{"stop_reason":"refusal"}"#), ReplyStop::Refused(String::new()));
    let explained = r#"{"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"no weapons"}}"#;
    assert_eq!(stopped(explained), ReplyStop::Refused("no weapons".into()));
    assert_eq!(stopped("{}"), ReplyStop::Cut);
}

#[test]
fn an_error_in_the_stream() {
    let events = first(11) + "\n" + r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    insta::assert_snapshot!(show(Provider::Anthropic, &events), @r#"
    > Thinking("The parser ")
    > Thinking("is wrong.")
    > Text("Reading 两")
    ! the provider broke off with an error: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
    thinking "The parser is wrong." Signature("EqQB==")
    thinking "" Redacted("R3k=")
    text "Reading 两"
    Cut; 12 uncached, 4000 cached, 300 written, 1 out; msg_1, claude-opus-5
    complete: false, content: true
    "#);
}

#[test]
fn a_whole_body() {
    let body = r#"{"id":"msg_3","type":"message","role":"assistant","model":"m","content":[
        {"type":"thinking","thinking":"hm","signature":"Eq"},{"type":"text","text":"Hi.","citations":null},
        {"type":"tool_use","id":"t","name":"Read","input":{"a": 1.0}},{"type": "hologram"}],
        "stop_reason":"tool_use","usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":4}}"#;
    insta::assert_snapshot!(show_body(Provider::Anthropic, body), @r#"
    thinking "hm" Signature("Eq")
    text "Hi."
    call t Read {"a": 1.0}
    unknown
        native {"type": "hologram"}
    End; 3 uncached, 2 cached, 0 written, 4 out; msg_3, m
    "#);
    let limited = r#"{"content":[{"type":"tool_use","id":"t","name":"Read","input":{}}],"stop_reason":"max_tokens"}"#;
    insta::assert_snapshot!(show_body(Provider::Anthropic, limited), @r#"
    unfinished t Read {}
    Limit; no usage; -, -
    "#);
    let error = r#"{"type":"error","error":{"type":"api_error","message":"no"}}"#;
    insta::assert_snapshot!(show_body(Provider::Anthropic, error), @r#"! the provider broke off with an error: {"type":"error","error":{"type":"api_error","message":"no"}}"#);
}
