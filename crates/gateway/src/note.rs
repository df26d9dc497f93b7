//! What the request path tells the desk: of a request when it goes on, of its answer when that is over.

use std::sync::Arc;

use bytes::Bytes;
use lookback_engine::trace::start::ClientRecall;
use lookback_wire::{
    Body, Provider, Reply, ReplyReader,
    body::{Link, SectionKind},
    parse_reply,
};
use tokio::sync::oneshot;

use crate::{
    coding::Coding,
    forward::Heard,
    options::Mode,
    table::{ConversationId, Place},
    who::{Kind, Name, Who},
};

/// How clients declare our tool: their name for the server stands before it, set apart in one of two ways.
const RECALL_TOOL: [&str; 2] = ["lookback_recall", "lookback__recall"];

/// A main request on its way.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) request: u64,
    pub(crate) place: Place,
    pub(crate) body: Arc<Body>,
    pub(crate) chain: Arc<[Link]>,
    pub(crate) who: Who,
    pub(crate) upstream: String,
    pub(crate) credential: [u8; 32],
    pub(crate) at: i64,
    pub(crate) mode: Mode,
    /// It waits until what is due in it is folded; whoever waits is told whether that was anything.
    pub(crate) afresh: Option<oneshot::Sender<bool>>,
}

/// Its answer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) request: u64,
    pub(crate) conversation: ConversationId,
    pub(crate) status: u16,
    pub(crate) coding: Coding,
    pub(crate) heard: Heard,
    pub(crate) at: i64,
}

/// A request beside the conversation.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) named: Option<Name>,
    pub(crate) kind: Kind,
    pub(crate) chain: Option<Link>,
    pub(crate) at: i64,
    pub(crate) api: Provider,
    pub(crate) model: String,
}

/// What the desk is told.
#[derive(Debug)]
pub(crate) enum Note {
    Asked(Box<Asked>),
    Answered(Box<Answered>),
    Beside(Box<(Beside, Answered)>),
    TooLong { request: u64, conversation: ConversationId, at: i64, made: oneshot::Sender<bool> },
    End,
}

impl Note {
    /// What it holds in memory while it waits.
    pub(crate) fn bytes(&self) -> u64 {
        let heard = |answered: &Answered| answered.heard.chunks.iter().map(Bytes::len).sum::<usize>() as u64;
        match self {
            Self::Asked(asked) => asked.body.bytes().len() as u64,
            Self::Answered(answered) => heard(answered),
            Self::Beside(beside) => heard(&beside.1),
            Self::TooLong { .. } | Self::End => 0,
        }
    }
}

impl Asked {
    /// Whether the request declares the tool by which its client gets details back.
    pub(crate) fn recall(&self) -> ClientRecall {
        let tools = self.body.section(SectionKind::Tools).map(|tools| self.body.slice(tools.span)).unwrap_or_default();
        match RECALL_TOOL.iter().any(|name| memchr::memmem::find(tools, name.as_bytes()).is_some()) {
            true => ClientRecall::Declared,
            false => ClientRecall::Absent,
        }
    }
}

impl Answered {
    /// What an answer says: a stream's, or a whole one's.
    pub(crate) fn reply(&self, provider: Provider) -> Option<Reply> {
        let whole: Bytes = match &self.heard.chunks[..] {
            [] => return None,
            [one] => one.clone(),
            many => many.concat().into(),
        };
        let plain = self.coding.unpack(&whole).ok()?;
        if plain.trim_ascii_start().starts_with(b"{") {
            return parse_reply(provider, &plain).ok();
        }
        let mut reader = ReplyReader::new(provider);
        // What cannot be read ends the copy, and not the stream.
        let _ = reader.push(&plain);
        Some(reader.finish())
    }
}
