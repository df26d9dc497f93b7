//! The context engine: a raw trace in, a prompt view out.
//!
//! Pure: no I/O, no async, no clock, no environment, no threads, no randomness. Time comes in with each event, token
//! counts through a counter that the caller brings, large outputs through [`trace::Blobs`]. A lint (`clippy.toml`) and a
//! test (`tests/purity.rs`) hold it to that.
//!
//! A [`Session`] is a state machine: its recording methods turn what happened into events and apply them,
//! [`Session::replay`] applies events that were recorded before, and both end in the same state. The caller writes the
//! new events ([`Session::trace`]) to a store before it acts on them.
//!
//! Twelve files are read, the older steps are folded by rules, and a folded line is recalled:
//!
//! ```
//! use lookback_engine::{Context, NewPart, Session, SessionSetup, Source, evidence::pointer::Pointer, trace};
//! use trace::{NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, result::{LineForm, ReadData}};
//!
//! let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
//! let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
//! let mut session = Session::start(SessionSetup::new(SessionId("example00000".into())), &context)?;
//! session.user_turn("why is the total wrong?", Origin::Person, &context)?;
//! for step in 0..12 {
//!     let path = format!("src/part{step}.rs");
//!     let id = format!("call_{}", session.start_call(&context)?);
//!     let arguments = format!(r#"{{"path":"{path}"}}"#);
//!     let call = NewPart::Call { id: id.clone(), name: "Read".into(), arguments };
//!     session.assistant_turn(vec![call], Stop::End, &context)?;
//!     let text: String = (1..=80).map(|line| format!("{line}\tlet total_{line} = {step} * {line};\n")).collect();
//!     let form = LineForm::Numbered { separator: "\t".into() };
//!     let (first_line, line_count, total_lines) = (1, 80, Some(80));
//!     let read = ReadData { path, first_line, line_count, total_lines, form, mtime: None, truncated: false };
//!     session.tool_result(&id, ToolResult::success(text, ResultData::Read(read)), &context)?;
//! }
//!
//! let before = session.view().tokens();
//! let draft = session.draft_fold(None, &context)?;
//! let report = session.fold_by_rules(&draft, &context)?;
//! assert!(session.view().entries().iter().any(|entry| entry.source == Source::Block(report.block)));
//! assert!(session.view().tokens() < before * 3 / 4);
//!
//! let pointer: Pointer = "file:src/part0.rs:L7".parse()?;
//! let recalled = session.recall(&pointer.place, &NoBlobs)?;
//! assert!(String::from_utf8_lossy(&recalled.pieces[0].bytes).contains("let total_7 = 0 * 7;"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs, unnameable_types)]

// What is hidden from the documentation is shared with the other crates of this workspace alone.
mod admission;
mod archive;
mod block;
mod board;
#[doc(hidden)]
pub mod cache;
pub mod card;
#[allow(missing_docs, reason = "hidden from the documentation")]
mod compactor;
pub mod configuration;
mod context;
mod dialogue;
mod edits;
mod error;
pub mod evidence;
mod history;
mod ledger;
#[doc(hidden)]
pub mod planner;
mod policy;
mod prompt;
#[allow(missing_docs, reason = "hidden from the documentation")]
mod proposal;
pub mod recall;
mod reconcile;
mod recorder;
pub mod report;
mod request;
mod reread;
mod sent;
pub mod session;
mod settle;
#[doc(hidden)]
pub mod shell;
mod standing;
mod state;
#[cfg(test)]
mod story;
#[doc(hidden)]
pub mod text;
mod tight;
pub mod trace;
mod view;
mod words;

/// What a fold leaves: claims that were admitted, the board they come to, and why others were refused.
pub mod fold {
    #[doc(hidden)]
    pub use crate::{
        admission::{AdmissionLimits, AdmittedBlock, BreakerState, RefusalKind, admit_block, admit_delta},
        block::{escape_tag, render_block, render_claims},
        board::{
            Applied, AppliedFact, BoardAssertion, BoardFact, DeltaRefused, Entry as BoardItem, Mark,
            Outcome as FactOutcome, Stale,
        },
        compactor::{Compaction, Request as CompactorRequest, compact},
        proposal::{
            AnchorPlace, AnchorProposal, ArchiveProposal, BlockProposal, ClaimedRun, DeltaProposal, Dialect, Edit,
            FactProposal, NoteProposal, QuoteProposal, citable,
        },
        trace::claim::{
            Anchor, Assertion, BlockContent, Change, ClaimKind, Delta, Evidence, Fact, Goal, Question, Quote,
            RunStatus, RunVerdict, Standing, SummariserNote, WorkStatus,
        },
    };
    pub use crate::{
        admission::{AdmissionRefused, Refusal},
        board::Board,
        proposal::ProposalRefused,
    };
}

pub use configuration::{Configuration, ConfigurationError};
pub use context::Context;
pub use error::SessionError;
#[doc(hidden)]
pub use ledger::{CacheVerdict, Difference, Mismatch, Size};
pub use ledger::{LedgerLine, Miss};
#[doc(hidden)]
pub use recorder::as_it_ran;
pub use recorder::{ModelChoice, NewPart, Recorder, SessionSetup, WholeStep};
pub use session::{Replay, Session};
#[doc(hidden)]
pub use standing::{asking_sentence, asks_nothing};
pub use view::{Entry, Source, View};
