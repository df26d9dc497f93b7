//! Files that were created, changed, renamed or deleted: said of all whose record shows it.

use super::other_thing;
use crate::{
    admission::{RefusalKind, resolve::Resolver},
    evidence::pointer::{Place, Pointer},
    history::History,
    standing::taken_away,
    trace::{
        EventBody, EventNo, ResultData, ToolResult, TurnNo,
        claim::{ClaimKind, Evidence},
        event::FileChange,
    },
};

pub(super) fn changed(
    kind: ClaimKind,
    pointers: &[String],
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let (text, needs) = match kind {
        ClaimKind::FileCreated => ("files created", "a file that was created here"),
        ClaimKind::FileDeleted | ClaimKind::FileRenamed => return taken(kind, pointers, resolver),
        _ => ("files changed", "a file that was changed here"),
    };
    let (mut evidence, mut cited) = (Vec::new(), Vec::new());
    for pointer in pointers {
        let resolved = resolver.resolve(pointer)?;
        let path = path_of(pointer).ok_or_else(|| other_thing(pointers, needs))?;
        if !has_seen(kind, &path, until, resolver.history) {
            return Err(other_thing(std::slice::from_ref(pointer), needs));
        }
        evidence.push(resolved.evidence.clone());
        cited.push(path);
    }
    // What was created is told as such, also where it was changed since.
    let is_told =
        |path: &str| kind == ClaimKind::FileChanged && has_seen(ClaimKind::FileCreated, path, until, resolver.history);
    let others = resolver
        .history
        .index()
        .files
        .keys()
        .filter(|path| !cited.contains(*path) && has_seen(kind, path, until, resolver.history) && !is_told(path));
    let (told, all) = (cited.len(), cited.len() + others.count());
    let of = if told < all { format!(" ({told} of {all} so far)") } else { String::new() };
    Ok((format!("{text}{of}"), evidence))
}

/// A file that is not there cannot be pointed at: the command or the turn that took it away is.
fn taken(
    kind: ClaimKind,
    pointers: &[String],
    resolver: &mut Resolver<'_>,
) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let (what, needs) = match kind {
        ClaimKind::FileRenamed => ("files renamed", "a command that renamed a file and ended with 0 (cmd#N)"),
        _ => ("files gone", "a command or an edit that took a file away, and succeeded (cmd#N, turn#N)"),
    };
    let history = resolver.history;
    let mut names: Vec<String> = Vec::new();
    let mut evidence = Vec::new();
    for pointer in pointers {
        evidence.push(resolver.resolve(pointer)?.evidence.clone());
        let mut found = false;
        for (event, result) in results_at(pointer, history) {
            let (gone, moved) = taken_away(result, &history.start().root);
            let renamed = |path: &String| moved.iter().any(|(from, _)| from == path);
            let named: Vec<String> = match kind {
                ClaimKind::FileRenamed => moved.iter().map(|(from, to)| format!("{from} → {to}")).collect(),
                _ => gone
                    .into_iter()
                    .filter(|path| !renamed(path))
                    .map(|path| with_return(path, event, history))
                    .collect(),
            };
            found |= !named.is_empty();
            names.extend(named);
        }
        if !found {
            return Err(other_thing(std::slice::from_ref(pointer), needs));
        }
    }
    Ok((format!("{what}: {}", names.join(", ")), evidence))
}

/// A file that was seen after it went is there again.
fn with_return(path: String, event: EventNo, history: &History) -> String {
    let seen = history.index().files.get(path.as_str()).into_iter().flatten().filter(|seen| **seen > event);
    let back = seen.filter_map(|seen| history.live_body(*seen)).any(|event| match event {
        EventBody::FileChanged(changed) => !matches!(changed.change, FileChange::Outside { .. }),
        event => matches!(event, EventBody::FileObserved(_)),
    });
    if back { format!("{path} (there again since)") } else { path }
}

fn results_at<'a>(pointer: &str, history: &'a History) -> Vec<(EventNo, &'a ToolResult)> {
    let place = pointer.trim().parse::<Pointer>().map(|pointer| pointer.place);
    let index = history.index();
    let (turn, only) = match place {
        Ok(Place::Turn(turn)) => (turn, None),
        Ok(Place::Cmd { number, .. }) => match (number as usize).checked_sub(1).and_then(|at| index.commands.get(at)) {
            Some((turn, call)) => (*turn, Some(*call)),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let calls = index.tool_turn(turn).into_iter().flat_map(|step| (0..).zip(&step.calls));
    let wanted = calls.filter(|(call, _)| only.is_none_or(|only| only == *call));
    let live = wanted.filter_map(|(_, call)| match history.live_body(call.result()?)? {
        EventBody::ToolResult { result, .. } => Some((call.result()?, &**result)),
        _ => None,
    });
    live.collect()
}

fn path_of(pointer: &str) -> Option<String> {
    match pointer.trim().parse::<Pointer>().ok()?.place {
        Place::File { path, .. } => Some(path),
        _ => None,
    }
}

/// Whether a file was created up to the end of a turn.
pub(crate) fn was_created(path: &str, until: TurnNo, history: &History) -> bool {
    has_seen(ClaimKind::FileCreated, path, until, history)
}

fn has_seen(kind: ClaimKind, path: &str, until: TurnNo, history: &History) -> bool {
    let end = history.end_of_turn(until).unwrap_or(history.next_event());
    let events = history.index().files.get(path).into_iter().flatten().filter(|event| **event <= end);
    events.filter_map(|event| history.live_body(*event)).any(|event| match event {
        EventBody::FileChanged(changed) => match (kind, &changed.change) {
            (ClaimKind::FileCreated, FileChange::Written { source }) => matches!(history.live_body(*source),
                Some(EventBody::ToolResult { result, .. }) if matches!(&result.data, ResultData::Write(write) if write.created)),
            (ClaimKind::FileCreated, FileChange::Edited { source }) => matches!(history.live_body(*source),
                Some(EventBody::ToolResult { result, .. }) if result.data.creates(path)),
            (ClaimKind::FileChanged, _) => true,
            _ => false,
        },
        _ => false,
    })
}
