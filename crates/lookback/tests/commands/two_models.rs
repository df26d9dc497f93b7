//! A session in which two models answered: whatever names its cost bills each call at its own model's prices.

use std::fs;

use crate::{machine::run, person::Person};

const SAMPLE: &str = include_str!("../../../../fixtures/sample-session.jsonl");

/// The sample's first half by another model.
fn mixed(person: &Person) -> String {
    let half = SAMPLE.lines().count() / 2;
    let line = |(number, line): (usize, &str)| {
        let model = if number < half { "claude-haiku-4-5" } else { "claude-opus-4-1" };
        line.replace("claude-sonnet-4-6", model) + "\n"
    };
    let path = person.home.path().join("mixed.jsonl");
    fs::write(&path, SAMPLE.lines().enumerate().map(line).collect::<String>()).expect("a file");
    path.to_str().expect("text").to_owned()
}

#[test]
fn models_of_two_providers_are_both_in_the_heading() {
    let person = Person::new();
    let half = SAMPLE.lines().count() / 2;
    let line = |(number, line): (usize, &str)| match number < half {
        true => format!("{line}\n"),
        false => line.replace("claude-sonnet-4-6", "deepseek-chat") + "\n",
    };
    let file = person.home.path().join("two.jsonl");
    fs::write(&file, SAMPLE.lines().enumerate().map(line).collect::<String>()).expect("a file");
    let file = file.to_str().expect("text");
    let said = person.run(&["replay", file, "--json"]).json()["sessions"][0]["prices"].clone();
    let prices = said.as_str().expect("a name");
    assert!(
        ["anthropic and deepseek", "deepseek and anthropic"].iter().any(|both| prices.starts_with(both)),
        "{prices}"
    );
    let chosen = person.run(&["replay", file, "--json", "--prices", "anthropic"]).json();
    assert_eq!(chosen["sessions"][0]["prices"], "anthropic, 5-minute cache");
}

#[test]
fn strategies_and_lists_bill_each_call_at_its_own_model() {
    let person = Person::new();
    let file = mixed(&person);
    let session = person.run(&["replay", &file, "--json"]).json()["sessions"][0].clone();
    let usd = |name: &str| session[name].as_f64().expect("dollars");
    let append = &session["strategies"]["append"];
    let share = append["cost_usd"].as_f64().expect("dollars") / usd("paid_whole_usd");
    assert!((0.8..1.25).contains(&share), "sending everything costs about what was paid: {share}");
    assert_eq!(append["by_card"].as_object().map(serde_json::Map::len), Some(2), "{append}");

    person.run(&["import", &file]);
    let listed = person.run(&["sessions", "--json"]).json();
    let cost = listed[0]["cost_usd"].as_f64().expect("dollars");
    assert!((cost - usd("paid_usd")).abs() < 1e-9, "{cost} listed, {} paid", usd("paid_usd"));

    let chosen = person.run(&["replay", &file, "--json", "--prices", "anthropic"]).json()["sessions"][0].clone();
    assert!(chosen["strategies"]["append"]["by_card"].is_null(), "one card for all");
}

#[test]
fn calls_of_a_model_without_prices_are_called_estimated() {
    let person = Person::new();
    let half = SAMPLE.lines().count() / 2;
    let line = |(number, line): (usize, &str)| match number < half {
        true => format!("{line}\n"),
        false => line.replace("claude-sonnet-4-6", "nobodys-model") + "\n",
    };
    let file = person.home.path().join("part.jsonl");
    fs::write(&file, SAMPLE.lines().enumerate().map(line).collect::<String>()).expect("a file");
    let file = file.to_str().expect("text");
    let said = run(&person, &["replay", file]).shown();
    assert!(said.starts_with(" You paid about $1.86 for 64 calls."), "{said}");
    assert!(said.contains("of it is estimated: 1 session with models without a price card"), "{said}");
    let session = person.run(&["replay", file, "--json"]).json()["sessions"][0].clone();
    let borrowed = session["borrowed_usd"].as_f64().expect("dollars");
    assert!((0.5..1.8).contains(&borrowed), "{borrowed}");
}
