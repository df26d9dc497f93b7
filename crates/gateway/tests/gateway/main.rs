//! The gateway over real HTTP: a provider that remembers what reaches it, and clients that speak as real ones do.

#![allow(clippy::unwrap_used, reason = "tests")]

mod access;
mod conversation;
mod faults;
mod folding;
mod lost;
mod marks;
mod others;
mod passing;
mod property;
mod provider;
mod started;
mod trace;
mod walls;
