//! Next actions: what a principal could have asked for, and no more than are allowed.
//!
//! Every command, URL and path in an action was named by the user, by a gate's decision or in one of the assistant's
//! own calls; else the item goes (docs/design/folding.md, "Admission"). So does one that repeats what only a tool
//! printed.

use super::{Refusal, RefusalKind, principals::Principals};
use crate::{configuration::BlockLimits, proposal::one_line};

pub(super) fn admit(
    actions: Vec<String>,
    principals: &Principals<'_>,
    limits: &BlockLimits,
    refused: &mut Vec<Refusal>,
) -> Vec<String> {
    let mut admitted = Vec::new();
    for action in actions {
        let action = one_line(&action);
        match check(&action, principals, admitted.len() < limits.next_actions, limits) {
            Ok(()) => admitted.push(action),
            Err(kind) => refused.push(Refusal::dropped(action, kind)),
        }
    }
    admitted
}

fn check(action: &str, principals: &Principals<'_>, has_room: bool, limits: &BlockLimits) -> Result<(), RefusalKind> {
    if action.trim().is_empty() {
        return Err(RefusalKind::Blank);
    }
    check_origin(action, principals)?;
    if has_room { Ok(()) } else { Err(RefusalKind::OverBudget { limit: limits.next_actions }) }
}

/// Also for other texts that steer the work, as the reason of a shifted goal.
pub(super) fn check_origin(text: &str, principals: &Principals<'_>) -> Result<(), RefusalKind> {
    if let Some(what) = principals.unnamed(text) {
        return Err(RefusalKind::PlantedAction { what });
    }
    if principals.is_copied(text) {
        return Err(RefusalKind::PlantedAction { what: "what a tool printed".into() });
    }
    Ok(())
}
