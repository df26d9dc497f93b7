//! How much is measured: for real, or just enough to see that the program works.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Turns of the sessions that steps are appended to and that are opened again.
    pub(crate) sizes: &'static [u32],
    /// Of appending: so many rounds over all sizes, with so many steps in each.
    pub(crate) rounds: usize,
    pub(crate) steps: usize,
    /// The store that recall searches has at least this many bytes on the disk and this many sessions.
    pub(crate) store_bytes: u64,
    pub(crate) sessions: usize,
    /// Turns of the sessions in it that pointers are recalled from.
    pub(crate) probes: &'static [u32],
    /// Different queries of each kind.
    pub(crate) queries: usize,
    /// Tokens of the hot zones that are folded, and how often each.
    pub(crate) hot_zones: &'static [u64],
    pub(crate) folds_measured: usize,
    /// Tokens of the hot zone whose block is checked, and how often.
    pub(crate) checked_hot_zone: u64,
    pub(crate) checks: usize,
    /// Cuts that the planner chooses from, and samples of each number.
    pub(crate) cuts: &'static [u64],
    pub(crate) questions: usize,
    /// Steps of the hot zones that are tidied.
    pub(crate) hot_steps: &'static [u64],
    /// Folds of the sessions that one more step is appended to.
    pub(crate) folds_before: &'static [u64],
    /// How often the sample is replayed.
    pub(crate) replays: usize,
    /// Bytes of the bodies and of the stream that are read, and how often.
    pub(crate) body_bytes: &'static [usize],
    pub(crate) stream_bytes: usize,
    pub(crate) passes: usize,
    /// Texts whose tokens are counted, and how often.
    pub(crate) counted_texts: usize,
    pub(crate) counting_passes: usize,
    /// Requests of each kind that are sent for their first byte.
    pub(crate) first_bytes: usize,
    /// Starts of the agent, and the steps of its long session.
    pub(crate) starts: usize,
    pub(crate) agent_steps: usize,
    /// Files of the tree that is searched, and how often each query.
    pub(crate) grep_files: usize,
    pub(crate) greps: usize,
}

impl Scale {
    pub(crate) const FULL: Self = Self {
        sizes: &[100, 1_000, 10_000, 100_000],
        rounds: 60,
        steps: 5,
        store_bytes: 1_000_000_000,
        sessions: 200,
        probes: &[100, 1_000, 10_000],
        queries: 20,
        hot_zones: &[25_000, 50_000, 100_000, 200_000],
        folds_measured: 40,
        checked_hot_zone: 100_000,
        checks: 200,
        cuts: &[10, 40, 200],
        questions: 100,
        hot_steps: &[20, 100],
        folds_before: &[0, 10, 50, 200],
        replays: 5,
        body_bytes: &[40_000, 400_000, 2_000_000],
        stream_bytes: 1_000_000,
        passes: 100,
        counted_texts: 500,
        counting_passes: 10,
        first_bytes: 60,
        starts: 40,
        agent_steps: 1_000,
        grep_files: 50_000,
        greps: 15,
    };

    pub(crate) const QUICK: Self = Self {
        sizes: &[100, 400],
        rounds: 3,
        steps: 5,
        store_bytes: 4_000_000,
        sessions: 5,
        probes: &[100, 200],
        queries: 3,
        hot_zones: &[25_000, 50_000],
        folds_measured: 2,
        checked_hot_zone: 50_000,
        checks: 3,
        cuts: &[10, 40],
        questions: 3,
        hot_steps: &[10, 20],
        folds_before: &[0, 3],
        replays: 1,
        body_bytes: &[40_000],
        stream_bytes: 20_000,
        passes: 2,
        counted_texts: 5,
        counting_passes: 1,
        first_bytes: 2,
        starts: 2,
        agent_steps: 20,
        grep_files: 300,
        greps: 2,
    };

    pub(crate) fn largest(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }
}
