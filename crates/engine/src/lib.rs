//! The context engine: a raw trace in, a prompt view out.
//!
//! Pure: no I/O, no async, no clock, no environment, no threads, no randomness. Time comes in with each event, token
//! counts through a counter that the caller brings, large outputs through [`trace::Blobs`]. A lint (`clippy.toml`) and a
//! test (`tests/purity.rs`) hold it to that.
//!
//! A [`Session`] is a state machine: its recording methods turn what happened into events and apply them,
//! [`Session::replay`] applies events that were recorded before, and both end in the same state. The caller writes the
//! new events ([`Session::trace`]) to a store before it acts on them.
//!
//! ```
//! use lookback_engine::{Context, Session, SessionSetup, trace::{NoBlobs, Origin, SessionId, Stop, Timestamp}};
//!
//! let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
//! let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
//! let mut session = Session::start(SessionSetup::new(SessionId("example00000".into())), &context)?;
//! session.user_turn("what is 6 × 7?", Origin::Person, &context)?;
//! session.start_call(&context)?;
//! session.assistant_turn(vec![lookback_engine::NewPart::Text("42".into())], Stop::End, &context)?;
//! let again = Session::replay(session.trace().to_vec(), &NoBlobs)?;
//! assert_eq!(session.body(&NoBlobs)?, again.body(&NoBlobs)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod admission;
pub mod archive;
pub mod block;
pub mod board;
pub mod cache;
pub mod card;
pub mod compactor;
pub mod configuration;
pub mod context;
pub mod dialogue;
mod edits;
pub mod error;
pub mod evidence;
pub mod history;
pub mod ledger;
pub mod planner;
mod policy;
pub mod prompt;
pub mod proposal;
pub mod recall;
pub mod reconcile;
pub mod recorder;
pub mod report;
pub mod request;
pub mod reread;
mod sent;
pub mod session;
pub mod settle;
pub mod shell;
pub mod state;
#[cfg(test)]
mod story;
pub mod text;
mod tight;
pub mod trace;
pub mod view;

pub use configuration::{Configuration, ConfigurationError};
pub use context::Context;
pub use error::SessionError;
pub use ledger::{
    Ledger, LedgerLine, Miss,
    check::{CacheVerdict, Difference, Mismatch},
};
pub use recorder::{ModelChoice, NewPart, SessionSetup};
pub use session::{Replay, Session};
pub use trace::claim;
pub use view::View;
