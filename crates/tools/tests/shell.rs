//! Commands and the walls around them: real processes, real files, nothing skipped.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test that cannot be made says so")]

#[path = "shell/attacks.rs"]
mod attacks;
#[path = "shell/bad_days.rs"]
mod bad_days;
#[path = "shell/behaviour.rs"]
mod behaviour;
#[path = "shell/descriptors.rs"]
mod descriptors;
#[path = "shell/git.rs"]
mod git;
#[path = "shell/kill.rs"]
mod kill;
#[path = "shell/place.rs"]
mod place;
#[path = "shell/work.rs"]
mod work;
