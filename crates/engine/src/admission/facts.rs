//! Facts: every pointer resolves, what is checkable stands in what they resolve to, and the right voice says it.
//!
//! Whether the wording follows from the evidence is beyond a program; that the numbers, names and quotes are real is
//! not (docs/seeds.md 5.2).

use std::rc::Rc;

use super::{
    Refusal, RefusalKind,
    checkable::{Checkable, checkables, is_quotation, occurs},
    resolve::{Resolved, Resolver, Voice},
    runs::{is_test_run, succeeded},
    share::shared,
    verdict::{claims_success, is_about_state, is_about_tests},
};
use crate::{
    proposal::{FactProposal, one_line},
    trace::claim::{ClaimKind, Evidence, Fact, Standing},
    trace::result::RunData,
};

pub(super) fn admit(proposal: FactProposal, resolver: &mut Resolver<'_>) -> Result<Fact, Refusal> {
    let text = one_line(&proposal.text);
    match check(&text, &proposal.evidence, resolver) {
        Ok((standing, evidence)) => Ok(Fact { kind: ClaimKind::Worded, text, standing, evidence }),
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
    // What was only said is shown as such, whatever the outcome.
    if standing == Standing::Confirmed {
        check_exits(text, &witnesses, resolver)?;
    }
    Ok((standing, resolved.iter().map(|resolved| resolved.evidence.clone()).collect()))
}

fn check_voices(text: &str, resolved: &[Rc<Resolved>]) -> Result<Standing, RefusalKind> {
    let speaks = |voice| resolved.iter().any(|resolved| resolved.voice == voice);
    if speaks(Voice::World) {
        return Ok(Standing::Confirmed);
    }
    let pointers = || list_pointers(resolved);
    if !speaks(Voice::User) {
        // docs/design/model.md, "Voices": an assistant's turn proves only that it was said. A quotation claims no more
        // than that, whatever it is about; put in other words it would be a report of facts.
        return if is_about_state(text) && !is_quotation(text) {
            Err(RefusalKind::AssistantOnly { pointers: pointers() })
        } else {
            Ok(Standing::Concluded)
        };
    }
    // docs/design/model.md, "Voices": the user's words are never evidence of success, nor of what the user did not
    // state.
    if claims_success(text) {
        return Err(RefusalKind::UserOnly { pointers: pointers() });
    }
    let users = resolved.iter().filter(|resolved| resolved.voice == Voice::User);
    let (known, all) = shared(text, users.map(|resolved| resolved.text.as_str()));
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
    let mut runs: Vec<(u32, &Rc<Resolved>, &RunData)> = Vec::new();
    for resolved in witnesses {
        let numbers = resolved.commands.iter();
        runs.extend(numbers.filter_map(|number| Some((*number, *resolved, resolver.run(*number)?))));
    }
    runs.sort_by_key(|(number, ..)| *number);
    let other_exit = |(_, resolved, run): &(u32, &Rc<Resolved>, &RunData)| RefusalKind::OtherExit {
        pointer: resolved.evidence.pointer.clone(),
        found: match (run.exit_code, &run.tests) {
            (Some(0), Some(report)) if report.failed > 0 => format!("{} failed", report.failed),
            (code, _) => code.map_or("no exit code".into(), |code| format!("exit {code}")),
        },
    };
    if is_about_tests(text) {
        // Only a run of tests says that tests pass, and of those cited the newest.
        return match runs.iter().rev().find(|(_, _, run)| is_test_run(run)) {
            Some((_, _, run)) if succeeded(run) => Ok(()),
            Some(run) => Err(other_exit(run)),
            None => Err(RefusalKind::NotInEvidence {
                what: "a run of the tests".into(),
                pointers: list_pointers(witnesses.iter().copied()),
            }),
        };
    }
    match runs.iter().find(|(_, _, run)| !succeeded(run)) {
        // The fact speaks of the good run among those cited.
        Some(run) if !runs.iter().any(|(_, _, run)| succeeded(run)) => Err(other_exit(run)),
        _ => Ok(()),
    }
}

pub(super) fn list_pointers<'a>(resolved: impl IntoIterator<Item = &'a Rc<Resolved>>) -> String {
    resolved.into_iter().map(|resolved| resolved.evidence.pointer.as_str()).collect::<Vec<_>>().join(", ")
}
