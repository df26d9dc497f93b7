//! The user's turns of a block, word for word (docs/design/model.md, "User turns").

use crate::{
    configuration::BlockLimits,
    history::{History, LiveTurn},
    text::LINE_ENDS,
    trace::{UserTurn, decision::TurnRange, event::Cut, start::ClientRecall},
    view::{
        large::{head_length, tail_length},
        result_text::render_ends,
    },
};

/// What can be said of how to see a long turn whole.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WayBack {
    /// Our own tool, or the program.
    Own,
    /// A guest's client.
    Client(ClientRecall),
}

/// Machine-made lines in the user's role are not the user's words.
pub(crate) fn render_user_turns(
    history: &History,
    range: TurnRange,
    back: WayBack,
    limits: &BlockLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let turns = history.live_turns(range).filter_map(|(_, turn)| match turn {
        LiveTurn::User(user) => render_user_turn(user, back, limits, count),
        LiveTurn::Assistant(_) | LiveTurn::Tool(_) => None,
    });
    turns.collect()
}

/// None: nobody typed it.
pub(crate) fn render_user_turn(
    user: &UserTurn,
    back: WayBack,
    limits: &BlockLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Option<String> {
    let number = user.user?;
    let words = words(number, user, back, limits, count);
    // Its end is marked, so that nothing a user pasted is taken for the record around it.
    Some(match words.contains(LINE_ENDS) {
        false => format!("\nuser#{number}: {words}\n"),
        true => format!("\nuser#{number}:\n{words}\n[end of user#{number}]\n"),
    })
}

fn words(number: u32, user: &UserTurn, back: WayBack, limits: &BlockLimits, count: &dyn Fn(&[u8]) -> u32) -> String {
    if user.tokens <= limits.longest_user_turn {
        return user.text.clone();
    }
    let bytes = user.text.as_bytes();
    let head = head_length(bytes, limits.user_turn_edge, count);
    let tail = tail_length(&bytes[head..], limits.user_turn_edge, count);
    let back = match back {
        WayBack::Own => format!(": Recall user#{number}"),
        WayBack::Client(ClientRecall::Declared) => format!(": recall user#{number}"),
        WayBack::Client(ClientRecall::Absent) => String::new(),
    };
    render_ends(bytes, Cut { head: head as u32, tail: tail as u32 }, &back)
}
