use super::*;
use crate::strategy::{StrategyName, build};

#[test]
fn names_lead_back_to_their_strategies() {
    for name in StrategyName::ALL {
        assert_eq!(name.name().parse(), Ok(name));
    }
    let error = "fold".parse::<StrategyName>().unwrap_err().to_string();
    assert!(
        error.starts_with("unknown strategy \"fold\": choose append, head-summary, anthropic-compact, "),
        "{error}"
    );
}

#[test]
fn each_peer_can_be_run() {
    let story = Story::new().user("go").steps(30, "out").say("done");
    let conversation = story.conversation();
    for name in StrategyName::ALL {
        let mut strategy = build(name, &conversation, &tariff(), &lookback_engine::Configuration::default(), counter());
        let views: Vec<usize> = (0..31).map(|call| strategy.show(call).shown.parts.len()).collect();
        assert_eq!(views[1], 3, "{name}");
        assert_eq!(strategy.invalid(), None, "{name}");
    }
}
