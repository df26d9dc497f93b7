//! The context engine: a raw trace in, a prompt view out.
//!
//! Pure: no I/O, no async, no clock, no environment, no threads, no randomness. A lint (`clippy.toml`) holds it to that.

pub mod evidence;
pub mod trace;
