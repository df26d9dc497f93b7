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
    stored(&work)
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

/// One command a call, each with what it was billed and the seconds that nothing happened before it.
fn recorded(model: &str, calls: &[(i64, TokenUsage)]) -> Person {
    let mut work = Work::begin("billed000000", 0, model);
    work.user("look at everything");
    for (pause, billed) in calls {
        work.wait(*pause);
        work.run("", "ls", 0, "a.py\n");
        bill(&mut work, *billed);
    }
    stored(&work)
}

fn bill(work: &mut Work, billed: TokenUsage) {
    work.tell(|session, now| session.usage(Usage { call: session.last_call(), billed }, now).expect("it was made"));
}

fn stored(work: &Work) -> Person {
    let person = Person::new();
    person.import(trace_lines(&work.session)).shown();
    person
}

fn billed_tokens(cached: u32, written: u32, uncached: u32) -> TokenUsage {
    TokenUsage { uncached, cached, written, output: 30, ..TokenUsage::default() }
}

fn line_of(ledger: &str, call: u32) -> &str {
    let call = format!("{call} ");
    ledger.lines().find(|line| line.trim_start().starts_with(&call)).expect("a line of the call")
}

/// Its provider never says what it wrote: it keeps whole prompts.
#[test]
fn without_a_card_a_call_is_judged_by_the_bill_before_it() {
    let calls = [(0, 0), (0, 20_000), (41_715, 0), (0, 22_000), (0, 1_900)].into_iter().zip(0..);
    let calls: Vec<_> = calls
        .map(|((pause, cached), place)| (pause, billed_tokens(cached, 0, 20_000 + place * 1_000 - cached)))
        .collect();
    let person = recorded("no-such-model", &calls);
    let ledger = person.run_in(140, &["show", "billed", "--ledger"]).shown();
    assert!(line_of(&ledger, 3).ends_with("cold: 11 h since the call before (entries live 5 min)"), "{ledger}");
    assert!(line_of(&ledger, 5).ends_with("new turns; 1.9k cached, 23.0k expected"), "{ledger}");
    assert!(ledger.contains("2 calls  cached as expected") && ledger.contains("(call 5)"), "{ledger}");
    assert!(ledger.contains("no card  knows no-such-model"), "{ledger}");
    let lines = person.run(&["show", "billed", "--ledger", "--json"]).json();
    assert_eq!(lines[4]["cache"]["mismatch"]["expected"], 23_000);
    assert_eq!((&lines[1]["cache"], &lines[2]["cache"]), (&"as_expected".into(), &serde_json::Value::Null));
}

#[test]
fn the_agents_own_compaction_is_the_reason_for_a_prompt_that_is_billed_as_much_shorter() {
    let calls = [
        (0, billed_tokens(0, 32_800, 3)),
        (0, billed_tokens(32_800, 420, 1)),
        (0, billed_tokens(5_100, 4_900, 3)),
        (0, billed_tokens(10_000, 400, 1)),
    ];
    let person = recorded("claude-opus-4-6", &calls);
    let ledger = person.run_in(140, &["show", "billed", "--ledger"]).shown();
    assert!(line_of(&ledger, 3).ends_with("5.1k  the agent's own compaction"), "{ledger}");
    assert!(ledger.contains("1 call   not compared: after the agent's own compaction"), "{ledger}");
    assert!(ledger.contains("(call 3)") && !ledger.contains("otherwise"), "{ledger}");
    let lines = person.run(&["show", "billed", "--ledger", "--json"]).json();
    assert_eq!(lines[2]["reasons"], serde_json::json!(["client_compaction"]));
    assert_eq!(lines[2]["cache"], serde_json::Value::Null);
}

/// Thinking of the finished round leaves the prompt when somebody speaks again: by itself that is no compaction.
#[test]
fn a_prompt_that_became_a_little_shorter_when_somebody_spoke_again_was_not_compacted() {
    let mut work = Work::begin("billed000000", 0, "claude-sonnet-4-5");
    for (cached, written) in [(0, 22_600), (4_000, 7_900)] {
        work.user("look at everything");
        work.answer("done");
        bill(&mut work, billed_tokens(cached, written, 3));
    }
    let ledger = stored(&work).run_in(140, &["show", "billed", "--ledger"]).shown();
    assert!(!ledger.contains("compaction"), "{ledger}");
}

/// The base of the first call is in no file: counted, its prompt is below what the provider stores at all.
#[test]
fn what_the_call_before_was_billed_to_have_left_is_no_surprise() {
    let mut work = Work::begin("billed000000", 0, "claude-opus-4-6");
    work.user("look at everything");
    work.answer("at what?");
    bill(&mut work, billed_tokens(0, 12_000, 3));
    work.user(&"every word of it ".repeat(5_000));
    work.answer("done");
    bill(&mut work, billed_tokens(12_000, 21_900, 3));
    let person = stored(&work);
    let lines = person.run(&["show", "billed", "--ledger", "--json"]).json();
    assert_eq!((&lines[1]["expected"]["read"], &lines[1]["cache"]), (&0.into(), &"as_expected".into()), "{}", lines[1]);
    let ledger = person.run_in(120, &["show", "billed", "--ledger"]).shown();
    assert!(line_of(&ledger, 2).ends_with("12.0k  new turns"), "{ledger}");
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
