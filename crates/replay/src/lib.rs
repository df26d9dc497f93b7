//! Replay: recorded sessions of real agents, and what other ways of showing them would have cost and forgotten.
//!
//! Pure: no I/O, no async, no clock, no threads. The caller reads and decompresses files, brings the token counter and
//! runs sessions side by side; importers get lines or whole documents, reports come back as text.
//!
//! A file becomes [`recording::Item`]s ([`import`]), these a [`conversation::Conversation`] with counts and needs, over
//! which each [`strategy`] is run ([`simulate`]); [`measure`] makes figures of the run and [`report`] shows them.

#![warn(missing_docs)]

pub mod by_call;
pub mod check;
// What is hidden from the documentation is for the benches and tests of this workspace.
#[doc(hidden)]
pub mod conversation;
pub mod import;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod numbers;
pub mod paid;
mod parameters;
pub mod recording;
pub mod report;
pub mod session;
mod shown;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod strategy;
