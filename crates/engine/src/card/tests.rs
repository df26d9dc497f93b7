use super::*;
use crate::cache::{Covers, Split};

const FILES: [(&str, &str); 7] = [
    ("anthropic", include_str!("../../../../prices/anthropic.toml")),
    ("openai", include_str!("../../../../prices/openai.toml")),
    ("openai-old", include_str!("../../../../prices/openai-old.toml")),
    ("deepseek", include_str!("../../../../prices/deepseek.toml")),
    ("gemini", include_str!("../../../../prices/gemini.toml")),
    ("qwen", include_str!("../../../../prices/qwen.toml")),
    ("local", include_str!("../../../../prices/local.toml")),
];

const SMALL: &str = r#"provider = "example"
[[card]]
models = ["example-*"]
window = 100000
max_output = 8000
thinking = "keep"
tail = "free"
alternation = "free"
images = false
tool_calling = true
usage_in_stream = "always"
[card.cache]
rule = "marks"
marks = 4
look_back = 20
minimum = 1024
lifetime = "5m"
[card.prices]
date = "2026-11"
source = "https://example.org/prices"
input = 5.0
cached_read = 0.5
cache_write = 6.25
cache_write_1h = 10.0
output = 25.0
"#;

fn shipped() -> Cards {
    let mut cards = Cards::default();
    for (file, text) in FILES {
        cards.add(Cards::parse(text).unwrap_or_else(|error| panic!("prices/{file}.toml: {error}")));
    }
    cards
}

fn assert_rates(model: &str, lifetime: Lifetime, expected: [f64; 3]) {
    let cards = shipped();
    let rates = cards.find(model).and_then(|card| card.rates(lifetime)).unwrap_or_else(|| panic!("prices of {model}"));
    for (found, expected) in [rates.read, rates.write, rates.output].into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{model}: {rates:?}");
    }
}

#[test]
fn every_shipped_file_parses() {
    assert!(shipped().all().len() >= FILES.len());
}

#[test]
fn shipped_rates_are_those_of_the_design() {
    assert_rates("claude-opus-4-5-20251101", Lifetime::Usual, [0.1, 1.25, 5.0]);
    assert_rates("claude-opus-4-5-20251101", Lifetime::OneHour, [0.1, 2.0, 5.0]);
    assert_rates("gpt-5.6-sol", Lifetime::Usual, [0.1, 1.25, 6.0]);
    assert_rates("gpt-5.5", Lifetime::Usual, [0.1, 1.0, 6.0]);
    assert_rates("deepseek-chat", Lifetime::Usual, [0.02, 1.0, 4.0]);
}

#[test]
fn shipped_rules_and_habits_are_those_of_the_design() {
    let cards = shipped();
    let card = |model| cards.find(model).unwrap_or_else(|| panic!("a card for {model}"));
    assert!(matches!(card("gpt-5.6-sol").cache, CacheRule::Breakpoints { unit: 256, minimum: 1_024, .. }));
    let old = CacheRule::Prefix { unit: 128, minimum: 1_024, covers: Covers::Prompt };
    assert_eq!(card("gpt-5.5").cache, old);
    assert_eq!(card("deepseek-chat").thinking, ThinkingHabit::Required);
    assert_eq!(card("claude-opus-5").thinking, ThinkingHabit::Drop);
    assert_eq!(card("claude-opus-5").tail, Tail::Fixed);
    assert_eq!(card("claude-sonnet-4-5").lifetime_ms(Lifetime::Usual), Some(300_000));
    assert_eq!(card("claude-sonnet-4-5").lifetime_ms(Lifetime::OneHour), Some(3_600_000));
    assert_eq!(card("deepseek-chat").lifetime_ms(Lifetime::OneHour), None);
    assert_eq!(card("local").prices, None);
}

#[test]
fn the_most_exact_pattern_wins_and_the_later_of_equals() {
    let card = |models: &str, window: &str| {
        Cards::parse(&SMALL.replace("example-*", models).replace("100000", window)).expect("a card")
    };
    let mut cards = card("*", "1");
    cards.add(card("example-*", "2"));
    cards.add(card("example-*-fast", "3"));
    let window = |cards: &Cards, model| cards.find(model).map(|card| card.window);
    assert_eq!(window(&cards, "other"), Some(1));
    assert_eq!(window(&cards, "example-2"), Some(2));
    assert_eq!(window(&cards, "example-2-fast"), Some(3));
    cards.add(card("example-*", "4"));
    assert_eq!(window(&cards, "example-2"), Some(4));
}

#[test]
fn patterns() {
    for (pattern, name, fits) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a*", "ab", true),
        ("*b", "ab", true),
        ("a*c*e", "abcde", true),
        ("a*c*e", "abde", false),
        ("a*a", "a", false),
        ("*", "", true),
    ] {
        assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
    }
}

#[test]
fn a_call_costs_what_the_rates_say() {
    let card = Cards::parse(SMALL).expect("a card");
    let prices = card.all()[0].prices.clone().expect("prices");
    let cost = prices.rates(Lifetime::Usual).cost(&Split { read: 10_000, written: 2_000, uncached: 100 }, 300);
    assert!((cost - 5_100.0).abs() < 1e-9, "1,000 + 2,500 + 100 + 1,500: {cost}");
    assert!((prices.dollars(cost) - 0.0255).abs() < 1e-9);
}

#[test]
fn mistakes_are_refused_with_their_line() {
    for (from, to, line, problem) in [
        ("window = 100000", "windows = 100000", 4, "unknown field `windows`"),
        ("window = 100000", "window = 0", 4, "above 0"),
        ("window = 100000", "window = -5", 4, "-5"),
        ("window = 100000\n", "", 2, "missing field `window`"),
        ("models = [\"example-*\"]", "models = []", 3, "at least one"),
        ("\"keep\"", "\"kept\"", 6, "unknown variant `kept`"),
        ("minimum = 1024", "minimum = 1024\nunit = 5", 12, "takes no `unit`"),
        ("look_back = 20\n", "", 12, "needs `look_back`"),
        ("\"5m\"", "\"5 minutes\"", 17, "write 90s, 5m or 1h"),
        ("\"2026-11\"", "\"November\"", 19, "write 2026-11"),
        ("input = 5.0", "input = 0.0", 21, "above 0"),
        ("output = 25.0", "output = \"25\"", 25, "invalid type"),
        ("output = 25.0", "outputs = 25.0", 25, "unknown field `outputs`"),
        ("provider = \"example\"", "provider = ", 1, ""),
        ("\"https://example.org/prices\"", "\"\"", 20, "may not be empty"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let error = Cards::parse(&SMALL.replacen(from, to, 1)).expect_err(to);
        assert!(error.problem.contains(problem), "{to}: {error}");
        assert_eq!(error.line, line, "{to}: {error}");
    }
}
