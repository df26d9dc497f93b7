//! What an agent does to a project: files, searches, commands.
//!
//! Each tool takes the arguments that a model wrote and gives one [`envelope`]: the engine's typed result, so that line
//! numbers, evidence and short forms work on it. Nothing here knows sessions, models or permissions.

#![warn(missing_docs)]

pub mod envelope;
mod files;
mod ignoring;
mod keys;
mod name;
mod ordinary;
mod project;
pub mod sandbox;
mod schema;
mod seen;
pub mod shadow;
mod shell;

pub use files::{FileTools, difference};
pub use name::ToolName;
pub use project::Project;
pub use schema::{schema, schema_in};
pub use seen::Fingerprint;
pub use shell::{EndedJob, Keep, Mask, Shell, ShellLimits, ShellSetup, WITHHELD};
