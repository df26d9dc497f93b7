//! From a model's name to everything that a call of it needs: card, endpoint, key.

use std::path::PathBuf;

use lookback_engine::card::Card;
use lookback_models::{Endpoint, Key, KeyHeader, Retries};
use lookback_wire::Provider as Api;

use super::{
    Settings,
    error::SettingsError,
    origin::{Given, Origin},
    providers::{KeyNeed, Provider},
};
use crate::cards;

/// A model that can be called.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// As the provider calls it: what a request says.
    pub(crate) model: String,
    pub(crate) provider: String,
    pub(crate) card: Card,
    /// Whether a card names the model; otherwise its card is the cautious one for anybody.
    pub(crate) named: Named,
    pub(crate) endpoint: Endpoint,
    pub(crate) key: KeyFound,
    pub(crate) origins: Origins,
    /// Where a person reads more.
    pub(crate) docs: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    ByCard,
    ByNone,
}

/// Where the endpoint's values come from.
#[derive(Debug)]
pub(crate) struct Origins {
    pub(crate) api: Origin,
    pub(crate) base_url: Origin,
    pub(crate) proxy: Option<Origin>,
    pub(crate) ca_file: Option<Origin>,
    pub(crate) timeouts: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyFound {
    /// It is in the endpoint.
    Found(Origin),
    /// A command of the file has it, and was not run yet.
    ByCommand(Origin),
    /// The server answers without one.
    NotNeeded,
    /// None of these variables is set, and the file has none.
    Missing { variables: Vec<String> },
}

/// Characters.
const SHORTEST_SECRET: usize = 8;

/// What a server is called of which only a base URL is known.
const CUSTOM: &str = "custom";

impl Settings {
    /// `PROVIDER/MODEL`, or the bare name of a model that a card names.
    pub(crate) fn model(&self, name: &str) -> Result<Chosen, SettingsError> {
        let (provider_name, model) = self.provider_of(name)?;
        // A base URL that came with the model is the model's: the compactor's key must not go there.
        let is_main = self.model.as_ref().is_none_or(|main| {
            main.value == name || self.provider_of(&main.value).is_ok_and(|(main, _)| main == provider_name)
        });
        let base_url = self.base_url.clone().filter(|_| is_main);
        let elsewhere;
        let provider = match (self.providers.get(provider_name), &base_url) {
            (Some(provider), _) => provider,
            (None, Some(base_url)) => {
                elsewhere = Provider::elsewhere(base_url.clone());
                &elsewhere
            }
            (None, None) => return Err(SettingsError::NoServer { model: model.to_owned() }),
        };
        let (card, named) = self.card_of(provider, provider_name, model)?;
        let api = match &provider.api {
            // A provider may speak more than one API; its own card knows which of them is the model's.
            Some(given) if given.origin == Origin::BuiltIn && card.provider == provider_name => {
                Given::built_in(card.api)
            }
            Some(given) => Given { value: given.value.into(), origin: given.origin.clone() },
            None => Given::built_in(Api::Chat),
        };
        let base_url = base_url.or_else(|| self.base_url_variable(provider)).unwrap_or(provider.base_url.clone());
        let proxy = self.proxy.clone().or(provider.proxy.clone());
        let ca_file: Option<Given<PathBuf>> = self.ca_file.clone().or(provider.ca_file.clone());
        let (key, found, header) = self.key_of(provider, api.value);
        let origins = Origins {
            api: api.origin,
            base_url: base_url.origin,
            proxy: proxy.as_ref().map(|given| given.origin.clone()),
            ca_file: ca_file.as_ref().map(|given| given.origin.clone()),
            timeouts: provider.timeouts.origin.clone(),
        };
        let endpoint = Endpoint {
            api: api.value,
            base_url: base_url.value,
            key,
            key_header: header,
            headers: provider.headers.clone(),
            proxy: proxy.map(|given| given.value),
            ca_file: ca_file.map(|given| given.value),
            plain_http: provider.plain_http,
            timeouts: provider.timeouts.value,
            retries: Retries::default(),
        };
        Ok(Chosen {
            model: model.to_owned(),
            provider: provider_name.to_owned(),
            card: card.spoken_by(api.value),
            named,
            endpoint,
            key: found,
            origins,
            docs: provider.docs.clone(),
        })
    }

    /// The provider's name and the model's name there.
    fn provider_of<'a>(&'a self, name: &'a str) -> Result<(&'a str, &'a str), SettingsError> {
        if let Some((provider, model)) = name.split_once('/')
            && self.providers.contains_key(provider)
        {
            return Ok((provider, model));
        }
        let card = self.card(name);
        match card {
            Some(card) if self.providers.contains_key(&card.provider) => Ok((&card.provider, name)),
            _ if self.base_url.is_some() => Ok((CUSTOM, name)),
            Some(_) => Err(SettingsError::NoServer { model: name.to_owned() }),
            None => {
                let providers = self.providers.keys().cloned().collect();
                Err(SettingsError::UnknownModel { model: name.to_owned(), providers })
            }
        }
    }

    fn card_of(&self, provider: &Provider, name: &str, model: &str) -> Result<(Card, Named), SettingsError> {
        let of_server = provider.card.as_deref().map(|card| {
            let unknown = || SettingsError::UnknownCard { provider: name.to_owned(), card: card.to_owned() };
            self.cards.find(card).ok_or_else(unknown)
        });
        let of_server = of_server.transpose()?;
        // The maker's card says more than one for everything that a router passes on.
        let found = of_server.or_else(|| self.card(model)).or_else(|| self.cards.find(&format!("{name}/{model}")));
        match found {
            Some(card) => Ok((card.clone(), Named::ByCard)),
            None => {
                let card = cards::unknown().map_err(|error| SettingsError::Damaged(error.to_string()))?;
                Ok((card, Named::ByNone))
            }
        }
    }

    fn base_url_variable(&self, provider: &Provider) -> Option<Given<String>> {
        let variable = provider.base_url_variable.as_ref()?;
        let value = self.set(variable)?.to_owned();
        Some(Given { value, origin: Origin::Variable(variable.clone()) })
    }

    fn key_of(&self, provider: &Provider, api: Api) -> (Option<Key>, KeyFound, KeyHeader) {
        let header = provider.auth.unwrap_or(KeyHeader::usual(api));
        let source = &provider.key;
        if let Some(found) = source.variables.iter().find(|key| self.set(&key.variable).is_some()) {
            let own = found.auth.unwrap_or(KeyHeader::usual(api));
            let origin = Origin::Variable(found.variable.clone());
            let key = Key::from_variable(&found.variable);
            return (Some(key), KeyFound::Found(origin), provider.auth.unwrap_or(own));
        }
        let in_file = Origin::File { line: None };
        if let Some(value) = &source.written {
            let place = self.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
            return (Some(Key::from_file(value, place)), KeyFound::Found(in_file), header);
        }
        if let Some(command) = &source.command {
            return (Some(Key::from_command(command)), KeyFound::ByCommand(in_file), header);
        }
        let found = match source.need {
            KeyNeed::Optional => KeyFound::NotNeeded,
            KeyNeed::Always => {
                KeyFound::Missing { variables: source.variables.iter().map(|key| key.variable.clone()).collect() }
            }
        };
        (None, found, header)
    }

    /// Every key that is known here: in the environment by its name, in the file by its place. Shorter ones would hide
    /// words.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let is_secret =
            |name: &str| ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.to_uppercase().contains(word));
        let in_environment = self.environment.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value);
        let written = self.providers.values().filter_map(|provider| provider.key.written.as_ref());
        in_environment.chain(written).filter(|value| value.len() >= SHORTEST_SECRET).cloned().collect()
    }

    /// What the environment says, where it says anything.
    pub(crate) fn set(&self, variable: &str) -> Option<&str> {
        self.environment.get(variable).map(String::as_str).filter(|value| !value.is_empty())
    }
}
