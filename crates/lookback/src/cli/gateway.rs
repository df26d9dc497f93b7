//! What a person can type for the gateway.

use std::{ffi::OsString, net::SocketAddr};

use clap::{Args, Subcommand};
use lookback_gateway::Mode;

use super::parse_age;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GatewayArguments {
    #[command(subcommand)]
    pub(crate) command: Option<GatewayCommand>,
    /// Where to listen, on this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4141")]
    pub(crate) listen: SocketAddr,
    /// Where requests go on to; without it to Anthropic or OpenAI, by the API of the request
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// observe: record and change nothing; fold: put blocks in the place of old messages; off: only pass on
    #[arg(long, value_name = "MODE", default_value = "observe")]
    pub(crate) mode: Mode,
    /// Prices and rules for all models: a model, a provider, or a file of cards
    #[arg(long, value_name = "NAME")]
    pub(crate) card: Option<String>,
    /// Only print the settings by which this agent uses a gateway at --listen: claude, codex, opencode, qwen, goose, aider
    #[arg(long = "for", value_name = "AGENT", conflicts_with_all = ["mode", "card"])]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GatewayCommand {
    /// Say what was paid through gateways, and what folding saved or would have saved, by day and agent
    Report(GatewayReportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct GatewayReportArguments {
    /// Only calls of the last so much time: 30d, 12h, 2w
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) since: Option<jiff::SignedDuration>,
    /// Bill by these prices: a provider, a model, or a file of cards [default: those that each session was recorded with]
    #[arg(long, value_name = "NAME")]
    pub(crate) card: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WithArguments {
    /// Put short blocks in the place of old messages; without it nothing is changed
    #[arg(long)]
    pub(crate) fold: bool,
    /// Let the agent ask for what a block left out, by `lookback mcp`: claude, codex and opencode can
    #[arg(long)]
    pub(crate) recall: bool,
    /// Prices and rules for all models: a model, a provider, or a file of cards
    #[arg(long, value_name = "NAME")]
    pub(crate) card: Option<String>,
    /// The agent, as you would type it: claude, codex, opencode, qwen, goose or aider with its own arguments
    #[arg(value_name = "AGENT", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<OsString>,
}
