use super::*;
use crate::{parameters::SummaryParameters, simulate, strategy::head_summary::HeadSummary};

/// A summary at 850 tokens, a tail of 400.
const SMALL: SummaryParameters = SummaryParameters { trigger: 850, tail: Some(400), budget: 2000 };

fn strategy<'a>(conversation: &'a Conversation<'a>) -> HeadSummary<'a> {
    HeadSummary::new(conversation, SMALL, counter())
}

fn story() -> Story {
    let output = format!("src/lib.rs\n{}", "x".repeat(150));
    Story::new().user("Rename parse_header in src/lib.rs").steps(12, &output).say("done")
}

#[test]
fn the_published_numbers() {
    let usual = SummaryParameters { trigger: 170_000, tail: Some(20_000), budget: 2_000 };
    assert_eq!(SummaryParameters::default(), usual);
    assert_eq!(SummaryParameters::anthropic(), SummaryParameters { trigger: 150_000, tail: None, ..usual });
    assert_eq!(SummaryParameters::codex(), SummaryParameters { trigger: 180_000, tail: None, ..usual });
}

#[test]
fn without_a_tail_everything_is_summarised_the_newest_step_too() {
    let story = story();
    let conversation = story.conversation();
    let mut strategy = HeadSummary::new(&conversation, SummaryParameters { tail: None, ..SMALL }, counter());
    let steps: Vec<_> = (0..12).map(|call| strategy.show(call)).collect();
    let place = steps.iter().position(|step| !step.did.is_empty()).unwrap();
    let view = describe(&steps[place].shown);
    assert_eq!(view.len(), 1, "{view:?}");
    assert!(view[0].contains("Rename parse_header in src/lib.rs"), "{}", view[0]);
    assert_eq!(steps[place + 1].shown.parts.len(), 3, "the summary, and what came after it");
    assert_eq!(strategy.invalid(), None);
}

#[test]
fn below_the_threshold_everything_stays() {
    let story = story();
    let conversation = story.conversation();
    let step = strategy(&conversation).show(4);
    assert_eq!(describe(&step.shown), raw(0..9));
    assert!(step.compactor.is_empty());
}

#[test]
fn at_the_threshold_all_but_a_tail_of_whole_steps_is_summarised_by_a_call() {
    let story = story();
    let conversation = story.conversation();
    let mut strategy = strategy(&conversation);
    let summarised = (0..12).map(|call| strategy.show(call)).find(|step| !step.did.is_empty()).unwrap();
    let view = describe(&summarised.shown);
    // Two steps of less than 200 tokens fit into the tail: answer and result each.
    assert_eq!(view.len(), 5, "{view:?}");
    assert!(view[0].contains("Rename parse_header in src/lib.rs"), "{}", view[0]);
    assert!(view[0].contains("replaces turn#0 to turn#"), "{}", view[0]);
    let Part::Raw(first) = summarised.shown.parts[1] else { panic!("the tail is raw") };
    assert!(conversation.pieces[first].is_answer());
    assert_eq!(summarised.shown.stable, 5);
    let Part::Made(made) = &summarised.shown.parts[0] else { panic!("a summary stands first") };
    assert_eq!(summarised.compactor[0].output_tokens, made.tokens);
    assert_eq!(summarised.did[0].what, "summary");
}

#[test]
fn a_later_summary_takes_the_place_of_the_one_before() {
    let output = "x".repeat(150);
    let story = Story::new().user("Rename parse_header").steps(30, &output).say("done");
    let conversation = story.conversation();
    let mut strategy = strategy(&conversation);
    let steps: Vec<_> = (0..31).map(|call| strategy.show(call)).collect();
    let summaries: Vec<_> = steps.iter().filter(|step| !step.compactor.is_empty()).collect();
    assert!(summaries.len() >= 2, "{}", summaries.len());
    for step in &steps {
        let made = step.shown.parts.iter().filter(|part| matches!(part, Part::Made(_))).count();
        assert!(made <= 1);
    }
    let texts: Vec<String> = summaries.iter().map(|step| describe(&step.shown)[0].clone()).collect();
    assert!(texts.iter().all(|text| text.contains("replaces turn#0 ")), "{texts:?}");
    assert_ne!(texts[0], texts[1]);
    assert!(steps[1..].iter().all(|step| step.shown.parts.len() > 1), "the newest step always stays");
}

#[test]
fn a_summary_knows_nothing_that_was_said_after_its_call() {
    let output = "x".repeat(150);
    let short = Story::new().user("go").steps(7, &output).say("done");
    let long = Story::new().user("go").steps(7, &output).user("and now rename late_symbol").steps(3, &output);
    let (short, long) = (short.conversation(), long.conversation());
    let first = |conversation: &Conversation<'_>| {
        let mut strategy = HeadSummary::new(conversation, SMALL, counter());
        (0..8)
            .map(|call| strategy.show(call))
            .find(|step| !step.did.is_empty())
            .map(|step| describe(&step.shown)[0].clone())
    };
    assert!(first(&short).is_some());
    assert_eq!(first(&short), first(&long));
}

#[test]
fn going_back_to_before_a_summary_brings_back_what_it_stood_for() {
    let output = "x".repeat(150);
    let story = Story::new().user("go").steps(8, &output).rewind(2).user("other").steps(6, &output).say("done");
    let conversation = story.conversation();
    let mut strategy = strategy(&conversation);
    let steps: Vec<_> = (0..8).map(|call| strategy.show(call)).collect();
    assert!(steps.iter().any(|step| !step.did.is_empty()));
    // Task, two steps, and the person's other words.
    assert_eq!(show(&mut strategy, 8), raw([0, 1, 2, 3, 4, 17]));
    let later = (9..15).map(|call| strategy.show(call)).find(|step| !step.did.is_empty()).unwrap();
    let text = &describe(&later.shown)[0];
    assert!(text.contains("other"), "{text}");
    assert_eq!(strategy.invalid(), None);
}

#[test]
fn answers_without_results_and_a_client_that_goes_on_by_itself_can_be_summarised() {
    let lost = || NewPart::Call { id: "lost".into(), name: "run".into(), arguments: "{}".into() };
    let text = "y".repeat(200);
    let story = Story::new().user("go").call(vec![lost()], &[]).user("again").say(&text).say(&text).say(&text);
    let story = story.user("more").call(vec![lost()], &[]).say(&text).say(&text).user("end").say("done");
    let conversation = story.conversation();
    let mut strategy = strategy(&conversation);
    let summaries = (0..8).map(|call| strategy.show(call)).filter(|step| !step.compactor.is_empty()).count();
    assert_eq!(strategy.invalid(), None);
    assert!(summaries >= 1);
}

#[test]
fn a_bill_is_what_a_run_costs_without_its_answers() {
    let story = story();
    let conversation = story.conversation();
    let tariff = tariff();
    let run = simulate::run(&mut strategy(&conversation), &conversation, &tariff);
    let costs = run.calls.iter().map(|call| call.compactor_cost + tariff.rates.cost(&call.split, 0));
    assert!(run.calls.iter().any(|call| call.compactor_cost > 0.0));
    assert_eq!(simulate::bill(&mut strategy(&conversation), &conversation, &tariff), costs.sum::<f64>());
}
