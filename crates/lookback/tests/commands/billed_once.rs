//! Calls that stand in several files are paid for once, and those of sub-agents are in no sum and said.

use serde_json::Value;

use crate::{
    machine::{run, write},
    person::{Person, Said},
};

const SAMPLE: &str = include_str!("../../../../fixtures/sample-session.jsonl");

/// The same calls of somebody else: other responses, of another session, on another day.
fn another(lines: &str) -> String {
    let other = lines.replace("\"id\":\"msg_", "\"id\":\"msg_other_").replace("3f0c1d52", "aaaaaaaa");
    other.replace("2026-06-18T", "2026-06-19T")
}

fn replay(person: &Person, paths: &[&str]) -> Value {
    let said = run(person, &[&["replay", "--json", "--strategies", "lookback"], paths].concat());
    assert_eq!(said.code, Some(0), "{}", said.err);
    said.json()
}

fn sum(report: &Value, of: impl Fn(&Value) -> f64) -> f64 {
    report["sessions"].as_array().expect("a list").iter().map(of).sum()
}

fn paid(report: &Value) -> f64 {
    sum(report, |session| session["paid_usd"].as_f64().expect("a bill"))
}

fn calls(report: &Value) -> f64 {
    sum(report, |session| session["calls"].as_f64().expect("a number"))
}

/// A fork begins with a copy of what it forked: the copy has its own session and the same responses.
#[test]
fn a_fork_is_billed_for_its_own_calls() {
    let person = Person::new();
    let lines: Vec<&str> = SAMPLE.lines().collect();
    let (begun, gone_on) = lines.split_at(150);
    let fork = format!("{}\n{}\n", begun.join("\n").replace("3f0c1d52", "bbbbbbbb"), another(&gone_on.join("\n")));
    let (first, fork) = (write(&person, "a.jsonl", SAMPLE), write(&person, "b.jsonl", &fork));
    let (alone, both) = (replay(&person, &[&first]), replay(&person, &[&first, &fork]));
    let copied = both["beside"]["copied"].as_f64().expect("a number");
    assert!(copied > 30.0 && calls(&both) == 128.0 - copied, "{copied} of {}", calls(&both));
    let own = &both["sessions"][1];
    let own_usd = |figure: &str| own["strategies"]["lookback"][figure].as_f64().expect("dollars");
    assert!(
        (0.05..0.5).contains(
            &(own_usd("cost_usd")
                / alone["sessions"][0]["strategies"]["append"]["cost_usd"].as_f64().expect("dollars"))
        ),
        "{own}"
    );
    assert!(paid(&both) < 1.7 * paid(&alone), "{} of {}", paid(&both), paid(&alone));
    let other_way_round = replay(&person, &[&fork, &first]);
    assert!((paid(&other_way_round) - paid(&both)).abs() < 1e-9 && calls(&other_way_round) == calls(&both));
    let said = run(&person, &["replay", &first, &fork]).shown();
    let expected = format!("{copied} calls stand in more than one session");
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn sub_agents_are_said_however_replay_is_asked() {
    let person = Person::new();
    let agent = another(SAMPLE).replace("\"isSidechain\":false", "\"isSidechain\":true");
    write(&person, ".claude/projects/-w/one.jsonl", SAMPLE);
    write(&person, ".claude/projects/-w/one/subagents/agent-1.jsonl", &agent);
    let folder = person.home.path().join(".claude");
    let said = |words: &[&str]| -> Said { run(&person, &[&["replay"], words].concat()) };
    let inline = write(&person, "inline.jsonl", &format!("{SAMPLE}{agent}"));
    let file = folder.join("projects/-w/one.jsonl");
    let [named, alone] = [&folder, &file].map(|path| path.to_str().expect("text"));
    for words in [&["--yes"][..], &[named], &[alone], &[&inline]] {
        let out = said(words).shown();
        assert!(out.starts_with(" You paid $1.86 for 64 calls."), "{out}");
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Not in it: 64 calls of sub-agents, $1.86, which no strategy folds."), "{out}");
    }
    // Whoever names them alone wants to see them.
    let agents = folder.join("projects/-w/one/subagents");
    let out = said(&[agents.to_str().expect("text")]).shown();
    assert!(out.starts_with(" You paid $1.86 for 64 calls.") && !out.contains("Not in it"), "{out}");
}

/// A client may write usage down for some calls only, or a usage of zeros: strategies are billed for these calls, too.
#[test]
fn calls_without_a_bill_are_estimated_beside_the_others() {
    let person = Person::new();
    let without = |lines: std::ops::Range<usize>, zeros: bool| -> String {
        let line = |(number, line): (usize, &str)| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            if lines.contains(&number) && line["message"]["usage"].is_object() {
                let usage = line["message"]["usage"].as_object_mut().expect("an object");
                usage.retain(|_, value| zeros && value.is_u64());
                usage.values_mut().for_each(|value| *value = 0.into());
                if !zeros {
                    line["message"].as_object_mut().expect("an object").remove("usage");
                }
            }
            format!("{line}\n")
        };
        SAMPLE.lines().enumerate().map(line).collect()
    };
    let whole = replay(&person, &[&write(&person, "whole.jsonl", SAMPLE)]);
    assert!(whole["sessions"][0]["estimated"].is_null(), "{}", whole["sessions"][0]["estimated"]);
    for zeros in [false, true] {
        let file = write(&person, "some.jsonl", &without(60..120, zeros));
        let session = replay(&person, &[&file])["sessions"][0].clone();
        let (billed, calls) = (&session["paid"]["calls"], &session["estimated"]["calls"]);
        let (billed, calls) = (billed.as_u64().expect("a number"), calls.as_u64().expect("a number"));
        assert!(calls > 5 && billed + calls == 64, "{billed} billed, {calls} estimated");
        let usd = |name: &str| session[name].as_f64().expect("dollars");
        let all = usd("paid_usd") + usd("estimated_usd");
        assert!((1.7..2.0).contains(&all), "the same calls cost about the same: {all}");
        let said = run(&person, &["replay", &file]).shown();
        let expected = format!("for 64 calls ({calls} of them estimated).");
        assert!(said.starts_with(" You paid about $1.") && said.contains(&expected), "{said}");
        assert!(said.contains(&format!("of it is estimated: {calls} calls without a bill")), "{said}");
    }
}

/// No card has a price of a search or a faster answer: they are named once, and nothing is said where there are none.
#[test]
fn what_a_usage_bills_beside_tokens_is_named() {
    let person = Person::new();
    let said = |text: &str| run(&person, &["replay", &write(&person, "one.jsonl", text)]).shown();
    assert!(!said(SAMPLE).contains("Not in it") && !said(SAMPLE).contains("usual prices"));
    let usage = "\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":17956,";
    assert!(SAMPLE.contains(usage));
    let more = "\"speed\":\"fast\",\"service_tier\":\"batch\",\"server_tool_use\":{\"web_search_requests\":12},";
    // Without the one that stands behind it.
    let text = SAMPLE.replace("\"service_tier\":\"standard\"", "\"tier\":\"standard\"");
    let text = text.replace(usage, &format!("{usage}{more}"));
    let out = said(&text);
    let expected = "Not in it: 12 web searches. Counted at the usual prices: 1 call in fast mode, 1 call in a batch.";
    assert!(out.starts_with(" You paid $1.86 for 64 calls.") && out.contains(expected), "{out}");
}

#[test]
fn a_bill_that_no_prompt_can_have_is_not_believed() {
    let person = Person::new();
    let (before, after) = SAMPLE.split_once("\"cache_creation_input_tokens\":17956").expect("the first call");
    let absurd = format!("{before}\"cache_creation_input_tokens\":99999999999999{after}");
    let absurd =
        absurd.replace("\"cache_creation_input_tokens\":17956", "\"cache_creation_input_tokens\":99999999999999");
    let said = run(&person, &["replay", &write(&person, "odd.jsonl", &absurd)]);
    assert!(said.out.starts_with(" You paid about $1.8"), "{}", said.out);
    assert!(said.out.contains("for 64 calls (1 of them estimated)."), "{}", said.out);
    assert!(said.err.contains("more tokens than any model takes, which are not believed (1 call)"), "{}", said.err);
}

/// The sample, with a compaction of its client in the middle: prompts are billed as shorter from there on.
fn compacted() -> String {
    let boundary = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("a line");
        line["type"] = "system".into();
        line["subtype"] = "compact_boundary".into();
        line["uuid"] = "5f0c1d52-0000-4000-8000-000000000000".into();
        line.as_object_mut().map(|line| line.remove("message"));
        line.to_string()
    };
    let shorter = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("a line");
        if let Some(read) = line.pointer_mut("/message/usage/cache_read_input_tokens") {
            *read = (read.as_u64().expect("tokens") / 4).into();
        }
        line.to_string()
    };
    let lines: Vec<&str> = SAMPLE.lines().collect();
    let (before, behind) = lines.split_at(150);
    let before = before.iter().map(ToString::to_string).chain([boundary(behind[0])]);
    before.chain(behind.iter().map(|line| shorter(line))).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_session_with_its_clients_compactions_costs_imported_what_its_file_does() {
    let person = Person::new();
    let file = write(&person, "compacted.jsonl", &compacted());
    let imported = run(&person, &["import", &file]);
    assert!(imported.shown().contains("1 compaction of its own"), "{}", imported.shown());
    // What is stored is not stored a second time.
    assert!(run(&person, &["import", &file]).shown().contains("is stored already"));
    let stored = run(&person, &["sessions", "--json"]).json()[0].clone();
    let id = stored["id"].as_str().expect("an id").to_owned();
    let trace = run(&person, &["show", &id, "--trace", "--json"]).out;
    assert_eq!(trace.matches("client_compacted").count(), 1);
    let costs = |report: &Value| {
        let session = &report["sessions"][0];
        let cost = |strategy: &str| session["strategies"][strategy]["cost_usd"].as_f64().expect("dollars");
        (session["paid_usd"].as_f64().expect("a bill"), cost("append"), cost("lookback"))
    };
    let told = |path: &str| {
        let said = run(&person, &["replay", "--json", "--strategies", "append,lookback", path]);
        costs(&said.json())
    };
    let (of_file, of_store) = (told(&file), told(&id));
    let same = |one: f64, other: f64| (one / other - 1.0).abs() < 0.001;
    assert!(same(of_file.0, of_store.0) && same(of_file.1, of_store.1) && same(of_file.2, of_store.2), "{of_store:?}");
    // It makes a difference: else prompts would be taken for shorter all along.
    let untold = compacted().lines().filter(|line| !line.contains("compact_boundary")).collect::<Vec<_>>().join("\n");
    let of_untold = told(&write(&person, "untold.jsonl", &untold));
    assert!(of_untold.1 < 0.95 * of_file.1, "{of_untold:?} {of_file:?}");
}

/// Codex begins a fork's file with its parent's lines, all of them at the time of the fork.
#[test]
fn a_fork_of_codex_is_not_billed_for_what_it_copied() {
    const CODEX: &str = include_str!("../../../../fixtures/sessions/codex.jsonl");
    let person = Person::new();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("a line");
        line["timestamp"] = "2030-01-01T00:00:00.000Z".into();
        line.to_string()
    };
    let meta = r#"{"timestamp":"2030-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"fork","forked_from_id":"parent","cwd":"/w"}}"#;
    let copied: Vec<String> = CODEX.lines().map(line).collect();
    let fork = write(&person, "a-fork.jsonl", &format!("{meta}\n{}\n", copied.join("\n")));
    // Two runs that only say the same were paid both.
    let twin = write(&person, "twin.jsonl", &format!("{}\n", copied.join("\n")).replace("\"id\":\"", "\"id\":\"twin-"));
    let parent = write(&person, "parent.jsonl", CODEX);
    let alone = replay(&person, &[&parent]);
    for paths in [[&parent, &fork], [&fork, &parent]] {
        let both = replay(&person, &paths.map(String::as_str));
        assert_eq!((paid(&both), calls(&both)), (paid(&alone), calls(&alone)));
    }
    assert!(calls(&replay(&person, &[&parent, &twin])) > calls(&alone));
}
