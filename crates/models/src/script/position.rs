//! Where a conversation stands in a script: written into what is played, read back from what is sent.
//!
//! A call's id carries its step: `step-12-1` is the first call of step 12, `step-12-1-2` the same played a second time. A
//! reply without calls ends with a marker, `⟦step 12⟧`: a person sees at once what it is, no provider, fold or quotation
//! changes it, and it is missing from a reply that was cut before its end, which therefore is played again. Prompts in
//! the `react` layout have no ids, so there every reply has its marker.

use super::{CallEnd, Section, Step, StepStop};

const OPEN: &str = "⟦step ";
const CLOSE: &str = "⟧";

/// What a conversation shows of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sighting {
    pub(super) step: u32,
    /// The first time it is played is 1.
    pub(super) attempt: u32,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Its text, to the end.
    Said,
    /// One of its calls, and its result.
    Called,
    /// One of its calls, which did not run to its end.
    Interrupted,
    /// A record of it in a block.
    Folded,
}

/// The id of a call, counted from 1.
pub(super) fn call_id(step: u32, attempt: u32, call: usize) -> String {
    if attempt == 1 { format!("step-{step}-{call}") } else { format!("step-{step}-{call}-{attempt}") }
}

pub(super) fn side_call_id(section: Section, number: u32, call: usize) -> String {
    format!("{}-{number}-{call}", section.name())
}

/// The step and the attempt that an id belongs to. What others append to keep ids apart is not looked at.
pub(super) fn position_of_call(id: &str) -> Option<(u32, u32)> {
    let id = id.split('_').next()?;
    let mut numbers = id.strip_prefix("step-")?.split('-').map(str::parse::<u32>);
    let (step, _call) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let attempt = match numbers.next() {
        Some(number) => number.ok()?,
        None => 1,
    };
    Some((step, attempt))
}

/// The text as it is sent: with the marker behind it.
pub(super) fn with_marker(text: &str, step: u32) -> String {
    let gap = match text {
        "" => "",
        // A fence or a list ends with its line.
        text if text.contains('\n') => "\n",
        _ => " ",
    };
    format!("{text}{gap}{OPEN}{step}{CLOSE}")
}

/// The text as the script has it, and the step that its marker names.
pub fn without_marker(text: &str) -> (&str, Option<u32>) {
    let Some((before, number)) = text.strip_suffix(CLOSE).and_then(|rest| rest.rsplit_once(OPEN)) else {
        return (text, None);
    };
    let Ok(step) = number.parse() else { return (text, None) };
    (before.strip_suffix([' ', '\n']).unwrap_or(before), Some(step))
}

/// All steps that markers in a text name.
pub(super) fn markers(text: &str) -> impl Iterator<Item = u32> {
    text.split(OPEN).skip(1).filter_map(|rest| rest.split_once(CLOSE)?.0.parse().ok())
}

/// The step to be played now and which attempt at it, from all that the conversation shows. `step` gives the script's own
/// steps.
pub(super) fn plan_position<'s>(seen: &[Sighting], step: impl Fn(u32) -> Option<&'s Step>) -> (u32, u32) {
    let Some(newest) = seen.iter().map(|sighting| sighting.step).max() else { return (1, 1) };
    let of_newest = || seen.iter().filter(|sighting| sighting.step == newest);
    let attempt = of_newest().map(|sighting| sighting.attempt).max().unwrap_or(1);
    let last = || of_newest().filter(|sighting| sighting.attempt == attempt);
    let is_whole = match step(newest) {
        _ if of_newest().any(|sighting| sighting.shape == Shape::Folded) => true,
        // A reply that does not end by itself leaves calls that never run: that is the story, once all of them are there.
        Some(step) if step.stop != StepStop::End => {
            let whole = step.calls.iter().filter(|call| call.end == CallEnd::Whole).count();
            last().any(|sighting| sighting.shape == Shape::Said) || last().count() >= whole
        }
        Some(step) if step.has_whole_call() => {
            last().any(|sighting| sighting.shape == Shape::Called)
                && !last().any(|sighting| sighting.shape == Shape::Interrupted)
        }
        _ => true,
    };
    if is_whole { (newest.saturating_add(1), 1) } else { (newest, attempt.saturating_add(1)) }
}
