//! Short names of sessions, as printed: each resolves to that very session when it is typed again.

use std::collections::BTreeMap;

use lookback_engine::trace::SessionId;
use lookback_store::SessionSummary;

/// Of all stored sessions, read once for a whole screen.
pub(crate) struct Names {
    short: BTreeMap<SessionId, String>,
}

impl Names {
    pub(crate) fn of(sessions: &[SessionSummary]) -> Self {
        Self { short: sessions.iter().map(|session| (session.id.clone(), session.short.clone())).collect() }
    }

    /// The name of a session that is not stored here is given whole: nothing can be looked up by less.
    pub(crate) fn short(&self, id: &SessionId) -> String {
        self.short.get(id).unwrap_or(&id.0).clone()
    }
}
