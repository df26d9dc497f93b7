//! The planner in the loop, settles, archives and the window: what happens without a person asking.

use lookback_engine::{
    Configuration, Miss, ModelChoice, NewPart, Session, SessionError, SessionSetup, Source,
    card::{Cards, Lifetime},
    planner::{Compactor, Warmth},
    session::{ArchiveRefused, ModelAttempt, UnfoldRefused, Wish},
    trace::{EventBody, NoBlobs, SessionId, Stop, TurnNo, event::Usage},
};
use lookback_wire::{Provider, Seal, TokenUsage, check_body};

use serde_json::json;

use crate::{
    story::body,
    workday::{Day, proposal},
};

fn cards() -> Cards {
    let mut cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).expect("cards");
    cards.add(Cards::parse(include_str!("../../../../prices/deepseek.toml")).expect("cards"));
    cards
}

fn priced(model: &str) -> Day {
    let mut day =
        Day::with(SessionSetup { model: model.into(), ..SessionSetup::new(SessionId("priced000000".into())) });
    let card = cards().find(model).expect("a card").clone();
    day.session.use_card(card, Lifetime::Usual);
    day
}

fn events(session: &Session, name: &str) -> usize {
    session.trace().iter().filter(|event| event.event.name() == name).count()
}

/// Long outputs, tidied after every step.
fn work_and_tidy(day: &mut Day, steps: u32) {
    for step in 0..steps {
        day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(120));
        day.session.tidy(&day.now()).expect("between steps");
    }
}

#[test]
fn with_prices_a_fold_comes_when_the_rent_has_reached_its_price() {
    let mut day = priced("claude-sonnet-4-5");
    day.user("look at everything");
    work_and_tidy(&mut day, 30);
    let folds = events(&day.session, "fold");
    assert!((1..=6).contains(&folds), "{folds} folds in 30 steps");
    let fold = day.session.trace().iter().find_map(|event| match &event.event {
        EventBody::Fold(fold) => Some(fold),
        _ => None,
    });
    assert_eq!(fold.expect("a fold").decision["verdict"]["go"], "pays");
    let replayed = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(replayed.state().rents(), day.session.state().rents(), "the rent is known again after a restart");
    assert!(day.session.state().rents().fold.calls > 0);
}

#[test]
fn without_prices_a_trigger_decides() {
    let mut day = Day::new();
    day.user("look at everything");
    work_and_tidy(&mut day, 18);
    let fold = day.session.trace().iter().find_map(|event| match &event.event {
        EventBody::Fold(fold) => Some(fold),
        _ => None,
    });
    let fold = fold.expect("twelve calls in a row");
    assert!(fold.trigger.contains("raw output") || fold.trigger.contains("tool calls"), "{}", fold.trigger);
}

#[test]
fn a_model_compactor_is_asked_for_its_text() {
    let mut day = priced("claude-sonnet-4-5");
    day.session.use_compactor(Compactor::Riding { thinking: 0 });
    day.user("look at everything");
    let wish = (0..60).find_map(|step| {
        day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(120));
        day.session.tidy(&day.now()).expect("between steps").wish
    });
    let Some(Wish::Block(draft)) = wish else { panic!("a block is wanted") };
    assert_eq!(events(&day.session, "fold"), 0);
    day.session.fold_by_rules(&draft, &day.now()).expect("the fallback");
}

#[test]
fn a_cold_cache_folds_what_is_due_and_the_ledger_says_cold() {
    let mut day = priced("claude-sonnet-4-5");
    day.user("look at everything");
    for step in 0..9 {
        day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(120));
    }
    assert_eq!(day.session.warmth(day.now().now), Warmth::Warm);
    day.minute += 6;
    let tidied = day.session.tidy(&day.now()).expect("between steps");
    assert!(tidied.folded.is_some(), "more than 1,000 tokens and a quarter go");
    day.session.start_call(&day.now()).expect("a call");
    let line = day.session.ledger().last().expect("a line").clone();
    assert_eq!(line.reused.tokens, 0);
    assert!(matches!(line.reasons[0], Miss::Cold(_)) && line.reasons.contains(&Miss::Fold(1)), "{:?}", line.reasons);
    assert_eq!(line.reasons[0].to_string(), "cold: 6 min since the call before (entries live 5 min)");
}

#[test]
fn the_expected_bill_follows_the_cards_cache_rule() {
    let mut day = priced("claude-sonnet-4-5");
    day.user("look at everything");
    for step in 0..12 {
        day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(120));
    }
    day.answer("done");
    for pair in day.session.ledger().windows(2) {
        let bill = day.session.expected_bill(pair[1].call).expect("billed");
        assert_eq!(bill.tokens(), pair[1].reused.tokens + pair[1].written.tokens);
        let before = day.session.expected_bill(pair[0].call).expect("billed");
        assert_eq!(bill.read, before.read + before.written, "read equals the previous call's read and write");
    }
}

#[test]
fn seed_a2_ended_rounds_settle_and_the_running_one_does_not() {
    let mut day = priced("claude-sonnet-4-5");
    day.go_on_working("first", 4);
    day.answer("done");
    day.go_on_working("second", 3);
    let report = day.session.settle(&day.now()).expect("idle").expect("something is due");
    assert!(report.short < report.raw);
    let text = body(&day.session, Provider::Chat);
    assert!(text.contains("\\\"status\\\":\\\"success\\\""), "{text}");
    let EventBody::Settle(settle) = &day.session.trace().last().expect("events").event else { panic!("a settle") };
    assert!(settle.results.iter().all(|result| result.turn < TurnNo(10)), "the running round is raw");
    assert_eq!(day.session.settle(&day.now()), Ok(None), "nothing is due twice");
}

#[test]
fn seed_a2_react_settles_before_the_next_rounds_first_call() {
    let mut day = Day::with(SessionSetup {
        layout: lookback_engine::trace::Layout::React,
        ..SessionSetup::new(SessionId("react0000000".into()))
    });
    day.go_on_working("first", 4);
    day.answer("done");
    assert_eq!(events(&day.session, "settle"), 0);
    day.user("second");
    day.session.start_call(&day.now()).expect("a call");
    assert_eq!(events(&day.session, "settle"), 1);
    assert_eq!(day.session.prompt_provider(), Provider::React);
}

fn many_rounds(rounds: u32) -> Day {
    let mut day = Day::new();
    for round in 0..rounds {
        day.user(&format!("question {round}"));
        day.run(&format!("grep -rn round{round} src"), 0, &format!("src/a.py:{round}: round{round}\n").repeat(80));
        day.answer(&format!("answer {round}"));
    }
    day.user("the last one");
    day
}

#[test]
fn seed_a4_an_archive_takes_whole_rounds_and_keeps_ten() {
    let mut day = many_rounds(14);
    day.session.rules_changed("NEW RULES".into(), &day.now()).expect("noted");
    let draft = day.session.draft_archive().expect("more than ten rounds");
    let report = day.session.archive_by_rules(&draft, &day.now()).expect("it is shorter");
    assert_eq!(report.range.last, TurnNo(4 * 5 - 1), "15 rounds, ten of them kept");
    let text = body(&day.session, Provider::Chat);
    assert!(text.contains("question 0") && text.contains("question 4"), "user turns stay word for word");
    assert!(!text.contains("round4\\n") && text.contains("round5"), "{text}");
    assert!(text.contains("NEW RULES"), "changed rules take effect at an archive");
    assert_eq!(day.session.view().entries()[0].source, Source::Archived(1));
    let nothing = day.session.draft_archive();
    assert_eq!(nothing, Err(ArchiveRefused::NothingToArchive { kept: 10 }.into()));
}

#[test]
fn seed_a5_summaries_are_never_archived_again() {
    let mut day = many_rounds(14);
    let draft = day.session.draft_archive().expect("more than ten rounds");
    day.session.archive_timed_out(&draft, &day.now()).expect("the rounds leave all the same");
    let text = body(&day.session, Provider::Chat);
    assert!(text.contains("Summary generation timed out, keeping recent history only."), "{text}");
    for round in 0..4 {
        day.answer(&format!("late answer {round}"));
        day.user(&format!("late question {round}"));
    }
    let draft = day.session.draft_archive().expect("more again");
    assert_eq!(draft.range.first, TurnNo(20), "behind the first summary");
    day.session.archive_by_rules(&draft, &day.now()).expect("it is shorter");
    let sources: Vec<Source> = day.session.view().entries().iter().map(|entry| entry.source).collect();
    assert_eq!(&sources[..2], [Source::Archived(1), Source::Archived(2)]);
    let replayed = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(body(&replayed, Provider::Chat), body(&day.session, Provider::Chat));
}

#[test]
fn a_block_that_was_archived_cannot_be_unfolded() {
    let mut day = many_rounds(4);
    day.answer("ok");
    day.go_on_working("much work", 12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    day.answer("done");
    for round in 0..12 {
        day.user(&format!("late question {round}"));
        day.answer(&format!("late answer {round}"));
    }
    let draft = day.session.draft_archive().expect("more than ten rounds");
    day.session.archive_by_rules(&draft, &day.now()).expect("it is shorter");
    assert_eq!(day.session.unfold(1, &day.now()), Err(UnfoldRefused::Archived { number: 1 }.into()));
}

#[test]
fn seed_a6_an_archive_is_due_at_four_fifths_of_the_window() {
    for (share, archives) in [(0.75, false), (0.8, true)] {
        let mut day = many_rounds(14);
        let total = (f64::from(day.session.state().model().window) * share) as u32;
        day.answer("ok");
        let call = day.session.last_call();
        let billed = TokenUsage { uncached: total / 2, cached: total / 4, output: total / 4, ..TokenUsage::default() };
        let usage = Usage { call, billed };
        day.session.usage(usage, &day.now()).expect("noted");
        let archived = day.session.tidy(&day.now()).expect("idle").archived;
        assert_eq!(archived.is_some(), archives, "last usage is {share} of the window");
    }
}

#[test]
fn the_window_is_law_by_every_means_in_order() {
    let mut day = Day::with(SessionSetup { window: 8_000, ..SessionSetup::new(SessionId("window000000".into())) });
    for round in 0..24 {
        day.user(&format!("question {round}"));
        for step in 0..9 {
            day.run(&format!("grep -rn w{round}_{step} src"), 0, &format!("src/a.py:1: w{round}_{step}\n").repeat(60));
        }
        day.answer("ok");
        // A model that writes much: its blocks can only be archived.
        if let Ok(draft) = day.session.draft_fold(None, &day.now()) {
            let runs: Vec<_> = (1..=9)
                .map(|step| json!({ "kind": "verdict", "evidence": [format!("cmd#{}", round * 9 + step)] }))
                .collect();
            let block = json!({ "facts": runs });
            let text = proposal(draft.range.first.0, draft.range.last.0, block, json!({}));
            let _ = day.session.fold_by_model(&draft, &text, ModelAttempt::Repair, &day.now());
        }
    }
    let limit = u64::from(day.session.input_limit());
    let sent = day.session.trace().iter().filter_map(|event| match event.event {
        EventBody::CallStarted { input_tokens, .. } => Some(u64::from(input_tokens)),
        _ => None,
    });
    assert!(sent.clone().all(|input| input <= limit), "{:?} above {limit}", sent.max());
    for means in ["settle", "fold", "archive"] {
        assert!(events(&day.session, means) > 0, "{means}");
    }
    day.user("and now?");
    for provider in Provider::ALL {
        assert_eq!(check_body(provider, body(&day.session, provider).as_bytes()), Ok(()));
    }
}

#[test]
fn one_long_round_leaves_few_summaries() {
    let mut day = Day::with(SessionSetup { window: 16_000, ..SessionSetup::new(SessionId("longround000".into())) });
    day.user("look at everything");
    // A call that does not fit is refused.
    work_and_tidy(&mut day, 1_200);
    let archives = events(&day.session, "archive");
    assert!((1..=6).contains(&archives), "{archives} archives");
    let text = body(&day.session, Provider::Anthropic);
    assert_eq!(check_body(Provider::Anthropic, text.as_bytes()), Ok(()));
}

#[test]
fn what_cannot_fit_is_said_with_its_sizes() {
    let mut day = Day::with(SessionSetup { window: 8_000, ..SessionSetup::new(SessionId("window000000".into())) });
    day.user(&"a very long question ".repeat(2_000));
    let refused = day.session.start_call(&day.now());
    assert!(matches!(refused, Err(SessionError::WindowExceeded(_))), "{refused:?}");
}

#[test]
fn a_provider_that_bills_more_than_was_counted_gets_less() {
    let mut day = Day::with(SessionSetup { window: 8_000, ..SessionSetup::new(SessionId("factor000000".into())) });
    day.user("go");
    for step in 0..12 {
        day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(40));
        let input = day.session.view().tokens() as u32;
        let call = day.session.last_call();
        day.session
            .usage(
                Usage { call, billed: TokenUsage { uncached: input * 3, output: 1, ..TokenUsage::default() } },
                &day.now(),
            )
            .expect("noted");
    }
    assert!(day.session.factor() > 2.0);
    assert!(events(&day.session, "fold") + events(&day.session, "archive") > 0, "5,000 counted tokens no longer fit");
}

#[test]
fn thinking_goes_from_kept_steps_where_the_card_says_drop() {
    let mut configuration = Configuration::default();
    configuration.fold.keep_steps = 2;
    let mut day = priced("claude-sonnet-4-5");
    let card = lookback_engine::card::Card {
        thinking: lookback_engine::card::ThinkingHabit::Drop,
        ..day.session.card().expect("a card").clone()
    };
    day.session.use_card(card, Lifetime::Usual);
    day.session.configure(configuration);
    day.user("think");
    for step in 0..8 {
        day.session.start_call(&day.now()).expect("a call");
        let thinking = NewPart::Thinking { text: format!("THOUGHT {step}"), seal: Seal::Signature("c2ln".into()) };
        let call = NewPart::Call { id: format!("c{step}"), name: "Bash".into(), arguments: "{}".into() };
        day.session.assistant_turn(vec![thinking, call], Stop::End, &day.now()).expect("a turn");
        day.session
            .tool_result(&format!("c{step}"), crate::story::run("ls", 0, &"a line\n".repeat(300)), &day.now())
            .expect("it waits");
    }
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let text = body(&day.session, Provider::Anthropic);
    assert!(!text.contains("THOUGHT"), "{text}");
    assert_eq!(check_body(Provider::Anthropic, text.as_bytes()), Ok(()));
    let tokens: u64 = day.session.view().entries().iter().map(|entry| u64::from(entry.tokens)).sum();
    assert_eq!(tokens + day.session.view().head().tokens(), day.session.view().tokens());
    day.session.start_call(&day.now()).expect("a call");
    let thinking = NewPart::Thinking { text: "LATER".into(), seal: Seal::Signature("c2ln".into()) };
    day.session.assistant_turn(vec![thinking, NewPart::Text("ok".into())], Stop::End, &day.now()).expect("a turn");
    assert!(body(&day.session, Provider::Anthropic).contains("LATER"), "new thinking is unaltered");
    day.session.drop_thinking(&day.now()).expect("idle");
    assert!(!body(&day.session, Provider::Anthropic).contains("LATER"), "a provider refused it");
}

#[test]
fn strict_models_never_get_two_user_messages_in_a_row() {
    let mut day = Day::work(12);
    let strict = ModelChoice {
        alternation: lookback_engine::card::Alternation::Strict,
        ..ModelChoice::new("strict", Provider::Chat, 200_000)
    };
    day.session.model_changed(strict, &day.now()).expect("idle");
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    day.user("one");
    day.user("two");
    let body: serde_json::Value = serde_json::from_str(&body(&day.session, Provider::Chat)).expect("JSON");
    let roles: Vec<&str> =
        body["messages"].as_array().expect("messages").iter().filter_map(|message| message["role"].as_str()).collect();
    assert!(roles.windows(2).all(|pair| pair != ["user", "user"]), "{roles:?}");
}

#[test]
fn at_a_cold_cache_old_blocks_become_stubs_once() {
    let mut day = priced("claude-sonnet-4-5");
    day.user("look at everything, and never touch src/b.py");
    work_and_tidy(&mut day, 60);
    let blocks = events(&day.session, "fold");
    assert!(blocks > 2, "{blocks} blocks");
    assert_eq!(events(&day.session, "stub"), 0, "a warm block is left alone");
    let before = day.session.view().tokens();
    day.minute += 10;
    let tidied = day.session.tidy(&day.now()).expect("between steps");
    let report = tidied.stubbed.expect("old blocks");
    assert!(report.short * 2 < report.raw && day.session.view().tokens() < before, "{report}");
    let text = body(&day.session, Provider::Anthropic);
    assert_eq!(check_body(Provider::Anthropic, text.as_bytes()), Ok(()));
    assert!(text.contains("COMPRESSED_TURNS v1 ") && text.contains("never touch src/b.py"), "{text}");
    assert!(!text.contains("word3 src") && text.contains("word40 src"), "of the calls only newer blocks tell");
    let replayed = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(body(&replayed, Provider::Anthropic), text);
    day.session.start_call(&day.now()).expect("a call");
    let line = day.session.ledger().last().expect("a line");
    assert!(line.reasons.contains(&Miss::Stub), "{:?}", line.reasons);
    day.session.assistant_turn(vec![NewPart::Text("ok".into())], Stop::End, &day.now()).expect("a turn");
    day.user("go on");
    day.minute += 10;
    assert!(day.session.tidy(&day.now()).expect("between steps").stubbed.is_none(), "each block once");
    day.session.unfold(1, &day.now()).expect("its turns come back");
}
