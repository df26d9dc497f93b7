//! The loop of a coding agent: the view goes to the model, its tool calls are run, their results are recorded, the engine
//! tidies, and so on until the model answers without a call.
//!
//! What is stored, counted and shown is the caller's ([`House`]); what tools really do is [`Workshop`]'s. A tool call is
//! durable before its tool starts, its result before the next request.

#![warn(missing_docs)]

mod guard;
mod house;
mod leave;
mod limits;
pub mod mentions;
mod own;
pub mod permission;
mod step;
mod too_large;
mod work;
mod workshop;

pub use house::{AgentError, Answer, House, News, Question};
pub use limits::{Limits, Spent};
pub use work::{Agent, Compactor, Ended, work};
pub use workshop::{Jobs, Kept, Workshop};
