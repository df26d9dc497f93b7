//! Files that were created, changed, renamed or deleted: said of all whose record shows it.

use super::other_thing;
use crate::{
    admission::{RefusalKind, resolve::Resolver},
    evidence::pointer::{Place, Pointer},
    history::History,
    trace::{
        EventBody, ResultData, TurnNo,
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
        ClaimKind::FileDeleted => ("files deleted", "a file that was deleted here"),
        ClaimKind::FileRenamed => ("files renamed", "a file that was renamed here"),
        _ => ("files changed", "a file that was changed here"),
    };
    let mut evidence = Vec::new();
    for pointer in pointers {
        let resolved = resolver.resolve(pointer)?;
        let path = path_of(pointer).ok_or_else(|| other_thing(pointers, needs))?;
        if !has_seen(kind, &path, until, resolver.history) {
            return Err(other_thing(std::slice::from_ref(pointer), needs));
        }
        evidence.push(resolved.evidence.clone());
    }
    Ok((text.to_owned(), evidence))
}

fn path_of(pointer: &str) -> Option<String> {
    match pointer.trim().parse::<Pointer>().ok()?.place {
        Place::File { path, .. } => Some(path),
        _ => None,
    }
}

fn has_seen(kind: ClaimKind, path: &str, until: TurnNo, history: &History) -> bool {
    let end = history.end_of_turn(until).unwrap_or(history.next_event());
    let events = history.index().files.get(path).into_iter().flatten().filter(|event| **event <= end);
    events.filter_map(|event| history.live_body(*event)).any(|event| match event {
        EventBody::FileChanged(changed) => match (kind, &changed.change) {
            (ClaimKind::FileCreated, FileChange::Written { source }) => matches!(history.live_body(*source),
                Some(EventBody::ToolResult { result, .. }) if matches!(&result.data, ResultData::Write(write) if write.created)),
            (ClaimKind::FileChanged, _) => true,
            _ => false,
        },
        _ => false,
    })
}
