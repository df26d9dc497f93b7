//! What a person can type for `run`, `resume` and `undo`.

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use lookback_agent::permission::Mode;
use lookback_engine::configuration::CacheChoice;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What is to be done; without it, or with -, standard input says it
    #[arg(value_name = "TASK")]
    pub(crate) task: Option<String>,
    /// Go on with this session, by the beginning of its id
    #[arg(long, value_name = "ID", conflicts_with = "continues")]
    pub(crate) session: Option<String>,
    /// Go on with the newest session of this project
    #[arg(long = "continue")]
    pub(crate) continues: bool,
    #[command(flatten)]
    pub(crate) how: RunOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// The session, by the beginning of its id [default: the newest run in this folder]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) how: RunOptions,
}

/// How a run works.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// The model, as PROVIDER/MODEL, or script:FILE to play a recording
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Ask the model at this server
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Print every event as one JSON object, and one more at the end
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop after so many answers of the model
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,
    /// Stop before the call that would spend more dollars than this
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// What runs without asking: read-only, ask, auto-edit or full; without a terminal whatever would ask is denied [default:
    /// auto-edit, or as the session was run before]
    #[arg(long, value_name = "MODE")]
    pub(crate) permission: Option<Mode>,
    /// Let commands that begin with these words run
    #[arg(long, value_name = "CMD")]
    pub(crate) allow: Vec<String>,
    /// Let commands reach the network
    #[arg(long)]
    pub(crate) network: bool,
    /// Run commands though this machine cannot keep them inside
    #[arg(long)]
    pub(crate) without_sandbox: bool,
    /// Let tools reach this folder too
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Tell the model only of these tools
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// How long cache entries live, where customers choose: auto, 5m, 1h-base (system prompt and tools for an hour) or 1h
    #[arg(long, value_name = "TIME", value_parser = cache_choices())]
    pub(crate) cache: Option<CacheChoice>,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The session, by the beginning of its id [default: the newest run in this folder]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

impl RunArguments {
    /// Whether a session is taken up again, which needs no new task.
    pub(crate) fn resumes(&self) -> bool {
        self.session.is_some() || self.continues
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount: f64 = text.trim_start_matches('$').parse().map_err(|_| "name dollars, as in 0.50".to_owned())?;
    if amount.is_finite() && amount > 0.0 { Ok(amount) } else { Err("name more than nothing".to_owned()) }
}

fn cache_choices() -> impl TypedValueParser<Value = CacheChoice> {
    PossibleValuesParser::new(["auto", "5m", "1h-base", "1h"]).map(|name| match name.as_str() {
        "5m" => CacheChoice::FiveMinutes,
        "1h-base" => CacheChoice::HourForBase,
        "1h" => CacheChoice::Hour,
        _ => CacheChoice::Auto,
    })
}
