//! Numbers that are part of the event format. Not configurable: replay depends on them, and it must give the same bytes
//! whatever the configuration is now. Another value means another event schema.

/// How many stale anchors one delta names, so that a rewritten file does not eat its budget. Ours: eight are about a
/// quarter of the seed's 250 tokens. The others wait for the next delta. Replay: applying a delta takes them off the list.
pub(crate) const STALE_PER_DELTA: usize = 8;

/// How long an anchor may become when an edit inside it is taken over, unless it was longer before. docs/seeds.md 5.1
/// asks for the smallest snippet. Ours: twenty lines are about half a board. Replay: anchors follow the recorded edits.
pub(crate) const REFRESHED_ANCHOR_LINES: usize = 20;

/// What a message costs beside its parts. docs/design/model.md, "Tokens": 4. Replay: sizes of views are added up anew.
pub const TOKENS_PER_MESSAGE: u32 = 4;

/// Up to here an output is kept complete. docs/design/model.md, "Results": 256 MB. Replay: a stored text is read back
/// under this rule.
pub(crate) const COMPLETE_LIMIT: usize = 256 << 20;

/// What is kept of each end of an output beyond [`COMPLETE_LIMIT`]. docs/design/model.md, "Results": 1 MB.
pub(crate) const BEYOND_EDGE: usize = 1 << 20;
