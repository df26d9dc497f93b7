//! The gateway: another agent's base URL points here, and its requests go on to the provider with its own key.
//!
//! In `observe` it records what passes and changes nothing. In `fold` it replaces old messages by blocks, each the same
//! bytes for ever, so that the provider's prefix cache goes on paying. Whatever no fold touches is what the client sent.
//!
//! ```text
//!   request ──► door ──► route ──► coding ──► who, chain ──► table: standing folds ──► forward ──► provider
//!                                                │                  ▲                     │
//!                                                ▼                  │ new folds           ▼ a copy of the answer
//!                                              desk: sessions, trace, planner    ◄────────┘
//! ```
//!
//! The request path opens no session: body, hash chain, table of standing folds. Sessions live behind it, with the
//! desk, one thread that writes the trace beside the traffic and never in its way.

#![warn(missing_docs)]

mod access;
mod afresh;
mod buffers;
mod coding;
mod conversation;
mod credential;
mod desk;
mod forward;
mod handle;
mod house;
mod keeper;
mod kept;
mod live;
mod metrics;
mod note;
mod options;
mod placed;
mod read;
mod refusal;
mod route;
mod serve;
mod table;
mod who;

pub use options::{Clock, Mode, Options, UnknownMode, Upstreams, card_hash};
pub use serve::{Gateway, Left, Running, StartError};
pub use table::CallBeside;
