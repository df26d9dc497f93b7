//! The loop guard: a model that makes the same call with the same result again and again is told once, then stopped.

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::trace::BlobHash;

/// So often in a row-free count the same call with the same result is said to the model.
const SAME: u32 = 3;

/// What repeats itself.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    seen: BTreeMap<(String, String, BlobHash), u32>,
    told: BTreeSet<(String, String, BlobHash)>,
}

/// What is to be done about a call that came again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    GoOn,
    /// The model is told.
    Tell,
    /// It was told, and did it again.
    Stop,
}

impl Guard {
    /// One more result. What changed something in between is another result.
    pub(crate) fn note(&mut self, tool: &str, arguments: &str, result: BlobHash) -> Verdict {
        let key = (tool.to_owned(), arguments.to_owned(), result);
        let count = self.seen.entry(key.clone()).or_insert(0);
        *count += 1;
        if *count < SAME {
            return Verdict::GoOn;
        }
        if self.told.insert(key) { Verdict::Tell } else { Verdict::Stop }
    }

    /// This call changed something: what any other gives now may be new though it looks the same.
    pub(crate) fn changed(&mut self, tool: &str, arguments: &str) {
        self.seen.retain(|(own, given, _), _| own == tool && given == arguments);
    }
}

/// What the model reads.
pub(crate) fn told(tool: &str) -> String {
    format!(
        "You have made the same {tool} call with the same result {SAME} times. It will not change: try something else, \
         or say what keeps you from going on."
    )
}

#[cfg(test)]
mod tests {
    use lookback_engine::trace::Output;

    use super::*;

    #[test]
    fn the_third_time_is_said_and_the_next_one_stops() {
        let mut guard = Guard::default();
        let same = || Output::from("no such file").hash();
        let verdicts: Vec<Verdict> = (0..4).map(|_| guard.note("Read", "{}", same())).collect();
        assert_eq!(verdicts, [Verdict::GoOn, Verdict::GoOn, Verdict::Tell, Verdict::Stop]);
        assert_eq!(guard.note("Read", "{\"path\":\"b\"}", same()), Verdict::GoOn);
    }

    #[test]
    fn after_a_change_the_count_begins_again() {
        let mut guard = Guard::default();
        let same = || Output::from("1 failed").hash();
        guard.note("Bash", "pytest", same());
        guard.note("Bash", "pytest", same());
        guard.changed("Write", "a");
        assert_eq!(guard.note("Bash", "pytest", same()), Verdict::GoOn);
        let verdicts = [(); 3].map(|()| {
            let verdict = guard.note("Write", "a", same());
            guard.changed("Write", "a");
            verdict
        });
        assert_eq!(verdicts, [Verdict::GoOn, Verdict::GoOn, Verdict::Tell], "the same written again changes nothing");
    }
}
