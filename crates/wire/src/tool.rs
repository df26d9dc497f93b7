//! A tool as it is declared to a model.

use serde::{Deserialize, Serialize};

/// Declared from the first request on, in one fixed order: a changed tool list costs the whole prefix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// By which the model calls it.
    pub name: String,
    /// What the model is told of it.
    pub description: String,
    /// The JSON schema of the arguments, as text, so that it is sent as it was written.
    pub parameters: String,
}
