//! Which events rollbacks took out of the conversation.

use std::ops::Range;

use crate::trace::EventNo;

#[derive(Debug, Default)]
pub(crate) struct RolledBack {
    /// Disjoint and in order: a later rollback swallows the ones that lie inside of it.
    dead: Vec<Range<u64>>,
    /// What each rollback took out when it came, in their order.
    taken: Vec<Range<u64>>,
}

impl RolledBack {
    /// Everything after `end`, the last event that stays, up to the rollback itself. Where `end` had been taken out, its
    /// branch is part of the conversation again, as it was then.
    pub(crate) fn push(&mut self, end: EventNo, rollback: EventNo) {
        let first = end.0 + 1;
        if self.is_live(end) {
            while self.dead.last().is_some_and(|range| range.start >= first) {
                self.dead.pop();
            }
        } else {
            self.dead = self.dead_at(end);
        }
        self.dead.push(first..rollback.0);
        self.taken.push(first..rollback.0);
    }

    /// What was out of the conversation when this event came.
    fn dead_at(&self, event: EventNo) -> Vec<Range<u64>> {
        let (mut dead, mut at) = (Vec::new(), event.0);
        while let Some(taken) = self.taken[..self.taken.partition_point(|taken| taken.end <= at)].last() {
            dead.push(taken.clone());
            at = taken.start - 1;
        }
        dead.reverse();
        dead
    }

    /// First event and end of each.
    pub(crate) fn dead(&self) -> &[Range<u64>] {
        &self.dead
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

    #[test]
    fn a_branch_that_was_left_comes_back_as_it_was() {
        let mut rolled_back = RolledBack::default();
        let live =
            |rolled_back: &RolledBack| (0..16).filter(|event| rolled_back.is_live(EventNo(*event))).collect::<Vec<_>>();
        rolled_back.push(EventNo(1), EventNo(4));
        rolled_back.push(EventNo(1), EventNo(8));
        // Back to the first branch, which had gone on up to 3.
        rolled_back.push(EventNo(3), EventNo(10));
        assert_eq!(live(&rolled_back), [0, 1, 2, 3, 10, 11, 12, 13, 14, 15]);
        // And to the second, whose beginning is the rollback at 4.
        rolled_back.push(EventNo(6), EventNo(12));
        assert_eq!(live(&rolled_back), [0, 1, 4, 5, 6, 12, 13, 14, 15]);
    }
}
