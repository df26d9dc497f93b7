//! `lookback gateway report`: what went through gateways, what it cost, and what folding saved or would have saved.

mod figures;
mod sums;

pub(in crate::commands) use figures::Figures;
pub(in crate::commands) use sums::Sums;

use std::collections::BTreeMap;

use anyhow::Result;
use jiff::{Timestamp as Instant, civil::Date, tz::TimeZone};
use serde_json::json;

use crate::{
    cli::GatewayReportArguments,
    commands::replay::each,
    home, opened, screen,
    settings::{self, Flags},
};

pub(super) fn run(asked: &GatewayReportArguments) -> Result<()> {
    let settings = settings::load(Flags::default())?;
    let figures = Figures::new(&settings, asked.card.as_deref())?;
    let Some(store) = home::find_store()? else { return told(asked, &BTreeMap::new(), &Sums::default()) };
    let snapshot = store.snapshot()?;
    let from = asked.since.map_or(i64::MIN, |since| opened::now().0.saturating_sub(since.as_millis() as i64));
    let zone = TimeZone::system();
    let mut days: BTreeMap<(Date, String), Sums> = BTreeMap::new();
    let mut total = Sums::default();
    let mut sessions = store.sessions()?;
    // A fork holds the calls of its parent.
    sessions.retain(|summary| summary.updated.0 >= from && summary.parent.is_none());
    let all = each(&sessions, |summary| figures.of(&summary.id, &snapshot));
    for (summary, session) in sessions.iter().zip(all) {
        let session = match session {
            Ok(Some(session)) => session,
            Ok(None) => continue,
            Err(error) => {
                screen::remark(&format!("session {}: {error:#}; left out", summary.short));
                continue;
            }
        };
        for call in session.calls.iter().filter(|call| call.at.0 >= from) {
            let day = Instant::from_millisecond(call.at.0)?.to_zoned(zone.clone()).date();
            days.entry((day, session.client.clone())).or_default().add(&session, call);
            total.add(&session, call);
        }
    }
    told(asked, &days, &total)
}

fn told(asked: &GatewayReportArguments, days: &BTreeMap<(Date, String), Sums>, total: &Sums) -> Result<()> {
    if asked.json {
        let rows = days.iter().map(|((day, client), sums)| {
            let mut row = json!({"day": day.to_string(), "client": client});
            if let (Some(row), Some(sums)) = (row.as_object_mut(), sums.told().as_object()) {
                row.extend(sums.clone());
            }
            row
        });
        return screen::show_json(&json!({"days": rows.collect::<Vec<_>>(), "total": total.told()}));
    }
    let Some(sentence) = total.sentence() else {
        return screen::say("nothing came through a gateway yet: `lookback with AGENT` is the shortest way");
    };
    let mut out = screen::screen();
    let heading = ["day", "agent", "calls", "paid", "saved", "would have saved"].map(str::to_owned).to_vec();
    let rows = days.iter().map(|((day, client), sums)| {
        let [calls, paid, saved, would] = sums.cells();
        vec![day.to_string(), client.clone(), calls, paid, saved, would]
    });
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    screen::write_table(&mut out, &rows, &[2, 3, 4, 5], screen::columns())?;
    screen::write_wrapped_table(&mut out, &[vec![sentence]], &[], screen::columns())?;
    Ok(out.flush()?)
}
