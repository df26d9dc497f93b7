//! What the targets ask of the code under test. A target is one of these with its provider.

pub mod body;
pub mod chunks;
pub mod reply;
pub mod sse;
