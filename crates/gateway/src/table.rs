//! Which conversation a request goes on from, and which folds stand in it: all that the request path asks.
//!
//! A fold is known by the hash chain at its end. That chain covers everything before it, so a request in which it occurs
//! holds those very messages, whoever sends it: the client's own compaction, a sub-agent that begins with the whole
//! history, a retry. Nothing else has to be compared.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use lookback_engine::trace::SessionId;
use lookback_store::{GuestFold, Store, StoreError};
use lookback_wire::{
    TokenUsage,
    body::{Digest, Link},
};

use crate::who::Name;

/// Conversations that are kept in mind, and their messages: of each some 200 bytes, 20 MB in all. What was not used for
/// longest is looked up in the store when it comes again.
const KEPT: usize = 2_000;
const KEPT_MESSAGES: usize = 100_000;
/// Requests whose fold set is remembered for a retry.
const TRIES: usize = 4_000;

/// Messages that a request brings anew: the results of a step, and what a client moves along behind them.
pub(crate) const NEWEST: usize = 16;

/// Names a conversation in this process.
pub(crate) type ConversationId = u64;

/// Messages that a block stands for, for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingFold {
    /// In the order in which folds were made: a retry has those of its first try.
    pub(crate) number: u64,
    /// The first message that it replaces.
    pub(crate) first: usize,
    /// Behind the last one.
    pub(crate) end: usize,
    /// The chain at its end.
    pub(crate) link: Link,
    /// Behind them, the first message that keeps its thinking: what was thought before the fold was made may be bound to
    /// what it replaces.
    pub(crate) thinking_from: usize,
    /// The chain there when the fold was made.
    pub(crate) behind: Vec<Link>,
    /// The block as a message of the provider's.
    pub(crate) block: Bytes,
}

impl StandingFold {
    /// As a store keeps it.
    pub(crate) fn row(&self) -> GuestFold {
        let Self { first, end, link, thinking_from, ref behind, ref block, .. } = *self;
        GuestFold { first, end, link, thinking_from, behind: behind.clone(), block: block.to_vec() }
    }

    /// The messages behind it that lose their thinking. Where a client has gone another way since, what it has there was
    /// thought of with the block.
    pub(crate) fn thought(&self, chain: &[Link]) -> Range<usize> {
        let now = chain.get(self.end..).unwrap_or_default();
        let same = now.iter().zip(&self.behind).take_while(|(now, then)| now == then).count();
        self.end..if same < self.behind.len() { self.end + same } else { self.thinking_from }
    }
}

/// What a request is to the conversations that were seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Nothing of it was seen.
    New,
    /// It goes on from so many messages of its conversation.
    GoesOn { from: usize },
    /// The same messages again.
    Again,
    /// Part of another conversation begins it: so many messages.
    Branch { of: ConversationId, from: usize },
}

/// A request's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) conversation: ConversationId,
    pub(crate) relation: Relation,
    /// How many messages more it has than what is known of the conversation that it shares most with.
    pub(crate) grown: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Table {
    inner: Mutex<Inner>,
    /// Of earlier processes.
    had_folds: bool,
}

#[derive(Debug, Default)]
struct Inner {
    conversations: BTreeMap<ConversationId, Conversation>,
    /// Links of all of them.
    held: usize,
    /// Oldest first, as they were used.
    used: VecDeque<ConversationId>,
    /// Who has a link; of several the newest stands last.
    nodes: HashMap<Link, Vec<ConversationId>>,
    folds: HashMap<Link, Arc<StandingFold>>,
    tries: HashMap<Link, u64>,
    tried: VecDeque<Link>,
    next_conversation: ConversationId,
    next_fold: u64,
    recorded: BTreeSet<SessionId>,
    beside: Vec<CallBeside>,
}

/// A call that belongs to no conversation that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallBeside {
    /// As the client names it.
    pub model: String,
    /// None where the answer says none.
    pub usage: Option<TokenUsage>,
}

#[derive(Debug, Default)]
struct Conversation {
    named: Option<Name>,
    session: Option<SessionId>,
    links: Vec<Link>,
    /// What its newest request says, message by message; nothing of an earlier process.
    digests: Vec<Digest>,
    /// About how long that is, as the client has it.
    tokens: u64,
    /// Behind the last message that a block stands for.
    folded: usize,
}

impl Table {
    pub(crate) fn new(store: &Store) -> Self {
        // A store that cannot be asked now may well have some.
        Self { inner: Mutex::default(), had_folds: store.has_folds().unwrap_or(true) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the conversation of a main request, or begins one, and remembers how far it goes.
    pub(crate) fn enter(&self, chain: &[Link], (digests, tokens): (&[Digest], u64), named: Option<&Name>) -> Place {
        let mut inner = self.lock();
        let place = inner.enter(chain, digests, named);
        // Also those of an earlier process, and of the conversation that this one branches off.
        let folded = chain.iter().filter_map(|link| inner.folds.get(link)).map(|fold| fold.end).max();
        if let Some(known) = inner.conversations.get_mut(&place.conversation) {
            known.digests = digests.to_vec();
            known.tokens = tokens;
            known.folded = known.folded.max(folded.unwrap_or(0));
        }
        place
    }

    /// Whether another conversation has what stands in the middle of this one.
    pub(crate) fn was_said(&self, digests: &[Digest], conversation: ConversationId) -> bool {
        let middle = digests.len() / 2;
        let some = &digests[middle.saturating_sub(1)..(middle + 2).min(digests.len())];
        let inner = self.lock();
        let mut others = inner.conversations.iter().filter(|(id, _)| **id != conversation);
        others.any(|(_, other)| other.digests.windows(some.len().max(1)).any(|said| said == some))
    }

    /// The conversation that a request beside it belongs to, if one is known.
    pub(crate) fn find(&self, chain: &[Link], named: Option<&Name>) -> Option<ConversationId> {
        let inner = self.lock();
        let by_name = || {
            let named = named?;
            let mut newest = inner.used.iter().rev();
            newest.find(|id| inner.conversations.get(id).is_some_and(|it| it.named.as_ref() == Some(named))).copied()
        };
        inner.longest(chain, named).map(|(id, _, _)| id).or_else(by_name)
    }

    /// The folds that stand in a request, oldest first. The same request gets the same set again.
    pub(crate) fn standing(&self, chain: &[Link]) -> Vec<Arc<StandingFold>> {
        let mut inner = self.lock();
        let Some(last) = chain.last() else { return Vec::new() };
        let newest = inner.next_fold;
        let limit = *inner.tries.get(last).unwrap_or(&newest);
        if limit == newest && !inner.tries.contains_key(last) {
            inner.tries.insert(*last, newest);
            inner.tried.push_back(*last);
            if inner.tried.len() > TRIES
                && let Some(oldest) = inner.tried.pop_front()
            {
                inner.tries.remove(&oldest);
            }
        }
        inner.standing(chain, limit)
    }

    /// All that is known to stand there, whenever the request came.
    pub(crate) fn stands_by_now(&self, chain: &[Link]) -> Vec<Arc<StandingFold>> {
        self.lock().standing(chain, u64::MAX)
    }

    /// The provider refused what was sent: the same request gets what stands now.
    pub(crate) fn try_anew(&self, chain: &[Link]) {
        let mut inner = self.lock();
        if let Some(last) = chain.last() {
            inner.tries.remove(last);
            inner.tried.retain(|tried| tried != last);
        }
    }

    /// Whether nothing of a request is known here: then the store is asked.
    pub(crate) fn knows(&self, chain: &[Link]) -> bool {
        // Many conversations begin with the same message: only its newest steps may be unknown.
        self.lock().longest(chain, None).is_some_and(|(_, from, _)| from + NEWEST >= chain.len())
    }

    /// A fold that is durable stands from the next request on.
    pub(crate) fn publish(&self, conversation: Option<ConversationId>, fold: NewFold) {
        let mut inner = self.lock();
        let NewFold { first, end, link, thinking_from, behind, block } = fold;
        if let Some(conversation) = conversation.and_then(|id| inner.conversations.get_mut(&id)) {
            conversation.folded = conversation.folded.max(end);
        }
        // What stands keeps its number: requests that were sent with it are sent with it again.
        if inner.folds.contains_key(&link) {
            return;
        }
        let number = inner.next_fold;
        inner.next_fold += 1;
        inner.folds.insert(link, Arc::new(StandingFold { number, first, end, link, thinking_from, behind, block }));
    }

    /// Blocks of another process, in conversations that are known here.
    pub(crate) fn learn_folds(
        &self,
        store: &Store,
        conversation: ConversationId,
        chain: &[Link],
    ) -> Result<(), StoreError> {
        for fold in store.find_folds(chain)? {
            self.publish(Some(conversation), fold.into());
        }
        Ok(())
    }

    /// What the store knows of a conversation of an earlier process: how far it came, and what stands in it.
    pub(crate) fn learn_from(&self, store: &Store, chain: &[Link], owner: Link) -> Result<(), StoreError> {
        let folds = store.find_folds(chain)?;
        let place = store.find_guest(chain)?;
        let mut inner = self.lock();
        let id = place.map(|place| {
            let known = chain.iter().position(|link| *link == place.link).map_or(0, |at| at + 1);
            let same = inner.conversations.iter().find(|(_, it)| it.session.as_ref() == Some(&place.session));
            let named = place.named.map(|text| Name { owner, text });
            let id = same.map(|(id, _)| *id).unwrap_or_else(|| inner.begin(named));
            let is_new = inner.conversations.get(&id).is_some_and(|it| it.links.is_empty());
            if is_new {
                inner.extend(id, &chain[..known]);
            }
            if let Some(conversation) = inner.conversations.get_mut(&id) {
                conversation.session = Some(place.session);
            }
            id
        });
        drop(inner);
        for fold in folds {
            self.publish(id, fold.into());
        }
        Ok(())
    }

    /// Where a conversation is recorded, once it is.
    pub(crate) fn session_of(&self, conversation: ConversationId) -> Option<SessionId> {
        self.lock().conversations.get(&conversation)?.session.clone()
    }

    /// From now on it is recorded there.
    pub(crate) fn recorded_in(&self, conversation: ConversationId, session: SessionId) {
        let mut inner = self.lock();
        inner.recorded.insert(session.clone());
        if let Some(conversation) = inner.conversations.get_mut(&conversation) {
            conversation.session = Some(session);
        }
    }

    /// The store is gone, and every session with it. What stands stands on.
    pub(crate) fn forget_sessions(&self) {
        let mut inner = self.lock();
        inner.recorded.clear();
        inner.conversations.values_mut().for_each(|known| known.session = None);
    }

    /// No conversation came that it belongs to.
    pub(crate) fn left_beside(&self, call: CallBeside) {
        self.lock().beside.push(call);
    }

    /// All of those.
    pub(crate) fn beside(&self) -> Vec<CallBeside> {
        self.lock().beside.clone()
    }

    /// Every session that something was recorded in.
    pub(crate) fn recorded(&self) -> BTreeSet<SessionId> {
        self.lock().recorded.clone()
    }

    /// About how many tokens the longest conversation has without the blocks that stand in it. None: no block stands.
    pub(crate) fn longest_raw(&self) -> Option<u64> {
        let inner = self.lock();
        let folded = inner.conversations.values().filter(|known| known.folded > 0 && known.tokens > 0);
        folded.map(|known| known.tokens).max()
    }

    /// Whether a block may stand in a request.
    pub(crate) fn may_stand(&self) -> bool {
        self.had_folds || !self.lock().folds.is_empty()
    }
}

/// A fold that was made.
#[derive(Debug, Clone)]
pub(crate) struct NewFold {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) link: Link,
    pub(crate) thinking_from: usize,
    pub(crate) behind: Vec<Link>,
    pub(crate) block: Bytes,
}

impl From<GuestFold> for NewFold {
    fn from(GuestFold { link, first, end, thinking_from, behind, block }: GuestFold) -> Self {
        Self { first, end, link, thinking_from, behind, block: block.into() }
    }
}

impl Inner {
    fn enter(&mut self, chain: &[Link], digests: &[Digest], named: Option<&Name>) -> Place {
        let Some((found, from, is_own)) = self.longest(chain, named) else {
            let conversation = self.begin(named.cloned());
            self.extend(conversation, chain);
            return Place { conversation, relation: Relation::New, grown: chain.len() };
        };
        let known = &self.conversations[&found];
        let grown = chain.len().saturating_sub(known.links.len());
        // A rewind into a folded range, somebody else's conversation under another name, or one that only began alike, is a
        // branch.
        if !is_own || from < known.folded || is_another(known.digests.get(from..), &digests[from..]) {
            let conversation = self.begin(named.cloned());
            self.extend(conversation, chain);
            return Place { conversation, relation: Relation::Branch { of: found, from }, grown };
        }
        let is_same = known.links.len() == chain.len() && from == chain.len();
        self.extend(found, chain);
        let relation = if is_same { Relation::Again } else { Relation::GoesOn { from } };
        Place { conversation: found, relation, grown }
    }

    /// Of those that were made before the one of this number.
    fn standing(&self, chain: &[Link], limit: u64) -> Vec<Arc<StandingFold>> {
        if self.folds.is_empty() {
            return Vec::new();
        }
        let stands = |link| self.folds.get(link).filter(|fold| fold.number < limit).map(Arc::clone);
        let mut found: Vec<Arc<StandingFold>> = chain.iter().filter_map(stands).collect();
        // Two processes may have folded overlapping ranges: who was known first goes on.
        found.sort_by_key(|fold| fold.number);
        let mut standing: Vec<Arc<StandingFold>> = Vec::with_capacity(found.len());
        for fold in found {
            if standing.iter().all(|other| fold.end <= other.first || other.end <= fold.first) {
                standing.push(fold);
            }
        }
        standing.sort_by_key(|fold| fold.first);
        standing
    }

    /// The conversation that shares most of a chain, of equals one of that name; how much; and whether it has that name.
    fn longest(&self, chain: &[Link], named: Option<&Name>) -> Option<(ConversationId, usize, bool)> {
        let mut other = None;
        for (place, link) in chain.iter().enumerate().rev() {
            let Some(holders) = self.nodes.get(link) else { continue };
            let is_own =
                |id: &&ConversationId| self.conversations.get(id).is_some_and(|known| known.named.as_ref() == named);
            if let Some(id) = holders.iter().rev().find(is_own) {
                // A longer part of somebody else's is where this one came from.
                return match other {
                    Some((id, from)) if from > place + 1 && named.is_some() => Some((id, from, false)),
                    _ => Some((*id, place + 1, true)),
                };
            }
            other = other.or_else(|| holders.last().map(|id| (*id, place + 1)));
        }
        other.map(|(id, from)| (id, from, false))
    }

    fn begin(&mut self, named: Option<Name>) -> ConversationId {
        let id = self.next_conversation;
        self.next_conversation += 1;
        self.conversations.insert(id, Conversation { named, ..Conversation::default() });
        self.used.push_back(id);
        id
    }

    /// The newest one stays, however long it is.
    fn forget_oldest(&mut self) {
        while (self.held > KEPT_MESSAGES || self.used.len() > KEPT) && self.used.len() > 1 {
            let Some(id) = self.used.pop_front() else { return };
            let gone = self.conversations.remove(&id);
            self.let_go(id, gone.map(|gone| gone.links).unwrap_or_default());
        }
    }

    /// What nobody holds any more is found again in the store.
    fn let_go(&mut self, id: ConversationId, links: Vec<Link>) {
        self.held -= links.len();
        for link in links {
            let Some(holders) = self.nodes.get_mut(&link) else { continue };
            holders.retain(|holder| *holder != id);
            if holders.is_empty() {
                self.nodes.remove(&link);
                self.folds.remove(&link);
            }
        }
    }

    /// The conversation has these messages now, and no others.
    fn extend(&mut self, id: ConversationId, chain: &[Link]) {
        if let Some(place) = self.used.iter().rposition(|used| *used == id) {
            self.used.remove(place);
            self.used.push_back(id);
        }
        let Some(known) = self.conversations.get_mut(&id) else { return };
        let shared = known.links.iter().zip(chain).take_while(|(one, other)| one == other).count();
        let gone = known.links.split_off(shared);
        known.links.extend_from_slice(&chain[shared..]);
        self.held += chain.len() - shared;
        self.let_go(id, gone);
        for link in &chain[shared..] {
            let holders = self.nodes.entry(*link).or_default();
            holders.retain(|holder| *holder != id);
            holders.push(id);
        }
        self.forget_oldest();
    }
}

/// Whether what a request says behind the part that it shares leaves everything out that was said there before. A client that
/// moves a message, ranks a map anew or clears old results says most of it again; the newest message alone may be written
/// otherwise.
fn is_another(before: Option<&[Digest]>, now: &[Digest]) -> bool {
    before.is_some_and(|before| before.len() > 1 && !before.iter().any(|said| now.contains(said)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain and the digests of a conversation of its own.
    fn said(conversation: u64, messages: u64) -> (Vec<Link>, Vec<Digest>) {
        let of = |message: u64| {
            let mut link = Link::default();
            link[..8].copy_from_slice(&conversation.to_be_bytes());
            link[8..16].copy_from_slice(&message.to_be_bytes());
            link
        };
        let links: Vec<Link> = (0..messages).map(of).collect();
        (links.clone(), links)
    }

    #[test]
    fn what_is_kept_in_mind_is_bounded_by_messages() {
        let table = Table::default();
        let enter = |conversation, messages| {
            let (chain, digests) = said(conversation, messages);
            table.enter(&chain, (&digests, 1), None)
        };
        for conversation in 1..2_000 {
            enter(0, 601 + conversation % 3);
            enter(conversation, 601);
        }
        let inner = table.lock();
        let links: usize = inner.conversations.values().map(|known| known.links.len()).sum();
        assert!(links <= KEPT_MESSAGES && links > KEPT_MESSAGES - 700, "{links}");
        assert_eq!((inner.held, inner.conversations.len()), (links, inner.used.len()));
        assert_eq!(inner.nodes.values().map(Vec::len).sum::<usize>(), links);
        assert!(inner.nodes.values().all(|holders| !holders.is_empty()));
        drop(inner);
        assert!(table.knows(&said(0, 601).0), "it is used all the time");
        assert!(!table.knows(&said(1, 601).0), "the store is asked for it");
        enter(5_000, KEPT_MESSAGES as u64 + 1);
        assert_eq!(table.lock().conversations.len(), 1, "a longer one stays while it is the newest");
    }
}
