//! The user's file: TOML text into what it says. Nothing else is taken: a misspelt setting would otherwise be missed in
//! silence. What it does not say is filled in elsewhere.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use lookback_engine::{Configuration, card::Api, configuration::place};
use lookback_models::KeyHeader;
use serde::Deserialize;

use super::{
    error::{FileProblem, SettingsError},
    nearest,
};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct UserFile {
    pub(super) model: Option<String>,
    pub(super) language: Option<Language>,
    pub(super) compactor: Option<Compactor>,
    /// Files of cards, relative to this one.
    pub(super) cards: Vec<PathBuf>,
    pub(super) providers: BTreeMap<String, ProviderTable>,
    pub(super) context: Option<Configuration>,
}

/// In which prompts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Language {
    En,
    Zh,
}

/// Who writes blocks and summaries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Compactor {
    Rules,
    /// The model of the session.
    Same,
    Model(String),
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ProviderTable {
    pub(super) api: Option<Api>,
    pub(super) base_url: Option<String>,
    pub(super) key: Option<String>,
    pub(super) key_env: Option<String>,
    pub(super) key_command: Option<String>,
    pub(super) auth: Option<KeyHeader>,
    pub(super) card: Option<String>,
    pub(super) proxy: Option<String>,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) allow_plain_http: bool,
    pub(super) timeouts: TimeoutTable,
}

#[derive(Default, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TimeoutTable {
    pub(super) connect: Option<Span>,
    pub(super) first_byte: Option<Span>,
    pub(super) idle: Option<Span>,
    pub(super) whole: Option<Span>,
}

impl TimeoutTable {
    pub(super) fn is_empty(&self) -> bool {
        self.connect.is_none() && self.first_byte.is_none() && self.idle.is_none() && self.whole.is_none()
    }
}

/// A length of time, written `90s`, `5m` or `1h`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Span(pub(super) Duration);

impl UserFile {
    pub(super) fn parse(text: &str) -> Result<Self, FileProblem> {
        let file: Self = toml::from_str(text).map_err(|error| problem_in(text, &error))?;
        file.check(text)?;
        Ok(file)
    }

    pub(super) fn holds_secrets(&self) -> bool {
        self.providers.values().any(|provider| provider.key.is_some() || !provider.headers.is_empty())
    }

    /// What can be read but makes no sense.
    fn check(&self, text: &str) -> Result<(), FileProblem> {
        let problem = |field: String, said: &str| {
            let line = place::line_of(text, &field);
            Err(FileProblem { line, field: Some(field), text: said.to_owned() })
        };
        if self.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            return problem("model".into(), "this text may not be empty");
        }
        for (name, table) in &self.providers {
            let ProviderTable { base_url, key, key_env, key_command, card, proxy, .. } = table;
            let texts = [
                ("base_url", base_url),
                ("key", key),
                ("key_env", key_env),
                ("key_command", key_command),
                ("card", card),
                ("proxy", proxy),
            ];
            for (field, value) in texts {
                if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
                    return problem(format!("providers.{name}.{field}"), "this text may not be empty");
                }
            }
            if key_env.as_ref().is_some_and(|name| !is_variable(name)) {
                let said = "this is no name of an environment variable; a key itself goes into `key`";
                return problem(format!("providers.{name}.key_env"), said);
            }
            if key.is_some() && key_command.is_some() {
                return problem(format!("providers.{name}.key_command"), "there is a key already: keep one of the two");
            }
            if name.contains('/') {
                return problem(format!("providers.{name}"), "a provider's name has no /: it is written before one");
            }
        }
        self.context.as_ref().map_or(Ok(()), |context| check_context(context, text))
    }
}

/// What a reader of TOML said, with its place.
pub(super) fn problem_in(text: &str, error: &toml::de::Error) -> FileProblem {
    let offset = error.span().map_or(text.len(), |span| span.start);
    let place = place::at(text, offset);
    let said = nearest::plain(error.message());
    let is_secret = place.field.as_ref().is_some_and(|field| field.starts_with("providers"));
    let text = if is_secret { without_value(&said) } else { said };
    FileProblem { line: Some(place.line), field: place.field, text }
}

/// Whether the numbers go together.
pub(super) fn check_context(context: &Configuration, text: &str) -> Result<(), FileProblem> {
    let Err(value) = context.check() else { return Ok(()) };
    let lines = value.fields().into_iter().filter_map(|field| place::line_of(text, &format!("context.{field}")));
    Err(FileProblem { line: lines.max(), field: None, text: format!("context.{value}") })
}

impl Language {
    pub(super) fn parse(text: &str) -> Result<Self, SettingsError> {
        match text {
            "en" => Ok(Self::En),
            "zh" => Ok(Self::Zh),
            _ => Err(SettingsError::Language(text.to_owned())),
        }
    }
}

/// A message about a value without the value: below a provider it may be a key in the wrong place.
fn without_value(message: &str) -> String {
    if let Some((_, said)) = message.strip_prefix('"').and_then(|quoted| quoted.split_once("\" is ")) {
        return format!("this is {said}");
    }
    match message.split_once(", expected ") {
        Some((said, expected)) if said.starts_with("invalid ") => {
            format!("this value does not belong here, expected {expected}")
        }
        _ => message.to_owned(),
    }
}

fn is_variable(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::En => "en",
            Self::Zh => "zh",
        })
    }
}

impl From<String> for Compactor {
    fn from(name: String) -> Self {
        match name.as_str() {
            "rules" => Self::Rules,
            "same" => Self::Same,
            _ => Self::Model(name),
        }
    }
}

impl fmt::Display for Compactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rules => "rules",
            Self::Same => "same",
            Self::Model(name) => name,
        })
    }
}

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let units = [("s", 1), ("m", 60), ("h", 3_600)];
        let span = units.into_iter().find_map(|(unit, seconds)| {
            let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
            (number > 0).then(|| Duration::from_secs(u64::from(number) * seconds))
        });
        span.map(Self).ok_or_else(|| format!("\"{text}\" is no length of time: write 90s, 5m or 1h"))
    }
}
