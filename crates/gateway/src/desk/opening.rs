//! The session of a conversation: held open, read from the store again, or begun.

use lookback_engine::{
    Replay, Session, SessionSetup,
    card::Lifetime,
    trace::{
        BlobHash, SessionId,
        start::{Alternation, ClientRecall, RecordedBy},
    },
};
use lookback_replay::import::live::working_directory;
use lookback_store::{SessionWriter, StoreError, derived_session_id};
use lookback_wire::{Body, body::SectionKind};
use tracing::{info, warn};

use super::{Desk, KeepError, Open, context};
use crate::{
    live::Live,
    note::Asked,
    options::{Mode, card_hash},
};

/// Sessions that are held open; others are read from the store again.
const OPEN: usize = 24;

impl Desk {
    /// Afterwards the conversation is open, with as much recorded as the request shares with it.
    pub(super) fn open(&mut self, asked: &Asked, from: usize) -> Result<(), KeepError> {
        let conversation = asked.place.conversation;
        self.uses += 1;
        if let Some(open) = self.open.get_mut(&conversation)
            && !open.live.begins_anew(from)
        {
            open.used = self.uses;
            return Ok(());
        }
        self.open.remove(&conversation);
        self.make_room();
        let stored = self.table.session_of(conversation).filter(|_| from > 0);
        // The table may have forgotten a conversation that is open here, and found it again under another number.
        self.open.retain(|_, open| Some(open.live.session.id()) != stored.as_ref());
        let reopened = match stored {
            Some(id) => self.reopen(&id, asked, from).map_err(|error| warn!(%error, "begun anew")).ok(),
            None => None,
        };
        let (live, writer) = match reopened {
            Some(reopened) => reopened,
            None => self.begin(asked)?,
        };
        self.table.recorded_in(conversation, live.session.id().clone());
        let open = Open {
            live,
            writer,
            request: asked.request,
            chain: asked.chain.clone(),
            named: asked.who.named.clone(),
            mode: Mode::Observe,
            recall: ClientRecall::Absent,
            again: 0,
            used: self.uses,
        };
        self.open.insert(conversation, open);
        Ok(())
    }

    /// The one that nobody used for longest is read from the store when it is needed again.
    fn make_room(&mut self) {
        while self.open.len() >= OPEN {
            let oldest = self.open.iter().min_by_key(|(_, open)| open.used).map(|(conversation, _)| *conversation);
            oldest.map(|oldest| self.open.remove(&oldest));
        }
    }

    fn reopen(&self, id: &SessionId, asked: &Asked, from: usize) -> Result<(Live, SessionWriter), KeepError> {
        let writer = self.options.store.writer(id)?;
        let snapshot = self.options.store.snapshot()?;
        let mut replay = Replay::new(None, &snapshot);
        snapshot.for_each_event(id, |event| replay.push(event).map_err(KeepError::from))?;
        let mut session = replay.finish()?;
        self.furnish(&mut session, &model_of(&asked.body));
        session.resume(&context(&self.options, asked.at))?;
        Ok((Live::reopened(session, directory(&asked.body), &asked.body, from), writer))
    }

    fn begin(&self, asked: &Asked) -> Result<(Live, SessionWriter), KeepError> {
        let model = model_of(&asked.body);
        let card = self.options.card_of(&model);
        if card.is_none() {
            info!(
                model,
                "no card names this model: it is folded by the number of its calls, and has no dollars; --card NAME lends it one"
            );
        }
        let root = directory(&asked.body);
        let section = |kind| asked.body.section(kind).map(|section| asked.body.slice(section.span)).unwrap_or_default();
        let head = [section(SectionKind::System), section(SectionKind::Tools)].map(String::from_utf8_lossy).join("\n");
        let setup = |session| SessionSetup {
            recorded_by: RecordedBy::Gateway {
                client: asked.who.client.clone(),
                upstream: asked.upstream.clone(),
                credential: BlobHash(asked.credential),
            },
            system: head.clone(),
            provider: asked.body.provider(),
            model: model.clone(),
            window: self.options.configuration.window.window(card.map(|card| card.window)),
            max_output: card.map(|card| card.max_output),
            alternation: Alternation::Free,
            tokenizer: "o200k".to_owned(),
            root: root.unwrap_or_default().to_owned(),
            price_card: card.map(card_hash),
            configuration: self.options.configuration.clone(),
            ..SessionSetup::new(session)
        };
        // Always the same for the same beginning, so that a block, which carries it, is; unless it is taken.
        let first = asked.chain.first().map(|link| BlobHash(*link).to_string()).unwrap_or_default();
        let named = asked.who.named.as_ref().map_or("", |name| &name.text);
        for attempt in 0_u32.. {
            let again = if attempt == 0 { String::new() } else { format!("/{attempt}") };
            let id = derived_session_id(&format!("{first}/{named}{again}"));
            let mut session = Session::start(setup(id), &context(&self.options, asked.at))?;
            match self.options.store.create(session.trace()) {
                Ok(writer) => {
                    self.furnish(&mut session, &model);
                    return Ok((Live::new(session, root), writer));
                }
                Err(StoreError::Exists(_) | StoreError::Locked { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        unreachable!("there are more numbers than sessions")
    }

    fn furnish(&self, session: &mut Session, model: &str) {
        session.configure(self.options.configuration.clone());
        if let Some(card) = self.options.card_of(model) {
            session.use_card(card.clone(), Lifetime::Usual);
        }
    }
}

fn model_of(body: &Body) -> String {
    body.model().map(|model| model.into_owned()).unwrap_or_default()
}

/// Where the client works: said in its system text, or in the first things that it says.
fn directory(body: &Body) -> Option<&str> {
    let system = body.section(SectionKind::System).map(|section| section.span);
    let first = body.messages().iter().take(6).map(|entry| entry.span);
    let texts = system.into_iter().chain(first).filter_map(|span| std::str::from_utf8(body.slice(span)).ok());
    texts.filter_map(working_directory).next()
}
