//! Provider bodies: what a message is made of, how each provider writes it, and what each refuses.
//!
//! `wire` lies below everything else. It knows bytes and protocols; it does not know turns, folds, stores or networks,
//! and it has no I/O, clock, environment, threads or randomness.
//!
//! The unit of rendering is the [`Message`]: it renders from its own parts alone, without regard to any other message.
//! So a prompt that grows at its end, or is edited at position *n*, keeps the bytes of everything before that position:
//! this is what lets a provider's prefix cache go on paying.

#![warn(missing_docs)]

pub mod body;
mod halves;
mod members;
mod message;
mod parse;
mod picture;
mod provider;
mod render;
mod reply;
mod request;
mod sse;
mod stream;
mod tool;
mod usage;
mod validity;
mod values;

pub use body::{Body, BodyError, SpliceError};
pub use halves::mend_halves;
pub use message::{Call, CallResult, Message, Native, Part, Picture, Role, Seal, Thinking, is_blank};
pub use parse::{ParseError, parse_message};
pub use picture::picture_size;
pub use provider::{Provider, UnknownProvider};
pub use render::{Head, render_body, render_head, render_message, render_messages};
pub use reply::{Delta, Reply, ReplyContent, ReplyPart, ReplyStop};
pub use request::{Delivery, HeadMark, LimitField, MarkForm, MarkLifetime, Marks, RequestOptions, render_request};
pub use sse::{SseError, SseEvent, SseParser};
pub use stream::{ReplyReader, StreamError, parse_reply};
pub use tool::ToolSpec;
pub use usage::TokenUsage;
pub use validity::{Rule, Violation, check_body};
pub use values::count_values;
