//! Talking to models: a request goes out, a reply comes back, and nothing of either is lost.
//!
//! [`Model`] is what answers: a provider over HTTP, or a script that plays recorded replies. Sessions and folds are the
//! engine's; this crate carries what it renders and records what comes back.

#![warn(missing_docs)]

mod answering;
mod client;
pub mod driving;
mod endpoint;
mod error;
mod fault;
mod key;
mod mask;
mod model;
mod request;
mod retry;
pub mod script;

pub use answering::{Answering, Progress};
pub use client::Client;
pub use endpoint::{Endpoint, EndpointError, KeyHeader, PlainHttp, Timeouts};
pub use error::{Bound, ErrorKind, ModelError};
pub use fault::kind_of_refusal;
pub use key::{Key, KeyError};
pub use mask::{hide_key_shapes, masked_url};
pub use model::Model;
pub use request::Request;
pub use retry::Retries;
