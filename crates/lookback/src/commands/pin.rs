//! `lookback pin ID POINTER` and `lookback unpin ID POINTER`: what is kept word for word through every fold.

use anyhow::Result;
use serde_json::json;

use crate::{cli::PinArguments, opened::Opened, screen};

pub(crate) fn pin(arguments: PinArguments) -> Result<()> {
    let mut opened = Opened::find(&arguments.id)?;
    let pinned = opened.change(|session, context| session.pin(&arguments.pointer, context))?;
    let said = format!("pinned {} · {}", pinned.pointer, screen::counted(u64::from(pinned.tokens), "token"));
    show(&opened, &arguments, &format!("{said} · the next fold that takes it away keeps it word for word"))
}

pub(crate) fn unpin(arguments: PinArguments) -> Result<()> {
    let mut opened = Opened::find(&arguments.id)?;
    opened.change(|session, context| session.unpin(&arguments.pointer, context))?;
    show(&opened, &arguments, "unpinned · folds from now on no longer keep it; blocks that show it stay as they are")
}

fn show(opened: &Opened, arguments: &PinArguments, line: &str) -> Result<()> {
    if arguments.json {
        let pins: Vec<_> =
            opened.session.state().pins().map(|pin| json!({ "pointer": pin.pointer, "tokens": pin.tokens })).collect();
        return screen::show_json(&json!({ "session": opened.session.id(), "pins": pins }));
    }
    let mut out = screen::screen();
    screen::write_line(&mut out, line)?;
    Ok(out.flush()?)
}
