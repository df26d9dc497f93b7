//! What holds against a real server that nobody here wrote: llama.cpp with a model of 98 MB, on this machine.
//!
//! `LOOKBACK_LOCAL_MODEL=start` starts one by `.ci/local-model/run`, as CI does; `LOOKBACK_LOCAL_MODEL=http://…/v1` takes
//! one that runs. Token counts are asserted, never seconds, and never what so small a model says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod http;
mod protocol;
mod script;
mod server;
mod sessions;
mod stubs;
