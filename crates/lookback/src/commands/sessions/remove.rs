//! `lookback sessions rm`: those that a person names, all or none; or those not used for long, as far as possible.

use std::cmp::Reverse;

use anyhow::{Result, bail};
use jiff::Timestamp as Instant;
use lookback_engine::trace::{SessionId, Timestamp};
use lookback_store::{Kept, Removal, SessionSummary, Store, StoreError};

use super::{super::run::forget, cost::Costs};
use crate::{
    cli::{RemoveArguments, RemoveConsent},
    names::Names,
    opened,
    progress::Progress,
    screen,
};

/// Nobody reads more before an answer.
const SHOWN: usize = 10;

pub(super) fn run(store: &Store, arguments: RemoveArguments, costs: &Costs<'_>) -> Result<()> {
    match arguments.older_than {
        Some(age) => {
            let before = Timestamp(opened::now().0 - age.as_millis() as i64);
            remove_old(store, before, &arguments.consent, costs)
        }
        None => remove_named(store, &find_all(store, &arguments.ids)?, &arguments.consent, costs),
    }
}

fn remove_named(store: &Store, ids: &[SessionId], consent: &RemoveConsent, costs: &Costs<'_>) -> Result<()> {
    let sessions = store.sessions()?;
    let names = Names::of(&sessions);
    let count = screen::counted(ids.len() as u64, "session");
    if consent.dry_run {
        let due: Vec<&SessionSummary> = sessions.iter().filter(|session| ids.contains(&session.id)).collect();
        for session in ids {
            let is_left = |other: &&SessionSummary| {
                !ids.contains(&other.id) && other.parent.as_ref().is_some_and(|parent| parent.session == *session)
            };
            let forks: Vec<SessionId> = sessions.iter().filter(is_left).map(|fork| fork.id.clone()).collect();
            if !forks.is_empty() {
                bail!(StoreError::HasForks { session: session.clone(), forks });
            }
        }
        return show_only(&due, &sessions, costs);
    }
    tell_rest(screen::announce(&format!("removing {count} from the file…"), || store.remove(ids))?);
    forget(&sessions, &store.sessions()?)?;
    let short = ids.iter().map(|id| names.short(id)).collect::<Vec<_>>().join(", ");
    screen::say(&format!("removed {count}: {short}"))
}

fn find_all(store: &Store, prefixes: &[String]) -> Result<Vec<SessionId>> {
    let mut ids = Vec::new();
    for prefix in prefixes {
        let id = store.find(prefix)?;
        if ids.contains(&id) {
            bail!("session {id} is named twice");
        }
        ids.push(id);
    }
    Ok(ids)
}

/// Nobody chose these one by one: so the person sees them first, and one that has to stay does not keep the others.
fn remove_old(store: &Store, before: Timestamp, consent: &RemoveConsent, costs: &Costs<'_>) -> Result<()> {
    let sessions = store.sessions()?;
    let due: Vec<&SessionSummary> = sessions.iter().filter(|session| session.last_use() < before).collect();
    if due.is_empty() {
        let why = match sessions.len() as u64 {
            0 => String::new(),
            all => format!(": {} used or imported since then", screen::counted(all, "session")),
        };
        return screen::say(&format!("nothing to remove{why}"));
    }
    let count = screen::counted(due.len() as u64, "session");
    if !consent.yes {
        if consent.dry_run {
            return show_only(&due, &sessions, costs);
        }
        show(&due, &sessions, costs)?;
        match screen::ask(&format!("Remove {count} with everything that only they use?"))? {
            Some(true) => {}
            Some(false) => return screen::say("nothing was removed"),
            None => bail!("there is nobody to ask: use --yes to remove {count}, or --dry-run to only see which"),
        }
    }
    let ids: Vec<SessionId> = due.iter().map(|session| session.id.clone()).collect();
    let mut progress = Progress::of_sessions("removing", ids.len() as u64);
    let (kept, removal) = store.remove_each(&ids, &mut |gone| progress.set(gone))?;
    drop(progress);
    tell_rest(removal);
    forget(&sessions, &store.sessions()?)?;
    tell_kept(&kept, &Names::of(&sessions));
    match ids.len() - kept.len() {
        0 => bail!("nothing was removed: all that is old enough has to stay for now"),
        removed => screen::say(&format!("removed {}", screen::counted(removed as u64, "session"))),
    }
}

fn show_only(due: &[&SessionSummary], sessions: &[SessionSummary], costs: &Costs<'_>) -> Result<()> {
    show(due, sessions, costs)?;
    let count = screen::counted(due.len() as u64, "session");
    screen::say(&format!("{count} would be removed; nothing was"))
}

/// Those that were used last, because among them is what a person would miss.
fn show(due: &[&SessionSummary], sessions: &[SessionSummary], costs: &Costs<'_>) -> Result<()> {
    let mut newest = due.to_vec();
    newest.sort_by_key(|session| Reverse(session.last_use()));
    let (names, now) = (Names::of(sessions), Instant::now());
    let row = |session: &&SessionSummary| super::row(session, session.last_use(), &names, costs, now);
    let mut out = screen::screen();
    super::write_rows(&mut out, newest.iter().take(SHOWN).map(row))?;
    if let (Some(more), Some(oldest)) = (due.len().checked_sub(SHOWN).filter(|more| *more > 0), newest.last()) {
        writeln!(
            out,
            "and {} more, the oldest used {}",
            screen::exact(more as u64),
            screen::age(oldest.last_use(), now)
        )?;
    }
    Ok(out.flush()?)
}

fn tell_kept(kept: &[Kept], names: &Names) {
    for Kept { session, reason } in kept.iter().take(SHOWN) {
        let reason = match reason {
            StoreError::Locked { pid: Some(pid), .. } => format!("it is being written by process {pid}"),
            StoreError::Locked { pid: None, .. } => "it is being written by another process".to_owned(),
            StoreError::HasForks { forks, .. } => {
                let forks: Vec<String> = forks.iter().map(|fork| names.short(fork)).collect();
                format!("its fork {} stays", forks.join(", "))
            }
            StoreError::NotFound(_) => "somebody else has removed it".to_owned(),
            other => other.to_string(),
        };
        screen::remark(&format!("kept {}: {reason}", names.short(session)));
    }
    if let Some(more) = kept.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        screen::remark(&format!("kept {} more", screen::exact(more as u64)));
    }
}

fn tell_rest(removal: Removal) {
    if let Removal::ErasedLater(error) = removal {
        screen::remark(&format!(
            "they are gone, but not all of them from the file yet; the next removal goes on: {error}"
        ));
    }
}
