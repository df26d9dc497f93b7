//! A reply taken apart into what happens one after the other, and put together again as far as it came.

use std::{collections::VecDeque, time::Duration};

use lookback_wire::{Delta, Reply, ReplyContent, ReplyPart, ReplyStop, Seal, TokenUsage};

use crate::{ModelError, script::pieces};

#[derive(Debug)]
pub(super) enum Act {
    Wait(Duration),
    /// A part begins, or goes on by a piece.
    Say(Delta),
    /// A part is complete, with its whole content.
    Close(ReplyContent),
    End(ReplyStop, Option<TokenUsage>),
    Fail(ModelError),
}

/// `piece` lies between one piece and the next.
pub(super) fn plan_acts(parts: &[ReplyContent], first: Duration, piece: Duration) -> VecDeque<Act> {
    let mut acts = VecDeque::from([Act::Wait(first)]);
    let say = |acts: &mut VecDeque<Act>, delta: Delta| {
        if acts.iter().any(|act| matches!(act, Act::Say(_))) {
            acts.push_back(Act::Wait(piece));
        }
        acts.push_back(Act::Say(delta));
    };
    for part in parts {
        match part {
            ReplyContent::Text(text) => pieces(text).for_each(|text| say(&mut acts, Delta::Text(text.to_owned()))),
            ReplyContent::Thinking { text, .. } => {
                pieces(text).for_each(|text| say(&mut acts, Delta::Thinking(text.to_owned())));
            }
            ReplyContent::Call { name, .. } | ReplyContent::UnfinishedCall { name, .. } => {
                say(&mut acts, Delta::Call { name: name.clone() });
            }
            ReplyContent::Unknown => continue,
        }
        acts.push_back(Act::Close(part.clone()));
    }
    acts
}

/// What came so far. A part is open until it is closed, and a delta of another kind begins the next.
#[derive(Debug, Default)]
pub(super) struct SoFar {
    pub(super) reply: Reply,
    open: bool,
}

impl SoFar {
    pub(super) fn say(&mut self, delta: &Delta) {
        if !self.open {
            let content = match delta {
                Delta::Text(_) => ReplyContent::Text(String::new()),
                Delta::Thinking(_) => ReplyContent::Thinking { text: String::new(), seal: Seal::None },
                Delta::Call { name } => {
                    ReplyContent::UnfinishedCall { id: String::new(), name: name.clone(), arguments: String::new() }
                }
            };
            self.reply.parts.push(ReplyPart { content, native: None });
            self.open = true;
        }
        match (self.reply.parts.last_mut().map(|part| &mut part.content), delta) {
            (Some(ReplyContent::Text(text)), Delta::Text(piece))
            | (Some(ReplyContent::Thinking { text, .. }), Delta::Thinking(piece)) => text.push_str(piece),
            _ => {}
        }
    }

    pub(super) fn close(&mut self, content: ReplyContent) {
        if self.open {
            self.reply.parts.pop();
        }
        self.reply.parts.push(ReplyPart { content, native: None });
        self.open = false;
    }
}
