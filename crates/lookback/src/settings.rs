//! Settings: what a person chose, from the weakest source to the strongest: built in, the user's file, the environment,
//! flags.
//!
//! [`load`] reads the real sources; everything behind it is a function of [`Sources`], so that tests need no environment.
//! Which request a setting ends up in is not known here. The project's own file comes with the agent that reads projects.

mod chosen;
mod error;
mod file;
mod nearest;
mod origin;
mod providers;
mod sources;

pub(crate) use chosen::{Chosen, KeyFound, Named};
pub(crate) use file::{Compactor, Language};
pub(crate) use origin::{Given, Origin};
pub(crate) use sources::Flags;
use sources::Sources;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Result, anyhow};
use lookback_engine::{
    Configuration,
    card::{Card, Cards},
    configuration::place,
};
use lookback_models::hide_key_shapes;

use self::{error::SettingsError, file::UserFile, providers::Provider};
use crate::{cards, screen};

pub(crate) struct Settings {
    /// Where the user's file is, or would be.
    pub(crate) file: Option<PathBuf>,
    pub(crate) file_exists: bool,
    pub(crate) model: Option<Given<String>>,
    pub(crate) language: Given<Language>,
    pub(crate) compactor: Given<Compactor>,
    /// Every number of the engine.
    pub(crate) context: Given<Configuration>,
    /// What a person should put right, though everything works.
    pub(crate) warnings: Vec<String>,
    cards: Cards,
    providers: BTreeMap<String, Provider>,
    base_url: Option<Given<String>>,
    proxy: Option<Given<String>>,
    ca_file: Option<Given<PathBuf>>,
    environment: BTreeMap<String, String>,
}

/// Of this process. Warnings are said at once.
pub(crate) fn load(flags: Flags) -> Result<Settings> {
    let settings = read(flags)?;
    for warning in &settings.warnings {
        screen::remark(&format!("warning: {warning}"));
    }
    Ok(settings)
}

/// Of this process, in silence. What cannot be read is told without what looks like a key: some paste theirs into the
/// wrong place.
pub(crate) fn read(flags: Flags) -> Result<Settings> {
    let settings = Sources::gather(flags).and_then(Settings::resolve);
    settings.map_err(|error| anyhow!(hide_key_shapes(&format!("{error:#}"))))
}

impl Settings {
    /// All sources put together; nothing else is asked. Files of cards are read by `sources.read`.
    pub(crate) fn resolve(sources: Sources) -> Result<Self> {
        let Sources { path, text, mode, environment, flags, read } = sources;
        let file_exists = text.is_some();
        let text = text.unwrap_or_default();
        let shown_path = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let mut file =
            UserFile::parse(&text).map_err(|problem| SettingsError::File { file: shown_path.clone(), problem })?;
        let in_file = |field: &str| Origin::File { line: place::line_of(&text, field) };

        // Files that the file names lie beside it.
        let beside =
            |named: &Path| path.as_ref().and_then(|path| path.parent()).map_or(named.into(), |at| at.join(named));
        let mut all_cards = cards::built_in()?.clone();
        for card_file in &file.cards {
            all_cards.add(cards::read(&beside(card_file), read)?);
        }
        for ca_file in file.providers.values_mut().filter_map(|provider| provider.ca_file.as_mut()) {
            *ca_file = beside(ca_file);
        }
        let mut warnings = Vec::new();
        if let Some(mode) = mode.filter(|mode| mode & 0o077 != 0 && file.holds_secrets()) {
            warnings.push(format!(
                "{shown_path} holds a key and others can read it (mode {:o}): chmod 600 {shown_path}",
                mode & 0o777
            ));
        }

        let strongest = |flag: Option<String>, name, variable: &'static str, file: Option<(String, &str)>| {
            let flag = flag.map(|value| Given { value, origin: Origin::Flag(name) });
            let set = || {
                let value = environment.get(variable).filter(|value| !value.is_empty())?;
                Some(Given { value: value.clone(), origin: Origin::Variable(variable.to_owned()) })
            };
            let written = || file.map(|(value, field)| Given { value, origin: in_file(field) });
            flag.or_else(set).or_else(written)
        };
        let base_url = strongest(flags.base_url, "--base-url", "LOOKBACK_BASE_URL", None);
        let proxy = strongest(flags.proxy, "--proxy", "LOOKBACK_PROXY", None);
        let ca_file = strongest(flags.ca_file.map(text_of), "--ca-file", "LOOKBACK_CA_FILE", None);
        let model = strongest(flags.model, "--model", "LOOKBACK_MODEL", file.model.map(|model| (model, "model")));
        let language = match strongest(None, "", "LOOKBACK_LANGUAGE", None) {
            Some(set) => Given { value: Language::parse(&set.value)?, origin: set.origin },
            None => Given::or_built_in(file.language, in_file("language"), Language::En),
        };
        let compactor = Given::or_built_in(file.compactor, in_file("compactor"), Compactor::Rules);
        let context = Given::or_built_in(file.context, in_file("context"), Configuration::default());
        let providers = providers::merge(file.providers, &text, &shown_path)?;
        Ok(Self {
            file: path,
            file_exists,
            model,
            language,
            compactor,
            context,
            warnings,
            cards: all_cards,
            providers,
            base_url,
            proxy,
            ca_file: ca_file.map(|given| Given { value: given.value.into(), origin: given.origin }),
            environment,
        })
    }

    /// Every card that is known.
    pub(crate) fn cards(&self) -> &Cards {
        &self.cards
    }

    /// Where each provider is reached, by its name.
    pub(crate) fn base_urls(&self) -> BTreeMap<String, String> {
        self.providers.iter().map(|(name, provider)| (name.clone(), provider.base_url.value.clone())).collect()
    }

    /// The card of a model of a stored session, where one is known.
    pub(crate) fn card(&self, model: &str) -> Option<&Card> {
        self.cards.find(model).or_else(|| self.cards.find(cards::bare(model)))
    }
}

fn text_of(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
