//! Goal and preferences: only the user and a gate's decision say what the work is for.
//!
//! A goal may be refined, so it need not repeat the user's words; but it must be about what they are about, name nothing
//! that no principal named, and not be copied from what a tool printed.

use super::{
    Refusal, RefusalKind,
    principals::Principals,
    resolve::{Resolver, Voice},
    share::shared,
};
use crate::{
    proposal::{GoalProposal, one_line},
    state::Bench,
    trace::claim::{Evidence, Goal},
    trace::{Blobs, decision::TurnRange},
};

/// A goal that cites a user turn may say much in its own words: a third of its words must be the user's.
const CITED: (usize, usize) = (1, 3);
/// Without a citation only its words tie it to the user.
const UNCITED: (usize, usize) = (2, 3);

pub(super) fn admit(
    proposal: GoalProposal,
    resolver: &mut Resolver<'_>,
    principals: &Principals<'_>,
) -> Result<Goal, Refusal> {
    let text = one_line(&proposal.text);
    match check(&text, &proposal.evidence, resolver, principals) {
        Ok(evidence) => Ok(Goal { text, evidence }),
        Err(kind) => Err(Refusal::dropped(text, kind)),
    }
}

/// A preference of the user, for the archive's summary (docs/seeds.md A5): held to the rules of a goal.
pub(crate) fn admit_preference(
    bench: Bench<'_>,
    range: TurnRange,
    proposal: GoalProposal,
    blobs: &dyn Blobs,
) -> Result<Goal, Refusal> {
    admit(proposal, &mut Resolver::new(bench.history, blobs), &Principals::new(bench, range, blobs))
}

fn check(
    text: &str,
    pointers: &[String],
    resolver: &mut Resolver<'_>,
    principals: &Principals<'_>,
) -> Result<Evidence, RefusalKind> {
    if text.trim().is_empty() {
        return Err(RefusalKind::Blank);
    }
    let evidence = if pointers.is_empty() {
        let directive = principals.directives().find(|directive| binds(text, [directive.text], UNCITED));
        let directive = directive.ok_or_else(|| foreign("is said by no user turn and no gate's decision".into()))?;
        resolver.resolve(&directive.pointer)?.evidence.clone()
    } else {
        cited(text, pointers, resolver, principals)?
    };
    if let Some(what) = principals.unnamed(text) {
        return Err(foreign(format!(
            "names {what}, which no user turn, gate's decision or call of the assistant named"
        )));
    }
    if principals.is_copied(text) {
        return Err(foreign("repeats what a tool printed".into()));
    }
    Ok(evidence)
}

fn cited(
    text: &str,
    pointers: &[String],
    resolver: &mut Resolver<'_>,
    principals: &Principals<'_>,
) -> Result<Evidence, RefusalKind> {
    let resolved = resolver.resolve_all(pointers)?;
    if let Some(other) = resolved.iter().find(|resolved| resolved.voice != Voice::User) {
        return Err(foreign(format!(
            "cites {}, which is neither a user turn nor a gate's decision",
            other.evidence.pointer
        )));
    }
    // Recalling a gate also gives its question and options, which a program wrote: only the decision counts.
    let said = |pointer: &str, text: &str| match pointer.starts_with("gate#") {
        true => {
            principals.directives().find(|directive| directive.pointer == pointer).map(|found| found.text.to_owned())
        }
        false => Some(text.to_owned()),
    };
    let texts: Vec<String> =
        resolved.iter().filter_map(|resolved| said(&resolved.evidence.pointer, &resolved.text)).collect();
    match resolved.first() {
        Some(first) if binds(text, texts.iter().map(String::as_str), CITED) => Ok(first.evidence.clone()),
        _ => Err(foreign(format!("is not about what {} says", pointers.join(", ")))),
    }
}

fn binds<'a>(text: &str, said: impl IntoIterator<Item = &'a str>, (part, whole): (usize, usize)) -> bool {
    let (known, all) = shared(text, said);
    all > 0 && known * whole >= all * part
}

fn foreign(why: String) -> RefusalKind {
    RefusalKind::ForeignGoal { why }
}
