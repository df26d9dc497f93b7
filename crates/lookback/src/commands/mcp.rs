//! `lookback mcp`: an agent that knows nothing of us asks for a detail that a block left out.
//!
//! Every question names the conversation, as the block does that the question comes from; only conversations that the gateway
//! recorded and in which a block stands can be asked for, and none by the beginning of its id. So an agent reaches what it was
//! shown itself.

use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use lookback_engine::{
    Session,
    evidence::pointer::Pointer,
    recall,
    trace::{EventBody, EventNo, SessionId},
};
use lookback_store::{Snapshot, StoreError};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::stdio,
};
use serde_json::{Value, json};

use crate::{commands::runtime, home, opened};

/// What one answer may hold: as much as clients take from a tool.
const LONGEST: usize = 60_000;
/// As wide as a person would have it.
const COLUMNS: usize = 100;
/// Finds of one search.
const FINDS: usize = 20;

pub(crate) fn run() -> Result<()> {
    runtime()?.block_on(async {
        let served = Served.serve(stdio()).await.map_err(|error| anyhow!("no client spoke: {error}"))?;
        served.waiting().await.map_err(|error| anyhow!("the client broke off: {error}"))?;
        Ok(())
    })
}

#[derive(Debug, Clone, Copy)]
struct Served;

impl ServerHandler for Served {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("lookback", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(include_str!("../../../../prompts/en/mcp.txt").trim().to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let said = match answer(&request.name, &arguments) {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("{error:#}"))]),
        };
        Ok(said.into())
    }
}

fn tools() -> Vec<Tool> {
    let conversation = json!({"type": "string", "description": "the id in the opening tag of a lookback-block"});
    let tool = |name: &'static str, description: &'static str, own: Value| {
        let mut properties = JsonObject::new();
        properties.insert("conversation".to_owned(), conversation.clone());
        let mut required = vec![json!("conversation")];
        for (name, property) in own.as_object().into_iter().flatten() {
            properties.insert(name.clone(), property.clone());
            required.push(json!(name));
        }
        let schema = json!({"type": "object", "properties": properties, "required": required});
        Tool::new(name, description, Arc::new(schema.as_object().cloned().unwrap_or_default()))
    };
    vec![
        tool(
            "recall",
            "Gives back what a pointer of a lookback-block stands for, complete: turn#12, cmd#8, user#3, file:src/a.py:L10-L20.",
            json!({"pointer": {"type": "string", "description": "as it stands in the block"}}),
        ),
        tool(
            "search",
            "Finds words in everything that was said, run and read in this conversation, with pointers for recall.",
            json!({"words": {"type": "string"}}),
        ),
        tool("board", "Says where the work stands: task, open questions, next actions, changed files.", json!({})),
    ]
}

fn answer(tool: &str, arguments: &Value) -> Result<String> {
    let text = |name: &str| arguments[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let store = home::open_store()?.snapshot()?;
    let named =
        text("conversation").context("say which conversation: the id in the opening tag of a lookback-block")?;
    let conversation = find(&store, named)?;
    let said = match tool {
        "recall" => recalled(&store, &conversation, text("pointer").context("say a pointer, such as cmd#8")?)?,
        "search" => found(&store, &conversation, text("words").context("say words to look for")?)?,
        "board" => board(&opened::replay(&store, &conversation, None)?),
        other => bail!("there is no tool \"{other}\": recall, search and board"),
    };
    Ok(match said.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            format!("{}\n[{} more characters: ask for fewer lines]", &said[..end], said[end..].chars().count())
        }
        None => said,
    })
}

fn board(session: &Session) -> String {
    let files = session.files();
    let named = |name: &str, paths: &[String]| {
        if paths.is_empty() { String::new() } else { format!(" {name}: {}\n", paths.join(", ")) }
    };
    let board = session.state().board().for_people(COLUMNS, &session.configuration().board);
    let (changed, deleted) = (named("changed", &files.changed), named("deleted", &files.deleted));
    format!("{board}{changed}{deleted}{}", named("scratch", &files.scratch))
}

/// Whole ids of conversations that the gateway recorded and put a block into, and nothing else that is stored.
fn find(store: &Snapshot, named: &str) -> Result<SessionId> {
    let id = SessionId(named.to_owned());
    let start = store.event(&id, EventNo(0)).map(|event| event.event);
    match start {
        Ok(EventBody::SessionStarted(start)) if start.is_guest() && has_block(store, &id)? => Ok(id),
        _ => bail!("no block carries the id \"{named}\": take it from the opening tag of a lookback-block"),
    }
}

/// Reads no further than to the first one.
fn has_block(store: &Snapshot, conversation: &SessionId) -> Result<bool, StoreError> {
    enum Ended {
        AtBlock,
        Broken(StoreError),
    }
    impl From<StoreError> for Ended {
        fn from(error: StoreError) -> Self {
            Self::Broken(error)
        }
    }
    let walked = store.for_each_event(conversation, |event| match event.event {
        EventBody::Fold(_) => Err(Ended::AtBlock),
        _ => Ok(()),
    });
    match walked {
        Ok(()) => Ok(false),
        Err(Ended::AtBlock) => Ok(true),
        Err(Ended::Broken(error)) => Err(error),
    }
}

fn recalled(store: &Snapshot, conversation: &SessionId, pointer: &str) -> Result<String> {
    let pointer: Pointer = pointer.trim_matches(['[', ']']).parse()?;
    if pointer.session.is_some() {
        bail!("a pointer names no session here: the conversation is given beside it");
    }
    let recalled = recall::recall(&pointer.place, None, &store.trace(conversation)?, store)?;
    let pieces = recalled.pieces.iter();
    let pieces: Vec<String> =
        pieces.map(|piece| format!("{}\n{}", piece.label, String::from_utf8_lossy(&piece.bytes))).collect();
    Ok(pieces.join("\n"))
}

fn found(store: &Snapshot, conversation: &SessionId, words: &str) -> Result<String> {
    let hits = store.search(words, Some(conversation), FINDS)?;
    if hits.is_empty() {
        return Ok("nothing in this conversation holds all of these words".to_owned());
    }
    let lines = hits.iter().map(|hit| {
        let turn = hit.turn.map_or_else(String::new, |turn| format!("turn#{turn} "));
        format!("{turn}line {}: {}", hit.line_number, hit.line)
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use lookback_engine::{
        Context, SessionSetup,
        trace::{
            BlobHash, Event, Timestamp, TurnNo,
            decision::{Fold, TurnRange},
            start::{Counted, RecordedBy},
        },
    };
    use lookback_store::Store;

    use super::*;

    #[test]
    fn only_conversations_with_a_block_are_reached() {
        let home = tempfile::tempdir().expect("a folder");
        let store = Store::open(home.path()).expect("a store");
        let guest = || {
            let (client, upstream, credential) = ("example".to_owned(), String::new(), BlobHash([0; 32]));
            RecordedBy::Gateway { client, upstream, credential }
        };
        for (name, recorded_by, has_block) in
            [("folded", guest(), true), ("observed", guest(), false), ("ours", RecordedBy::Agent, true)]
        {
            let setup = SessionSetup { recorded_by, ..SessionSetup::new(SessionId(name.to_owned())) };
            let now = Context { now: Timestamp(0), count: &lookback_tokens::count_o200k, blobs: &store };
            let session = Session::start(setup, &now).expect("a session");
            let mut events = session.trace().to_vec();
            let range = TurnRange { first: TurnNo(1), last: TurnNo(1) };
            let fold = Fold::bare(1, range, Counted { text: "a block".to_owned(), tokens: 2 });
            let seq = EventNo(events.len() as u64);
            events.extend(has_block.then(|| Event { seq, at: Timestamp(0), event: EventBody::Fold(Box::new(fold)) }));
            store.create(&events).expect("stored");
        }
        let store = store.snapshot().expect("a moment of it");
        assert!(find(&store, "folded").is_ok());
        for name in ["observed", "ours", "nobody", "fold"] {
            let said = find(&store, name).expect_err(name).to_string();
            assert!(said.starts_with(&format!("no block carries the id \"{name}\"")), "{said}");
        }
    }
}
