//! The price files of the repository, built into the program, and those that a person brings.

use std::{fs, io, path::Path, sync::OnceLock};

use anyhow::{Context, Result, bail};
use lookback_engine::card::{Card, Cards};
use lookback_models::hide_key_shapes;

const FILES: [&str; 9] = [
    include_str!("../../../prices/anthropic.toml"),
    include_str!("../../../prices/deepseek.toml"),
    include_str!("../../../prices/gemini.toml"),
    include_str!("../../../prices/local.toml"),
    include_str!("../../../prices/moonshot.toml"),
    include_str!("../../../prices/openai-old.toml"),
    include_str!("../../../prices/openai.toml"),
    include_str!("../../../prices/openrouter.toml"),
    include_str!("../../../prices/qwen.toml"),
];

/// For models that none of these names.
const UNKNOWN: &str = include_str!("../../../prices/unknown.toml");

/// What a provider's name alone means: the model that most of its sessions are made with, at its usual rates.
const USUAL: [(&str, &str); 5] = [
    ("anthropic", "claude-sonnet-4-6"),
    ("openai", "gpt-5.6"),
    ("deepseek", "deepseek-chat"),
    ("gemini", "gemini-3-pro"),
    ("qwen", "qwen3-coder-plus"),
];

/// From this similarity on, one name may be meant by another, and so many are told.
const ALIKE: f64 = 0.8;
const NAMED: usize = 6;

/// The card of a model, where one is known.
pub(crate) fn find(model: &str) -> Result<Option<Card>> {
    Ok(built_in()?.find(model).cloned())
}

/// The card of a provider by its name.
pub(crate) fn usual(provider: &str) -> Result<Option<Card>> {
    match USUAL.iter().find(|(name, _)| *name == provider) {
        Some((_, model)) => find(model),
        None => Ok(None),
    }
}

/// As a person names it: a provider, a model, or a file of cards with or without `:MODEL`.
pub(crate) fn named(name: &str) -> Result<Card> {
    if let Some(card) = usual(name)? {
        return Ok(card);
    }
    if Path::new(name).is_file() {
        return from_file(name, None);
    }
    if let Some((file, model)) = name.rsplit_once(':')
        && Path::new(file).is_file()
    {
        return from_file(file, Some(model));
    }
    // Prices that a family lends to whoever has none are nobody's by name.
    let is_lent = |card: &Card| card.prices.as_ref().is_some_and(|prices| prices.lent_by.is_some());
    if let Some(card) = find(name)?.filter(|card| !is_lent(card)) {
        return Ok(card);
    }
    let providers: Vec<&str> = USUAL.iter().map(|(name, _)| *name).collect();
    let near = match nearest(name)? {
        near if near.is_empty() => String::new(),
        near => format!(" (there is {})", near.join(", ")),
    };
    bail!(
        "no prices are called \"{}\": name a provider ({}), a model{near}, or a file of cards (FILE.toml or \
         FILE.toml:MODEL)",
        // Some paste their key where a model's name belongs.
        hide_key_shapes(name),
        providers.join(", ")
    )
}

/// Models whose prices are known, by one name each, those that read most like this one; none where nothing does.
fn nearest(name: &str) -> Result<Vec<&'static str>> {
    let named =
        |card: &'static Card| card.models.iter().filter(|_| card.prices.is_some()).find(|name| !name.contains('*'));
    let known = built_in()?.all().iter().filter_map(named);
    let mut alike: Vec<(f64, &str)> = known.map(|known| (strsim::jaro_winkler(name, known), known.as_str())).collect();
    alike.retain(|(alike, _)| *alike >= ALIKE);
    alike.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    alike.truncate(NAMED);
    Ok(alike.into_iter().map(|(_, name)| name).collect())
}

fn from_file(file: &str, model: Option<&str>) -> Result<Card> {
    let cards = read(Path::new(file), |path| fs::read_to_string(path))?;
    let card = match model {
        Some(model) => cards.find(model),
        None => cards.all().first(),
    };
    card.cloned().with_context(|| format!("{file} has no card for the model {}", model.unwrap_or_default()))
}

/// A file of cards that a person wrote.
pub(crate) fn read(file: &Path, read: impl FnOnce(&Path) -> io::Result<String>) -> Result<Cards> {
    let text = read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Cards::parse(&text).with_context(|| format!("{} is not a file of price cards", file.display()))
}

/// The card of a model that no card names.
pub(crate) fn unknown() -> Result<Card> {
    let card = Cards::parse(UNKNOWN)?.all().first().cloned();
    card.context("the card for unknown models is missing")
}

/// All that the program knows. Read once: it is asked for every model of every session.
pub(crate) fn built_in() -> Result<&'static Cards> {
    static CARDS: OnceLock<Cards> = OnceLock::new();
    if let Some(cards) = CARDS.get() {
        return Ok(cards);
    }
    let mut cards = Cards::default();
    for file in FILES {
        cards.add(Cards::parse(file).context("a price file inside this program is damaged: install lookback again")?);
    }
    Ok(CARDS.get_or_init(|| cards))
}

#[cfg(test)]
mod tests {
    use lookback_engine::card::Lifetime;

    use super::*;

    #[test]
    fn every_price_file_is_built_in() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../prices");
        let files = std::fs::read_dir(directory).expect("the price files").filter(|entry| {
            entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "toml"))
        });
        // Beside them: the card for unknown models, and the providers.
        assert_eq!(files.count(), FILES.len() + 2);
        assert_eq!(unknown().expect("a card").window, lookback_engine::Configuration::default().window.default_window);
        assert!(find("claude-sonnet-5").expect("they parse").is_some_and(|card| card.prices.is_some()));
        assert!(find("example-model").expect("they parse").is_none());
    }

    #[test]
    fn prices_that_a_family_lends_have_no_name_of_their_own() {
        let refused = |name: &str| named(name).expect_err(name).to_string();
        let opus = refused("claude-opus");
        assert!(opus.contains("a model (there is claude-opus-5, claude-opus-") && !opus.contains("gpt-"), "{opus}");
        assert!(refused("claude-nonsense").contains("(there is claude-"));
        assert!(refused("gpt-5.6-mini").contains("(there is gpt-5"));
        assert!(!refused("nobody").contains("there is"));
        let sonnet = named("claude-sonnet-4-6").expect("a card").prices.expect("prices");
        assert_eq!((sonnet.lent_by, sonnet.usual.input), (None, 3.0));
    }

    /// Another size has other prices: an open end takes a day, a place or a mark, never a word.
    #[test]
    fn a_name_with_a_further_word_borrows_no_prices() {
        const SIZES: [&str; 8] = ["mini", "nano", "pro", "lite", "max", "flash", "codex-mini", "highspeed"];
        let known = built_in().expect("they parse");
        let own = |card: &&Card| card.prices.as_ref().is_some_and(|prices| prices.lent_by.is_none());
        for pattern in known.all().iter().filter(own).flat_map(|card| &card.models) {
            if let Some(open) = pattern.strip_suffix('*') {
                assert!(["-20", "-0", "-1", "-v", "@", "["].iter().any(|end| open.ends_with(end)), "{pattern}");
                continue;
            }
            for name in SIZES.map(|size| format!("{pattern}-{size}")) {
                let found = known.find(&name).filter(own);
                assert!(found.is_none_or(|card| card.models.contains(&name)), "{name} has the prices of {pattern}");
            }
        }
    }

    #[test]
    fn a_provider_means_its_usual_rates() {
        let of = |name: &str, lifetime| {
            let card = named(name).expect("a card");
            let rates = card.rates(lifetime).expect("prices");
            ([rates.read, rates.write, rates.output].map(|rate| format!("{rate:.2}")), card.lifetime_ms(lifetime))
        };
        assert_eq!(of("anthropic", Lifetime::Usual), (["0.10", "1.25", "5.00"].map(str::to_owned), Some(300_000)));
        assert_eq!(of("anthropic", Lifetime::OneHour), (["0.10", "2.00", "5.00"].map(str::to_owned), Some(3_600_000)));
        assert_eq!(of("openai", Lifetime::Usual), (["0.10", "1.25", "6.00"].map(str::to_owned), None));
        assert_eq!(of("deepseek", Lifetime::Usual), (["0.02", "1.00", "4.00"].map(str::to_owned), None));
        assert!(USUAL.iter().all(|(provider, _)| named(provider).is_ok_and(|card| card.provider == *provider)));
        assert_eq!(named("deepseek/deepseek-chat").expect("a card").provider, "deepseek");
        assert!(named("nobody").is_err_and(|error| error.to_string().contains("FILE.toml:MODEL")));
    }
}
