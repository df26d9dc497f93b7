//! What answers requests. Which kind it is matters only to whoever chose it.

use crate::{Answering, Client, Request, script::ScriptModel};

/// A provider, or something in its place.
#[derive(Debug, Clone)]
pub enum Model {
    /// Over a network.
    Http(Client),
    /// From a file.
    Script(ScriptModel),
}

impl Model {
    /// Nothing is sent before the answer is asked for.
    pub fn send(&self, request: Request) -> Answering {
        match self {
            Self::Http(client) => client.send(request),
            Self::Script(script) => script.send(request),
        }
    }
}
