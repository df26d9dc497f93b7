//! Stored sessions brought back to life: to be looked at, or to be changed by this process alone.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use jiff::Timestamp as Instant;
use lookback_engine::{
    Context, LedgerLine, Replay, Session, SessionError,
    card::Lifetime,
    trace::{
        Blobs, Event, EventBody, SessionId, Timestamp,
        event::{Interruption, Usage},
        start::{RecordedBy, SessionStarted},
    },
};
use lookback_replay::{check::usual_model, recording::Format};
use lookback_store::{Durability, SessionWriter, Snapshot, Store};
use lookback_wire::Provider;

use crate::{
    counter::Counter,
    home, screen,
    settings::{self, Flags, Settings},
};

pub(crate) fn replay(store: &Snapshot, id: &SessionId, provider: Option<Provider>) -> Result<Session> {
    screen::announce("replaying the session…", || {
        let mut replay = Replay::new(provider, store);
        store.for_each_event(id, |event| replay.push(event).map_err(anyhow::Error::from))?;
        Ok(replay.finish()?)
    })
}

/// The same, with what each call should have been billed as by the card of its model, where one is known, and entries that
/// were held as long as the bills say.
pub(crate) fn replay_billed(
    store: &Snapshot,
    id: &SessionId,
    provider: Option<Provider>,
    settings: &Settings,
) -> Result<Session> {
    screen::announce("replaying the session…", || {
        // A call comes before its bill.
        let mut asked = BTreeMap::new();
        store.for_each_event(id, |event| -> Result<()> {
            if let EventBody::Usage(usage) = &event.event {
                asked.extend(held(usage).map(|lifetime| (usage.call, lifetime)));
            }
            Ok(())
        })?;
        let (mut replay, mut card, mut lifetime) = (Replay::new(provider, store), None, Lifetime::Usual);
        store.for_each_event(id, |event| {
            match &event.event {
                EventBody::SessionStarted(start) => card = settings.card(model_of(start)),
                EventBody::ModelChanged { model, .. } => card = settings.card(model),
                EventBody::CallStarted { call, .. } => lifetime = asked.get(call).copied().unwrap_or(lifetime),
                _ => return replay.push(event).map_err(anyhow::Error::from),
            }
            if let Some(card) = card {
                replay.use_card(card.clone(), lifetime);
            }
            replay.push(event).map_err(anyhow::Error::from)
        })?;
        Ok(replay.finish()?)
    })
}

/// How long the entries of a call were asked to be held, as it was billed; none where it wrote nothing.
pub(crate) fn held(Usage { billed, .. }: &Usage) -> Option<Lifetime> {
    let is_hour = billed.written_1h >= billed.written;
    (billed.written > 0).then_some(if is_hour { Lifetime::OneHour } else { Lifetime::Usual })
}

/// Of a recording without one, that by whose rule its agent's calls were billed then.
pub(crate) fn model_of(start: &SessionStarted) -> &str {
    match &start.recorded_by {
        RecordedBy::Importer { format } if start.model.is_empty() => {
            Format::named(format).and_then(usual_model).unwrap_or_default()
        }
        _ => &start.model,
    }
}

/// Changes a replayed session: by its own counter, at the prices of its model, by the numbers that the user set, after
/// what is still open was ended.
pub(crate) fn change<T>(
    session: &mut Session,
    blobs: &dyn Blobs,
    settings: &Settings,
    change: impl FnOnce(&mut Session, &Context<'_>) -> Result<T, SessionError>,
) -> Result<T> {
    let counter = Counter::of(session.start_of())?;
    apply(settings, session);
    let count = |bytes: &[u8]| counter.count(bytes);
    let context = Context { now: now(), count: &count, blobs };
    session.interrupt(Interruption::Killed, &context)?;
    Ok(change(session, &context)?)
}

/// What a call made now would send, and what of it the last one sent.
pub(crate) fn plan_call(mut session: Session, blobs: &dyn Blobs, settings: &Settings) -> Result<LedgerLine> {
    apply(settings, &mut session);
    Ok(session.plan_call(now(), blobs)?)
}

fn apply(settings: &Settings, session: &mut Session) {
    session.configure(settings.context.value.clone());
    if let Some(card) = settings.card(&session.state().model().name) {
        session.use_card(card.clone(), Lifetime::Usual);
    }
}

/// A recording can be looked at, and nothing else. Where nobody here can count as it was counted, that is the reason.
pub(crate) fn expect_no_recording(session: &Session, name: &str) -> Result<()> {
    if !session.is_recording() {
        return Ok(());
    }
    Counter::of(session.start_of())?;
    bail!(
        "session {name} is a recording: it came from a file, and what stands there for its turns does not all follow \
         from them; look at it with `lookback show {name} --trace` and `lookback recall`"
    )
}

/// By this computer's clock.
pub(crate) fn now() -> Timestamp {
    Timestamp(Instant::now().as_millisecond())
}

/// A session that nobody else writes while this is held.
pub(crate) struct Opened {
    store: Store,
    writer: SessionWriter,
    settings: Settings,
    pub(crate) session: Session,
}

impl Opened {
    pub(crate) fn find(prefix: &str) -> Result<Self> {
        let settings = settings::load(Flags::default())?;
        let store = home::open_store()?;
        let id = store.find(prefix)?;
        let writer = store.writer(&id)?;
        let session = replay(&store.snapshot()?, &id, None)?;
        expect_no_recording(&session, &store.short_id(&id)?)?;
        Ok(Self { store, writer, settings, session })
    }

    /// Looks at what a change would be. What was left open is ended only for the look.
    pub(crate) fn preview<T>(
        &mut self,
        look: impl FnOnce(&mut Session, &Context<'_>) -> Result<T, SessionError>,
    ) -> Result<T> {
        screen::announce("working…", || change(&mut self.session, &self.store, &self.settings, look))
    }

    /// Makes a change and stores it, all of it or nothing. Whatever is open in the trace was left so by a process that
    /// died, because its lock is ours: it is ended first.
    pub(crate) fn change<T>(
        &mut self,
        make: impl FnOnce(&mut Session, &Context<'_>) -> Result<T, SessionError>,
    ) -> Result<T> {
        let made = screen::announce("working…", || change(&mut self.session, &self.store, &self.settings, make))?;
        let new = &self.session.trace()[self.writer.next().0 as usize..];
        self.writer.append(new, Durability::Durable)?;
        let is_interruption = |event: &Event| {
            matches!(event.event, EventBody::CallInterrupted { .. } | EventBody::StepInterrupted { .. })
        };
        if new.iter().any(is_interruption) {
            screen::remark("what a process that died had left open is now recorded as interrupted");
        }
        self.writer.release(&mut self.session);
        Ok(made)
    }
}
