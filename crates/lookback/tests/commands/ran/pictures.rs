//! Pictures on their way to a model that sees, over HTTP and in each API's own form; and to one that does not.

use std::fs;

use serde_json::Value;

use super::{Project, newest};
use crate::{person::Person, played::Playing};

const SCRIPT: &str = "[[step]]\ncalls = [{ name = \"Read\", arguments = { path = \"logo.png\" } }]\n\
                      [[step]]\ntext = \"A logo.\"\n";

/// What a PNG of 640 by 480 pixels begins with: 410 tokens.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0";
const IN_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA=";

/// The bodies of a run, each with the size that it was billed by, and the session's view.
fn run(model: &str) -> (Vec<(Value, u64)>, String) {
    let project = Project::new();
    project.write("logo.png", LOGO);
    let script = project.script(SCRIPT);
    let log = project.person.home.path().join("log.jsonl");
    let server = Playing::start(
        &project.person,
        &["--script", script.trim_start_matches("script:"), "--model", model, "--log", &log.to_string_lossy()],
    );
    let address = format!("http://{}", server.address());
    let mut command = project.command(&["run", "--model", model, "--base-url", &address, "what is in logo.png?"]);
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MOONSHOT_API_KEY"] {
        command.env(key, "sk-of-a-test-0123456789");
    }
    let said = Person::said(command.output());
    assert_eq!(said.code, Some(0), "{model}: {}", said.err);
    assert_eq!(said.out.lines().next(), Some("A logo."), "{model}: {}", said.err);
    drop(server);
    let lines = fs::read_to_string(log).expect("a log");
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let calls = lines.map(|line| {
        let billed = ["cached", "written", "uncached"].iter().filter_map(|kind| line[kind].as_u64()).sum();
        (line["body"].clone(), billed)
    });
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls.len(), 2, "{model}");
    (calls, project.person.run(&["show", &newest(&project), "--view"]).out)
}

#[test]
fn a_model_that_sees_gets_the_picture_in_its_apis_own_form() {
    for (model, form) in [
        (
            "claude-sonnet-4-6",
            format!(r#"{{"source":{{"data":"{IN_BASE64}","media_type":"image/png","type":"base64"}},"type":"image"}}"#),
        ),
        ("gpt-5.6", format!(r#"{{"image_url":"data:image/png;base64,{IN_BASE64}","type":"input_image"}}"#)),
        ("kimi-k2.6", format!(r#"{{"image_url":{{"url":"data:image/png;base64,{IN_BASE64}"}},"type":"image_url"}}"#)),
    ] {
        let (calls, view) = run(model);
        let [(first, before), (second, after)] = &calls[..] else { panic!("{calls:?}") };
        assert!(!first.to_string().contains(IN_BASE64) && second.to_string().contains(&form), "{model}: {second:#}");
        assert!((410..500).contains(&(after - before)), "{model}: {before}, then {after}");
        assert!(view.contains("[image/png, shown to the model]") && !view.contains("you do not see"), "{view}");
    }
}

#[test]
fn a_model_that_does_not_see_is_told_so() {
    let (calls, view) = run("kimi-k2.7-code");
    assert!(!calls[1].0.to_string().contains(IN_BASE64));
    assert!(calls[1].0.to_string().contains("It is kept, but you do not see it"), "{:#}", calls[1].0);
    assert!(!view.contains("shown to the model"), "{view}");
}

#[test]
fn a_recalled_picture_is_named_and_another_session_is_not_recalled() {
    let project = Project::new();
    project.write("logo.png", LOGO);
    project.run(SCRIPT, &["look"]);
    let other = newest(&project);
    let script = format!(
        "[[step]]\ncalls = [{{ name = \"Read\", arguments = {{ path = \"logo.png\" }} }}]\n\
         [[step]]\ncalls = [{{ name = \"Recall\", arguments = {{ pointer = \"turn#2\" }} }}, {{ name = \"Recall\", arguments = {{ pointer = \"{other}/turn#2\" }} }}]\n\
         [[step]]\ntext = \"x\"\n"
    );
    project.run(&script, &["look again"]);
    let recalled = project.person.run(&["recall", "turn#4"]).out;
    assert!(recalled.contains("bytes: Read the file to see it]"), "{recalled}");
    assert!(recalled.contains("is another session: only this one is recalled"), "{recalled}");
}
