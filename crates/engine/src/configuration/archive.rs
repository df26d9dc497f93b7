//! When old rounds are archived, and what their summary may take.

limits! {
    /// When old rounds become a summary, and how long it may be.
    pub struct ArchiveLimits {
        /// The newest rounds, which stay. docs/seeds.md A4 and C6: at least ten. Fewer only where the window forbids
        /// ten (docs/design/model.md, "The window").
        pub keep_rounds: u32 = 10,
        /// The part of the window that calls for an archive. docs/seeds.md A6: 0.8.
        pub at: f64 = 0.8,
        /// Fewer messages than this are never archived. docs/seeds.md A6: 3.
        pub messages: u32 = 3,
        /// What has not been counted yet is taken for its bytes divided by this. docs/seeds.md A6: `len(text)//3`.
        pub bytes_per_token: u32 = 3,
        /// How long a summary may take before its rounds go without one. docs/seeds.md E2: 120 seconds.
        pub timeout_seconds: u32 = 120,
        /// Ours: the seed's template (A5) has five sections of one to five lines; this is room for about ten lines
        /// each.
        pub summary_tokens: u32 = 1_500,
        /// Where the window makes steps of the running round go, at least this part of what may go does. Ours: each
        /// archive writes the whole prompt anew and leaves a summary for good; halves keep both rare.
        pub steps_share: f64 = 0.5,
    }
}

/// Characters of a text that only has to be recognised; a pointer beside it has the rest.
pub(crate) const QUOTED_CHARACTERS: usize = 240;
/// The same of a command.
pub(crate) const COMMAND_CHARACTERS: usize = 120;
/// Kinds of files that are named, by their endings; what is longer is none.
pub(crate) const FILE_ENDINGS: usize = 5;
pub(crate) const LONGEST_ENDING: usize = 10;
/// Files that changed unseen. No command names more; beyond it they are guesses, such as what a formatter may have changed.
pub(crate) const UNSEEN_FILES: usize = 50;
