//! Where opencode sends its requests: to the providers of its configuration and of its logins, each at its own base URL.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::{ANTHROPIC, OPENAI, Told, Way, Ways, configuration_folder, jsonc, member, person, set};
use crate::home;

/// Laid over all of its configuration files.
const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// Providers that it knows by itself and that speak an API of ours: base URL, and the variable that is a login.
fn known() -> [(&'static str, String, &'static str); 5] {
    [
        ("anthropic", format!("{ANTHROPIC}/v1"), "ANTHROPIC_API_KEY"),
        ("openai", format!("{OPENAI}/v1"), "OPENAI_API_KEY"),
        ("opencode", "https://opencode.ai/zen/v1".to_owned(), "OPENCODE_API_KEY"),
        ("openrouter", "https://openrouter.ai/api/v1".to_owned(), "OPENROUTER_API_KEY"),
        ("deepseek", "https://api.deepseek.com".to_owned(), "DEEPSEEK_API_KEY"),
    ]
}

pub(super) fn ways() -> Result<Ways> {
    let mut urls: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut elsewhere = Vec::new();
    let known = known();
    let usual = |id: &str| known.iter().find(|(known, ..)| *known == id).map(|(_, url, _)| url.clone());
    for (id, ..) in known.iter().filter(|(.., variable)| set(variable).is_some()) {
        urls.insert((*id).to_owned(), usual(id));
    }
    for (id, kind) in logins()? {
        match kind.as_str() {
            // Such a login's requests are sent to ChatGPT whatever the base URL says.
            "oauth" if id == "openai" => elsewhere.push("openai (by its ChatGPT login)".to_owned()),
            _ => {
                urls.insert(id.clone(), usual(&id));
            }
        }
    }
    for document in documents()? {
        let providers = document.get("provider").and_then(Value::as_object);
        for (id, provider) in providers.into_iter().flatten() {
            let url = urls.entry(id.clone()).or_insert_with(|| usual(id));
            let said = member(provider, &["options", "baseURL"]).or_else(|| member(provider, &["api"]));
            *url = said.map(str::to_owned).or(url.take());
        }
    }
    if urls.is_empty() {
        // Without any login it uses its own provider.
        urls.insert("opencode".to_owned(), usual("opencode"));
    }
    let mut ways = Vec::new();
    for (name, url) in urls {
        // One that stands in a variable or a file is known to opencode alone.
        match url.filter(|url| !url.contains('{')) {
            Some(url) => ways.push(Way { told: Told::OpencodeProvider(name), url }),
            None => elsewhere.push(name),
        }
    }
    if ways.is_empty() {
        bail!("opencode uses {}, and none of it can be led through the gateway", elsewhere.join(", "));
    }
    Ok(Ways { ways, elsewhere })
}

/// The variable that lays a configuration over all others, what it holds already included.
pub(super) fn with_content(ours: Value) -> Result<(String, String)> {
    let mut content = match set(CONTENT) {
        Some(text) => jsonc::parse(&text).with_context(|| format!("{CONTENT} is no JSON"))?,
        None => Value::Object(Map::new()),
    };
    merge(&mut content, ours);
    Ok((CONTENT.to_owned(), content.to_string()))
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

/// The providers that somebody is logged in to, with the kind of the login.
fn logins() -> Result<Vec<(String, String)>> {
    let data = home::set("XDG_DATA_HOME").map_or_else(|| person().map(|home| home.join(".local/share")), Ok)?;
    let Ok(text) = fs::read_to_string(data.join("opencode/auth.json")) else { return Ok(Vec::new()) };
    let logins: Value = serde_json::from_str(&text).context("opencode's auth.json is no JSON")?;
    let kind = |login: &Value| member(login, &["type"]).unwrap_or_default().to_owned();
    Ok(logins.as_object().into_iter().flatten().map(|(id, login)| (id.clone(), kind(login))).collect())
}

/// Its configuration files, in the order in which they are laid over one another.
fn documents() -> Result<Vec<Value>> {
    let named = |folder: PathBuf| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name));
    let global = configuration_folder()?.join("opencode");
    let mut files = vec![global.join("config.json")];
    files.extend(named(global));
    files.extend(home::set("OPENCODE_CONFIG"));
    let here = env::current_dir().context("the current folder cannot be found")?;
    let mut folders: Vec<PathBuf> = here.ancestors().map(PathBuf::from).collect();
    folders.reverse();
    files.extend(folders.iter().flat_map(|folder| named(folder.clone())));
    files.extend(folders.iter().flat_map(|folder| named(folder.join(".opencode"))));
    files.extend(home::set("OPENCODE_CONFIG_DIR").into_iter().flat_map(named));
    let mut seen = BTreeSet::new();
    let mut documents = Vec::new();
    for file in files.into_iter().filter(|file| seen.insert(file.clone())) {
        // An empty one is being written, perhaps by what we print.
        if let Some(text) = fs::read_to_string(&file).ok().filter(|text| !text.trim().is_empty()) {
            documents.push(jsonc::parse(&text).with_context(|| format!("{} is no JSON", file.display()))?);
        }
    }
    if let Some(text) = set(CONTENT) {
        documents.push(jsonc::parse(&text).with_context(|| format!("{CONTENT} is no JSON"))?);
    }
    Ok(documents)
}
