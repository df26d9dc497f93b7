//! Providers: those that the program knows, and what the user's file changes or adds.

use std::{collections::BTreeMap, path::PathBuf};

use lookback_engine::{card::Api, configuration::place};
use lookback_models::{KeyHeader, PlainHttp, Timeouts};
use serde::Deserialize;

use super::{
    error::{FileProblem, SettingsError},
    file::{ProviderTable, TimeoutTable},
    origin::{Given, Origin},
};

const KNOWN: &str = include_str!("../../../../prices/providers.toml");

/// One provider, as far as it is known without looking at the environment.
pub(super) struct Provider {
    pub(super) api: Option<Given<Api>>,
    pub(super) base_url: Given<String>,
    /// What its own programs read.
    pub(super) base_url_variable: Option<String>,
    pub(super) key: KeySource,
    /// How the key travels, where the user says so.
    pub(super) auth: Option<KeyHeader>,
    /// Models of this server have this card, whatever they are called.
    pub(super) card: Option<String>,
    pub(super) proxy: Option<Given<String>>,
    pub(super) ca_file: Option<Given<PathBuf>>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) plain_http: PlainHttp,
    pub(super) timeouts: Given<Timeouts>,
    /// Where a person reads more.
    pub(super) docs: Option<String>,
}

/// Where a key may be found, the first that has one counts.
pub(super) struct KeySource {
    pub(super) variables: Vec<KeyVariable>,
    pub(super) written: Option<String>,
    pub(super) command: Option<String>,
    pub(super) need: KeyNeed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyNeed {
    Always,
    Optional,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyVariable {
    pub(super) variable: String,
    /// None: as is usual for the API.
    pub(super) auth: Option<KeyHeader>,
}

/// An entry of the built-in list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    api: Api,
    base_url: String,
    base_url_variable: Option<String>,
    keys: Vec<KeyVariable>,
    #[serde(default)]
    key_optional: bool,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    card: Option<String>,
    docs: String,
}

/// The built-in list with the user's changes, by name. The user's file is for its lines.
pub(super) fn merge(
    tables: BTreeMap<String, ProviderTable>,
    text: &str,
    file: &str,
) -> Result<BTreeMap<String, Provider>, SettingsError> {
    let known: BTreeMap<String, Known> =
        toml::from_str(KNOWN).map_err(|error| SettingsError::Damaged(error.message().to_owned()))?;
    let mut providers: BTreeMap<String, Provider> =
        known.into_iter().map(|(name, known)| (name, Provider::from(known))).collect();
    let lines = place::FieldLines::of(text);
    for (name, table) in tables {
        let line = |field: &str| lines.line_of(&format!("providers.{name}{field}"));
        let provider = match providers.remove(&name) {
            Some(provider) => provider,
            None => {
                let base_url = table.base_url.clone().ok_or_else(|| {
                    let text = "this provider is not one of those that are known: give it a base_url".to_owned();
                    let problem = FileProblem { line: line(""), field: Some(format!("providers.{name}")), text };
                    SettingsError::File { file: file.to_owned(), problem }
                })?;
                Provider::elsewhere(Given::built_in(base_url))
            }
        };
        let changed = provider.changed(table, |field| Origin::File { line: line(&format!(".{field}")) });
        providers.insert(name, changed);
    }
    Ok(providers)
}

impl Provider {
    /// A server of which nothing is known but its address: it gets no key that it was not meant for.
    pub(super) fn elsewhere(base_url: Given<String>) -> Self {
        Self {
            api: None,
            base_url,
            base_url_variable: None,
            key: KeySource { variables: Vec::new(), written: None, command: None, need: KeyNeed::Optional },
            auth: None,
            card: None,
            proxy: None,
            ca_file: None,
            headers: Vec::new(),
            plain_http: PlainHttp::WithoutSecrets,
            timeouts: Given::built_in(Timeouts::default()),
            docs: None,
        }
    }

    fn changed(self, table: ProviderTable, origin: impl Fn(&str) -> Origin) -> Self {
        let given = |field: &str, value: Option<String>| value.map(|value| Given { value, origin: origin(field) });
        let ca_file = table.ca_file.map(|value| Given { value, origin: origin("ca_file") });
        let mut headers = self.headers;
        headers.retain(|(name, _)| !table.headers.keys().any(|key| key.eq_ignore_ascii_case(name)));
        headers.extend(table.headers);
        let gives_key = table.key.is_some() || table.key_env.is_some() || table.key_command.is_some();
        // A variable that the user names is the only one: the usual may hold the key of somebody else's account.
        let variables = match table.key_env {
            Some(variable) => vec![KeyVariable { variable, auth: None }],
            None => self.key.variables,
        };
        let need = if gives_key { KeyNeed::Always } else { self.key.need };
        Self {
            api: table.api.map(|value| Given { value, origin: origin("api") }).or(self.api),
            base_url: given("base_url", table.base_url).unwrap_or(self.base_url),
            base_url_variable: self.base_url_variable,
            key: KeySource { variables, written: table.key, command: table.key_command, need },
            auth: table.auth,
            card: table.card.or(self.card),
            proxy: given("proxy", table.proxy),
            ca_file,
            headers,
            plain_http: if table.allow_plain_http { PlainHttp::WithSecrets } else { self.plain_http },
            timeouts: changed_timeouts(self.timeouts, table.timeouts, origin("timeouts")),
            docs: self.docs,
        }
    }
}

fn changed_timeouts(usual: Given<Timeouts>, table: TimeoutTable, origin: Origin) -> Given<Timeouts> {
    if table.is_empty() {
        return usual;
    }
    let Timeouts { connect, first_byte, idle, whole } = usual.value;
    let value = Timeouts {
        connect: table.connect.map_or(connect, |span| span.0),
        first_byte: table.first_byte.map_or(first_byte, |span| span.0),
        idle: table.idle.map_or(idle, |span| span.0),
        whole: table.whole.map_or(whole, |span| span.0),
    };
    Given { value, origin }
}

impl From<Known> for Provider {
    fn from(known: Known) -> Self {
        let need = if known.key_optional { KeyNeed::Optional } else { KeyNeed::Always };
        Self {
            api: Some(Given::built_in(known.api)),
            base_url_variable: known.base_url_variable,
            key: KeySource { variables: known.keys, written: None, command: None, need },
            card: known.card,
            headers: known.headers.into_iter().collect(),
            docs: Some(known.docs),
            ..Self::elsewhere(Given::built_in(known.base_url))
        }
    }
}
