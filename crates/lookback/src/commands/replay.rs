//! `lookback replay`: what recorded sessions would have cost, and forgotten, under other ways of showing them.
//!
//! Files, threads and the terminal are here; what a strategy does and what a figure means is in `lookback-replay`.

mod copies;
mod counting;
mod discovery;
mod opening;
mod origin;
mod prices;
mod sessions;
mod side_by_side;
mod sub_agents;
mod table;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Error, Result, bail};
use lookback_engine::{Configuration, trace::SessionId};
use lookback_replay::{
    recording::{Recording, Skipped},
    report::{Report, SessionReport, page::render_page, summary::Summary},
    session::Plan,
    strategy::StrategyName,
};
use lookback_store::Snapshot;
use serde_json::json;

use crate::{
    cards,
    cli::{ReplayArguments, Strategies},
    interruption, reading, screen,
    settings::{self, Flags},
};

pub(crate) use counting::Counts;
use discovery::Consent;
use origin::Origin;
use prices::Prices;
use sessions::{One, Outcomes, WithoutCalls, is_unused, replay_all};
pub(crate) use side_by_side::each;

const REPORT: &str = "lookback-replay.html";
/// Files of which something could not be used. Who has many knows after a few.
const FILES_TOLD: usize = 3;
/// How every page begins.
const PAGE_START: &[u8] = b"<!DOCTYPE html>";

/// In every report: the table says what a view held, and nobody knows what a model would have done with it.
const CANNOT_TELL: &str = "replay measures cost and what stays in view, not whether the task would have succeeded";

pub(crate) fn run(arguments: ReplayArguments) -> Result<()> {
    let prices = Prices::new(arguments.prices.as_deref(), arguments.ttl)?;
    let page = page_of(&arguments)?;
    let strategies = chosen(arguments.strategies.as_ref());
    interruption::end_on_interruption("interrupted: no report was written");
    let asked = match arguments.what.as_slice() {
        [] => discovery::discover(if arguments.yes { Consent::Given } else { Consent::Ask })?,
        words => Some(origin::named(words)?),
    };
    let Some(asked) = asked else { return Ok(()) };
    // What a person set is what their sessions would be folded by.
    let settings = settings::load(Flags::default())?;
    if let (true, Some(file)) = (settings.context.value != Configuration::default(), &settings.file) {
        screen::remark(&format!("lookback is measured with the [context] of {}", file.display()));
    }
    let plan = Plan { strategies: &strategies, cards: cards::built_in()?, configuration: &settings.context.value };
    let run = Finished::of(&asked.origins, replay_all(&asked, &prices, plan));
    if run.report.sessions.is_empty() {
        run.tell();
        bail!("nothing could be read: {}", screen::counted(asked.origins.len() as u64, "file"));
    }
    let summary = Summary::new(&run.report);
    // A page that cannot be written does not take the table with it.
    let written = page.as_deref().map(|path| interruption::write_whole(path, &render_page(&run.report)));
    let page = page.filter(|_| matches!(written, Some(Ok(()))));
    match arguments.json {
        true => print_json(&run.report, &summary)?,
        false => print_table(&run.report, &summary, arguments.strategies.is_none(), page.as_deref())?,
    }
    // What was paid comes first.
    run.tell();
    written.unwrap_or(Ok(()))?;
    run.valid()
}

/// Where the page goes. Checked before the work: a person who named a missing folder wants to know at once.
fn page_of(arguments: &ReplayArguments) -> Result<Option<PathBuf>> {
    let usual = || (!arguments.json).then(|| PathBuf::from(REPORT));
    let Some(path) = arguments.report.clone().or_else(usual) else { return Ok(None) };
    if path.is_dir() {
        bail!("cannot write {}: it is a folder; name a file in it", path.display());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
    }
    match fs::metadata(&path) {
        Ok(found) if !found.is_file() => bail!("cannot write {}: it is no file", path.display()),
        Ok(_) if !is_page(&path) => {
            bail!("{} is there already and is no report: nothing is written over it; name another file", path.display())
        }
        _ => Ok(Some(path)),
    }
}

/// Whether a file begins as our pages do, or is empty.
fn is_page(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(PAGE_START.len() as u64).read_to_end(&mut start));
    read.is_ok() && (start.is_empty() || start == PAGE_START)
}

/// All of them, or those that were named and append, against which they are measured.
fn chosen(strategies: Option<&Strategies>) -> Vec<StrategyName> {
    let is_chosen = |name: &StrategyName| match strategies {
        Some(Strategies::Named(named)) => named.contains(name) || *name == StrategyName::Append,
        Some(Strategies::All) | None => *name != StrategyName::Guest,
    };
    StrategyName::ALL.into_iter().chain([StrategyName::Guest]).filter(is_chosen).collect()
}

/// A stored session as a recording.
pub(crate) fn stored(id: &SessionId, store: &Snapshot) -> Result<Recording> {
    Ok(Origin::Stored(id.clone()).read(Some(store))?.0)
}

/// All sessions; files that turned out to hold none are left out.
struct Finished {
    report: Report,
    /// Said on standard error, in the order of the files.
    remarks: Vec<String>,
    invalid: Vec<String>,
}

impl Finished {
    fn of(origins: &[Origin], outcomes: Outcomes) -> Self {
        let Outcomes { sessions, again, beside, unread } = outcomes;
        let mut run =
            Self { report: Report { sessions: Vec::new(), beside }, remarks: Vec::new(), invalid: Vec::new() };
        let (mut others, mut without_calls, mut skips) = (0, 0, Vec::new());
        let mut without_card = BTreeMap::new();
        for (place, (origin, outcome)) in origins.iter().zip(sessions).enumerate() {
            let name = origin.name();
            match outcome {
                Ok(_) if again.contains(&place) => {}
                Ok(One { replayed, skipped, .. }) => {
                    skips.extend(remark_on(&name, &skipped));
                    let invalid = replayed.invalid.iter();
                    run.invalid.extend(invalid.map(|view| {
                        format!(
                            "{name}: {} would have been refused at call {}: {}",
                            view.strategy, view.call, view.reason
                        )
                    }));
                    let SessionReport { card, model, .. } = &replayed.report;
                    let usual =
                        card.stands_in.then(|| (model.clone(), card.models.first().cloned().unwrap_or_default()));
                    let others = card.borrowing.iter().map(|(model, lender)| (Some(model.clone()), lender.clone()));
                    for (model, lender) in usual.into_iter().chain(others) {
                        // A card names models by patterns; a person is told one of them.
                        *without_card.entry((model, lender.trim_end_matches('*').to_owned())).or_insert(0) += 1;
                    }
                    run.report.sessions.push(replayed.report);
                }
                Err(error) if origin.is_found() && reading::is_no_session(&error) => others += 1,
                Err(error) if origin.is_found() && is_unused(&error) => without_calls += 1,
                Err(error) => {
                    // Its calls may stand in what was skipped.
                    if let Some(WithoutCalls(_, skipped)) = error.downcast_ref() {
                        run.remarks.extend(remark_on(&name, skipped));
                    }
                    run.remarks.push(left_out(&name, &error));
                }
            }
        }
        let more = skips.len().saturating_sub(FILES_TOLD) as u64;
        run.remarks.extend(skips.into_iter().take(FILES_TOLD));
        if more > 0 {
            run.remarks.push(format!("parts of {} could not be used either", screen::counted(more, "other file")));
        }
        run.remarks.extend(unread.iter().map(|(name, error)| left_out(name, error)));
        run.remarks.extend(without_card.into_iter().map(|((model, other), sessions)| {
            let sessions = screen::counted(sessions, "session");
            match model {
                Some(model) => format!("no card has prices of {model}: {sessions} billed at those of {other}"),
                None => format!("{sessions} without the name of a model: billed at the prices of {other}"),
            }
        }));
        match again.len() as u64 {
            0 => {}
            1 => run.remarks.push("1 session given twice: counted once".to_owned()),
            more => run.remarks.push(format!(
                "{} copies of sessions that were given already: each is counted once",
                screen::exact(more)
            )),
        }
        if others > 0 {
            let other = screen::counted(others, "other file");
            run.remarks.push(format!("{other} in the folders {} no session", if others == 1 { "is" } else { "are" }));
        }
        if without_calls > 0 {
            let sessions = screen::counted(without_calls, "session");
            run.remarks.push(format!("{sessions} in the folders without any call of a model: left out"));
        }
        run
    }

    fn tell(&self) {
        self.remarks.iter().for_each(|remark| screen::remark(remark));
    }

    /// One invalid view fails the run.
    fn valid(&self) -> Result<()> {
        if self.invalid.is_empty() {
            return Ok(());
        }
        bail!("{}: {}", screen::counted(self.invalid.len() as u64, "invalid view"), self.invalid.join("\n       "))
    }
}

fn left_out(name: &str, error: &Error) -> String {
    let reasons: Vec<String> = error.chain().map(ToString::to_string).collect();
    format!("{name}: {}; left out", reasons.join(": "))
}

/// The first of what was skipped, and how much more.
fn remark_on(name: &str, skipped: &[Skipped]) -> Option<String> {
    let (Skipped { line, reason }, more) = skipped.split_first()?;
    let place = if *line == 0 { String::new() } else { format!(", line {line}") };
    let more = match more.len() {
        0 => String::new(),
        more => format!("; {} more", screen::exact(more as u64)),
    };
    Some(format!("{name}{place}: {reason}; skipped{more}"))
}

fn print_json(report: &Report, summary: &Summary) -> Result<()> {
    let checks = summary.checks.iter().map(|check| {
        json!({
            "provider": check.provider,
            "sessions": check.sessions,
            "calls": check.check.calls,
            "error": check.check.error(),
            "unexplained_misses": check.check.unexplained.count,
            "unexplained_tokens": check.check.unexplained.tokens,
        })
    });
    let mut value = serde_json::to_value(report).context("a report that is no JSON")?;
    value["checks"] = checks.collect();
    value["note"] = CANNOT_TELL.into();
    screen::show_json(&value)
}

fn print_table(report: &Report, summary: &Summary, is_short: bool, page: Option<&Path>) -> Result<()> {
    let mut out = screen::screen();
    opening::write(&mut out, report, screen::columns())?;
    table::write(&mut out, report, summary, is_short, screen::columns())?;
    screen::write_wrapped_table(&mut out, &[vec![CANNOT_TELL.to_owned()]], &[], screen::columns())?;
    if let Some(path) = page {
        writeln!(out, " report: {}, for a browser", path.display())?;
    }
    Ok(out.flush()?)
}
