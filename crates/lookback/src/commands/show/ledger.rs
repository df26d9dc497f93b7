//! For each call what could be reused of the one before, and why not all of it.

mod bills;

use std::{borrow::Cow, collections::BTreeMap};

use anyhow::Result;
use bills::Bill;
use lookback_engine::{
    CacheVerdict, LedgerLine, Miss, Session,
    trace::{CallNo, event::Usage},
};
use serde_json::json;

use crate::{opened, screen};

/// Columns from which on bytes are shown, and our own counts beside what was billed: the reasons need the room more, and
/// bills are money.
const WITH_BYTES: usize = 90;
const WITH_BOTH: usize = 76;
/// How many calls that were billed otherwise than expected are named.
const NAMED: usize = 8;

/// `next` is a call that was not made.
pub(super) fn show(session: &Session, next: Option<&LedgerLine>) -> Result<()> {
    let lines = session.ledger();
    if lines.is_empty() && next.is_none() {
        return screen::say("no calls yet");
    }
    let mut out = screen::screen();
    let width = screen::columns();
    let bills = bills::read(session)?;
    let billed = usages(&bills);
    // A narrow terminal has no room for all; `--json` always has all.
    let columns = Columns {
        counted: billed.is_empty() || width >= WITH_BOTH,
        bytes: width >= WITH_BYTES,
        billed: !billed.is_empty(),
    };
    let mut heading = vec!["call", "input"];
    let others = [
        (columns.counted, ["reused", "written"]),
        (columns.bytes, ["bytes same", "new"]),
        (columns.billed, ["billed", "cached"]),
    ];
    heading.extend(others.into_iter().filter(|(is_shown, _)| *is_shown).flat_map(|(_, titles)| titles));
    heading.push("why not all");
    let right: Vec<usize> = (0..heading.len() - 1).collect();
    let heading = heading.into_iter().map(str::to_owned).collect();
    let made = lines.iter().map(|line| {
        let mut row = row(line.call.to_string(), &explained(line, &bills), &billed, columns);
        let verdict = bills.get(&line.call).and_then(|bill| bill.verdict);
        if let (Some(why), Some(CacheVerdict::Mismatch(mismatch))) = (row.last_mut(), verdict) {
            why.push_str(&format!("; {mismatch}"));
        }
        row
    });
    let planned = next.map(|line| row("next".to_owned(), line, &billed, columns));
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(made).chain(planned).collect();
    screen::write_wrapped_table(&mut out, &rows, &right, width)?;
    if let Some(reuse) = session.reuse() {
        let facts = [
            format!("session: {:.0}% of the tokens sent stood in the call before", reuse * 100.0),
            format!("tokens by {}", session.start_of().tokenizer),
            format!("bytes as for {}", session.sent().provider()),
        ];
        screen::write_facts(&mut out, " ", &facts, width)?;
    }
    let mut remarks = compare_with_bills(&bills);
    remarks.extend(without_model(session));
    remarks.extend(without_card(session, &bills));
    remarks.extend(above_the_cliff(session, &bills));
    screen::write_wrapped_table(&mut out, &remarks, &[], width)?;
    Ok(out.flush()?)
}

/// A line with the reason that the bill shows in the place of the one that the prompt shows.
fn explained(line: &LedgerLine, bills: &BTreeMap<CallNo, Bill>) -> LedgerLine {
    let mut line = line.clone();
    let is_told = line.reasons.iter().any(|reason| matches!(reason, Miss::Cold(_)));
    if let Some(reason) = bills.get(&line.call).and_then(|bill| bill.reason).filter(|_| !is_told) {
        let others = line.reasons.iter().copied().filter(|reason| *reason != Miss::NewTurns);
        line.reasons = others.chain([reason]).collect::<Vec<_>>().into();
    }
    line
}

/// How many calls were billed as their card says, how many otherwise, and what that may mean.
fn compare_with_bills(bills: &BTreeMap<CallNo, Bill>) -> Vec<Vec<String>> {
    let mut calls: BTreeMap<(Cow<'static, str>, Surprise), Vec<CallNo>> = BTreeMap::new();
    for (call, bill) in bills {
        let says = match (bill.reason, bill.verdict) {
            (Some(Miss::ClientCompaction), _) => {
                ("not compared: after the agent's own compaction the prompt was another one".into(), Surprise::Named)
            }
            (_, None) => continue,
            (_, Some(CacheVerdict::AsExpected)) => ("cached as expected".into(), Surprise::None),
            (_, Some(CacheVerdict::NotReported)) => {
                ("no cached tokens reported: this server may never report them".into(), Surprise::None)
            }
            (_, Some(CacheVerdict::Mismatch(mismatch))) => {
                let likely = mismatch.difference.likely();
                (format!("cached otherwise than expected: {likely}").into(), Surprise::Named)
            }
        };
        calls.entry(says).or_default().push(*call);
    }
    let told = |((says, surprise), calls): ((Cow<'static, str>, Surprise), Vec<CallNo>)| {
        let named: Vec<String> = calls.iter().take(NAMED).map(ToString::to_string).collect();
        let more = if calls.len() > NAMED { ", …" } else { "" };
        let named = match surprise {
            Surprise::Named => format!(" (call {}{more})", named.join(", ")),
            Surprise::None => String::new(),
        };
        vec![screen::counted(calls.len() as u64, "call"), format!("{says}{named}")]
    };
    calls.into_iter().map(told).collect()
}

/// Whether a person wants to know which calls these were.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surprise {
    None,
    Named,
}

/// By what calls are judged whose model has no card.
fn without_card(session: &Session, bills: &BTreeMap<CallNo, Bill>) -> Option<Vec<String>> {
    let model = &session.state().model().name;
    let is_judged = bills.values().any(|bill| bill.reason.is_some() || bill.verdict.is_some());
    if session.card().is_some() || model.is_empty() || !is_judged {
        return None;
    }
    let says = format!("knows {model}: each call is judged by the bill before it, as if entries lived as usual");
    Some(vec!["no card".to_owned(), says])
}

/// By whose rule calls are judged that name no model.
fn without_model(session: &Session) -> Option<Vec<String>> {
    let start = session.start_of();
    let judged = match opened::model_of(start) {
        _ if !start.model.is_empty() => return None,
        "" => "what its cache should have held is unknown".to_owned(),
        model => format!("its calls are judged by the cache rule of {model}"),
    };
    Some(vec!["no model".to_owned(), format!("is named in the recording: {judged}")])
}

/// How many calls had a prompt so long that all of it costs more.
fn above_the_cliff(session: &Session, bills: &BTreeMap<CallNo, Bill>) -> Option<Vec<String>> {
    let prices = session.card()?.prices.as_ref()?;
    let above = prices.long.as_ref()?.above;
    let calls = bills.values().filter(|bill| prices.tier(bill.usage.billed.prompt()) > 0).count() as u64;
    let says = format!("above {} tokens of prompt: every token of such a call costs more", screen::exact(above.into()));
    (calls > 0).then(|| vec![screen::counted(calls, "call"), says])
}

/// Above which size its prompt was billed; 0 for the usual prices.
fn tier(session: &Session, usage: &Usage) -> Option<u64> {
    Some(session.card()?.prices.as_ref()?.tier(usage.billed.prompt()))
}

/// Which stand beside the size of each call.
#[derive(Clone, Copy)]
struct Columns {
    counted: bool,
    bytes: bool,
    billed: bool,
}

fn row(call: String, line: &LedgerLine, billed: &BTreeMap<CallNo, Usage>, columns: Columns) -> Vec<String> {
    let mut cells = vec![call, screen::short(line.reused.tokens + line.written.tokens)];
    if columns.counted {
        cells.extend([line.reused.tokens, line.written.tokens].map(screen::short));
    }
    if columns.bytes {
        cells.extend([line.reused.bytes, line.written.bytes].map(screen::short));
    }
    if columns.billed {
        let usage = billed.get(&line.call);
        let cell = |of: fn(&Usage) -> u64| usage.map_or("–".to_owned(), |usage| screen::short(of(usage)));
        cells.push(cell(|usage| usage.billed.prompt()));
        cells.push(cell(|usage| u64::from(usage.billed.cached)));
    }
    cells.push(line.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    cells
}

pub(super) fn show_json(session: &Session, next: Option<&LedgerLine>) -> Result<()> {
    let bills = bills::read(session)?;
    let line = |line: &LedgerLine, is_planned: bool| {
        let (line, bill) = (&explained(line, &bills), bills.get(&line.call));
        json!({
            "call": line.call,
            "at": line.at,
            "provider": session.sent().provider(),
            "reused": line.reused,
            "written": line.written,
            "reasons": line.reasons,
            "billed": bill.map(|bill| bill.usage),
            "tier": bill.and_then(|bill| tier(session, &bill.usage)),
            "expected": session.expected_bill(line.call),
            "cache": bill.and_then(|bill| bill.verdict),
            "planned": is_planned,
        })
    };
    let made = session.ledger().iter().map(|made| line(made, false));
    screen::show_json(&made.chain(next.map(|next| line(next, true))).collect())
}

fn usages(bills: &BTreeMap<CallNo, Bill>) -> BTreeMap<CallNo, Usage> {
    bills.iter().map(|(call, bill)| (*call, bill.usage)).collect()
}
