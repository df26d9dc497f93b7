//! A request that is understood: whose it is, where in which conversation, and what stands in it.

use std::{collections::BTreeSet, sync::Arc};

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use lookback_wire::{
    Body, Provider,
    body::{Block, Edit, Link, Mark, SectionKind},
};
use tracing::warn;

use crate::{
    coding::Coding,
    house::House,
    refusal::Refusal,
    route::Route,
    table::StandingFold,
    who::{Kind, Who},
};

/// Anthropic takes no more marks in one body.
const MOST_MARKS: usize = 4;

/// A body, and what is known about it.
pub(crate) struct Read {
    pub(crate) body: Arc<Body>,
    coding: Coding,
    pub(crate) chain: Arc<[Link]>,
    pub(crate) who: Who,
    pub(crate) credential: [u8; 32],
}

impl Read {
    /// None: it is passed on as it is, because nobody here can read it.
    pub(crate) async fn of(
        house: &House,
        api: Provider,
        route: &Route<'_>,
        headers: &HeaderMap,
        sent: &Bytes,
        base: &str,
    ) -> Result<Option<Self>, Refusal> {
        let named = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let unpacked = Coding::parse(named).and_then(|coding| Ok((coding, coding.unpack(sent)?)));
        let (coding, plain) = unpacked.map_err(|error| Refusal::new(413, "request_too_large", error.to_string()))?;
        let body = match Body::parse(api, plain) {
            Ok(body) => Arc::new(body),
            Err(error) => {
                warn!(%error, "a body that is not read here is passed on as it is");
                return Ok(None);
            }
        };
        let credential = credential(headers, &house.options.secret);
        let mut seed = blake3::Hasher::new_keyed(&credential);
        let seed = seed.update(base.as_bytes()).update(api.name().as_bytes()).finalize();
        let chain: Arc<[Link]> = body.chain(seed.as_bytes()).into();
        let who = Who::of(headers, &body, route.session);
        if chain.len() > 1 && !house.table.knows(&chain) {
            // A conversation of an earlier process, perhaps: the store knows how far it came.
            let (store, table, chain) = (house.options.store.clone(), Arc::clone(&house.table), Arc::clone(&chain));
            let learned = tokio::task::spawn_blocking(move || table.learn_from(&store, &chain)).await;
            if let Ok(Err(error)) = learned {
                warn!(%error, "the store cannot be asked for earlier conversations");
            }
        }
        Ok(Some(Self { body, coding, chain, who, credential }))
    }

    /// What is sent in the place of the client's bytes: the same with its standing folds. None: nothing stands in it.
    pub(crate) fn folded(&self, house: &House) -> Option<Bytes> {
        if self.who.kind == Kind::Elsewhere {
            return None;
        }
        let folds = house.table.standing(&self.chain);
        if folds.is_empty() {
            return None;
        }
        let packed = self.coding.pack(splice(&self.body, &folds)?).ok()?;
        house.metrics.folded_requests.add(1);
        Some(packed.into())
    }
}

/// The body with its standing folds. The newest block carries the seam's mark, where there is room for one.
fn splice(body: &Body, folds: &[Arc<StandingFold>]) -> Option<Vec<u8>> {
    let mut standing: Vec<&StandingFold> = Vec::new();
    for fold in folds {
        let end = standing.last().map_or(0, |last| last.end);
        if fold.first >= end && fold.end <= body.messages().len() {
            standing.push(fold);
        }
    }
    let covers = |entry: usize| standing.iter().any(|fold| (fold.first..fold.end).contains(&entry));
    let is_kept = |mark: &&Mark| mark.section != SectionKind::Messages || !covers(mark.entry);
    // Only Anthropic's caches go by marks.
    let has_room = body.provider() == Provider::Anthropic && body.marks().filter(is_kept).count() < MOST_MARKS;
    let last = standing.len().checked_sub(1)?;
    let with = |place: usize, fold: &StandingFold| match place == last && has_room {
        true => marked(&fold.block),
        false => fold.block.clone(),
    };
    let blocks: Vec<Bytes> = standing.iter().enumerate().map(|(place, fold)| with(place, fold)).collect();
    let replaced = standing.iter().zip(&blocks).map(|(fold, block)| {
        let edit = Edit::Messages { range: fold.first..fold.end, with: (&block[..]).into() };
        (body.messages()[fold.first].span.start, edit)
    });
    let thought = standing.iter().flat_map(|fold| fold.end..fold.thinking_from).filter(|message| !covers(*message));
    let thought: BTreeSet<usize> = thought.collect();
    let mut edits: Vec<(usize, Edit<'_>)> =
        replaced.chain(thought.into_iter().flat_map(|message| without_thinking(body, message))).collect();
    edits.sort_by_key(|(start, _)| *start);
    let edits: Vec<Edit<'_>> = edits.into_iter().map(|(_, edit)| edit).collect();
    let spliced = body.splice(&edits);
    spliced.map_err(|error| warn!(%error, "a fold does not fit its request")).ok()
}

/// Takes the thinking out of a message, run by run, each with the place where it begins.
fn without_thinking(body: &Body, message: usize) -> Vec<(usize, Edit<'static>)> {
    let blocks = body.blocks(message);
    let is_thinking =
        |block: &Block| block.kind.is_some_and(|kind| matches!(&*body.text(kind), "thinking" | "redacted_thinking"));
    let (mut edits, mut at) = (Vec::new(), 0);
    while at < blocks.len() {
        let run = blocks[at..].iter().take_while(|block| is_thinking(block)).count();
        if let Some(edit) = (run > 0).then(|| body.plan_unblock(message, at..at + run)).flatten() {
            edits.push((blocks[at].span.start, edit));
        }
        at += run.max(1);
    }
    edits
}

/// A block with a cache mark on it, as Anthropic's bodies have them.
fn marked(block: &Bytes) -> Bytes {
    const BEFORE: &[u8] = b"{\"messages\":[";
    let whole = [BEFORE, block, b"]}"].concat();
    let Ok(body) = Body::parse(Provider::Anthropic, whole) else { return block.clone() };
    let edit = body.blocks(0).len().checked_sub(1).and_then(|last| body.plan_mark(0, last));
    let Some(Ok(spliced)) = edit.map(|edit| body.splice(&[edit])) else { return block.clone() };
    let end = spliced.len() - 2;
    Bytes::from(spliced).slice(BEFORE.len()..end)
}

/// A keyed hash: it tells two credentials apart and gives neither away.
fn credential(headers: &HeaderMap, secret: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    for name in ["authorization", "x-api-key", "api-key", "x-goog-api-key"] {
        if let Some(value) = headers.get(name) {
            hasher.update(name.as_bytes()).update(value.as_bytes());
        }
    }
    *hasher.finalize().as_bytes()
}
