//! The text of a summary: the engine's rule-based block over a range of turns.
//!
//! The engine is fed the recording up to the call that is being shown and nothing later; its window is without end, so it
//! never shortens anything itself.

use lookback_engine::{
    SessionError, SessionSetup,
    block::render_block,
    claim::BlockContent,
    compactor::{Request, compact},
    gate::{GateLimits, admit_block},
    trace::{NoBlobs, SessionId, decision::TurnRange},
};

use crate::{
    conversation::Conversation,
    strategy::{Counter, fed::Fed},
};

/// An engine session that follows a recording.
#[derive(Debug)]
pub(super) struct SummaryWriter<'a> {
    fed: Fed<'a>,
    written: u32,
}

/// Large enough for any recording; far from where sums of it overflow.
const NO_WINDOW: u32 = 1 << 30;

impl<'a> SummaryWriter<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, count: Counter<'a>) -> Self {
        let setup = SessionSetup {
            window: NO_WINDOW,
            root: conversation.recording.about.cwd.clone().unwrap_or_default(),
            ..SessionSetup::new(SessionId("replay".into()))
        };
        Self { fed: Fed::new(conversation, setup, None, Box::new(move |text| count.of(text))), written: 0 }
    }

    /// What stands for the pieces from `first` to `last` when this call is made.
    pub(super) fn write(
        &mut self,
        call: usize,
        first: usize,
        last: usize,
        budget: u32,
    ) -> Result<String, SessionError> {
        self.fed.feed(call)?;
        let (Some(first), Some(last)) = (self.fed.turn(first), self.fed.turn(last)) else {
            return Ok(String::new());
        };
        let count = |text: &[u8]| self.fed.count(text);
        let session = self.fed.session();
        let range = TurnRange { first, last };
        let request = Request { range, budget, focus: None };
        let proposal = compact(session, session.state().board(), &request, &count, &NoBlobs)?.block;
        let limits = GateLimits { block_tokens: budget, ..GateLimits::from(session.configuration()) };
        // Where nothing is admitted, the user's words alone are left.
        let content = admit_block(session, range, proposal, &limits, &count, &NoBlobs)
            .map_or_else(|_| BlockContent::default(), |admitted| admitted.content);
        self.written += 1;
        Ok(render_block(session, self.written, range, &content, &session.configuration().block, &count))
    }
}
