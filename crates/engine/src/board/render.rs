//! The board in words: a delta and the whole board for the model, and a page for people.
//!
//! The same value gives the same bytes, on any machine. Where the texts stand in a view is not known here.

mod delta;
mod json;
mod people;
mod whole;

pub(crate) use delta::render_delta;
pub(crate) use whole::render_board;
