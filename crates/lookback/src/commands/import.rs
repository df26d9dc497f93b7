//! `lookback import [FILES…]`: recorded sessions become stored ones, whoever's files they are.

mod continued;
mod foreign;
mod gathered;
mod own;
mod tally;
mod writing;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use lookback_engine::trace::SessionId;
use lookback_replay::recording::Format;
use lookback_store::{Store, StoreError};

use gathered::Gathered;
use tally::Tally;

use crate::{
    cli::ImportArguments,
    discovery, home,
    input::{Found, Input, Source, find_sessions, holds_many, nothing_under, once},
    interruption,
    progress::Progress,
    reading, screen,
    skips::Skips,
};

/// What became of a file.
enum Outcome {
    Done(Done),
    /// Read, and soon stored together with others.
    Gathered,
}

struct Done {
    kind: Kind,
    format: Format,
    id: Option<SessionId>,
    /// Where it is from.
    name: String,
    /// For people.
    text: String,
    skips: Skips,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Imported,
    /// It had been imported, and has so many turns more.
    Grown(u64),
    Stored,
    /// It is a session, and an empty one.
    Empty,
}

pub(crate) fn run(arguments: ImportArguments) -> Result<()> {
    let (found, is_one) = match arguments.files.as_slice() {
        [] => match discover(arguments.yes)? {
            Some(found) => (found, false),
            None => return Ok(()),
        },
        [only] if !holds_many(only) => (named(&arguments.files)?, true),
        files => (named(files)?, false),
    };
    let store = home::open_store()?;
    // They would read the same files and wait for the same disk.
    let _turn = store.wait_for_imports(|pid| {
        let who = pid.map_or(String::new(), |pid| format!(" (pid {pid})"));
        screen::remark(&format!("waiting for another import{who}"));
    })?;
    interruption::end_on_interruption("interrupted: what was imported before stays");
    match is_one && !arguments.json {
        true => found.iter().try_for_each(|(source, _)| import_one(&store, source)),
        false => import_many(&store, &found, &arguments),
    }
}

/// What other agents keep on this machine; none where there is nothing, or the person said no.
fn discover(yes: bool) -> Result<Option<Vec<(Source, Named)>>> {
    let places = discovery::find_places();
    if places.is_empty() {
        screen::say(
            "no recorded sessions of Claude Code, Codex or opencode on this machine: `lookback import FILES…` takes your own",
        )?;
        return Ok(None);
    }
    discovery::show(&places);
    let otherwise = "nothing was imported; `lookback import FILES…` imports what you name";
    if !yes && !discovery::agrees("Import them? They are copied into Lookback's own store on this machine.", otherwise)?
    {
        return Ok(None);
    }
    let found = places.into_iter().flat_map(|place| place.found);
    Ok(Some(found.map(|found| (found.source, Named::InFolder)).collect()))
}

/// Each once, in the order in which they were named.
fn named(paths: &[PathBuf]) -> Result<Vec<(Source, Named)>> {
    let (mut all, mut by_itself, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        if holds_many(path) {
            let found = find_sessions(path)?;
            if found.is_empty() {
                bare.push(nothing_under(path));
            }
            all.extend(found);
        } else {
            let source = Source::new(path);
            by_itself.push(source.clone());
            all.push(Found { source, bytes: 0, modified: None, is_main: true });
        }
    }
    // One of several folders, say of all projects, keeps nothing out.
    match all.is_empty() && !bare.is_empty() {
        true => bail!(bare.join("; ")),
        false => bare.iter().for_each(|none| screen::remark(none)),
    }
    once(&mut all);
    let named = |source: &Source| if by_itself.contains(source) { Named::ByItself } else { Named::InFolder };
    Ok(all.into_iter().map(|Found { source, .. }| (source.clone(), named(&source))).collect())
}

/// One file that a person named: whatever keeps it out is an error.
fn import_one(store: &Store, source: &Source) -> Result<()> {
    let mut gathered = Gathered::new(store);
    let name = source.name();
    let first = import(&mut gathered, source, Named::ByItself, |size| Progress::of_bytes(&name, size))?;
    gathered.flush();
    for outcome in std::iter::once(Ok(first)).chain(gathered.outcomes()) {
        let Outcome::Done(Done { kind, text, skips, .. }) = outcome? else { continue };
        skips.tell(&name);
        match kind {
            Kind::Imported | Kind::Grown(_) | Kind::Stored => screen::say(&text)?,
            Kind::Empty => bail!(text),
        }
    }
    Ok(())
}

/// File by file: one that cannot be read does not keep the others out.
fn import_many(store: &Store, found: &[(Source, Named)], arguments: &ImportArguments) -> Result<()> {
    let mut tally = Tally::new(arguments);
    let mut gathered = Gathered::new(store);
    let mut progress = Progress::of_sessions("importing", found.len() as u64);
    for (place, (source, named)) in found.iter().enumerate() {
        let outcome = import(&mut gathered, source, *named, |_| Progress::hidden());
        gathered.outcomes().into_iter().for_each(|outcome| tally.add(outcome, Named::ByItself));
        tally.add(outcome, *named);
        progress.set(place as u64 + 1);
        if tally.is_full() {
            break;
        }
    }
    gathered.flush();
    gathered.outcomes().into_iter().for_each(|outcome| tally.add(outcome, Named::ByItself));
    drop(progress);
    tally.tell(found.len())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    ByItself,
    InFolder,
}

fn import(
    gathered: &mut Gathered<'_>,
    source: &Source,
    named: Named,
    progress: impl Fn(Option<u64>) -> Progress,
) -> Result<Outcome> {
    let name = source.name();
    let input = Input::open(source)?;
    let cannot = || format!("cannot import {name}");
    if input.head.trim_ascii().is_empty() && input.head_is_whole && named == Named::ByItself {
        bail!("{name} is empty: there is no session in it");
    }
    match reading::format_of(&input) {
        Ok(Format::Lookback) => own::import(gathered, input, &name),
        Ok(format) => foreign::import(gathered, source, input, format, progress).with_context(cannot),
        Err(error) => Err(anyhow!(error).context(cannot())),
    }
}

/// What the store said, where it was the store.
fn of_store(error: &anyhow::Error) -> Option<&StoreError> {
    error.chain().find_map(|cause| cause.downcast_ref())
}
