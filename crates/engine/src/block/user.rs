//! The user's turns of a block, word for word (design 2-model, "User turns are sacred").

use crate::{
    configuration::BlockLimits,
    session::{Session, index::TurnRecord},
    trace::{EventBody, TurnNo, UserTurn, decision::TurnRange, event::Cut},
    view::{
        large::{head_length, tail_length},
        result_text::render_cut,
    },
};

/// Machine-made lines in the user's role are not the user's words.
pub(super) fn render_user_turns(
    session: &Session,
    range: TurnRange,
    limits: &BlockLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let turns = (range.first.0..=range.last.0).filter_map(|turn| user_turn(session, TurnNo(turn)));
    let mut text = String::new();
    for (number, user) in turns {
        let words = words(number, user, limits, count);
        // Its end is marked, so that nothing a user pasted is taken for the record around it.
        text.push_str(&match words.contains('\n') {
            false => format!("\nuser#{number}: {words}\n"),
            true => format!("\nuser#{number}:\n{words}\n[end of user#{number}]\n"),
        });
    }
    text
}

fn user_turn(session: &Session, turn: TurnNo) -> Option<(u32, &UserTurn)> {
    let TurnRecord::User { event } = session.index().turn(turn)? else { return None };
    match &session.trace().get(event.0 as usize)?.event {
        EventBody::UserTurn(user) if session.is_live(*event) => Some((user.user?, user)),
        _ => None,
    }
}

fn words(number: u32, user: &UserTurn, limits: &BlockLimits, count: &dyn Fn(&[u8]) -> u32) -> String {
    if user.tokens <= limits.longest_user_turn {
        return user.text.clone();
    }
    let bytes = user.text.as_bytes();
    let head = head_length(bytes, limits.user_turn_edge, count);
    let tail = tail_length(&bytes[head..], limits.user_turn_edge, count);
    render_cut(bytes, Cut { head: head as u32, tail: tail as u32 }, &format!("user#{number}"))
}
