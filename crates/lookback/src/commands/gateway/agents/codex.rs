//! Where codex sends its requests: by the provider of its configuration, and for its own one by the kind of its login.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{BufReader, ErrorKind},
    path::Path,
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::{OPENAI, Told, Way, member, person, set};
use crate::home;

/// Where a login of ChatGPT's is taken.
const CHATGPT: &str = "https://chatgpt.com/backend-api/codex";
/// Its own provider, whose base URL is a setting by itself.
const OWN: &str = "openai";

pub(super) fn way(arguments: &[OsString], upstream: Option<&str>) -> Result<Way> {
    let folder = home::set("CODEX_HOME").map_or_else(|| person().map(|home| home.join(".codex")), Ok)?;
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let documents = documents(&folder, &words)?;
    let said = |path: &[&str]| documents.iter().rev().find_map(|document| member(document, path)).map(str::to_owned);
    let over = |key: &str| overrides(&words).filter_map(|(given, value)| (given == key).then_some(value)).last();
    let provider = over("model_provider").or_else(|| said(&["model_provider"])).unwrap_or_else(|| OWN.to_owned());
    let way = |key: String, url| Way { told: Told::CodexKey(key), url };
    if provider == OWN {
        let url = match said(&["openai_base_url"]) {
            Some(url) => url,
            // One upstream takes every login's requests; without a login they have the API's form.
            None => by_login(&folder).or_else(|error| upstream.map(|_| format!("{OPENAI}/v1")).ok_or(error))?,
        };
        return Ok(way("openai_base_url".to_owned(), url));
    }
    let url = said(&["model_providers", &provider, "base_url"]).with_context(|| {
        format!("codex's provider \"{provider}\" has no base_url in its configuration, and cannot be led elsewhere")
    })?;
    Ok(way(format!("model_providers.{provider}.base_url"), url))
}

/// The configuration, and the profile that is laid over it.
fn documents(folder: &Path, words: &[&str]) -> Result<Vec<Value>> {
    let profile = words.iter().enumerate().find_map(|(place, word)| match *word {
        "-p" | "--profile" => words.get(place + 1).copied(),
        _ => word.strip_prefix("--profile="),
    });
    let files = std::iter::once(folder.join("config.toml"))
        .chain(profile.map(|profile| folder.join(format!("{profile}.config.toml"))));
    files.filter_map(|file| document(&file).transpose()).collect()
}

fn document(file: &Path) -> Result<Option<Value>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.with_context(|| format!("cannot read {}", file.display()))?,
    };
    let parsed = toml::from_str(&text).with_context(|| format!("{} is no TOML", file.display()))?;
    Ok(Some(parsed))
}

/// What `-c KEY=VALUE` sets.
fn overrides<'w>(words: &'w [&'w str]) -> impl Iterator<Item = (&'w str, String)> {
    words.iter().enumerate().filter_map(|(place, word)| {
        let pair = match *word {
            "-c" | "--config" => words.get(place + 1).copied(),
            _ => word.strip_prefix("--config=").or_else(|| word.strip_prefix("-c")),
        };
        let (key, value) = pair?.split_once('=')?;
        Some((key.trim(), value.trim().trim_matches(['"', '\'']).to_owned()))
    })
}

/// Of the login only its kind. What is not asked for is not kept.
#[derive(Debug, Deserialize)]
struct Login {
    auth_mode: Option<String>,
    #[serde(rename = "OPENAI_API_KEY")]
    key: Option<IgnoredAny>,
    tokens: Option<IgnoredAny>,
}

fn by_login(folder: &Path) -> Result<String> {
    let api = format!("{OPENAI}/v1");
    if set("CODEX_API_KEY").is_some() {
        return Ok(api);
    }
    let file = folder.join("auth.json");
    let login: Login = match File::open(&file) {
        Ok(open) => serde_json::from_reader(BufReader::new(open))
            .with_context(|| format!("{} is not as codex writes it", file.display()))?,
        Err(_) => bail!("codex has no login in {}: run `codex login`, or set CODEX_API_KEY", file.display()),
    };
    match (login.auth_mode.as_deref(), login.key, login.tokens) {
        (Some("apikey"), ..) | (None, Some(_), _) => Ok(api),
        (Some("chatgpt"), ..) | (None, None, Some(_)) => Ok(CHATGPT.to_owned()),
        (mode, ..) => {
            bail!("where codex sends its requests with a login of the kind \"{}\" is not known", mode.unwrap_or("none"))
        }
    }
}
