//! Settings: what a person chose, from the weakest source to the strongest: built in, the user's file, the project's file,
//! the environment, flags.
//!
//! [`load`] reads the real sources; everything behind it is a function of [`Sources`], so that tests need no environment.
//! Which request a setting ends up in is not known here.

mod chosen;
mod error;
mod file;
mod nearest;
mod origin;
mod project;
mod providers;
mod sources;

pub(crate) use chosen::{Chosen, KeyFound, Named};
pub(crate) use file::{Compactor, Language};
pub(crate) use origin::{Given, Origin};
pub(crate) use project::ProjectFile;
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
use crate::{cards, decided::Decided, screen};

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
    /// What of the project's file does not count. Nothing is wrong with that: it is not this person's file.
    pub(crate) not_taken: Vec<String>,
    /// Patterns, as in a .gitignore, of what listings and searches in the project leave out.
    pub(crate) ignore: Vec<String>,
    cards: Cards,
    providers: BTreeMap<String, Provider>,
    base_url: Option<Given<String>>,
    proxy: Option<Given<String>>,
    ca_file: Option<Given<PathBuf>>,
    environment: BTreeMap<String, String>,
}

/// Of this process. Warnings are said at once.
pub(crate) fn load(flags: Flags) -> Result<Settings> {
    let settings = read_with(flags, None)?;
    settings.tell_warnings();
    Ok(settings)
}

/// The same in a project: its own file counts, as far as the person trusts it; they are asked once.
pub(crate) fn load_in(root: &Path, flags: Flags, decided: &mut Decided) -> Result<Settings> {
    let project = ProjectFile::find(root)?.map(|file| file.ask_for_trust(decided)).transpose()?;
    let settings = read_with(flags, project)?;
    settings.tell_warnings();
    Ok(settings)
}

/// Of this process and a project's file, in silence. What cannot be read is told without what looks like a key: some paste
/// theirs into the wrong place.
pub(crate) fn read_with(flags: Flags, project: Option<ProjectFile>) -> Result<Settings> {
    let settings = Sources::gather(flags, project).and_then(Settings::resolve);
    settings.map_err(|error| without_key_shapes(&error))
}

/// The error as it can be shown.
fn without_key_shapes(error: &anyhow::Error) -> anyhow::Error {
    anyhow!(hide_key_shapes(&format!("{error:#}")))
}

impl Settings {
    fn tell_warnings(&self) {
        for warning in self.not_taken.iter().chain(&self.warnings) {
            screen::remark(&format!("warning: {warning}"));
        }
    }

    /// All sources put together; nothing else is asked. Files of cards are read by `sources.read`.
    pub(crate) fn resolve(sources: Sources) -> Result<Self> {
        let Sources { path, text, mode, project, environment, flags, read } = sources;
        let file_exists = text.is_some();
        let text = text.unwrap_or_default();
        let shown_path = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let mut file =
            UserFile::parse(&text).map_err(|problem| SettingsError::File { file: shown_path.clone(), problem })?;
        let in_file = |field: &str| Origin::File { line: place::line_of(&text, field) };

        let project = project.map(ProjectFile::parse).transpose()?.unwrap_or_default();

        // Files that the file names lie beside it.
        let beside =
            |named: &Path| path.as_ref().and_then(|path| path.parent()).map_or(named.into(), |at| at.join(named));
        let mut all_cards = cards::built_in()?.clone();
        for card_file in &file.cards {
            all_cards.add(cards::read(&beside(card_file), read)?);
        }
        for card_file in &project.cards {
            all_cards.add(cards::read(card_file, read)?);
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

        let in_project = |field: &str| Origin::Project { line: place::line_of(&project.text, field) };
        let strongest = |flag: Option<String>, name, variable: &'static str| {
            let flag = flag.map(|value| Given { value, origin: Origin::Flag(name) });
            let set = || {
                let value = environment.get(variable).filter(|value| !value.is_empty())?;
                Some(Given { value: value.clone(), origin: Origin::Variable(variable.to_owned()) })
            };
            flag.or_else(set)
        };
        let base_url = strongest(flags.base_url, "--base-url", "LOOKBACK_BASE_URL");
        let proxy = strongest(flags.proxy, "--proxy", "LOOKBACK_PROXY");
        let ca_file = strongest(flags.ca_file.map(text_of), "--ca-file", "LOOKBACK_CA_FILE");
        let in_files = project.model.map(|value| Given { value, origin: in_project("model") });
        let in_files = in_files.or(file.model.map(|value| Given { value, origin: in_file("model") }));
        let model = strongest(flags.model, "--model", "LOOKBACK_MODEL").or(in_files);
        let language = match strongest(None, "", "LOOKBACK_LANGUAGE") {
            Some(set) => Given { value: Language::parse(&set.value)?, origin: set.origin },
            None => Given::or_built_in(file.language, in_file("language"), Language::En)
                .unless(project.language, in_project("language")),
        };
        let compactor = Given::or_built_in(file.compactor, in_file("compactor"), Compactor::Rules)
            .unless(project.compactor, in_project("compactor"));
        let context = Given::or_built_in(file.context, in_file("context"), Configuration::default())
            .unless(project.context.map(|own| own.over(&text)).transpose()?, in_project("context"));
        let providers = providers::merge(file.providers, &text, &shown_path)?;
        Ok(Self {
            file: path,
            file_exists,
            model,
            language,
            compactor,
            context,
            warnings,
            not_taken: project.not_taken,
            ignore: project.ignore,
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

    /// A model by its name, to be called. Some paste their key where its name belongs.
    pub(crate) fn chosen(&self, name: &str) -> Result<Chosen> {
        self.model(name).map_err(|error| without_key_shapes(&error.into()))
    }

    /// Where each provider is reached, by its name.
    pub(crate) fn base_urls(&self) -> BTreeMap<String, String> {
        self.providers.iter().map(|(name, provider)| (name.clone(), provider.base_url.value.clone())).collect()
    }

    /// The card of a model of a stored session, where one is known.
    pub(crate) fn card(&self, model: &str) -> Option<&Card> {
        self.cards.find(model)
    }
}

fn text_of(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
