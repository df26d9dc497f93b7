//! A provider for tests, and for people who build agents.
//!
//! What a provider does with a request body is here: it counts, caches, bills and refuses. It is written from the
//! providers' documents and from the cards' data, and shares no code with the engine's ledger: one is the other's witness.
//! [`Upstream`] puts a script behind it and answers over HTTP.

#![warn(missing_docs)]

mod billing;
mod cache;
mod examiner;
mod prompt;
mod refusal;
mod reply;
mod server;

pub use billing::CardBilling;
pub use examiner::{Billed, Examiner};
pub use prompt::{Counter, Prompt, Unreadable, count_o200k, parse_prompt};
pub use refusal::{RefusalKind, Refused};
pub use server::door;
pub use server::{Chunks, Clock, Logged, Running, StartError, UnknownChunks, Upstream, UpstreamOptions, Watcher};
