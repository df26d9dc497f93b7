//! The table of the most expensive calls, as they were, with what Lookback would have sent in their place.

use super::{
    html::{
        Cell, Column,
        Kind::{Number, Text},
        Table, escape,
    },
    tables::file,
};
use crate::{
    parameters::DEAREST_CALLS,
    report::{Moment, Report, numbers},
};

/// The most expensive moments of all sessions, with their reasons; none where no session has any.
pub(super) fn table(report: &Report) -> Option<String> {
    let mut moments: Vec<(&Moment, u64)> = Vec::new();
    for session in &report.sessions {
        moments.extend(session.pictures.dearest.iter().map(|moment| (moment, session.calls)));
    }
    if moments.is_empty() {
        return None;
    }
    moments.sort_by(|(one, _), (other, _)| {
        other.cost.total_cmp(&one.cost).then_with(|| (&one.file, one.call).cmp(&(&other.file, other.call)))
    });
    moments.truncate(DEAREST_CALLS);
    let mut table = Table::new(
        "The most expensive moments",
        &[
            Column(Text, "call", "and its session"),
            Column(Number, "cost", "of this one call, with its whole answer"),
            Column(Number, "of its session", "share of the session's whole bill"),
            Column(Number, "prompt", "tokens"),
            Column(Text, "why", "what made this call dear"),
            Column(Text, "with Lookback", "what it would have sent there, and what that costs"),
        ],
    );
    for (moment, calls) in moments {
        let call = format!("{} of {}", numbers::count(moment.call as u64 + 1), numbers::count(calls));
        let said = |text: &str| Cell::Text(format!("<span class=\"why\">{}</span>", escape(text)));
        table.row(
            "",
            &format!("{call} <small class=\"about\">{}</small>", file(&moment.file)),
            [
                Cell::Number(numbers::dollars(moment.cost)),
                Cell::Number(numbers::percent(moment.share)),
                Cell::Number(numbers::tokens(moment.context as f64)),
                said(&moment.why),
                said(moment.instead.as_deref().unwrap_or("–")),
            ],
        );
    }
    Some(table.finish())
}
