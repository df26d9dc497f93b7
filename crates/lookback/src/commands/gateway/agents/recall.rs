//! How an agent is told, for one process, of the server that gives it details back (`lookback mcp`).

use std::env;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::Agent;
use crate::home;

/// Its name at the agent: requests that declare its tools get a line on them in their blocks.
const NAME: &str = "lookback";

/// The server as a command.
#[derive(Debug)]
pub(crate) struct Recall {
    agent: Agent,
    program: String,
    home: String,
}

impl Recall {
    pub(crate) fn of(agent: Agent) -> Result<Self> {
        if !matches!(agent, Agent::Claude | Agent::Codex | Agent::Opencode) {
            bail!(
                "--recall: {} cannot be told of another server for one process; claude, codex and opencode can",
                agent.name()
            );
        }
        let text = |path: std::path::PathBuf| path.into_os_string().into_string().ok();
        let program = text(env::current_exe().context("where this program is cannot be found")?);
        let home = text(home::locate()?);
        let (program, home) = program.zip(home).context("--recall: the path of this program is no text")?;
        Ok(Self { agent, program, home })
    }

    /// Before the agent's own. With an equals sign: Claude Code takes every word behind a space for one more server.
    pub(super) fn arguments(&self) -> Vec<String> {
        let Self { program, home, .. } = self;
        let text = |text: &str| Value::from(text).to_string();
        match self.agent {
            Agent::Claude => {
                let server = json!({"command": program, "args": ["mcp"], "env": {"LOOKBACK_HOME": home}});
                vec![format!("--mcp-config={}", json!({"mcpServers": {NAME: server}}))]
            }
            Agent::Codex => [
                format!("mcp_servers.{NAME}.command={}", text(program)),
                format!("mcp_servers.{NAME}.args=[\"mcp\"]"),
                format!("mcp_servers.{NAME}.env.LOOKBACK_HOME={}", text(home)),
            ]
            .into_iter()
            .flat_map(|pair| ["-c".to_owned(), pair])
            .collect(),
            _ => Vec::new(),
        }
    }

    /// For its configuration.
    pub(super) fn opencode(&self) -> Value {
        let Self { program, home, .. } = self;
        json!({NAME: {"type": "local", "command": [program, "mcp"], "environment": {"LOOKBACK_HOME": home}, "enabled": true}})
    }
}
