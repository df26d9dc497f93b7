use super::*;
use crate::cache::{Covers, Split};

const FILES: [(&str, &str); 10] = [
    ("anthropic", include_str!("../../../../prices/anthropic.toml")),
    ("openai", include_str!("../../../../prices/openai.toml")),
    ("openai-old", include_str!("../../../../prices/openai-old.toml")),
    ("deepseek", include_str!("../../../../prices/deepseek.toml")),
    ("gemini", include_str!("../../../../prices/gemini.toml")),
    ("qwen", include_str!("../../../../prices/qwen.toml")),
    ("local", include_str!("../../../../prices/local.toml")),
    ("moonshot", include_str!("../../../../prices/moonshot.toml")),
    ("openrouter", include_str!("../../../../prices/openrouter.toml")),
    ("unknown", include_str!("../../../../prices/unknown.toml")),
];

const SMALL: &str = r#"provider = "example"
[[card]]
models = ["example-*"]
api = "anthropic"
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
    assert_rates("claude-sonnet-5-5", Lifetime::Usual, [0.05, 1.25, 5.0]);
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
    for (model, thinking, tail) in [
        ("claude-opus-5-5", ThinkingHabit::Drop, Tail::Fixed),
        ("claude-fable-5.1", ThinkingHabit::Drop, Tail::Fixed),
        ("claude-mythos-5-2", ThinkingHabit::Drop, Tail::Fixed),
        ("claude-opus-5", ThinkingHabit::Keep, Tail::Free),
        ("claude-opus-4-7", ThinkingHabit::Keep, Tail::Free),
        ("claude-fable-5-20260609", ThinkingHabit::Keep, Tail::Free),
    ] {
        assert_eq!((card(model).thinking, card(model).tail), (thinking, tail), "{model}");
    }
    assert_eq!(card("claude-sonnet-4-5").lifetime_ms(Lifetime::Usual), Some(300_000));
    assert_eq!(card("claude-sonnet-4-5").lifetime_ms(Lifetime::OneHour), Some(3_600_000));
    assert_eq!(card("deepseek-chat").lifetime_ms(Lifetime::OneHour), None);
    assert_eq!(card("local").prices, None);
}

#[test]
fn shipped_cards_say_how_their_models_are_spoken_to() {
    let cards = shipped();
    let spoken = |model: &str| {
        let card = cards.find(model).unwrap_or_else(|| panic!("a card for {model}"));
        (card.api, card.cache_marks, card.cache_key, card.output_limit, card.constrained)
    };
    use {CacheMarks::*, OutputLimit::*, Provider::*};
    let key = CacheKey::PromptCacheKey;
    for (model, api, marks, cache_key, limit, constrained) in [
        ("claude-sonnet-4-5", Anthropic, CacheControl, CacheKey::None, MaxTokens, Constrained::Alone),
        ("gpt-5.6", Responses, Breakpoint, key, MaxCompletionTokens, Constrained::Alone),
        ("gpt-5.5", Responses, CacheMarks::None, key, MaxCompletionTokens, Constrained::Alone),
        ("deepseek-chat", Chat, CacheMarks::None, CacheKey::None, MaxTokens, Constrained::None),
        ("gemini-3-pro", Chat, CacheMarks::None, CacheKey::None, MaxTokens, Constrained::Alone),
        ("qwen3-coder-plus", Chat, CacheControl, CacheKey::None, MaxTokens, Constrained::None),
        ("kimi-k2.6", Chat, CacheMarks::None, key, MaxTokens, Constrained::None),
        ("kimi-k3", Chat, CacheMarks::None, key, MaxCompletionTokens, Constrained::Alone),
        ("ollama/qwen3", Chat, CacheMarks::None, CacheKey::None, MaxTokens, Constrained::JsonSchema),
        ("vllm/qwen3", Chat, CacheMarks::None, CacheKey::None, MaxTokens, Constrained::JsonSchema),
    ] {
        assert_eq!(spoken(model), (api, marks, cache_key, limit, constrained), "{model}");
    }
    let thinking = serde_json::json!({"thinking": {"type": "adaptive"}});
    let request = |model: &str| serde_json::Value::Object(cards.find(model).expect("a card").request.clone());
    for adaptive in ["claude-opus-4-6", "claude-sonnet-4.6", "claude-opus-5-5", "claude-sonnet-5"] {
        assert_eq!(request(adaptive), thinking, "{adaptive}");
    }
    for not in ["claude-opus-4-5", "claude-haiku-4.5", "claude-2", "gpt-4.1"] {
        assert_eq!(request(not), serde_json::json!({}), "{not}");
    }
    // A model that does not reason refuses to be asked for its reasoning.
    let reasoning = serde_json::json!({"include": ["reasoning.encrypted_content"]});
    for reasons in ["gpt-5.6", "gpt-5.5", "gpt-5.1"] {
        assert_eq!(request(reasons), reasoning, "{reasons}");
    }
    assert_eq!(cards.find("kimi-k2.6").expect("a card").thinking, ThinkingHabit::Required);
}

#[test]
fn a_request_has_the_members_of_its_card_in_the_order_of_their_names() {
    let text = SMALL.replace("images", "request = { z = [1, 2.5, true], a = { y = \"high\", x = {} } }\nimages");
    let card = Cards::parse(&text).expect("a card").all()[0].clone();
    assert_eq!(serde_json::to_string(&card.request).expect("JSON"), r#"{"a":{"x":{},"y":"high"},"z":[1,2.5,true]}"#);
    assert_eq!(card.clone().spoken_by(Provider::Anthropic), card);
    let elsewhere = card.clone().spoken_by(Provider::Chat);
    assert_eq!(elsewhere, Card { api: Provider::Chat, request: RequestMembers::new(), ..card });
}

#[test]
fn marks_are_written_as_the_rule_says_unless_the_card_does() {
    let marks =
        |from: &str, to: &str| Cards::parse(&SMALL.replacen(from, to, 1)).map(|cards| cards.all()[0].cache_marks);
    assert_eq!(marks("", ""), Ok(CacheMarks::CacheControl));
    assert_eq!(marks("rule =", "written = \"breakpoint\"\nrule ="), Ok(CacheMarks::Breakpoint));
    let without = "rule = \"none\"\nwritten = \"cache_control\"\n[card.other]\n";
    let refused = marks("rule = \"marks\"", without).expect_err("no marks");
    assert!(refused.problem.contains("takes no marks: remove `written`"), "{refused}");
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
fn whoever_passes_a_model_on_it_has_its_own_card() {
    let cards = shipped();
    let input = |model: &str| cards.find(model).and_then(|card| Some(card.prices.as_ref()?.usual.input));
    for (model, dollars) in [
        ("anthropic/claude-opus-4.5", 5.0),
        ("anthropic/claude-sonnet-4", 3.0),
        ("openrouter/anthropic/claude-opus-4.5", 5.0),
        ("vertex_ai/claude-opus-4-5@20251101", 5.0),
        ("claude-sonnet-4-5@20250929", 3.0),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 1.0),
        ("bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0", 1.0),
        ("anthropic.claude-opus-4-1-20250805-v1:0", 15.0),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-opus-4-6-v1", 5.0),
    ] {
        let lent = cards.find(model).and_then(|card| card.prices.as_ref()?.lent_by.clone());
        assert_eq!((input(model), lent), (Some(dollars), None), "{model}");
    }
    let window = |cards: &Cards, model| cards.find(model).map(|card| card.window);
    let mut cards = shipped();
    let own = SMALL.replace("example-*", "openrouter/anthropic/claude-opus-4.5").replace("100000", "7");
    cards.add(Cards::parse(&own).expect("a card"));
    assert_eq!(window(&cards, "openrouter/anthropic/claude-opus-4.5"), Some(7), "a card of one's own names the server");
    assert_eq!(window(&cards, "anthropic/claude-opus-4.5"), Some(200_000));
    assert_eq!(cards.find("openrouter/somebody/some-model").map(|card| card.provider.as_str()), Some("openrouter"));
    assert_eq!(cards.find("notanthropic.claude-opus-4-5").map(|card| card.provider.as_str()), Some("unknown"));
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
    let cost = prices
        .rates(Lifetime::Usual)
        .cost(&Split { read: 10_000, written: 2_000, uncached: 100, ..Split::default() }, 300);
    assert!((cost - 5_100.0).abs() < 1e-9, "1,000 + 2,500 + 100 + 1,500: {cost}");
    assert!((prices.dollars(cost) - 0.0255).abs() < 1e-9);
}

#[test]
fn mistakes_are_refused_with_their_line() {
    for (from, to, line, problem) in [
        ("window = 100000", "windows = 100000", 5, "unknown field `windows`"),
        ("window = 100000", "window = 0", 5, "above 0"),
        ("window = 100000", "window = -5", 5, "-5"),
        ("window = 100000\n", "", 2, "missing field `window`"),
        ("models = [\"example-*\"]", "models = []", 3, "at least one"),
        ("\"keep\"", "\"kept\"", 7, "unknown variant `kept`"),
        ("\"anthropic\"", "\"react\"", 4, "unknown variant `react`, expected one of `anthropic`, `chat`, `responses`"),
        ("api = \"anthropic\"\n", "", 2, "missing field `api`"),
        ("images = false", "images = false\ncache_key = \"session\"", 11, "unknown variant `session`"),
        ("images = false", "images = false\noutput_limit = \"limit\"", 11, "expected `max_tokens` or"),
        ("images = false", "images = false\nconstrained = true", 11, "wanted string"),
        ("images = false", "images = false\nrequest = { model = \"other\" }", 11, "may not set `model`"),
        ("images = false", "images = false\nrequest = { top = nan }", 11, "JSON has no number"),
        ("images = false", "images = false\nrequest = { day = 2026-11-05 }", 11, "\"2026-11-05\" in quotes"),
        ("minimum = 1024", "minimum = 1024\nwritten = \"control\"", 18, "unknown variant `control`"),
        ("minimum = 1024", "minimum = 1024\nunit = 5", 13, "takes no `unit`"),
        ("look_back = 20\n", "", 13, "needs `look_back`"),
        ("\"5m\"", "\"5 minutes\"", 18, "write 90s, 5m or 1h"),
        ("\"2026-11\"", "\"November\"", 20, "write 2026-11"),
        ("input = 5.0", "input = 0.0", 22, "above 0"),
        ("output = 25.0", "output = \"25\"", 26, "invalid type"),
        ("output = 25.0", "outputs = 25.0", 26, "unknown field `outputs`"),
        ("provider = \"example\"", "provider = ", 1, ""),
        ("\"https://example.org/prices\"", "\"\"", 21, "may not be empty"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let error = Cards::parse(&SMALL.replacen(from, to, 1)).expect_err(to);
        assert!(error.problem.contains(problem), "{to}: {error}");
        assert_eq!(error.line, line, "{to}: {error}");
    }
}

#[test]
fn a_prompt_above_a_size_is_billed_at_its_own_prices_as_a_whole() {
    let cards = shipped();
    let haiku = cards.find("claude-haiku-5-5").and_then(|card| card.prices.clone()).expect("prices");
    let call = |read| {
        haiku.dollars(haiku.cost(
            &Split { read, written: 1_000, uncached: 1_000, ..Split::default() },
            100,
            Lifetime::Usual,
        ))
    };
    let short = (98_000.0 * 0.01 + 1_000.0 * 0.125 + 1_000.0 * 0.1 + 100.0 * 0.5) / 1e6;
    assert!((call(98_000) - short).abs() < 1e-12, "{}", call(98_000));
    assert!((call(98_001) - 5.0 * short).abs() < 1e-6, "{}", call(98_001));
    assert_eq!((haiku.tier(100_000), haiku.tier(100_001)), (0, 100_000));
    let sol = cards.find("gpt-6.1-sol").and_then(|card| card.long_rates(Lifetime::Usual)).expect("long prompts");
    assert_eq!((sol.above, sol.input, sol.rates.output), (272_000, 2.0, 7.5));
}

#[test]
fn no_shipped_price_falls_to_another_models_pattern() {
    let cards = shipped();
    let input = |model: &str| cards.find(model).and_then(|card| Some(card.prices.as_ref()?.usual.input));
    for (model, dollars) in [
        ("claude-fable-5-1", 10.0),
        ("claude-fable-5-2", 8.0),
        ("claude-mythos-5", 10.0),
        ("claude-mythos-5-1", 10.0),
        ("claude-mythos-5-2", 8.0),
        ("claude-opus-5-5", 4.0),
        ("claude-sonnet-5.5", 2.0),
        ("claude-haiku-5-5", 0.1),
        ("claude-opus-4-1-20250805", 15.0),
        ("gpt-6-astra", 10.0),
        ("gpt-6-luna", 0.1),
        ("gpt-5.6-luna", 0.2),
        ("gemini-3-flash-preview", 0.5),
        ("gemini-3.1-flash-lite-preview", 0.25),
        ("gemini-3.5-flash-lite", 0.3),
        ("gemini-3.8-flash", 0.75),
        ("gemini-2.5-flash-lite", 0.1),
        ("kimi-k3.1-pro", 2.0),
        ("kimi-k3.1-pro-highspeed", 4.0),
    ] {
        assert_eq!(input(model), Some(dollars), "{model}");
        assert_eq!(cards.find(model).and_then(|card| card.prices.as_ref()?.lent_by.clone()), None, "{model}");
    }
    let unknown = cards.find("claude-new-9").and_then(|card| card.prices.as_ref()?.lent_by.clone());
    assert_eq!(unknown.as_deref(), Some("claude-sonnet-4-6"));
}
