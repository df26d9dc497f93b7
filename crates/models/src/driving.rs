//! A session that is driven by a model: one call with its two repairs, and the blocks and summaries that a model
//! writes.
//!
//! What was recorded is kept before anything is sent. Tools are not known here, and neither is a terminal: whoever drives
//! a session runs its tools and shows what happens.

mod call;
mod cancel;
mod compactor;
mod reply;
mod surroundings;

pub use call::{CallError, Called, Repair, call};
pub use cancel::{Cancel, Canceller};
pub use compactor::{Compacted, CompactorModel, Prompts, write_block, write_summary};
pub use surroundings::{KeepError, Surroundings};
