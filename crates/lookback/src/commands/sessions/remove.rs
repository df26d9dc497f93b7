//! `lookback sessions rm`: those that a person names, all or none; or those not used for long, as far as possible.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use lookback_engine::trace::{SessionId, Timestamp};
use lookback_store::{Removal, SessionSummary, Store, StoreError};

use crate::{cli::RemoveArguments, names::Names, opened, screen};

pub(super) fn run(store: &Store, arguments: RemoveArguments) -> Result<()> {
    match arguments.older_than {
        Some(age) => {
            let before = Timestamp(opened::now().0 - age.as_millis() as i64);
            remove_old(store, store.older_than(before)?)
        }
        None => {
            let ids = find_all(store, &arguments.ids)?;
            let names = Names::of(&store.sessions()?);
            remove(store, &ids)?;
            report(&ids, &names)
        }
    }
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

/// Nobody chose these one by one, so one that has to stay must not keep the others.
fn remove_old(store: &Store, due: Vec<SessionId>) -> Result<()> {
    let sessions = store.sessions()?;
    let names = Names::of(&sessions);
    if due.is_empty() {
        return report(&due, &names);
    }
    let mut due = BTreeSet::from_iter(due);
    let mut kept = take_out_parents(&mut due, &sessions, &names);
    let removed = loop {
        let remaining: Vec<SessionId> = due.iter().cloned().collect();
        if remaining.is_empty() {
            break remaining;
        }
        let error = match remove(store, &remaining) {
            Ok(()) => break remaining,
            Err(error) => error,
        };
        // Each of these takes one session out, so this ends.
        let (session, reason) = match &error {
            StoreError::Locked { session, pid } => {
                let holder = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
                (session.clone(), format!("it is being written by {holder}"))
            }
            // A fork that began since the list was made.
            StoreError::HasForks { session, .. } => (session.clone(), "it has forks that stay".to_owned()),
            StoreError::NotFound(id) => (SessionId(id.clone()), "somebody else has removed it".to_owned()),
            _ => return Err(error.into()),
        };
        if !due.remove(&session) {
            return Err(error.into());
        }
        kept.push((session, reason));
        kept.extend(take_out_parents(&mut due, &sessions, &names));
    };
    for (session, reason) in &kept {
        screen::remark(&format!("kept {}: {reason}", names.short(session)));
    }
    if removed.is_empty() {
        bail!("nothing was removed: all that is old enough has to stay for now");
    }
    report(&removed, &names)
}

/// A parent holds events that its forks share: while one of them stays, so does the parent, and its own parent with it.
fn take_out_parents(
    due: &mut BTreeSet<SessionId>,
    sessions: &[SessionSummary],
    names: &Names,
) -> Vec<(SessionId, String)> {
    let mut kept = Vec::new();
    loop {
        let found = sessions.iter().find_map(|one| {
            let parent = &one.parent.as_ref()?.session;
            (due.contains(parent) && !due.contains(&one.id)).then(|| (parent.clone(), &one.id))
        });
        let Some((parent, fork)) = found else { return kept };
        due.remove(&parent);
        kept.push((parent, format!("its fork {} stays", names.short(fork))));
    }
}

fn remove(store: &Store, ids: &[SessionId]) -> Result<(), StoreError> {
    let text = format!("removing {} from the file…", screen::counted(ids.len() as u64, "session"));
    match screen::announce(&text, || store.remove(ids))? {
        Removal::Erased => {}
        Removal::ErasedLater(error) => {
            screen::remark(&format!(
                "they are gone, but not all of them from the file yet; the next removal goes on: {error}"
            ));
        }
    }
    Ok(())
}

fn report(removed: &[SessionId], names: &Names) -> Result<()> {
    if removed.is_empty() {
        return screen::say("nothing to remove");
    }
    let short = removed.iter().map(|id| names.short(id)).collect::<Vec<_>>().join(", ");
    screen::say(&format!("removed {}: {short}", screen::counted(removed.len() as u64, "session")))
}
