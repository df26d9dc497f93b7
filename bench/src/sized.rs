//! Sessions of a given length, recorded and stored.

use std::sync::Arc;

use anyhow::Result;
use lookback_engine::{Session, trace::SessionId};
use lookback_store::{Durability, SessionWriter, Store};

use crate::{
    text::Vocabulary,
    workload::{Sizes, Workload},
};

/// Events that go into one transaction while a store is filled.
pub(crate) const BATCH: usize = 500;

/// A session that is open for writing.
#[derive(Debug)]
pub(crate) struct Sized {
    pub(crate) workload: Workload,
    pub(crate) session: Session,
    pub(crate) writer: SessionWriter,
}

/// Copies of one length differ in their seed only. Copy 0 is the one that is opened again later.
pub(crate) fn name(turns: u32, copy: usize) -> SessionId {
    SessionId(format!("turns-{turns}-{copy}"))
}

impl Sized {
    pub(crate) fn build(store: &Store, vocabulary: &Arc<Vocabulary>, turns: u32, copy: usize) -> Result<Self> {
        let mut workload = Workload::new(vocabulary, Sizes::Small, u64::from(turns) << 20 | copy as u64);
        let mut session = workload.start(&name(turns, copy).0)?;
        workload.grow(&mut session, turns)?;
        let writer = store.create(&session.trace()[..1])?;
        let mut sized = Self { workload, session, writer };
        sized.save()?;
        Ok(sized)
    }

    /// Writes what the store does not have yet.
    pub(crate) fn save(&mut self) -> Result<()> {
        let new = &self.session.trace()[self.writer.next().0 as usize..];
        for batch in new.chunks(BATCH) {
            self.writer.append(batch, Durability::Grouped)?;
        }
        Ok(self.writer.flush()?)
    }
}
