//! One text of thoughts and actions.

use super::*;

/// The text as a model would stream it, in pieces of five characters.
fn show_text(text: &str, reason: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(5).map(|piece| {
        let piece = crate::render::quote(&piece.iter().collect::<String>());
        format!(r#"{{"id":"cmpl-1","choices":[{{"index":0,"delta":{{"content":{piece}}},"finish_reason":null}}]}}"#)
    });
    let last = format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":{reason}}}]}}"#);
    let events = pieces.chain([last, "[DONE]".to_owned()]).collect::<Vec<_>>().join("\n");
    if reason != "null" {
        assert_equal_under_every_chunking(Provider::React, &events);
    }
    let (shown, reply) = read(Provider::React, [stream(&events).as_slice()]).expect("no error");
    let shown: Vec<_> = shown.iter().map(|delta| format!("> {delta:?}\n")).collect();
    shown.concat() + &show_reply(&reply)
}

#[test]
fn thoughts_and_actions() {
    let text = "Thought: I look\nat both.\nAction: Read[{\"path\": \"a.rs\"}]\nAction: LS[{}]";
    insta::assert_snapshot!(show_text(text, "\"stop\""), @r#"
    > Thinking("I look\nat both.\n")
    > Call { name: "Read" }
    > Call { name: "LS" }
    text "I look\nat both."
    call cmpl-1-1 Read {"path": "a.rs"}
    call cmpl-1-2 LS {}
    End; no usage; cmpl-1, -
    "#);
}

#[test]
fn the_answer() {
    insta::assert_snapshot!(show_text("Thought: done\nAction: Finish[It is a[0],\n\\Action: none]\n", "\"stop\""), @r#"
    > Thinking("done\n")
    > Text("It is a[0],\n\\Action: none")
    thinking "done" None
    text "It is a[0],\nAction: none"
    End; no usage; cmpl-1, -
    "#);
    insta::assert_snapshot!(show_text("Just words [1].\nMore.", "\"stop\""), @r#"
    > Text("Just words [1].\nMore.")
    text "Just words [1].\nMore."
    End; no usage; cmpl-1, -
    "#);
    insta::assert_snapshot!(show_text("Thought: 42.\nAction: Finish[]", "\"stop\""), @r#"
    > Thinking("42.\n")
    text "42."
    End; no usage; cmpl-1, -
    "#);
}

#[test]
fn a_conversation_that_the_model_makes_up_is_cut_off() {
    let text = "[assistant] Action: Read[{}]\n[tool] contents\n\n[assistant] Action: Finish[ok]";
    insta::assert_snapshot!(show_text(text, "\"stop\""), @r#"
    > Call { name: "Read" }
    call cmpl-1-1 Read {}
    End; no usage; cmpl-1, -
    "#);
    // An answer before the results does not count.
    insta::assert_snapshot!(show_text("Action: Read[{}]\nAction: Finish[ok]", "\"stop\""), @r#"
    > Call { name: "Read" }
    call cmpl-1-1 Read {}
    End; no usage; cmpl-1, -
    "#);
}

#[test]
fn arguments_as_models_write_them() {
    let text = "Action: Write[{\n  \"text\": \"a]b\"\n}]\nAction: Bash[ls -la]\nAction: LS[] # list";
    insta::assert_snapshot!(show_text(text, "\"stop\""), @r#"
    > Call { name: "Write" }
    > Call { name: "Bash" }
    > Call { name: "LS" }
    call cmpl-1-1 Write {
      "text": "a]b"
    }
    call cmpl-1-2 Bash ls -la
    call cmpl-1-3 LS 
    End; no usage; cmpl-1, -
    "#);
}

#[test]
fn cut_in_the_middle() {
    insta::assert_snapshot!(show_text("Thought: I look\nAction: Read[{\"pa", "\"length\""), @r#"
    > Thinking("I look\n")
    > Call { name: "Read" }
    text "I look"
    unfinished cmpl-1-1 Read {"pa
    Limit; no usage; cmpl-1, -
    "#);
    insta::assert_snapshot!(show_text("Thought: I lo", "\"length\""), @r#"
    > Thinking("I lo")
    text "I lo"
    Limit; no usage; cmpl-1, -
    "#);
    insta::assert_snapshot!(show_text("Action: Finish[It is", "\"length\""), @r#"
    > Text("It is")
    text "It is"
    Limit; no usage; cmpl-1, -
    "#);
}

#[test]
fn a_whole_body() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"Action: LS[{}]"},"finish_reason":"stop"}]}"#;
    insta::assert_snapshot!(show_body(Provider::React, body), @r#"
    call action-1 LS {}
    End; no usage; -, -
    "#);
}
