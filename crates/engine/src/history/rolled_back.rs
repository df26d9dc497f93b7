//! Which events rollbacks took out of the conversation.

use std::ops::Range;

use crate::trace::EventNo;

#[derive(Debug, Default)]
pub(crate) struct RolledBack {
    /// Disjoint and in order: a later rollback swallows the ones that lie inside of it.
    dead: Vec<Range<u64>>,
}

impl RolledBack {
    /// Everything after `end`, the last event that stays, up to the rollback itself.
    pub(crate) fn push(&mut self, end: EventNo, rollback: EventNo) {
        let first = end.0 + 1;
        while self.dead.last().is_some_and(|range| range.start >= first) {
            self.dead.pop();
        }
        self.dead.push(first..rollback.0);
    }

    pub(crate) fn is_live(&self, event: EventNo) -> bool {
        let after = self.dead.partition_point(|range| range.start <= event.0);
        !self.dead[..after].last().is_some_and(|range| range.contains(&event.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rollbacks_may_follow_and_swallow_one_another() {
        let mut rolled_back = RolledBack::default();
        let live =
            |rolled_back: &RolledBack| (0..12).filter(|event| rolled_back.is_live(EventNo(*event))).collect::<Vec<_>>();
        rolled_back.push(EventNo(2), EventNo(4));
        assert_eq!(live(&rolled_back), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
        rolled_back.push(EventNo(5), EventNo(7));
        assert_eq!(live(&rolled_back), [0, 1, 2, 4, 5, 7, 8, 9, 10, 11]);
        rolled_back.push(EventNo(1), EventNo(9));
        assert_eq!(live(&rolled_back), [0, 1, 9, 10, 11]);
    }
}
