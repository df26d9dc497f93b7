//! Provider bodies: what a message is made of, how each provider writes it, and what each refuses.
//!
//! `wire` lies below everything else. It knows bytes and protocols; it does not know turns, folds, stores or networks,
//! and it has no I/O, clock, environment, threads or randomness.
//!
//! The unit of rendering is the [`Message`]: it renders from its own parts alone, without regard to any other message.
//! So a prompt that grows at its end, or is edited at position *n*, keeps the bytes of everything before that position:
//! this is what lets a provider's prefix cache go on paying.

pub mod message;
pub mod provider;
pub mod render;
pub mod tool;
pub mod validity;

pub use message::{Call, CallResult, Message, Part, Role, Seal, Thinking, is_blank};
pub use provider::Provider;
pub use render::{Head, render_body, render_head, render_message, render_messages};
pub use tool::ToolSpec;
pub use validity::{Rule, Violation, check_body};
