//! `lookback unfold ID K`: a block's turns come back into the view.

use anyhow::Result;
use lookback_engine::{report::UnfoldReport, trace::SessionId};
use serde_json::json;

use crate::{cli::UnfoldArguments, opened::Opened, screen};

pub(crate) fn run(arguments: UnfoldArguments) -> Result<()> {
    let mut opened = Opened::find(&arguments.id)?;
    let report = opened.change(|session, context| session.unfold(arguments.block, context))?;
    if arguments.json {
        return show_json(opened.session.id(), &report);
    }
    let mut out = screen::screen();
    screen::write_line(&mut out, &report.to_string())?;
    Ok(out.flush()?)
}

fn show_json(session: &SessionId, report: &UnfoldReport) -> Result<()> {
    let (costs, more) = report.balance().unzip();
    let report = json!({
        "session": session,
        "block": report.block,
        "range": report.range,
        "block_tokens": report.block_tokens,
        "turns_tokens": report.turns_tokens,
        "behind": report.behind,
        "warmth": report.warmth,
        "tariff": report.tariff,
        "costs": costs,
        "costs_per_call": more,
    });
    screen::show_json(&report)
}
