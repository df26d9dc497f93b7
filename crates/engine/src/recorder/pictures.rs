//! Which pictures of a step the model is shown: a large one among many has the provider refuse the whole request, and every
//! request after it.

use lookback_wire::picture_size;

use super::Book;
use crate::{
    configuration::estimates::{FEW_PICTURES, LONGEST_OF_MANY},
    context::Context,
    history::index::TurnRecord,
    state::State,
    trace::{AsCame, BlobError, EventBody, Image, Part, ToolResult},
    view::Source,
};

/// For each result of a step, whether its pictures go together with those that are shown before it.
pub(super) fn which_fit(
    book: &impl Book,
    results: &[&ToolResult],
    context: &Context<'_>,
) -> Result<Vec<bool>, BlobError> {
    let Some(state) = book.view() else { return Ok(vec![true; results.len()]) };
    let mut shown = Gathered::of(&shown_already(book, state), context)?;
    let fits = results.iter().map(|result| {
        let more = Gathered::of(&images(result.as_came.as_deref()), context)?;
        let all = Gathered { count: shown.count + more.count, has_large: shown.has_large || more.has_large };
        let fits = more.count == 0 || all.count <= FEW_PICTURES || !all.has_large;
        if fits {
            shown = all;
        }
        Ok(fits)
    });
    fits.collect()
}

/// Pictures of one request.
struct Gathered {
    count: usize,
    has_large: bool,
}

impl Gathered {
    fn of(images: &[&Image], context: &Context<'_>) -> Result<Self, BlobError> {
        let mut has_large = false;
        for image in images {
            // One that cannot be measured may be large.
            let size = picture_size(&image.bytes.bytes(context.blobs)?);
            has_large |= size.is_none_or(|(width, height)| width.max(height) > LONGEST_OF_MANY);
        }
        Ok(Self { count: images.len(), has_large })
    }
}

fn shown_already<'b>(book: &'b impl Book, state: &State) -> Vec<&'b Image> {
    let history = book.history();
    let turns = state.view.entries().iter().filter_map(|entry| match entry.source {
        Source::Turn(turn) => Some((turn, history.index().turn(turn)?)),
        _ => None,
    });
    let shown = turns.flat_map(|(turn, record)| match record {
        TurnRecord::User { event } => match history.body_of(*event) {
            EventBody::UserTurn(user) => images(user.as_came.as_deref()),
            _ => Vec::new(),
        },
        TurnRecord::Tool(step) => match step.ended().map(|event| history.body_of(event)) {
            Some(EventBody::StepEnded { shown, .. }) => {
                let seen = shown.iter().enumerate().filter(|(index, shown)| {
                    shown.pictures.is_some_and(|tokens| tokens > 0)
                        && !state.settled.contains_key(&(turn, *index as u32))
                });
                let results = seen.filter_map(|(index, _)| history.result_at(step, index));
                results.flat_map(|result| images(result.as_came.as_deref())).collect()
            }
            _ => Vec::new(),
        },
        TurnRecord::Assistant { .. } => Vec::new(),
    });
    shown.collect()
}

fn images(as_came: Option<&AsCame>) -> Vec<&Image> {
    let parts = as_came.map_or(&[][..], |as_came| &as_came.parts);
    parts.iter().filter_map(|part| if let Part::Image(image) = part { Some(image) } else { None }).collect()
}
