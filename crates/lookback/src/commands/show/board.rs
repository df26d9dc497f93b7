//! What a session knows: its StateBoard.

use anyhow::Result;
use lookback_engine::{Session, fold::render_for_people};

use crate::screen;

pub(super) fn show(session: &Session) -> Result<()> {
    let mut out = screen::screen();
    let board = session.state().board();
    if board.is_empty() {
        writeln!(out, "the board is empty: a fold, or the model's Board calls, write on it")?;
    } else {
        write!(out, "{}", render_for_people(board, screen::columns(), &session.configuration().board))?;
    }
    Ok(out.flush()?)
}

pub(super) fn show_json(session: &Session) -> Result<()> {
    screen::show_json(&serde_json::to_value(session.state().board())?)
}
