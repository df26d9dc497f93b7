//! Calls that a client makes beside its conversation: titles, counts, its own compaction.

use lookback_engine::trace::{
    BlobHash,
    event::{CallDetails, CallKind, CallOver},
};
use lookback_store::Durability;

use super::{Desk, KeepError, context};
use crate::{
    note::{Answered, Beside},
    table::{CallBeside, ConversationId},
    who::Kind,
};

/// Those of a conversation that has not begun yet wait: titles come first.
const EARLY: usize = 64;

impl Desk {
    /// A call beside the conversation is one event of it, told when it is over. Before the conversation has begun it waits.
    pub(super) fn beside(&mut self, beside: Beside, answered: Answered) {
        let known = beside.conversation.filter(|conversation| self.open.contains_key(conversation));
        let by_name = || {
            let named = beside.named.as_ref()?;
            self.open.iter().find(|(_, open)| open.named.as_ref() == Some(named)).map(|(conversation, _)| *conversation)
        };
        let Some(conversation) = known.or_else(by_name) else {
            if self.early.len() == EARLY {
                let (beside, answered) = self.early.remove(0);
                self.leave_beside(beside, &answered);
            }
            self.early.push((beside, answered));
            return;
        };
        if let Err(error) = self.record_beside(conversation, &beside, &answered) {
            self.give_up(conversation, &error);
        }
    }

    /// The gateway ends, and these have found no conversation.
    pub(super) fn leave_early(&mut self) {
        for (beside, answered) in std::mem::take(&mut self.early) {
            self.leave_beside(beside, &answered);
        }
    }

    fn leave_beside(&self, beside: Beside, answered: &Answered) {
        let usage = answered.reply(beside.api).and_then(|reply| reply.usage);
        if answered.status < 300 {
            self.table.left_beside(CallBeside { model: beside.model, usage });
        }
    }

    fn record_beside(
        &mut self,
        conversation: ConversationId,
        beside: &Beside,
        answered: &Answered,
    ) -> Result<(), KeepError> {
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(()) };
        let usage = answered.reply(beside.api).and_then(|reply| reply.usage);
        let problem = (answered.status >= 300).then(|| format!("status {}", answered.status));
        let kind = if beside.kind == Kind::Compaction { CallKind::ClientCompaction } else { CallKind::Side };
        let over = Some(CallOver { usage, problem });
        let details = CallDetails { kind, chain: beside.chain.map(BlobHash), branch: None, over };
        open.live.session.call_beside(details, &context(&self.options, beside.at))?;
        open.write(Durability::Grouped)
    }

    pub(super) fn tell_early(&mut self, conversation: ConversationId) {
        let Some(named) = self.open.get(&conversation).and_then(|open| open.named.clone()) else { return };
        let (ours, others) =
            std::mem::take(&mut self.early).into_iter().partition(|(beside, _)| beside.named.as_ref() == Some(&named));
        self.early = others;
        let ours: Vec<(Beside, Answered)> = ours;
        ours.into_iter().for_each(|(beside, answered)| self.beside(beside, answered));
    }
}
