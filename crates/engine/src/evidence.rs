//! Evidence: what a pointer names, which lines of which files were seen, which tests ran.
//!
//! Everything here is a function from texts to facts. Where those texts lie in a trace, and which facts a board or a
//! block may state because of them, is not known here.

pub(crate) mod lines;
pub(crate) mod observed;
pub(crate) mod output;
pub(crate) mod places;
pub(crate) mod placing;
pub mod pointer;
pub(crate) mod printed;
pub(crate) mod recognise;
pub(crate) mod symbols;

#[doc(hidden)]
pub use lines::{lines_in, split_lines};
#[doc(hidden)]
pub use recognise::recognise;
