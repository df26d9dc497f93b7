//! Pins: what a person wants kept word for word. It goes into the block that takes its turn away, outside of the budget.

use super::Desk;
use crate::{
    context::Context,
    error::PinRefused,
    evidence::{
        lines::lossy,
        pointer::{Place, Pointer},
    },
    trace::{
        Blobs, EventBody, EventNo, TurnNo,
        claim::{Evidence, Quote},
        decision::TurnRange,
        event::Pinned,
    },
    view::{Entry, Source},
};

/// What can be pinned: a turn, lines of a file, what a command printed.
pub(crate) fn plan_pin(desk: Desk<'_>, text: &str, context: &Context<'_>) -> Result<Pinned, PinRefused> {
    let pointer = parse(desk, text)?;
    if desk.state.pins.iter().any(|(_, pinned)| pinned.pointer == pointer) {
        return Err(PinRefused::Already { pointer });
    }
    let (_, words) = look_up(desk, &pointer, None, context.blobs)?;
    let tokens = (context.count)(words.as_bytes());
    let taken: u32 = desk.state.pins.iter().map(|(_, pinned)| pinned.tokens).sum();
    let most = desk.policy.configuration.block.pinned_tokens;
    if taken + tokens > most {
        return Err(PinRefused::TooMuch { pointer, tokens, left: most.saturating_sub(taken), most });
    }
    Ok(Pinned { pointer, tokens })
}

pub(crate) fn plan_unpin(desk: Desk<'_>, text: &str) -> Result<Box<str>, PinRefused> {
    let pointer = parse(desk, text)?;
    let known = desk.state.pins.iter().find(|(_, pinned)| pinned.pointer == pointer);
    known.map(|(_, pinned)| pinned.pointer.as_str().into()).ok_or_else(|| PinRefused::NotPinned {
        pointer,
        have: desk.state.pins.iter().map(|(_, pinned)| pinned.pointer.clone()).collect(),
    })
}

fn parse(desk: Desk<'_>, text: &str) -> Result<String, PinRefused> {
    let wrong = |why: &str| PinRefused::NotThere { pointer: text.to_owned(), why: why.to_owned() };
    let pointer: Pointer = text.trim().parse().map_err(|_| wrong("it is not a pointer"))?;
    if pointer.session.as_deref().is_some_and(|id| id != desk.history.id().short() && id != desk.history.id().0) {
        return Err(wrong("it names another session"));
    }
    match pointer.place {
        Place::Gate(_) | Place::Span(_) | Place::Sub { .. } => Err(wrong("pin a turn, lines of a file or a command")),
        Place::File { lines: None, .. } => Err(wrong("name its lines: file:PATH:L1-L20")),
        place => Ok(place.to_string()),
    }
}

/// What stands there, and the newest turn that shows it.
fn look_up(
    desk: Desk<'_>,
    pointer: &str,
    before: Option<EventNo>,
    blobs: &dyn Blobs,
) -> Result<(TurnNo, String), PinRefused> {
    let wrong = |why: String| PinRefused::NotThere { pointer: pointer.to_owned(), why };
    let place = pointer.parse::<Pointer>().map_err(|_| wrong("it is not a pointer".into()))?.place;
    let recalled = match before {
        Some(event) => desk.history.recall_before(&place, event, blobs),
        None => desk.history.recall(&place, blobs),
    };
    let recalled = recalled.map_err(|error| wrong(error.to_string()))?;
    let turn = recalled.turn.ok_or_else(|| wrong("no turn shows it".into()))?;
    let texts: Vec<_> = recalled.pieces.iter().map(|piece| lossy(&piece.bytes)).collect();
    Ok((turn, texts.join("\n")))
}

/// What a record in the place of `range` has to keep: pins of its turns, and of turns that nothing else shows any more.
pub(crate) fn pinned_for(desk: Desk<'_>, range: TurnRange, blobs: &dyn Blobs) -> Vec<Quote> {
    let pins = desk.state.pins.iter().filter_map(|(event, pinned)| {
        let (turn, text) = look_up(desk, &pinned.pointer, Some(*event), blobs).ok()?;
        let entries = desk.state.view.entries().iter();
        let elsewhere =
            entries.filter(|entry| !covers(desk, range, entry)).any(|entry| shows(desk, entry, pinned, turn));
        let evidence = Evidence { pointer: pinned.pointer.clone(), event: *event };
        (turn <= range.last && !elsewhere).then_some(Quote { text, evidence })
    });
    pins.collect()
}

fn covers(desk: Desk<'_>, range: TurnRange, entry: &Entry) -> bool {
    match entry.source {
        Source::Turn(turn) => range.contains(turn),
        Source::Block(number) => desk.state.blocks.get(&number).is_some_and(|block| range.contains(block.range.first)),
        Source::Archived(_) | Source::Dialogue | Source::Board | Source::Note => false,
    }
}

fn shows(desk: Desk<'_>, entry: &Entry, pinned: &Pinned, turn: TurnNo) -> bool {
    let has = |quotes: &[Quote]| quotes.iter().any(|quote| quote.evidence.pointer == pinned.pointer);
    let written = match entry.source {
        Source::Block(block) => desk.state.fold_of(block),
        _ => Some(entry.revision),
    };
    match (entry.source, written.and_then(|event| desk.history.body_at(event))) {
        (Source::Turn(shown), _) => shown == turn,
        (Source::Block(_), Some(EventBody::Fold(fold))) => has(&fold.claims.pinned),
        (Source::Archived(_), Some(EventBody::Archive(archive))) => has(&archive.pinned),
        _ => false,
    }
}
