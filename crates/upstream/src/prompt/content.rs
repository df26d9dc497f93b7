//! What a block says, in one form for all APIs.

use lookback_wire::Seal;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// A declared tool, as a value without its mark.
    Tool(Value),
    Piece(Piece),
    Thinking {
        text: String,
        /// None where the item names its seal only by an id.
        seal: Seal,
    },
    Call {
        id: String,
        name: String,
        /// As they stand in the body.
        arguments: String,
        /// The same for arguments that say the same.
        meaning: String,
    },
    Result {
        id: String,
        pieces: Vec<Piece>,
        is_error: bool,
    },
    /// Of a kind that is not known here.
    Unknown(Value),
}

/// What a person or a tool can show to a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Image(Value),
    Other(Value),
}
