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
    };

    pub(crate) const QUICK: Self = Self {
        sizes: &[100, 400],
        rounds: 3,
        steps: 5,
        store_bytes: 4_000_000,
        sessions: 5,
        probes: &[100, 200],
        queries: 3,
    };

    pub(crate) fn largest(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }
}
