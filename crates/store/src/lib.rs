//! Where traces live: one SQLite database for each user, nothing lost.
//!
//! Events go in through a [`SessionWriter`] (one for each session, held by an OS lock) and come out through [`Store`]
//! in their order. Large outputs are kept once, by hash. What the events mean is the engine's business: the store looks
//! into them only for outputs, a summary line and words to search for.

#![warn(missing_docs)]

mod append;
mod bills;
mod blobs;
mod create;
mod database;
mod erase;
mod error;
mod events;
mod guests;
mod home;
mod identity;
mod lock;
mod migrate;
mod packed;
mod places;
mod remove;
mod search;
mod sessions;
mod snapshot;
mod store;
mod summary;
mod writer;

pub use bills::{Billed, CallBill};
pub use create::ComingSession;
pub use error::StoreError;
pub use events::turn_of;
pub use guests::{GuestFold, GuestPlace};
pub use identity::{derived_session_id, new_session_id};
pub use remove::{Kept, Removal};
pub use search::Hit;
pub use snapshot::{Snapshot, StoredTrace};
pub use store::{ImportTurn, Store};
pub use summary::{ForkPoint, SessionSummary};
pub use writer::{Durability, SessionWriter};
