//! Facts: every pointer resolves, what is checkable stands in what they resolve to, and the right voice says it.
//!
//! Whether the wording follows from the evidence is beyond a program; that the numbers, names and quotes are real is
//! not (seed 5.2).

use std::rc::Rc;

use super::{
    Refusal, RefusalKind,
    checkable::{Checkable, checkables, occurs},
    resolve::{Resolved, Resolver, Voice},
    share::{Vocabulary, shared},
    verdict::{claims_success, is_about_state},
};
use crate::{
    claim::{Evidence, Fact, Standing},
    proposal::{FactProposal, one_line},
};

pub(super) fn admit(proposal: FactProposal, resolver: &mut Resolver<'_>) -> Result<Fact, Refusal> {
    let text = one_line(&proposal.text);
    match check(&text, &proposal.evidence, resolver) {
        Ok((standing, evidence)) => Ok(Fact { text, standing, evidence }),
        Err(RefusalKind::Blank) => Err(Refusal::dropped(text, RefusalKind::Blank)),
        Err(kind) => Err(Refusal::demoted(text, kind)),
    }
}

fn check(
    text: &str,
    pointers: &[String],
    resolver: &mut Resolver<'_>,
) -> Result<(Standing, Vec<Evidence>), RefusalKind> {
    if text.trim().is_empty() {
        return Err(RefusalKind::Blank);
    }
    if pointers.is_empty() {
        return Err(RefusalKind::NoEvidence);
    }
    let resolved = resolver.resolve_all(pointers)?;
    let standing = check_voices(text, &resolved)?;
    // What only the assistant said counts where nothing else is cited; else a real pointer would lend it its weight.
    let witnesses: Vec<&Rc<Resolved>> = match standing {
        Standing::Concluded => resolved.iter().collect(),
        Standing::Confirmed => resolved.iter().filter(|resolved| resolved.voice != Voice::Said).collect(),
    };
    check_occurs(text, &witnesses)?;
    check_exits(text, &witnesses, resolver)?;
    Ok((standing, resolved.iter().map(|resolved| resolved.evidence.clone()).collect()))
}

fn check_voices(text: &str, resolved: &[Rc<Resolved>]) -> Result<Standing, RefusalKind> {
    let speaks = |voice| resolved.iter().any(|resolved| resolved.voice == voice);
    if speaks(Voice::World) {
        return Ok(Standing::Confirmed);
    }
    let pointers = || list_pointers(resolved);
    if !speaks(Voice::User) {
        // Design 2-model: an assistant's turn proves only that it was said.
        return if is_about_state(text) {
            Err(RefusalKind::AssistantOnly { pointers: pointers() })
        } else {
            Ok(Standing::Concluded)
        };
    }
    // Design 2-model: the user's words are never evidence of success, nor of what the user did not state.
    if claims_success(text) {
        return Err(RefusalKind::UserOnly { pointers: pointers() });
    }
    let users = resolved.iter().filter(|resolved| resolved.voice == Voice::User);
    let (known, all) = shared(text, &Vocabulary::of(users.map(|resolved| resolved.text.as_str())));
    if known * 2 < all {
        return Err(RefusalKind::NotTheUsersWords { pointers: pointers() });
    }
    Ok(Standing::Confirmed)
}

fn check_occurs(text: &str, witnesses: &[&Rc<Resolved>]) -> Result<(), RefusalKind> {
    let missing =
        checkables(text).into_iter().find(|checkable| !witnesses.iter().any(|resolved| shows(resolved, checkable)));
    match missing {
        Some(checkable) => Err(RefusalKind::NotInEvidence {
            what: checkable.render(),
            pointers: list_pointers(witnesses.iter().copied()),
        }),
        None => Ok(()),
    }
}

/// A pointer that resolved shows what it names, too: the path, the lines, the exit code.
pub(super) fn shows(resolved: &Resolved, checkable: &Checkable) -> bool {
    let pointer = &resolved.evidence.pointer;
    match checkable {
        Checkable::Line(line) => resolved.lines.is_some_and(|lines| lines.first <= *line && *line <= lines.last),
        Checkable::Pointer(name) => occurs(name, pointer),
        Checkable::Number(_) => checkable.occurs_in(&resolved.text),
        Checkable::Word(_) | Checkable::Quoted(_) => {
            checkable.occurs_in(&resolved.text) || checkable.occurs_in(pointer)
        }
    }
}

fn check_exits(text: &str, witnesses: &[&Rc<Resolved>], resolver: &Resolver<'_>) -> Result<(), RefusalKind> {
    if !claims_success(text) {
        return Ok(());
    }
    let runs: Vec<_> =
        witnesses.iter().filter_map(|resolved| Some((resolved, resolver.run(resolved.command?)?))).collect();
    match runs.iter().find(|(_, run)| run.exit_code != Some(0)) {
        // One good run among those cited is what the fact speaks of.
        Some((resolved, run)) if !runs.iter().any(|(_, run)| run.exit_code == Some(0)) => Err(RefusalKind::OtherExit {
            pointer: resolved.evidence.pointer.clone(),
            found: run.exit_code.map_or("no exit code".into(), |code| format!("exit {code}")),
        }),
        _ => Ok(()),
    }
}

pub(super) fn list_pointers<'a>(resolved: impl IntoIterator<Item = &'a Rc<Resolved>>) -> String {
    resolved.into_iter().map(|resolved| resolved.evidence.pointer.as_str()).collect::<Vec<_>>().join(", ")
}
