//! Times of a recording that no clock can have shown between those around them.

use lookback_engine::trace::Timestamp;

use super::{Item, Recording};
use crate::parameters::{DISORDER_MS, FAR_MS};

impl Recording {
    /// Such a time would be a pause that nobody made: it becomes that of its neighbour. Gives how many there were.
    pub fn mend_times(&mut self) -> usize {
        let mut times: Vec<&mut Timestamp> = self.items.iter_mut().filter_map(time).collect();
        let mut sorted: Vec<i64> = times.iter().map(|at| at.0).collect();
        sorted.sort_unstable();
        let Some(&median) = sorted.get(sorted.len() / 2) else { return 0 };
        let is_near = |at: i64| at.abs_diff(median) <= FAR_MS;
        // What comes next for each, from the back.
        let mut next = vec![None; times.len()];
        for place in (1..times.len()).rev() {
            next[place - 1] = Some(times[place].0).filter(|at| is_near(*at)).or(next[place]);
        }
        let (mut odd, mut before) = (0, None);
        for (time, next) in times.iter_mut().zip(next) {
            let at = time.0;
            let (earliest, latest) = (before.unwrap_or(i64::MIN), next.unwrap_or(i64::MAX));
            let fits = earliest.saturating_sub(DISORDER_MS) <= at && at <= latest.saturating_add(DISORDER_MS);
            // Neighbours that contradict each other tell nothing.
            if is_near(at) && (fits || earliest > latest) {
                before = Some(at);
            } else {
                odd += 1;
                time.0 = before.or(next).unwrap_or(median);
            }
        }
        odd
    }
}

fn time(item: &mut Item) -> Option<&mut Timestamp> {
    match item {
        Item::User(user) => user.at.as_mut(),
        Item::Call(call) => call.at.as_mut(),
        Item::Compaction(compaction) => compaction.at.as_mut(),
        Item::Rewind { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use lookback_engine::trace::Origin;

    use super::*;
    use crate::recording::{Format, UserItem};

    fn mended(times: &[i64]) -> (usize, Vec<i64>) {
        let user = |at: &i64| {
            let at = Some(Timestamp(*at * 3_600_000));
            Item::User(UserItem { text: String::new(), origin: Origin::Person, at })
        };
        let mut recording = Recording { items: times.iter().map(user).collect(), ..Recording::new(Format::Pi) };
        let odd = recording.mend_times();
        (odd, recording.items.iter_mut().filter_map(time).map(|at| at.0 / 3_600_000).collect())
    }

    /// In hours, from 2026 on.
    #[test]
    fn times_far_from_all_others_are_those_of_their_neighbours() {
        let now = 490_000;
        assert_eq!(mended(&[now, now + 1, 0, now + 3]), (1, vec![now, now + 1, now + 1, now + 3]));
        assert_eq!(mended(&[0, 0, now, now + 1, now + 2]), (2, vec![now, now, now, now + 1, now + 2]));
        assert_eq!(mended(&[now, now + 1, now * 2, now * 2, now + 2, now + 3]).0, 2);
        assert_eq!(mended(&[now, now + 100, now + 1]), (1, vec![now, now, now + 1]));
        for fine in [vec![now, now + 2_000, now + 2_001], vec![now + 3, now, now + 4], vec![5], Vec::new()] {
            assert_eq!(mended(&fine), (0, fine));
        }
    }
}
