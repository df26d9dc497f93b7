//! The ledger beside what a provider billed: what was expected of its cache, and what it reported.

use lookback_engine::trace::event::Usage;
use lookback_wire::TokenUsage;

use crate::{
    foreign::sessions::CODEX,
    person::{Person, trace_lines},
    work::Work,
};

/// Five calls; the provider loses the prompt once. Anthropic's minimum is behind them after the first.
fn billed() -> Person {
    billed_after(0)
}

/// With so many seconds before the call that finds nothing.
fn billed_after(pause: i64) -> Person {
    billed_as(pause, Held::FiveMinutes)
}

#[derive(Clone, Copy, PartialEq)]
enum Held {
    FiveMinutes,
    /// And the fourth call finds the prompt before it.
    AnHour,
    /// And the fourth call finds nothing all the same.
    AnHourInVain,
}

fn billed_as(pause: i64, held: Held) -> Person {
    let mut work = Work::begin("billed000000", 0, "claude-sonnet-4-5");
    work.user("look at everything");
    let mut before = 0;
    for step in 0..5 {
        let output: String = (0..400).map(|line| format!("src/a.py:{line}: word_{step}_{line}\n")).collect();
        if step == 3 {
            work.wait(pause);
        }
        let input = work.session.view().tokens() as u32 * 6 / 5;
        work.run("", &format!("grep -rn word_{step} src"), 0, &output);
        let is_lost = step == 3 && held != Held::AnHour;
        let cached = if is_lost || before < 1_024 { 0 } else { before };
        let uncached = if input < 1_024 { input } else { 4 };
        work.tell(|session, now| {
            let call = session.last_call();
            let written = input - cached - uncached;
            let written_1h = if held == Held::FiveMinutes { 0 } else { written };
            let billed = TokenUsage { uncached, cached, written, written_1h, output: 30, ..TokenUsage::default() };
            session.usage(Usage { call, billed }, now).expect("it was made");
        });
        before = input;
    }
    let person = Person::new();
    person.import(trace_lines(&work.session)).shown();
    person
}

#[test]
fn a_prompt_that_was_not_cached_as_expected_is_named() {
    let person = billed();
    insta::assert_snapshot!("billed_ledger", person.run_in(120, &["show", "billed", "--ledger"]).shown());
    insta::assert_snapshot!("billed_ledger_narrow", person.run_in(60, &["show", "billed", "--ledger"]).shown());
    let lines = person.run(&["show", "billed", "--ledger", "--json"]).json();
    assert_eq!(lines[2]["cache"], "as_expected");
    assert_eq!(lines[3]["cache"]["mismatch"]["difference"], "lost", "{}", lines[3]);
    assert_eq!(lines[3]["cache"]["mismatch"]["reported"], 0);
    assert!(lines[3]["expected"]["read"].as_u64() > Some(1_024), "{}", lines[3]);
}

#[test]
fn a_pause_that_was_too_long_is_the_reason() {
    let ledger = billed_after(315).run_in(120, &["show", "billed", "--ledger"]).shown();
    let line = ledger.lines().find(|line| line.trim_start().starts_with("4 ")).expect("the fourth call");
    assert!(line.contains("cold: 5 min") && !line.contains("new turns"), "{ledger}");
    let short = billed().run_in(120, &["show", "billed", "--ledger"]).shown();
    assert!(!short.contains("cold"), "{short}");
    assert!(short.contains("(call 4)"), "the call is named: {short}");
}

/// Claude Code asks for an hour where a subscription pays for it: six minutes are no reason then.
#[test]
fn entries_are_expected_to_live_as_long_as_the_bills_say() {
    let lines = billed_as(360, Held::AnHour).run(&["show", "billed", "--ledger", "--json"]).json();
    assert!(lines[3]["expected"]["read"].as_u64() > Some(1_024), "{}", lines[3]);
    assert_eq!((&lines[3]["cache"], &lines[4]["cache"]), (&"as_expected".into(), &"as_expected".into()));
    let ledger = |pause| billed_as(pause, Held::AnHourInVain).run_in(120, &["show", "billed", "--ledger"]).shown();
    let short = ledger(360);
    assert!(!short.contains("cold") && short.contains("(call 4)"), "{short}");
    let long = ledger(4_000);
    assert!(long.contains("cold: 67 min since the call before"), "{long}");
    assert!(!long.contains("otherwise than expected"), "{long}");
}

/// Old Codex files name none.
#[test]
fn a_recording_without_a_model_is_judged_by_the_rule_of_its_agent() {
    let person = Person::new();
    let without: Vec<String> = CODEX.lines().map(|line| line.replace("\"model\"", "\"another\"")).collect();
    person.import(without.join("\n")).shown();
    let id = person.run(&["sessions", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned();
    assert!(person.run(&["show", &id, "--ledger", "--json"]).json()[1]["expected"].is_object());
    let ledger = person.run(&["show", &id, "--ledger"]).shown();
    assert!(ledger.contains("its calls are judged by the cache rule of gpt-5"), "{ledger}");
}
