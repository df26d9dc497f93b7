//! What a person can type for the gateway.

use std::net::SocketAddr;

use clap::Args;
use lookback_gateway::Mode;

#[derive(Debug, Args)]
pub(crate) struct GatewayArguments {
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
}
