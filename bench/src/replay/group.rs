//! Which sessions are replayed, and by which prices.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use lookback_engine::card::{Cards, Lifetime};
use lookback_replay::{import::detect, recording::Format, simulate::Tariff};

const SAMPLE: &[u8] = include_bytes!("../../../fixtures/sample-session.jsonl");

const PRICES: [&str; 4] = [
    include_str!("../../../prices/anthropic.toml"),
    include_str!("../../../prices/openai.toml"),
    include_str!("../../../prices/deepseek.toml"),
    include_str!("../../../prices/gemini.toml"),
];

const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Sessions that stand in one row.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) files: Vec<Vec<u8>>,
    /// How often each session is among the files.
    pub(super) times: usize,
}

impl Group {
    pub(crate) fn sessions(&self) -> usize {
        self.files.len() / self.times
    }
}

pub(super) fn sample(times: usize) -> Group {
    Group { name: "the sample".to_owned(), files: vec![SAMPLE.to_vec(); times], times }
}

/// One group for each format.
pub(super) fn in_folder(folder: &Path) -> Result<Vec<Group>> {
    let mut paths = Vec::new();
    walk(folder, &mut paths).with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    let mut groups: BTreeMap<Format, Vec<Vec<u8>>> = BTreeMap::new();
    for path in paths {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let bytes = if bytes.starts_with(ZSTD) { zstd::decode_all(bytes.as_slice())? } else { bytes };
        if let Some(format) = detect(&bytes) {
            groups.entry(format).or_default().push(bytes);
        }
    }
    if groups.is_empty() {
        bail!("{} holds no recorded session", folder.display());
    }
    Ok(groups.into_iter().map(|(format, files)| Group { name: format.label().to_owned(), files, times: 1 }).collect())
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => walk(&entry.path(), paths)?,
            false => paths.push(entry.path()),
        }
    }
    Ok(())
}

/// The prices by which `lookback replay` bills a format where the session does not say otherwise.
pub(super) fn tariff(format: Format) -> Result<Tariff> {
    let model = match format {
        Format::Codex => "gpt-5.6",
        Format::MiniSweAgent => "deepseek-chat",
        Format::GeminiCli => "gemini-3-pro",
        Format::ClaudeCode | Format::SweAgent | Format::Opencode | Format::Pi | Format::Lookback => "claude-sonnet-4-6",
    };
    let mut cards = Cards::default();
    for prices in PRICES {
        cards.add(Cards::parse(prices)?);
    }
    let card = cards.find(model).context("no such card")?.clone();
    let rates = card.rates(Lifetime::Usual).context("a card without prices")?;
    Ok(Tariff::new(card, Lifetime::Usual, rates))
}
