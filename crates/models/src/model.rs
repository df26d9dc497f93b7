//! Whoever answers requests. What it is made of concerns only the one who chose it.

use crate::{Answering, Client, Request, script::ScriptModel};

#[derive(Debug, Clone)]
pub enum Model {
    Http(Client),
    Script(ScriptModel),
}

impl Model {
    pub fn send(&self, request: Request) -> Answering {
        match self {
            Self::Http(client) => client.send(request),
            Self::Script(script) => script.send(request),
        }
    }
}
