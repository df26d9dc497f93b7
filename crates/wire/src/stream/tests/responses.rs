//! OpenAI Responses.

use super::*;

const STEP: &str = r#"
    {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"gpt-6","output":[],"error":null,"usage":null}}
    {"type":"response.created","response":{"id":"resp_1","status":"in_progress","model":"gpt-6","output":[]}}
    {"type":"response.in_progress","response":{"id":"resp_1","status":"in_progress","model":"gpt-6","output":[]}}
    {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAcut"}}
    {"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}
    {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Look "}
    {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"first."}
    {"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,"text":"Look first."}
    {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look first."}],"encrypted_content":"gAAA"}}
    {"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[]}}
    {"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}
    {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Reading 两"}
    {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"个 files."}
    {"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Reading 两个 files.","annotations":[],"logprobs":[]}]}}
    {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","status":"in_progress","call_id":"call_a","name":"Read","arguments":""}}
    {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"path\": "}
    {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"\"a.rs\"}"}
    {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","status":"completed","call_id":"call_a","name":"Read","arguments":"{\"path\": \"a.rs\"}"}}
    {"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","id":"fc_2","status":"in_progress","call_id":"call_b","name":"LS","arguments":""}}
    {"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","id":"fc_2","status":"completed","call_id":"call_b","name":"LS","arguments":"{}"}}
    {"type":"response.completed","response":{"id":"resp_1","status":"completed","model":"gpt-6-2026","output":[],"error":null,"incomplete_details":null,"usage":{"input_tokens":1200,"input_tokens_details":{"cached_tokens":1024,"cache_write_tokens":100},"output_tokens":31,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":1231}}}
"#;

fn first(count: usize) -> String {
    STEP.lines().filter(|line| !line.trim().is_empty()).take(count).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_step_with_reasoning_and_two_calls() {
    insta::assert_snapshot!(show(Provider::Responses, STEP), @r#"
    > Thinking("Look ")
    > Thinking("first.")
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    > Call { name: "LS" }
    thinking "Look first." Encrypted { id: Some("rs_1"), content: "gAAA" }
    text "Reading 两个 files."
    call call_a Read {"path": "a.rs"}
    call call_b LS {}
    End; 76 uncached, 1024 cached, 100 written, 31 out; resp_1, gpt-6-2026
    complete: true, content: true
    "#);
    assert_equal_under_every_chunking(Provider::Responses, STEP);
}

#[test]
fn cut_anywhere() {
    insta::assert_snapshot!(show(Provider::Responses, &first(6)), @r#"
    > Thinking("Look ")
    thinking "Look " None
    Cut; no usage; resp_1, gpt-6
    complete: false, content: true
    "#);
    insta::assert_snapshot!(show(Provider::Responses, &first(12)), @r#"
    > Thinking("Look ")
    > Thinking("first.")
    > Text("Reading 两")
    thinking "Look first." Encrypted { id: Some("rs_1"), content: "gAAA" }
    text "Reading 两"
    Cut; no usage; resp_1, gpt-6
    complete: false, content: true
    "#);
    insta::assert_snapshot!(show(Provider::Responses, &first(16)), @r#"
    > Thinking("Look ")
    > Thinking("first.")
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    thinking "Look first." Encrypted { id: Some("rs_1"), content: "gAAA" }
    text "Reading 两个 files."
    unfinished call_a Read {"path": 
    Cut; no usage; resp_1, gpt-6
    complete: false, content: true
    "#);
}

#[test]
fn more_than_we_understand() {
    let events = r#"
    {"type":"response.created","response":{"id":"resp_2","status":"in_progress","model":"m"}}
    {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gB"}}
    {"type":"response.web_search_call.searching","output_index":1,"item_id":"ws_1"}
    {"type":"response.output_item.done","output_index":1,"item":{"type":"web_search_call","id":"ws_1", "status":"completed","action":{"n":1.0}}}
    {"type":"response.output_item.done","output_index":2,"item":{"type":"message","id":"msg_2","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Found."}]}}
    {"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"Read","arguments":"{}","namespace":"files"}}
    {"type":"response.output_item.done","output_index":4,"item":{"type":"custom_tool_call","id":"ctc_1","call_id":"b","name":"exec","input":"ls"}}
    {"type":"response.output_item.done","output_index":5,"item":{"type":"compaction","id":"cmp_1","encrypted_content":"gC"}}
    {"type":"response.completed","response":{"id":"resp_2","status":"completed","output":[]}}
    "#;
    insta::assert_snapshot!(show(Provider::Responses, events), @r#"
    > Thinking("a\n\nb")
    > Text("Found.")
    > Call { name: "Read" }
    thinking "a\n\nb" Encrypted { id: Some("rs_2"), content: "gB" }
        native {"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gB"}
    unknown
        native {"type":"web_search_call","id":"ws_1", "status":"completed","action":{"n":1.0}}
    text "Found."
        native {"type":"message","id":"msg_2","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Found."}]}
    call a Read {}
        native {"type":"function_call","id":"fc_1","call_id":"a","name":"Read","arguments":"{}","namespace":"files"}
    unknown
        native {"type":"custom_tool_call","id":"ctc_1","call_id":"b","name":"exec","input":"ls"}
    unknown
        native {"type":"compaction","id":"cmp_1","encrypted_content":"gC"}
    End; no usage; resp_2, m
    complete: true, content: true
    "#);
}

#[test]
fn items_that_only_the_end_says() {
    let events = r#"
    {"type":"response.created","response":{"id":"resp_3","status":"in_progress","model":"m"}}
    {"type":"response.output_text.delta","output_index":0,"delta":"Hel"}
    {"type":"response.completed","response":{"id":"resp_3","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]},{"type":"function_call","call_id":"a","name":"LS","arguments":"{}"}]}}
    "#;
    assert_equal_under_every_chunking(Provider::Responses, events);
    insta::assert_snapshot!(show(Provider::Responses, events), @r#"
    > Text("Hel")
    > Call { name: "LS" }
    text "Hello"
    call a LS {}
    End; no usage; resp_3, m
    complete: true, content: true
    "#);
}

#[test]
fn limited_and_refused() {
    let limited = first(17)
        + r#"
    {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","status":"incomplete","call_id":"call_a","name":"Read","arguments":"{\"pa"}}
    {"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":10,"output_tokens":5}}}"#;
    assert_equal_under_every_chunking(Provider::Responses, &limited);
    insta::assert_snapshot!(show(Provider::Responses, &limited), @r#"
    > Thinking("Look ")
    > Thinking("first.")
    > Text("Reading 两")
    > Text("个 files.")
    > Call { name: "Read" }
    thinking "Look first." Encrypted { id: Some("rs_1"), content: "gAAA" }
    text "Reading 两个 files."
    unfinished call_a Read {"pa
    Limit; 10 uncached, 0 cached, 0 written, 5 out; resp_1, gpt-6
    complete: true, content: true
    "#);
    let refused = r#"
    {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[]}}
    {"type":"response.refusal.delta","output_index":0,"item_id":"m","delta":"I cannot."}
    {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[{"type":"refusal","refusal":"I cannot."}]}}
    {"type":"response.completed","response":{"id":"resp_4","status":"completed","output":[]}}"#;
    insta::assert_snapshot!(show(Provider::Responses, refused), @r#"
    Refused("I cannot."); no usage; resp_4, -
    complete: true, content: false
    "#);
    let filtered = r#"{"type":"response.incomplete","response":{"id":"r","status":"incomplete","incomplete_details":{"reason":"content_filter"}}}"#;
    insta::assert_snapshot!(show(Provider::Responses, filtered), @r#"
    Refused(""); no usage; r, -
    complete: true, content: false
    "#);
}

#[test]
fn errors_in_the_stream() {
    let failed = first(3)
        + r#"
    {"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"no"}}}"#;
    insta::assert_snapshot!(show(Provider::Responses, &failed), @r#"
    ! the provider broke off with an error: {"id":"resp_1","status":"failed","error":{"code":"server_error","message":"no"}}
    Cut; no usage; resp_1, gpt-6
    complete: false, content: false
    "#);
    let error = r#"{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}"#;
    insta::assert_snapshot!(show(Provider::Responses, error), @r#"
    ! the provider broke off with an error: {"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}
    Cut; no usage; -, -
    complete: false, content: false
    "#);
}

#[test]
fn a_whole_body() {
    let body = r#"{"id":"resp_5","object":"response","status":"completed","error":null,"model":"m","output":[
        {"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"open"}]},
        {"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}],
        "usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":5},"output_tokens":2}}"#;
    insta::assert_snapshot!(show_body(Provider::Responses, body), @r#"
    thinking "open" None
        native {"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"open"}]}
    text "ab"
        native {"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}
    End; 0 uncached, 5 cached, 0 written, 2 out; resp_5, m
    "#);
    let failed = r#"{"id":"resp_6","status":"failed","error":{"code":"server_error"},"output":[]}"#;
    insta::assert_snapshot!(show_body(Provider::Responses, failed), @r#"! the provider broke off with an error: {"id":"resp_6","status":"failed","error":{"code":"server_error"},"output":[]}"#);
}
