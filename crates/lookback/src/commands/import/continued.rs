//! A session that is stored already, read again: what was stored is compared with what the file has now, and what is new
//! goes behind it. Folds and everything else that was done to it since stay as they are. Where nothing was done to it, the
//! whole file takes its place instead: its end may have been read half.

mod stored;

use anyhow::Result;
use lookback_engine::{
    Context, ModelChoice, Session, SessionError, WholeStep,
    trace::{EventBody, SessionId, ToolResult, TurnNo},
};
use lookback_replay::recording::{CallItem, Format, Item};
use lookback_store::Store;

use self::stored::Stored;
use super::writing::{bill, choose, compacted, time_of};
use crate::opened::Opened;

/// What is recorded and stored at once.
const ITEMS: usize = 64;

/// The file does not begin as what is stored does.
#[derive(Debug, thiserror::Error)]
#[error("its beginning is not what is stored")]
pub(super) struct Diverged;

/// The file goes on behind what is stored, and nothing stored is more than an import of its beginning.
#[derive(Debug, thiserror::Error)]
#[error("it has grown from {turns} turns")]
pub(super) struct Grown {
    /// How many are stored.
    pub(super) turns: u64,
}

/// The stored session, user by user and call by call.
pub(super) struct Continued {
    id: SessionId,
    format: Format,
    stored: Vec<Stored>,
    /// How many of them the file has shown again.
    seen: usize,
    /// The client's own compactions behind the last of them: these are stored, too.
    compacted: usize,
    /// The last that was read is less than what is stored of it: nothing may follow.
    is_older: bool,
    /// Nothing but what an import records is stored.
    untouched: bool,
    opened: Option<Opened>,
    new: Vec<Item>,
    /// Where rewinds lead: the last turn of each of the file's users and calls.
    ends: Vec<TurnNo>,
    /// Turns that came behind what was stored.
    pub(super) turns: u64,
}

impl Continued {
    pub(super) fn load(store: &Store, id: &SessionId, format: Format) -> Result<Self> {
        let mut stored: Vec<Stored> = Vec::new();
        let (mut went_back, mut untouched, mut compacted) = (false, true, 0);
        store.for_each_event(id, |event| -> Result<()> {
            untouched &= stored::is_of_import(&event.event);
            match &event.event {
                EventBody::RolledBack { .. } => went_back = true,
                EventBody::UserTurn(user) => {
                    (went_back, compacted) = (false, 0);
                    stored.push(Stored::user(user));
                }
                EventBody::AssistantTurn(answer) => {
                    // A person who goes back says something. Here a call was recorded again (see `complete`).
                    if std::mem::take(&mut went_back) {
                        stored.pop();
                    }
                    compacted = 0;
                    stored.push(Stored::answer(answer));
                }
                EventBody::ClientCompacted(_) => compacted += 1,
                body => {
                    if let Some(last) = stored.last_mut() {
                        last.follow(body);
                    }
                }
            }
            Ok(())
        })?;
        let (opened, new, ends) = (None, Vec::new(), Vec::new());
        Ok(Self {
            id: id.clone(),
            format,
            stored,
            seen: 0,
            compacted,
            is_older: false,
            untouched,
            opened,
            new,
            ends,
            turns: 0,
        })
    }

    /// The file cannot be read again: what is new goes behind what is stored in any case.
    pub(super) fn only_behind(mut self) -> Self {
        self.untouched = false;
        self
    }

    /// Takes the next thing of the file.
    pub(super) fn take(&mut self, item: Item) -> Result<()> {
        let is_turn = matches!(item, Item::User(_) | Item::Call(_));
        let Some(stored) = self.stored.get(self.seen).filter(|_| is_turn) else {
            // Going back is followed by what was said then: before that has come, it was stored with it.
            let is_behind = self.seen == self.stored.len();
            let is_stored = matches!(item, Item::Compaction(_)) && self.new.is_empty() && self.compacted > 0;
            if is_behind && is_stored {
                self.compacted -= 1;
            }
            let is_new = is_behind && !is_stored;
            if is_new && is_turn {
                self.expect_touched()?;
            }
            if is_new {
                self.new.push(item);
            }
            return if self.new.len() >= ITEMS { self.flush() } else { Ok(()) };
        };
        if self.is_older {
            return Err(Diverged.into());
        }
        let read = Stored::of(&item);
        self.seen += 1;
        let is_last = self.seen == self.stored.len();
        if stored.parts == read.parts && stored.results == read.results {
            if is_last && read.is_billed && !stored.is_billed {
                self.expect_touched()?;
            }
            self.ends.push(stored.end);
            return Ok(());
        }
        // What was read last may have been half of it. What is less than that is an older copy.
        if is_last && self.seen > 1 && !read.went_on_as(stored) {
            self.expect_touched()?;
        }
        if !stored.went_on_as(&read) {
            // An older copy may end in the middle of an answer.
            self.is_older = read.went_on_as(stored);
            self.ends.push(stored.end);
            return if self.is_older { Ok(()) } else { Err(Diverged.into()) };
        }
        match (item, self.stored.get(self.seen)) {
            (Item::Call(call), None) => self.complete(*call, &read),
            (Item::Call(_), Some(rest)) if stored.is_followed_by(rest, &read) => {
                self.seen += 1;
                self.ends.push(rest.end);
                Ok(())
            }
            _ => Err(Diverged.into()),
        }
    }

    fn expect_touched(&self) -> Result<(), Grown> {
        match self.untouched {
            true => Err(Grown { turns: self.stored.last().map_or(0, |last| u64::from(last.end.0) + 1) }),
            false => Ok(()),
        }
    }

    /// The newest call was read while it was still being made. It is recorded again as it ended, from the turn before it;
    /// where something was decided behind it, that must stay, so what was missing is put behind it instead.
    fn complete(&mut self, mut call: CallItem, read: &Stored) -> Result<()> {
        let stored = self.stored[self.seen - 1].clone();
        if stored.is_billed {
            call.billed = None;
        }
        match self.ends.last().filter(|_| !stored.decided) {
            Some(_) => {
                self.new.push(Item::Rewind { last: Some(self.ends.len() - 1) });
                self.new.push(Item::Call(Box::new(call)));
                return Ok(());
            }
            None => self.ends.push(stored.end),
        }
        let asked = stored.calls.len().min(call.results.len());
        let results = call.results.drain(..asked).zip(stored.results.iter().zip(&read.results));
        let late = stored.calls.iter().zip(results).filter(|(_, (_, (known, read)))| known.is_none() && read.is_some());
        let late: Vec<(&String, ToolResult)> = late.map(|(id, (result, _))| (id, result)).collect();
        self.change(|session, context| {
            late.into_iter().try_for_each(|(id, result)| session.tool_result(id, result, context))
        })?;
        call.parts.drain(..stored.parts.len().min(call.parts.len()));
        if !call.parts.is_empty() {
            // It is the same item of the file: rewinds lead to its end.
            self.ends.pop();
            self.new.push(Item::Call(Box::new(call)));
        }
        Ok(())
    }

    /// Stores what is new.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.new.is_empty() {
            return Ok(());
        }
        let (items, format) = (std::mem::take(&mut self.new), self.format);
        let mut ends = std::mem::take(&mut self.ends);
        let before = self.turns_stored()?;
        self.change(|session, context| {
            let mut now = context.now;
            for item in items {
                now = time_of(&item).unwrap_or(now);
                record(session, item, format, &mut ends, &Context { now, ..*context })?;
            }
            Ok(())
        })?;
        self.ends = ends;
        self.turns += u64::from(self.turns_stored()? - before);
        Ok(())
    }

    fn turns_stored(&mut self) -> Result<u32> {
        Ok(self.opened()?.session.turns())
    }

    fn opened(&mut self) -> Result<&mut Opened> {
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => Opened::find(&self.id.0)?,
        };
        Ok(self.opened.insert(opened))
    }

    fn change<T>(&mut self, make: impl FnOnce(&mut Session, &Context<'_>) -> Result<T, SessionError>) -> Result<T> {
        self.opened()?.change(make)
    }
}

/// What happened there, without any decision of ours.
fn record(
    session: &mut Session,
    item: Item,
    format: Format,
    ends: &mut Vec<TurnNo>,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    match item {
        Item::User(user) => ends.push(session.user_turn(user.text, user.origin, context)?),
        Item::Call(call) => {
            let CallItem { model, parts, stop, results, billed, .. } = *call;
            if let Some(model) = model.filter(|model| *model != session.state().model().name) {
                // Cards that cannot be read do not keep a session out: then the model is known by its name.
                let window = session.state().model().window;
                let provider = session.state().model().provider;
                let choice = choose(format, &model).unwrap_or_else(|_| ModelChoice::new(model, provider, window));
                session.model_changed(choice, context)?;
            }
            let step = WholeStep { parts, stop, results, bill: billed.map(bill) };
            ends.push(session.whole_step(step, context)?);
        }
        Item::Compaction(compaction) => session.client_compacted(compacted(&compaction), context)?,
        Item::Rewind { last } => {
            let turn = last.and_then(|last| ends.get(last)).or(ends.first());
            if let Some(turn) = turn {
                session.return_to(*turn, context)?;
            }
        }
    }
    Ok(())
}
