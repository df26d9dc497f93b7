//! Sessions that went on after they were imported: what is new goes behind what is stored, and folds stay.

use crate::{
    foreign::sessions::{CLAUDE_CODE, claude_code, step},
    person::{Person, Said},
};

fn claude_code_of(steps: usize) -> String {
    (0..steps).map(|part| step(part, &format!("part {part} is {}", "done ".repeat(60)))).collect()
}

fn codex_of(steps: usize) -> String {
    let line = |kind: &str, payload: serde_json::Value| {
        serde_json::json!({"timestamp": "2026-05-01T10:00:00.000Z", "type": kind, "payload": payload}).to_string()
            + "\n"
    };
    let said =
        serde_json::json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]});
    let mut text = line("session_meta", serde_json::json!({"id": "long", "cwd": "/w"})) + &line("response_item", said);
    for part in 0..steps {
        let arguments = serde_json::json!({"command": ["bash", "-lc", format!("make part-{part}")]}).to_string();
        let call = serde_json::json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": format!("t{part}")});
        let output = format!("Exit code: 0\nOutput:\npart {part} is {}", "done ".repeat(60));
        let output =
            serde_json::json!({"type": "function_call_output", "call_id": format!("t{part}"), "output": output});
        text += &(line("response_item", call) + &line("response_item", output));
    }
    text
}

/// Responses of several blocks: a line for each, all with the id of the one message, and what it cost in each.
fn claude_code_in_blocks(responses: usize) -> String {
    let (mut text, mut parent, mut number) = (String::new(), serde_json::Value::Null, 0);
    let mut line = |kind: &str, message: serde_json::Value| {
        number += 1;
        let uuid = format!("l{number}");
        let line = serde_json::json!({
            "parentUuid": parent, "isSidechain": false, "cwd": "/w", "sessionId": "blocks", "version": "2.1.0",
            "type": kind, "message": message, "uuid": uuid, "timestamp": format!("2026-05-01T10:00:{number:02}.000Z"),
        });
        parent = uuid.into();
        text += &format!("{line}\n");
    };
    for part in 0..responses {
        if part % 2 == 0 {
            line("user", serde_json::json!({"role": "user", "content": format!("do part {part}")}));
        }
        let call = |which: &str| serde_json::json!({"type": "tool_use", "id": format!("t{part}{which}"), "name": "Bash", "input": {"command": format!("make part-{part}{which}")}});
        let blocks = [
            serde_json::json!({"type": "thinking", "thinking": format!("how is part {part} made?"), "signature": "s"}),
            serde_json::json!({"type": "text", "text": format!("I make part {part}")}),
            call("a"),
            call("b"),
        ];
        for (place, block) in blocks.into_iter().enumerate() {
            let usage = serde_json::json!({"input_tokens": 1000 + part, "output_tokens": 10 + 20 * place});
            line(
                "assistant",
                serde_json::json!({"id": format!("m{part}"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-6", "content": [block], "usage": usage}),
            );
        }
        for which in ["a", "b"] {
            let result = serde_json::json!({"tool_use_id": format!("t{part}{which}"), "type": "tool_result", "content": format!("part {part}{which} is done")});
            line("user", serde_json::json!({"role": "user", "content": [result]}));
        }
    }
    text
}

fn id(person: &Person) -> String {
    person.run(&["sessions", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned()
}

fn view(person: &Person, id: &str) -> String {
    person.run(&["show", id, "--view"]).shown()
}

#[test]
fn a_session_that_has_grown_is_brought_up_to_date_and_keeps_its_folds() {
    for (of, more) in [(claude_code_of as fn(usize) -> String, "Claude Code"), (codex_of, "Codex")] {
        let person = Person::new();
        person.import(of(30)).shown();
        let id = id(&person);
        person.run(&["fold", &id]).shown();
        let folded = view(&person, &id);
        let block = folded.lines().find(|line| line.contains("block")).expect("a block").to_owned();
        assert!(!folded.contains("make part-2\"") && folded.contains("part-29"), "{folded}");

        let said = person.import(of(33)).shown();
        assert!(said.starts_with(&format!("brought {more} session {id} up to date from ")), "{said}");
        assert!(said.contains(": 6 new turns"), "{said}");
        let grown = view(&person, &id);
        assert!(grown.contains(&block) && grown.contains("part-32") && !grown.contains("make part-2\""), "{grown}");
        assert!(person.run(&["recall", "part-31", "--session", &id]).shown().contains("part 31 is"));

        let again = person.import(of(33)).shown();
        assert!(again.contains("is stored already"), "{again}");
        assert!(person.import(of(20)).shown().contains("is stored already"), "a shorter copy");
        assert!(person.import(of(60)).shown().contains(": 54 new turns"));
        person.run(&["fold", &id]).shown();
        assert!(person.import(of(62)).shown().contains(": 4 new turns"));
        assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn an_older_copy_is_known_wherever_it_ends() {
    let person = Person::new();
    let whole = claude_code_in_blocks(4);
    person.import(whole.clone()).shown();
    for end in 2..whole.lines().count() {
        let older: String = whole.lines().take(end).map(|line| format!("{line}\n")).collect();
        let said = person.import(older).shown();
        assert!(said.contains("is stored already"), "{end}: {said}");
    }
}

#[test]
fn a_call_that_was_read_half_is_completed() {
    for is_folded in [false, true] {
        let person = Person::new();
        let whole = claude_code_of(30);
        // Without the last result: the client was still running its command.
        let half: String = whole.lines().take(whole.lines().count() - 1).map(|line| format!("{line}\n")).collect();
        person.import(half).shown();
        let id = id(&person);
        assert!(!person.run(&["show", &id, "--trace", "--json"]).out.contains("part 29 is"));
        if is_folded {
            person.run(&["fold", &id]).shown();
        }
        let blocks = |text: &str| text.matches("block").count();
        let before = blocks(&view(&person, &id));
        let said = person.import(claude_code_of(31));
        assert!(said.shown().contains("up to date"), "{}", said.err);
        assert!(person.run(&["show", &id, "--trace", "--json"]).out.contains("part 29 is"));
        let now = view(&person, &id);
        assert!(now.contains("part 30 is") && blocks(&now) >= before, "{now}");
        assert_eq!(now.contains("part 29 is"), !is_folded, "behind a fold it is in the trace alone");
        assert!(person.import(claude_code_of(31)).shown().contains("is stored already"));
        assert!(person.import(claude_code_of(33)).shown().contains(": 4 new turns"));
        assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn a_file_read_in_two_parts_gives_what_it_gives_at_once() {
    let stored = |person: &Person| {
        let sessions = person.run(&["sessions", "--json"]).json();
        let facts = ["id", "calls", "turns", "cost_usd"].map(|fact| sessions[0][fact].clone());
        (sessions.as_array().map(Vec::len), facts, person.run(&["show", &id(person), "--trace", "--json"]).out)
    };
    for text in [claude_code_in_blocks(4), codex_of(5)] {
        let at_once = Person::new();
        at_once.import(&text).shown();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for cut in 3..lines.len() {
            let person = Person::new();
            person.import(lines[..cut].concat()).shown();
            let said = person.import(&text);
            assert!(stored(&person) == stored(&at_once), "cut at line {cut}: {}{}", said.out, said.err);
            assert!(person.import(&text).shown().contains("is stored already"), "cut at line {cut}");
        }
    }
}

#[test]
fn another_beginning_is_another_session() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let first = id(&person);
    let other = CLAUDE_CODE.replace("why does it fail?", "how does it work?");
    let said = person.import(&other).shown();
    let expected = format!("its beginning is no longer what session {first} has: it is stored as another session");
    assert!(said.starts_with("imported Claude Code session ") && said.contains(&expected), "{said}");
    for text in [CLAUDE_CODE, &other] {
        assert!(person.import(text).shown().contains("is stored already"));
    }
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(2));
}

fn import(person: &Person, paths: &[&str]) -> Said {
    person.run(&[&["import"], paths].concat())
}

#[test]
fn a_session_given_twice_counts_once() {
    let person = Person::new();
    let folder = person.home.path().join("projects");
    std::fs::create_dir_all(&folder).expect("a folder");
    let one = folder.join("one.jsonl");
    std::fs::write(&one, claude_code("one")).expect("a file");
    std::fs::write(person.home.path().join("copy.jsonl"), claude_code("one")).expect("a file");
    let (folder, one) = (folder.to_str().expect("text"), one.to_str().expect("text"));
    let copy = person.home.path().join("copy.jsonl").to_str().expect("text").to_owned();
    let linked = format!("{folder}/../projects/one.jsonl");
    assert_eq!(import(&person, &[folder, one, &linked]).out, "Claude Code: 1 session imported\n");
    assert_eq!(import(&person, &[one, &copy]).out, "Claude Code: 0 sessions imported · 2 stored already\n");
    let replayed = |words: &[&str]| {
        let mut all = vec!["replay", "--json", "--strategies", "append"];
        all.extend(words);
        let said = person.run(&all);
        (
            said.json()["sessions"].as_array().map(Vec::len),
            said.err.contains("copies of sessions that were given already"),
        )
    };
    assert_eq!(replayed(&[folder]), (Some(1), false));
    let stored = id(&person);
    assert_eq!(replayed(&[folder, one, &copy, &stored]), (Some(1), true));
}

/// Clients that resume copy what was said under a new id, and people copy files.
#[test]
fn a_copy_under_another_id_counts_once() {
    let person = Person::new();
    let folder = person.home.path().join("projects");
    std::fs::create_dir_all(&folder).expect("a folder");
    let copy = CLAUDE_CODE.replace("the-session", "another-name");
    std::fs::write(folder.join("one.jsonl"), CLAUDE_CODE).expect("a file");
    std::fs::write(folder.join("two.jsonl"), &copy).expect("a file");
    // As long a one that was held at another time is another one.
    let later = copy.replace("T10:", "T11:").replace("another-name", "third").replace("\"id\":\"m", "\"id\":\"later-m");
    std::fs::write(folder.join("three.jsonl"), later).expect("a file");
    let folder = folder.to_str().expect("text");
    assert_eq!(import(&person, &[folder]).out, "Claude Code: 2 sessions imported · 1 stored already\n");
    let said = person.import(&copy).shown();
    assert!(said.contains(": a copy of session ") && said.contains("which is stored already"), "{said}");
    let replayed = person.run(&["replay", "--json", "--strategies", "append", folder]);
    assert_eq!(replayed.json()["sessions"].as_array().map(Vec::len), Some(2));
    assert!(replayed.err.contains("1 session given twice: counted once"), "{}", replayed.err);
}
