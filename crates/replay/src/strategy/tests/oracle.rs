use super::*;
use crate::{
    conversation::{Need, NeedKind},
    simulate,
    strategy::oracle::Oracle,
};

fn need(conversation: &Conversation<'_>, call: usize, text: &str) -> Need {
    let seen = conversation.before(call).filter(|piece| conversation.pieces[*piece].text.contains(text));
    Need { kind: NeedKind::Symbol, text: text.into(), tokens: text.len() as u32, seen: seen.collect() }
}

/// Large results with one line each that matters.
fn story() -> Story {
    let output = |symbol: &str| format!("{}\nfn {symbol}() {{\n{}", "a".repeat(4000), "b".repeat(4000));
    let names = ["alpha_one", "beta_two", "gamma_three", "delta_four"];
    let story = names.iter().fold(Story::new().user("go"), |story, name| story.step(&[&output(name)]));
    story.steps(20, &"c".repeat(2000)).say("done")
}

fn with_needs(story: &Story) -> Conversation<'_> {
    let mut conversation = story.conversation();
    for (call, text) in [(10, "alpha_one"), (12, "alpha_one"), (20, "gamma_three"), (2, "beta_two")] {
        let need = need(&conversation, call, text);
        conversation.calls[call].needs.push(need);
    }
    conversation
}

#[test]
fn blocks_hold_what_was_typed_and_the_lines_that_are_needed_later() {
    let story = story();
    let conversation = with_needs(&story);
    let mut oracle = Oracle::new(&conversation, &tariff(), counter());
    let views: Vec<Vec<String>> = (0..25).map(|call| show(&mut oracle, call)).collect();
    let made: Vec<&String> = views[24].iter().filter(|part| part.contains('\n')).collect();
    let text: String = made.into_iter().map(String::as_str).collect();
    assert_eq!(text, "go\nfn alpha_one() {\nfn gamma_three() {\n");
    assert!(views[24].len() < 10, "{:?}", views[24].len());
}

#[test]
fn everything_needed_is_found_and_it_costs_less_than_append() {
    let story = story();
    let conversation = with_needs(&story);
    let tariff = tariff();
    let mut oracle = Oracle::new(&conversation, &tariff, counter());
    let run = simulate::run(&mut oracle, &conversation, &tariff);
    assert!(run.calls.iter().any(|call| !call.did.is_empty()));
    assert!(run.calls.iter().flat_map(|call| &call.needs).all(|found| *found == simulate::Found::InView));
    let mut append = crate::strategy::Append { conversation: &conversation };
    let mut oracle = Oracle::new(&conversation, &tariff, counter());
    let (oracle, append) =
        (simulate::bill(&mut oracle, &conversation, &tariff), simulate::bill(&mut append, &conversation, &tariff));
    assert!(oracle < 0.5 * append, "{oracle} against {append}");
}

#[test]
fn the_newest_step_stays_raw_and_old_blocks_never_change() {
    let story = story();
    let conversation = with_needs(&story);
    let mut oracle = Oracle::new(&conversation, &tariff(), counter());
    let mut last: Vec<String> = Vec::new();
    for call in 1..25 {
        let step = oracle.show(call);
        let made: Vec<String> = describe(&step.shown)[..step.shown.stable].to_vec();
        assert!(made.starts_with(&last), "call {call}");
        last = made;
        let view = describe(&step.shown);
        let newest = conversation.calls[call - 1].answer;
        assert!(view.contains(&newest.to_string()), "call {call}: {view:?}");
    }
}

#[test]
fn what_a_later_text_shows_again_is_not_kept() {
    let output = format!("{}\nfn alpha_one() {{", "a".repeat(4000));
    let story = Story::new().user("go").step(&[&output]).steps(12, &"c".repeat(2000)).step(&[&output]).say("done");
    let mut conversation = story.conversation();
    let need = need(&conversation, 14, "alpha_one");
    conversation.calls[14].needs.push(need);
    let mut oracle = Oracle::new(&conversation, &tariff(), counter());
    for call in 0..15 {
        assert!(!show(&mut oracle, call).iter().any(|part| part.contains("alpha_one")), "call {call}");
    }
}

#[test]
fn going_back_undoes_the_blocks_of_what_was_taken_back() {
    let output = format!("{}\nfn alpha_one() {{", "a".repeat(8000));
    let story = Story::new().user("go").steps(8, &output).rewind(3).user("other").steps(8, &output).say("done");
    let mut conversation = story.conversation();
    for call in [6, 8, 15] {
        let need = need(&conversation, call, "alpha_one");
        conversation.calls[call].needs.push(need);
    }
    let tariff = tariff();
    let mut oracle = Oracle::new(&conversation, &tariff, counter());
    let run = simulate::run(&mut oracle, &conversation, &tariff);
    assert!(run.calls.iter().any(|call| !call.did.is_empty()));
    assert!(run.calls.iter().flat_map(|call| &call.needs).all(|found| *found == simulate::Found::InView));
    let taken_back: Vec<String> = raw(7..17);
    let mut oracle = Oracle::new(&conversation, &tariff, counter());
    let views: Vec<Vec<String>> = (0..17).map(|call| show(&mut oracle, call)).collect();
    assert!(views[8..].iter().flatten().all(|part| !taken_back.contains(part)));
}

#[test]
fn of_a_very_long_line_only_the_item_is_kept() {
    let output = format!("{}alpha_one{}", "a ".repeat(4000), " b".repeat(4000));
    let story = Story::new().user("go").step(&[&output]).steps(10, &"c".repeat(4000)).say("done");
    let mut conversation = story.conversation();
    let need = need(&conversation, 11, "alpha_one");
    conversation.calls[11].needs.push(need);
    let mut oracle = Oracle::new(&conversation, &tariff(), counter());
    let view = (0..12).map(|call| show(&mut oracle, call)).next_back().unwrap();
    assert_eq!(view[0], "go\nalpha_one\n");
}

#[test]
fn a_cold_cache_is_a_time_to_fold() {
    let output = "a".repeat(8000);
    let story = Story::new().user("go").step(&[&output]).at(0).step(&[&output]).at(10).step(&[&output]).at(20);
    let story = story.step(&[&output]).at(5000).say("done").at(5010);
    let conversation = story.conversation();
    let mut oracle = Oracle::new(&conversation, &tariff(), counter());
    let folded: Vec<bool> = (0..5).map(|call| !oracle.show(call).did.is_empty()).collect();
    assert!(folded[3], "{folded:?}");
}
