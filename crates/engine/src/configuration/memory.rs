//! What is held in memory to save work. Not settings: they change no result, only what it costs. Ours throughout.

/// How much of the newest text a recorder without a view holds, to place edits that come without line numbers: some
/// dozens of steps of a busy session; an import of any length stays within it.
pub(crate) const RECORDER_HOLDS: usize = 4 << 20;

/// Bytes of files as they were last read that the history holds. A session of any length stays within it.
pub(crate) const READINGS_HOLD: usize = 2 << 20;

/// A long list grows by one part in so many of its length, and by this much at least.
pub(crate) const GROWTH_PART: usize = 32;
pub(crate) const GROWTH_LEAST: usize = 16;
