//! The raw trace: everything that happened in a session, as numbered, timed, unchanging events.
//!
//! The types here are what is written to disk and read back. They hold finished facts and finished decisions only;
//! replaying them runs no rule again. What the events mean for the conversation is the business of [`crate::session`].

mod asked;
mod beside;
mod call;
pub(crate) mod claim;
pub mod decision;
pub mod event;
mod file;
pub(crate) mod ids;
pub(crate) mod output;
mod part;
pub mod result;
pub mod start;
pub(crate) mod turn;
pub mod upgrade;

pub use event::{Event, EventBody};
pub use ids::{BlobHash, CallNo, EventNo, SessionId, Timestamp, TurnNo};
pub use output::{BlobError, Blobs, BothEnds, NoBlobs, Output};
pub use part::{AsCame, CamePart, Image, NamedPart, Part};
pub use result::{ResultData, Status, ToolKind, ToolResult};
pub use start::{Layout, SessionStarted};
pub use turn::{AssistantPart, AssistantTurn, NativePart, Origin, Stop, UserTurn};

/// What is as it is by default is not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests;
