//! A conversation as an agent sends it, request by request, and the script that answers it.

use std::{fs, path::Path};

use serde_json::{Value, json};

/// Writes the script, and a body for each of its steps.
pub(crate) fn write(home: &Path, steps: usize) {
    let mut script = "model = \"claude-sonnet-4-5\"\n".to_owned();
    for step in 1..steps {
        let text = format!("\n[[step]]\ntext = \"Part {step} next.\"\ncalls = [{{ name = \"Read\", arguments = ");
        script.push_str(&format!("{text}{{ file_path = \"/srv/ledger/part{step}.py\" }} }}]\n"));
    }
    script.push_str("\n[[step]]\ntext = \"It was part 7.\"\n");
    fs::write(home.join("script.toml"), script).expect("a file");
    let bodies = home.join("bodies");
    fs::create_dir(&bodies).expect("a folder");
    for number in 1..=steps {
        fs::write(bodies.join(format!("{number:04}.json")), body(number).to_string()).expect("a file");
    }
}

/// The request with so many answers before it, the newest block marked as agents do.
fn body(number: usize) -> Value {
    let mark = json!({"type": "ephemeral"});
    let mut messages = vec![json!({"role": "user", "content": [
        {"type": "text", "text": "Find out why the ledger is wrong, and say which part of it is to blame."}]})];
    for step in 1..number {
        let (id, path) = (format!("step-{step}-1"), format!("/srv/ledger/part{step}.py"));
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("Part {step} next.")},
            {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": file(step)}]}));
    }
    let last = messages.len() - 1;
    messages[last]["content"][0]["cache_control"] = mark.clone();
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 8000, "messages": messages,
        "system": [{"type": "text", "text": "You repair ledgers. ".repeat(400), "cache_control": mark}],
        "tools": [{"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object",
            "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}}],
        "metadata": {"user_id": "{\"session_id\":\"5d1f\"}"},
    })
}

fn file(step: usize) -> String {
    let line =
        |number: usize| format!("{number:>6}\tentry_{step}_{number} = amount({}) - fee({number})\n", step * number);
    (1..=120).map(line).collect()
}
