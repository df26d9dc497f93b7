//! For each call what could be reused of the one before, and why not all of it.

use std::{borrow::Cow, collections::BTreeMap};

use anyhow::Result;
use lookback_engine::{
    CacheVerdict, LedgerLine, Mismatch, Miss, Session,
    card::Lifetime,
    trace::{
        CallNo, EventBody,
        event::{Cold, Usage},
    },
};
use serde_json::json;

use crate::{opened, screen};

/// Columns from which on bytes, and what was billed, are shown beside tokens: the reasons need the room more.
const WITH_BYTES: usize = 90;
const WITH_BILLED: usize = 76;
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
    let bills = billed(session);
    let cold = cold_calls(session, &bills);
    let billed = if width < WITH_BILLED { BTreeMap::new() } else { bills };
    // A narrow terminal has no room for all; `--json` always has all.
    let with_bytes = width >= WITH_BYTES;
    let mut heading = vec!["call", "input", "reused", "written"];
    if with_bytes {
        heading.extend(["bytes same", "new"]);
    }
    if !billed.is_empty() {
        heading.extend(["billed", "cached"]);
    }
    heading.push("why not all");
    let right: Vec<usize> = (0..heading.len() - 1).collect();
    let heading = heading.into_iter().map(str::to_owned).collect();
    let made = lines.iter().map(|line| {
        let mut row = row(line.call.to_string(), &explained(line, &cold), &billed, with_bytes);
        if let (Some(why), Some(mismatch)) = (row.last_mut(), mismatch(session, line.call)) {
            why.push_str(&format!("; {mismatch}"));
        }
        row
    });
    let planned = next.map(|line| row("next".to_owned(), line, &billed, with_bytes));
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
    let mut remarks = compare_with_bills(session);
    remarks.extend(without_model(session));
    remarks.extend(above_the_cliff(session));
    screen::write_wrapped_table(&mut out, &remarks, &[], width)?;
    Ok(out.flush()?)
}

/// Calls of whose prompt the provider had nothing any more: the bill says so, and so long a pause says why.
fn cold_calls(session: &Session, billed: &BTreeMap<CallNo, Usage>) -> BTreeMap<CallNo, Cold> {
    let Some(card) = session.card() else { return BTreeMap::new() };
    let mut lifetime = Lifetime::Usual;
    let mut cold = BTreeMap::new();
    for pair in session.ledger().windows(2) {
        lifetime = billed.get(&pair[0].call).and_then(opened::held).unwrap_or(lifetime);
        let idle_ms = pair[1].at.0.saturating_sub(pair[0].at.0);
        let nothing = billed.get(&pair[1].call).is_some_and(|usage| usage.billed.cached == 0);
        let Some(lifetime_ms) = card.lifetime_ms(lifetime).filter(|lifetime_ms| nothing && idle_ms > *lifetime_ms)
        else {
            continue;
        };
        cold.insert(pair[1].call, Cold { idle_ms, lifetime_ms, base_held: false });
    }
    cold
}

/// A line with the reason that the bill shows in the place of the one that the prompt shows.
fn explained(line: &LedgerLine, cold: &BTreeMap<CallNo, Cold>) -> LedgerLine {
    let mut line = line.clone();
    let is_told = line.reasons.iter().any(|reason| matches!(reason, Miss::Cold(_)));
    if let Some(cold) = cold.get(&line.call).filter(|_| !is_told) {
        let others = line.reasons.iter().copied().filter(|reason| *reason != Miss::NewTurns);
        line.reasons = others.chain([Miss::Cold(*cold)]).collect::<Vec<_>>().into();
    }
    line
}

fn mismatch(session: &Session, call: CallNo) -> Option<Mismatch> {
    match session.cache_verdict(call)? {
        CacheVerdict::Mismatch(mismatch) => Some(mismatch),
        CacheVerdict::AsExpected | CacheVerdict::NotReported => None,
    }
}

/// How many calls were billed as their card says, how many otherwise, and what that may mean.
fn compare_with_bills(session: &Session) -> Vec<Vec<String>> {
    let mut calls: BTreeMap<Cow<'static, str>, Vec<CallNo>> = BTreeMap::new();
    for line in session.ledger() {
        let says = match session.cache_verdict(line.call) {
            None => continue,
            Some(CacheVerdict::AsExpected) => "cached as expected".into(),
            Some(CacheVerdict::NotReported) => "no cached tokens reported: this server may never report them".into(),
            Some(CacheVerdict::Mismatch(mismatch)) => {
                format!("cached otherwise than expected: {}", mismatch.difference.likely()).into()
            }
        };
        calls.entry(says).or_default().push(line.call);
    }
    let told = |(says, calls): (Cow<'static, str>, Vec<CallNo>)| {
        let named: Vec<String> = calls.iter().take(NAMED).map(ToString::to_string).collect();
        let more = if calls.len() > NAMED { ", …" } else { "" };
        let named = if says.starts_with("cached otherwise") {
            format!(" (call {}{more})", named.join(", "))
        } else {
            String::new()
        };
        vec![screen::counted(calls.len() as u64, "call"), format!("{says}{named}")]
    };
    calls.into_iter().map(told).collect()
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
fn above_the_cliff(session: &Session) -> Option<Vec<String>> {
    let prices = session.card()?.prices.as_ref()?;
    let above = prices.long.as_ref()?.above;
    let calls = billed(session).values().filter(|usage| prices.tier(usage.billed.prompt()) > 0).count() as u64;
    let says = format!("above {} tokens of prompt: every token of such a call costs more", screen::exact(above.into()));
    (calls > 0).then(|| vec![screen::counted(calls, "call"), says])
}

/// Above which size its prompt was billed; 0 for the usual prices.
fn tier(session: &Session, usage: &Usage) -> Option<u64> {
    Some(session.card()?.prices.as_ref()?.tier(usage.billed.prompt()))
}

fn row(call: String, line: &LedgerLine, billed: &BTreeMap<CallNo, Usage>, with_bytes: bool) -> Vec<String> {
    let mut cells = vec![
        call,
        screen::short(line.reused.tokens + line.written.tokens),
        screen::short(line.reused.tokens),
        screen::short(line.written.tokens),
    ];
    if with_bytes {
        cells.extend([line.reused.bytes, line.written.bytes].map(screen::short));
    }
    if !billed.is_empty() {
        let usage = billed.get(&line.call);
        let cell = |of: fn(&Usage) -> u64| usage.map_or("–".to_owned(), |usage| screen::short(of(usage)));
        cells.push(cell(|usage| usage.billed.prompt()));
        cells.push(cell(|usage| u64::from(usage.billed.cached)));
    }
    cells.push(line.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    cells
}

pub(super) fn show_json(session: &Session, next: Option<&LedgerLine>) -> Result<()> {
    let billed = billed(session);
    let cold = cold_calls(session, &billed);
    let line = |line: &LedgerLine, is_planned: bool| {
        let line = &explained(line, &cold);
        json!({
            "call": line.call,
            "at": line.at,
            "provider": session.sent().provider(),
            "reused": line.reused,
            "written": line.written,
            "reasons": line.reasons,
            "billed": billed.get(&line.call),
            "tier": billed.get(&line.call).and_then(|usage| tier(session, usage)),
            "expected": session.expected_bill(line.call),
            "cache": session.cache_verdict(line.call),
            "planned": is_planned,
        })
    };
    let made = session.ledger().iter().map(|made| line(made, false));
    screen::show_json(&made.chain(next.map(|next| line(next, true))).collect())
}

/// What providers said about their calls, where they did.
fn billed(session: &Session) -> BTreeMap<CallNo, Usage> {
    let usages = session.trace().iter().filter_map(|event| match &event.event {
        EventBody::Usage(usage) => Some((usage.call, *usage)),
        _ => None,
    });
    usages.collect()
}
