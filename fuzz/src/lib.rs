//! What the targets ask of the code under test. A target is one of these with its provider.

// What the settings file takes from there is here: the network behind it is not built for fuzzing.
extern crate self as lookback_models;
pub use settings::KeyHeader;

pub mod body;
pub mod chunks;
pub mod import;
pub mod reply;
pub mod settings;
pub mod sse;
pub mod trace;
