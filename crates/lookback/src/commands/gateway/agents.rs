//! Agents that can be led through a gateway: where their requests go now, and how each is told to send them elsewhere.
//!
//! Nothing of theirs is written, and of a login only its kind is read.

mod codex;
mod jsonc;
mod opencode;
mod recall;

pub(crate) use recall::Recall;

use std::{env, ffi::OsString, fs, net::SocketAddr, path::PathBuf, str::FromStr};

use anyhow::{Context, Result, bail};
use lookback_gateway::Upstreams;
use serde_json::{Map, Value, json};

use crate::{home, screen};

/// Agents whose base URL can be set from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    Codex,
    Opencode,
    Qwen,
    Goose,
    Aider,
}

const AGENTS: [(Agent, &str); 6] = [
    (Agent::Claude, "claude"),
    (Agent::Codex, "codex"),
    (Agent::Opencode, "opencode"),
    (Agent::Qwen, "qwen"),
    (Agent::Goose, "goose"),
    (Agent::Aider, "aider"),
];

impl FromStr for Agent {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match (AGENTS.iter().find(|(_, known)| *known == name), name) {
            (Some((agent, _)), _) => Ok(*agent),
            (None, "gemini") => Err("gemini speaks an API of Google's own, which the gateway does not read".to_owned()),
            (None, "pi") => {
                Err("pi takes a base URL only from a file of its own, and nothing of yours is written here".to_owned())
            }
            _ => Err(format!("choose {}", AGENTS.map(|(_, name)| name).join(", "))),
        }
    }
}

impl Agent {
    /// What its program is called.
    pub(crate) fn name(self) -> &'static str {
        AGENTS.iter().find(|(agent, _)| *agent == self).map_or("", |(_, name)| name)
    }

    /// Where its requests go without us, by what it would be started with; with one upstream for all, where they would.
    pub(crate) fn ways(self, arguments: &[OsString], upstream: Option<&str>) -> Result<Ways> {
        let variable = |name, usual: Option<String>| {
            let url = set(name).or(usual);
            url.map(|url| Way { told: Told::Variable(name), url })
        };
        let usual = |url: &str| Some(url.to_owned());
        let ways = match self {
            Self::Claude => vec![variable("ANTHROPIC_BASE_URL", usual(ANTHROPIC))],
            // Its own default depends on the login; a key must not go to somebody else.
            Self::Qwen => vec![variable("OPENAI_BASE_URL", None)],
            Self::Aider => vec![variable("OPENAI_API_BASE", usual(&format!("{OPENAI}/v1")))],
            Self::Goose => vec![
                variable("OPENAI_HOST", goose_setting("OPENAI_HOST").or_else(|| usual(OPENAI))),
                variable("ANTHROPIC_HOST", goose_setting("ANTHROPIC_HOST").or_else(|| usual(ANTHROPIC))),
            ],
            Self::Codex => vec![Some(codex::way(arguments, upstream)?)],
            Self::Opencode => return opencode::ways(),
        };
        let ways: Vec<Way> = ways.into_iter().flatten().collect();
        if ways.is_empty() {
            bail!("OPENAI_BASE_URL is not set: set it to where {} sends its requests now", self.name());
        }
        Ok(Ways { ways, elsewhere: Vec::new() })
    }
}

pub(super) const ANTHROPIC: &str = "https://api.anthropic.com";
pub(super) const OPENAI: &str = "https://api.openai.com";

/// What goes through the gateway, and logins of the agent's that do not.
#[derive(Debug)]
pub(crate) struct Ways {
    ways: Vec<Way>,
    pub(crate) elsewhere: Vec<String>,
}

/// One base URL of an agent's.
#[derive(Debug)]
struct Way {
    told: Told,
    url: String,
}

/// How an agent is told of another one.
#[derive(Debug)]
enum Told {
    Variable(&'static str),
    /// A key of codex's configuration.
    CodexKey(String),
    /// A provider in opencode's configuration.
    OpencodeProvider(String),
}

/// What an agent is started with, or what a person writes down.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) variables: Vec<(String, String)>,
    /// Before its own.
    pub(crate) arguments: Vec<String>,
}

impl Ways {
    /// For a gateway that is only this agent's. Each goes on to where it went.
    pub(crate) fn upstreams(&self) -> Result<Upstreams> {
        let mut upstreams = Upstreams::default();
        for (place, way) in self.ways.iter().enumerate() {
            upstreams.named.insert(place.to_string(), origin(&way.url)?.to_owned());
        }
        Ok(upstreams)
    }

    /// What the agent is started with, so that it talks to that gateway, and to our server of details where there is one.
    pub(crate) fn told(&self, address: SocketAddr, recall: Option<Recall>) -> Result<Settings> {
        let mut settings = Settings::default();
        let mut providers = Map::new();
        let is_opencode = self.ways.iter().any(|way| matches!(way.told, Told::OpencodeProvider(_)));
        settings.arguments.extend(recall.iter().flat_map(Recall::arguments));
        for (place, way) in self.ways.iter().enumerate() {
            let rest = &way.url[origin(&way.url)?.len()..];
            let url = format!("http://{address}/u/{place}{}", rest.trim_end_matches('/'));
            match &way.told {
                Told::Variable(name) => settings.variables.push(((*name).to_owned(), url)),
                Told::CodexKey(key) => settings.arguments.extend(["-c".to_owned(), format!("{key}=\"{url}\"")]),
                Told::OpencodeProvider(name) => {
                    providers.insert(name.clone(), json!({"options": {"baseURL": url}}));
                }
            }
        }
        if is_opencode {
            let mut content = json!({"provider": providers});
            if let Some(recall) = recall {
                content["mcp"] = recall.opencode();
            }
            settings.variables.push(opencode::with_content(content)?);
        }
        Ok(settings)
    }

    /// The lines for a gateway that stands at an address and has these upstreams.
    pub(crate) fn lines(&self, address: SocketAddr, upstreams: &Upstreams) -> Result<String> {
        let mut lines = Vec::new();
        let mut providers = Map::new();
        let bases: Vec<Result<String>> = self.ways.iter().map(|way| standing(&way.url, upstreams)).collect();
        let all_fail = bases.iter().all(Result::is_err);
        for (way, base) in self.ways.iter().zip(bases) {
            let url = match base {
                Ok(base) => format!("http://{address}{base}"),
                Err(error) if all_fail => return Err(error),
                // One gateway may not be able to lead all of an agent's providers on.
                Err(error) => {
                    screen::remark(&format!("left out: {error}"));
                    continue;
                }
            };
            match &way.told {
                Told::Variable(name) => lines.push(format!("export {name}={url}")),
                Told::CodexKey(key) => match key.rsplit_once('.') {
                    Some((table, key)) => lines.extend([format!("[{table}]"), format!("{key} = \"{url}\"")]),
                    None => lines.push(format!("{key} = \"{url}\"")),
                },
                Told::OpencodeProvider(name) => {
                    providers.insert(name.clone(), json!({"options": {"baseURL": url}}));
                }
            }
        }
        if !providers.is_empty() {
            lines.push(serde_json::to_string_pretty(&json!({"provider": providers}))?);
        }
        Ok(lines.join("\n"))
    }
}

/// The path at a standing gateway that leads to a URL.
fn standing(url: &str, upstreams: &Upstreams) -> Result<String> {
    if let Some(all) = &upstreams.all {
        // Whoever names an upstream wants the same requests there.
        let path = &url[origin(url)?.len()..];
        return Ok(behind(url, all).unwrap_or(path.trim_end_matches('/')).to_owned());
    }
    let usual = [ANTHROPIC, OPENAI].into_iter().find_map(|usual| behind(url, usual)).map(str::to_owned);
    let named = || upstreams.named.iter().find_map(|(name, base)| Some(format!("/u/{name}{}", behind(url, base)?)));
    usual.or_else(named).with_context(|| {
        format!("requests go to {url}: start the gateway with --upstream {url}, and say the same here")
    })
}

/// What a URL has behind a base. A version belongs to the path: the gateway says it once.
fn behind<'u>(url: &'u str, base: &str) -> Option<&'u str> {
    let base = base.trim_end_matches('/');
    let rest = url.trim_end_matches('/').strip_prefix(base.strip_suffix("/v1").unwrap_or(base))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Scheme, host and port.
fn origin(url: &str) -> Result<&str> {
    let start = url.find("://").map(|at| at + 3).filter(|start| url.len() > *start);
    let start = start.with_context(|| format!("{url} is no base URL: it needs https:// before it"))?;
    Ok(url[start..].find('/').map_or(url, |end| &url[..start + end]))
}

fn set(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}

/// Where this person's files are.
fn person() -> Result<PathBuf> {
    home::set("HOME").context("HOME is not set: the agent's own settings cannot be found")
}

fn configuration_folder() -> Result<PathBuf> {
    home::set("XDG_CONFIG_HOME").map_or_else(|| person().map(|home| home.join(".config")), Ok)
}

/// A plain value of goose's configuration, which the environment overrides.
fn goose_setting(name: &str) -> Option<String> {
    let text = fs::read_to_string(configuration_folder().ok()?.join("goose/config.yaml")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let value = line.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}

/// A member of a document, by its path.
fn member<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    path.iter().try_fold(value, |value, key| value.get(key))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_gateway_is_reached_by_the_path_that_leads_on() {
        let named = [("chatgpt", "https://chatgpt.com"), ("openrouter", "https://openrouter.ai/api/v1")];
        let named = named.map(|(name, url)| (name.to_owned(), url.to_owned())).into();
        let upstreams = Upstreams { all: None, named };
        let path = |url: &str| standing(url, &upstreams).map_err(|error| error.to_string());
        assert_eq!(path("https://api.anthropic.com"), Ok(String::new()));
        assert_eq!(path("https://api.openai.com/v1/"), Ok("/v1".to_owned()));
        assert_eq!(path("https://chatgpt.com/backend-api/codex"), Ok("/u/chatgpt/backend-api/codex".to_owned()));
        assert_eq!(path("https://openrouter.ai/api/v1"), Ok("/u/openrouter/v1".to_owned()));
        assert!(path("https://api.openai.com.example").is_err());
        assert!(path("http://127.0.0.1:9/v1").is_err());
        let upstreams = Upstreams { all: Some("http://127.0.0.1:9/v1".to_owned()), ..upstreams };
        assert_eq!(standing("http://127.0.0.1:9/v1", &upstreams).ok(), Some("/v1".to_owned()));
        assert_eq!(standing("https://api.openai.com/v1", &upstreams).ok(), Some("/v1".to_owned()));
    }

    #[test]
    fn an_origin_ends_before_the_path() {
        assert_eq!(origin("https://a.example:1/v1").ok(), Some("https://a.example:1"));
        assert_eq!(origin("http://[::1]:8").ok(), Some("http://[::1]:8"));
        assert!(origin("a.example/v1").is_err());
    }
}
