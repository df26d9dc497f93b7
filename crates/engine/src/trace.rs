//! The raw trace: everything that happened in a session, as numbered, timed, unchanging events.
//!
//! The types here are what is written to disk and read back. They hold finished facts and finished decisions only;
//! replaying them runs no rule again. What the events mean for the conversation is the business of [`crate::session`].
//!
//! Whoever keeps a session writes events down and reads them back whole ([`Event`] is what serde makes of it). The types of
//! their details are not documented: the crates of this workspace share them, and they change with the event schema.

mod asked;
mod beside;
mod call;
pub(crate) mod claim;
#[doc(hidden)]
pub mod decision;
#[doc(hidden)]
pub mod event;
mod file;
pub(crate) mod ids;
pub(crate) mod output;
mod part;
pub mod result;
#[doc(hidden)]
pub mod start;
pub(crate) mod turn;
#[doc(hidden)]
pub mod upgrade;

pub use decision::TurnRange;
pub use event::{Event, EventBody, Usage};
pub use ids::{BlobHash, CallNo, EventNo, SessionId, Timestamp, TurnNo};
#[doc(hidden)]
pub use output::BothEnds;
pub use output::{BlobError, Blobs, NoBlobs, Output};
#[doc(hidden)]
pub use part::{AsCame, CamePart, Image, NamedPart, Part};
#[doc(hidden)]
pub use result::ToolKind;
pub use result::{ResultData, Status, ToolResult};
pub use start::Layout;
#[doc(hidden)]
pub use start::SessionStarted;
#[doc(hidden)]
pub use turn::{AssistantPart, AssistantTurn, NativePart, UserTurn};
pub use turn::{Origin, Stop};
pub use upgrade::TraceReader;

/// What is as it is by default is not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests;
