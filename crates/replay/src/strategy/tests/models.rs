//! Sessions in which more than one model answered.

use lookback_engine::{Configuration, card::Cards};

use super::{COUNT, Story, counter, tariff};
use crate::{
    conversation::Conversation,
    measure::{Figures, figures},
    recording::Item,
    simulate::{Run, Tariff, run},
    strategy::{StrategyName, build},
};

const OPUS: &str = "claude-opus-4-6";
const HAIKU: &str = "claude-haiku-4-5";

fn cards() -> Cards {
    Cards::parse(include_str!("../../../../../prices/anthropic.toml")).unwrap()
}

/// One long step of each model.
fn story(models: &[&str]) -> Story {
    let output = "a line of the output that everybody reads\n".repeat(200);
    let mut story = models.iter().fold(Story::new().user("Mend the door."), |story, _| story.step(&[&output]));
    let calls = story.0.items.iter_mut().filter_map(|item| match item {
        Item::Call(call) => Some(call),
        _ => None,
    });
    calls.zip(models).for_each(|(call, model)| call.model = Some((*model).to_owned()));
    story
}

fn ran(name: StrategyName, conversation: &Conversation<'_>, tariff: &Tariff) -> (Run, Figures) {
    let mut strategy = build(name, conversation, tariff, &Configuration::default(), counter());
    let run = run(&mut *strategy, conversation, tariff);
    let figures = figures(&run, conversation, tariff, None);
    (run, figures)
}

#[test]
fn each_call_is_billed_by_its_own_model_whose_cache_is_its_own() {
    let models = [OPUS, HAIKU, HAIKU, OPUS];
    let story = story(&models);
    let conversation = Conversation::new(&story.0, &COUNT);
    let tariff = tariff().for_models(&story.0, &cards(), None);
    for name in StrategyName::ALL {
        let (run, figures) = ran(name, &conversation, &tariff);
        assert!(run.calls.iter().all(|call| call.invalid.is_none()), "{name}");
        let known = cards();
        let prices = |model: &str| known.find(model).unwrap().prices.as_ref().unwrap();
        let calls = run.calls.iter().zip(models).map(|(call, model)| {
            let prices = prices(model);
            prices.dollars(prices.cost(&call.split, call.output_tokens, tariff.lifetime))
                + call.compactor_tokens.dollars(prices)
        });
        let usd = figures.cost_usd.unwrap();
        assert!((usd - calls.sum::<f64>()).abs() < 1e-12, "{name}");
        let again = figures.by_card.iter().map(|(card, of)| of.tokens.dollars(prices(card))).sum::<f64>();
        assert!((usd - again).abs() < 1e-12 && figures.by_card.len() == 2, "{name}: {:?}", figures.by_card);
    }
    let (run, _) = ran(StrategyName::Append, &conversation, &tariff);
    let read = run.calls.iter().map(|call| call.split.read > 0).collect::<Vec<_>>();
    assert_eq!(read, [false, false, true, true], "what a model has read before is held for it");
}

#[test]
fn one_card_for_all_is_still_cold_for_another_model() {
    let (two, one) = (story(&[OPUS, HAIKU, HAIKU]), story(&[OPUS, OPUS, OPUS]));
    let [two, one] = [&two, &one].map(|story| Conversation::new(&story.0, &COUNT));
    let [(two, dear), (one, cheap)] = [&two, &one].map(|it| ran(StrategyName::Append, it, &tariff()));
    assert_eq!((two.calls[1].split.read, dear.by_card.len()), (0, 1));
    assert!(one.calls[1].split.read > 0 && dear.cost > cheap.cost);
}
