//! Whether a client keeps an answer as it streamed. Some cut one short, or put their own in its place; and what a client
//! puts in front of an answer without a user between them reads as part of it.

use lookback_engine::{
    NewPart,
    trace::{AssistantPart, AssistantTurn},
};

use crate::conversation::{name_of, plain};

/// Both say the same, spaces aside, and the client's has nothing beside it that did not stream. Calls are compared by who
/// knows their ids. What was thought a client may leave out.
pub(crate) fn is_kept(streamed: &AssistantTurn, parts: &[NewPart]) -> bool {
    let said = streamed.parts.iter().filter_map(|part| match part {
        AssistantPart::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let kept = parts.iter().filter_map(|part| match plain(part) {
        NewPart::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let is_unknown = |place: u32| matches!(streamed.parts.get(place as usize), Some(AssistantPart::Unknown { .. }));
    let unknown = streamed.native.iter().filter(|native| is_unknown(native.part));
    let mut unknown: Vec<String> = unknown.map(|native| name_of(&native.raw)).collect();
    let mut beside = parts.iter().filter_map(|part| match part {
        NewPart::Native { raw, plain: None, .. } => Some(name_of(raw)),
        _ => None,
    });
    letters(said).eq(letters(kept))
        && beside.all(|name| unknown.iter().position(|known| *known == name).map(|at| unknown.remove(at)).is_some())
}

fn letters<'t>(texts: impl Iterator<Item = &'t str>) -> impl Iterator<Item = char> {
    texts.flat_map(str::chars).filter(|letter| !letter.is_whitespace())
}
