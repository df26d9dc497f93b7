//! The price files of the repository, built into the program.

use anyhow::{Context, Result};
use lookback_engine::card::{Card, Cards};

const FILES: [&str; 7] = [
    include_str!("../../../prices/anthropic.toml"),
    include_str!("../../../prices/deepseek.toml"),
    include_str!("../../../prices/gemini.toml"),
    include_str!("../../../prices/local.toml"),
    include_str!("../../../prices/openai-old.toml"),
    include_str!("../../../prices/openai.toml"),
    include_str!("../../../prices/qwen.toml"),
];

/// The card of a model, where one is known.
pub(crate) fn find(model: &str) -> Result<Option<Card>> {
    let mut cards = Cards::default();
    for file in FILES {
        cards.add(Cards::parse(file).context("a price file inside this program is damaged: install lookback again")?);
    }
    Ok(cards.find(model).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_price_file_is_built_in() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../prices");
        let files = std::fs::read_dir(directory).expect("the price files").filter(|entry| {
            entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "toml"))
        });
        assert_eq!(files.count(), FILES.len());
        assert!(find("claude-sonnet-5").expect("they parse").is_some_and(|card| card.prices.is_some()));
        assert!(find("example-model").expect("they parse").is_none());
    }
}
