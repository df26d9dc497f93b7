//! The file, what is played from it, and that a run which was stopped goes on where it was.

mod file;
mod played;
mod resumed;
pub(super) mod story;
