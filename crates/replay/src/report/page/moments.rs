//! The ten most expensive moments of all sessions, with their reasons.

use super::html::{
    Cell, Column,
    Kind::{Number, Text},
    Table, escape,
};
use crate::{
    parameters::DEAREST_CALLS,
    report::{Moment, Report, numbers},
};

/// None where no session has moments.
pub(super) fn render(report: &Report) -> Option<String> {
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
            Column(Text, "place", "1 is the dearest"),
            Column(Text, "why", "what made this call dear"),
            Column(Number, "cost", "of this one call, with compactor and repairs, in uncached-input tokens"),
            Column(Number, "of its session", "share of the session's whole bill"),
            Column(Number, "prompt", "tokens of the prompt"),
            Column(Text, "call", "which call of the session"),
            Column(Text, "session", ""),
        ],
    );
    for (place, (moment, calls)) in moments.into_iter().enumerate() {
        table.row(
            "",
            &format!("{}", place + 1),
            [
                Cell::Text(format!("<span class=\"why\">{}</span>", escape(&moment.why))),
                Cell::Number(numbers::tokens(moment.cost)),
                Cell::Number(numbers::percent(moment.share)),
                Cell::Number(numbers::tokens(moment.context as f64)),
                Cell::Text(format!("{} of {}", numbers::count(moment.call as u64 + 1), numbers::count(calls))),
                Cell::Text(super::tables::file(&moment.file)),
            ],
        );
    }
    Some(table.finish())
}
