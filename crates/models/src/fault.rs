//! What a failure means and what can be done about it.
//!
//! Providers say the same things in many words. `said` reads the words of whoever refused, `cause` tells them apart,
//! `transport` does the same for connections, and `wording` writes the text for a person. None of them sends anything.

mod cause;
mod said;
mod sizes;
mod transport;
mod wording;

use std::time::Duration;

use reqwest::Url;

pub(crate) use cause::{Cause, Phase};
pub(crate) use said::{Said, parse_said};
pub(crate) use transport::transport_cause;

use crate::{
    ErrorKind, Key, ModelError,
    mask::Mask,
    retry::{Again, Asked},
};

/// A failed try.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) error: ModelError,
    pub(crate) again: Again,
    pub(crate) asked: Asked,
}

/// Who failed, for the text.
#[derive(Debug, Clone)]
pub(crate) struct Place<'a> {
    pub(crate) host: &'a str,
    pub(crate) url: &'a Url,
    pub(crate) key: Option<&'a Key>,
    pub(crate) mask: Mask,
}

impl Fault {
    /// `said`: what the refusing server reported; may be empty.
    pub(crate) fn new(cause: Cause, status: Option<u16>, said: &str, asked: Asked, place: &Place<'_>) -> Self {
        let again = cause.again();
        // Every answer carries counters of the limits; they are a reason to wait only where a limit caused the refusal.
        let asked = match asked {
            Asked::Hint(_) if !matches!(cause, Cause::RateLimited) => Asked::Nothing,
            asked => asked,
        };
        let retry_after = match asked {
            Asked::Wait(wait) | Asked::Hint(wait) => Some(wait),
            Asked::Nothing | Asked::Stop => None,
        };
        let error =
            ModelError::new(cause.kind(retry_after), status, wording::render_message(&cause, status, said, place));
        Self { error, again, asked }
    }

    /// What a server answered instead of a reply.
    pub(crate) fn of_answer(status: Option<u16>, said: &Said, asked: Asked, place: &Place<'_>) -> Self {
        let status = said.status.or(status);
        Self::new(Cause::of(status, said), status, &said.words, asked, place)
    }

    /// It was asked to wait longer than we do.
    pub(crate) fn give_up_waiting(&mut self, wait: Duration, now: &jiff::Zoned) {
        self.error.message.push_str(&wording::later(wait, now));
        if let ErrorKind::RateLimited { retry_after } = &mut self.error.kind {
            *retry_after = Some(wait);
        }
    }

    /// After content was shown, what could have been sent again is a cut answer.
    pub(crate) fn into_cut(self) -> ModelError {
        match self.again {
            Again::Never => self.error,
            Again::Once | Again::Later => wording::cut(&self.error),
        }
    }
}

/// What a server's answer in the place of a reply is about, by its status and its words.
pub fn kind_of_refusal(status: u16, body: &[u8]) -> ErrorKind {
    Cause::of(Some(status), &parse_said(body)).kind(None)
}

#[cfg(test)]
mod tests;
