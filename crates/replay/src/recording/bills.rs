//! Bills of a recording that no provider can have sent.

use super::{Billed, Item, Recording};
use crate::parameters::LARGEST_BILL;

impl Recording {
    /// One such number would be more than all the others together: its call counts as one without a bill. Gives how many
    /// there were.
    pub fn drop_absurd_bills(&mut self) -> usize {
        let own = self.items.iter_mut().filter_map(|item| match item {
            Item::Call(call) => Some(&mut call.billed),
            Item::Compaction(compaction) => Some(&mut compaction.billed),
            Item::User(_) | Item::Rewind { .. } => None,
        });
        let asides = self.about.sub_agents.values_mut().map(|aside| &mut aside.billed);
        own.chain(asides).filter_map(|billed| billed.take_if(|billed| is_absurd(billed))).count()
    }
}

fn is_absurd(billed: &Billed) -> bool {
    let Billed { uncached, read, written, output, .. } = *billed;
    [uncached, read, written, output].into_iter().fold(0, u64::saturating_add) > LARGEST_BILL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Compaction, CompactionKind, Format};

    #[test]
    fn a_bill_of_more_than_any_window_is_none() {
        let bill = |written| Some(Billed { written, output: 10, ..Billed::default() });
        let item = |billed| Item::Compaction(Compaction { kind: CompactionKind::Head, at: None, billed });
        let items = vec![item(bill(100_000)), item(bill(99_999_999_999_999)), item(bill(u64::MAX)), item(None)];
        let mut recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
        assert_eq!((recording.drop_absurd_bills(), recording.drop_absurd_bills()), (2, 0));
        let Some(Item::Compaction(first)) = recording.items.first() else { panic!("it is there") };
        assert_eq!(first.billed, bill(100_000));
    }
}
