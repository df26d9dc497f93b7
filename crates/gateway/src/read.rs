//! A request that is understood: whose it is, where in which conversation, and what stands in it.

use std::{collections::BTreeSet, sync::Arc};

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use lookback_wire::{
    Body, MarkLifetime, Provider,
    body::{Block, Digest, Edit, Link, Mark, SectionKind, chain_of},
};
use tracing::warn;

use crate::{
    coding::{Coding, CodingError},
    credential,
    forward::listed,
    house::House,
    options::Mode,
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
    pub(crate) digests: Vec<Digest>,
    pub(crate) chain: Arc<[Link]>,
    pub(crate) who: Who,
    pub(crate) credential: [u8; 32],
}

impl Read {
    /// None: it is passed on as it is, because nobody here can read it.
    pub(crate) async fn of(
        house: &House,
        mode: Mode,
        api: Provider,
        route: &Route<'_>,
        headers: &HeaderMap,
        sent: &Bytes,
        base: &str,
    ) -> Result<Option<Self>, Refusal> {
        let may_have_blocks = house.table.may_stand();
        let unread = |reason: String| {
            warn!(reason, may_have_blocks, "a body that is not read here is passed on as it is");
            house.metrics.unrecorded.add(1);
            Ok(None)
        };
        // It may have several lines.
        let named: Vec<&str> = listed(headers, header::CONTENT_ENCODING).collect();
        let coding = match Coding::parse(Some(&named.join(", "))) {
            Ok(coding) => coding,
            Err(error) => return unread(error.to_string()),
        };
        let plain = match coding.unpack(sent) {
            Ok(plain) => plain,
            Err(error @ CodingError::TooLarge) => {
                return Err(Refusal::new(413, "request_too_large", error.to_string()));
            }
            // Without its blocks it may no longer fit.
            Err(error) if mode == Mode::Fold && may_have_blocks => {
                return Err(Refusal::new(400, "invalid_request_error", error.to_string()));
            }
            Err(error) => return unread(error.to_string()),
        };
        let body = match Body::parse(api, plain) {
            Ok(body) if body.messages().is_empty() => return Ok(None),
            Ok(body) => Arc::new(body),
            Err(error) => return unread(error.to_string()),
        };
        let credential = credential::hashed(headers, &body, &house.options.secret);
        let mut seed = blake3::Hasher::new_keyed(&credential);
        let seed: Link = seed.update(base.as_bytes()).update(api.name().as_bytes()).finalize().into();
        let digests = body.digests();
        let chain: Arc<[Link]> = chain_of(&seed, &digests).into();
        let who = Who::of(headers, &body, route.session, seed);
        if chain.len() > 1 && !house.table.knows(&chain) {
            // A conversation of an earlier process, perhaps: the store knows how far it came.
            let (store, table, chain) = (house.keeper.store(), Arc::clone(&house.table), Arc::clone(&chain));
            let learned = tokio::task::spawn_blocking(move || table.learn_from(&store, &chain, seed)).await;
            if let Ok(Err(error)) = learned {
                warn!(%error, "the store cannot be asked for earlier conversations");
            }
        }
        Ok(Some(Self { body, coding, digests, chain, who, credential }))
    }

    /// About how long the conversation is as its client has it, by four bytes a token.
    pub(crate) fn tokens(&self) -> u64 {
        self.body.section(SectionKind::Messages).map_or(0, |messages| messages.span.len() as u64 / 4)
    }

    /// For whoever turns the gateway off in mid-conversation: without the blocks that stand in it all of it is sent.
    pub(crate) fn without_blocks(&self, house: &House) -> Option<String> {
        let stands = !house.table.standing(&self.chain).is_empty();
        stands.then(|| format!("compact first: the raw history is about {} tokens", self.tokens()))
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
        let packed = self.coding.pack(splice(&self.body, &self.chain, &folds)?).ok()?;
        house.metrics.folded_requests.add(1);
        Some(packed.into())
    }
}

/// The body with its standing folds. The newest block carries the seam's mark, where there is room for one.
fn splice(body: &Body, chain: &[Link], folds: &[Arc<StandingFold>]) -> Option<Vec<u8>> {
    let covers = |entry: usize| folds.iter().any(|fold| (fold.first..fold.end).contains(&entry));
    let is_kept = |mark: &&Mark| mark.section != SectionKind::Messages || !covers(mark.entry);
    let of_all = body.mark_of_all();
    // Only Anthropic's caches go by marks.
    let marks = body.marks().filter(is_kept).count() + usize::from(of_all.is_some());
    let has_room = body.provider() == Provider::Anthropic && marks < MOST_MARKS;
    let last = folds.len().checked_sub(1)?;
    let is_behind = |mark: &&Mark| mark.section == SectionKind::Messages && mark.entry >= folds[last].end;
    // A mark for an hour may stand behind no shorter one.
    let mut behind = body.marks().filter(is_behind).map(|mark| &mark.member).chain(of_all);
    let lifetime = match behind.any(|mark| body.lifetime(mark) == MarkLifetime::OneHour) {
        true => MarkLifetime::OneHour,
        false => MarkLifetime::Usual,
    };
    let with = |place: usize, fold: &StandingFold| match place == last && has_room {
        true => marked(&fold.block, lifetime),
        false => fold.block.clone(),
    };
    let blocks: Vec<Bytes> = folds.iter().enumerate().map(|(place, fold)| with(place, fold)).collect();
    let replaced = folds.iter().zip(&blocks).map(|(fold, block)| {
        let edit = Edit::Messages { range: fold.first..fold.end, with: (&block[..]).into() };
        (body.messages()[fold.first].span.start, edit)
    });
    let thought = folds.iter().flat_map(|fold| fold.thought(chain)).filter(|message| !covers(*message));
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
fn marked(block: &Bytes, lifetime: MarkLifetime) -> Bytes {
    const BEFORE: &[u8] = b"{\"messages\":[";
    let whole = [BEFORE, block, b"]}"].concat();
    let Ok(body) = Body::parse(Provider::Anthropic, whole) else { return block.clone() };
    let edit = body.blocks(0).len().checked_sub(1).and_then(|last| body.plan_mark(0, last, lifetime));
    let Some(Ok(spliced)) = edit.map(|edit| body.splice(&[edit])) else { return block.clone() };
    let end = spliced.len() - 2;
    Bytes::from(spliced).slice(BEFORE.len()..end)
}
