//! One request, ready to be sent.

use lookback_wire::Provider;

/// A body and what it is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The API that the body is written for. A `react` prompt travels in a Chat body of one user message, which is what
    /// `body` then is; the reply's text is read as react.
    pub api: Provider,
    /// The whole JSON body, as it goes out.
    pub body: Vec<u8>,
}
