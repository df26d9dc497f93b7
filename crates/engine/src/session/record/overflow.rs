//! A provider called a prompt too long that we thought would fit: room is made once, by the same means and in the same
//! order as for the window, and what was learned of the window is written down.

use crate::{
    session::{Context, Session, SessionError},
    trace::EventBody,
};

/// What the provider said, in its own tokens, as far as it said anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overflow {
    pub sent: Option<u64>,
    pub limit: Option<u64>,
}

/// Of the view, in per cent, where the provider names no sizes. Ours: a fold that does not take a quarter is refused
/// anyway (design 3-folding, "The gate").
const SHARE_WITHOUT_SIZES: u64 = 75;

impl Session {
    /// To be called between two calls, before the prompt is tried once more. Says whether the view got any shorter: if it
    /// did not, the same prompt would be refused again.
    pub fn make_room(&mut self, overflow: Overflow, context: &Context<'_>) -> Result<Room, SessionError> {
        self.expect_idle()?;
        let before = self.view().tokens();
        self.learn_window(overflow, context)?;
        self.room = Some(self.room_after(overflow, before));
        let made = self.make_it_fit(context);
        self.room = None;
        made?;
        Ok(if self.view().tokens() < before { Room::Made } else { Room::NotFound })
    }

    /// A window that is smaller than the card says is known from now on.
    fn learn_window(&mut self, overflow: Overflow, context: &Context<'_>) -> Result<(), SessionError> {
        let Some(limit) = overflow.limit.and_then(|limit| u32::try_from(limit).ok()).filter(|limit| *limit > 0) else {
            return Ok(());
        };
        let in_use = &self.state.model;
        if limit >= in_use.window {
            return Ok(());
        }
        let changed = EventBody::ModelChanged {
            model: in_use.name.as_str().into(),
            provider: in_use.provider,
            window: limit,
            output_reserve: self.configuration.window.output_reserve(Some(in_use.reserve), limit),
            alternation: in_use.alternation,
            plain_thinking: in_use.plain_thinking,
            thinking: Default::default(),
        };
        self.record(changed, context)
    }

    /// In our count. The answer needs room, too.
    fn room_after(&self, overflow: Overflow, counted: u64) -> u64 {
        match (overflow.sent.filter(|sent| *sent > 0), overflow.limit) {
            (Some(sent), Some(limit)) => {
                let reserve = u64::from(self.state.model.reserve).min(limit / 2);
                counted.saturating_mul(limit - reserve) / sent
            }
            _ => counted * SHARE_WITHOUT_SIZES / 100,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Made,
    NotFound,
}
