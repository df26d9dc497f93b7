//! What a session knows: its StateBoard.

use anyhow::Result;
use lookback_engine::Session;

use crate::screen;

pub(super) fn show(session: &Session) -> Result<()> {
    let board = session.state().board();
    if board.is_empty() {
        return screen::say(
            "the board is empty: it says what the session knows, and a fold or the model's Board calls write on it",
        );
    }
    let mut out = screen::screen();
    write!(out, "{}", board.for_people(screen::columns(), &session.configuration().board))?;
    let files = session.files();
    let pinned = session.state().pins().map(|pin| pin.pointer.clone()).collect();
    let named =
        [("pinned", pinned), ("changed", files.changed), ("deleted", files.deleted), ("scratch", files.scratch)];
    for (name, paths) in named {
        for (at, path) in paths.iter().enumerate() {
            let path: String = path.chars().filter(|letter| !letter.is_control()).collect();
            writeln!(out, " {:<11}{path}", if at == 0 { name } else { "" })?;
        }
    }
    Ok(out.flush()?)
}

pub(super) fn show_json(session: &Session) -> Result<()> {
    let mut board = serde_json::to_value(session.state().board())?;
    board["files"] = serde_json::to_value(session.files())?;
    screen::show_json(&board)
}
