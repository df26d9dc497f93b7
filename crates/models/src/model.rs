//! What answers requests. Which kind it is matters only to whoever chose it.

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
