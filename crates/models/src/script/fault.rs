//! What can go wrong with a try, in the words of the file. How a fault looks on the wire is its player's business.

use std::fmt;

use serde::Deserialize;

/// What a try meets in the place of its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Fault {
    /// An error answer: `429 retry-after=1`, `529`, `500`.
    Status {
        /// From 400 to 599.
        status: u16,
        /// Seconds.
        retry_after: Option<u32>,
    },
    /// The connection closes after so many characters of the reply: `cut after=20`.
    Cut {
        /// 0: before any.
        after: usize,
    },
    /// Nothing more comes after so many characters, and the connection stays open: `stall after=20`.
    Stall {
        /// 0: before any.
        after: usize,
    },
    /// The answer is no JSON.
    WrongJson,
    /// The prompt is called too long.
    Overflow,
    /// The thinking of earlier steps is refused.
    RefuseThinking,
}

/// A text that names none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no fault: write a status from 400 to 599 (429 may say retry-after=SECONDS), cut or stall (both may say \
     after=CHARACTERS), wrong-json, overflow or refuse-thinking"
)]
pub struct UnknownFault(String);

impl TryFrom<String> for Fault {
    type Error = UnknownFault;

    fn try_from(text: String) -> Result<Self, UnknownFault> {
        let unknown = || UnknownFault(text.clone());
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(unknown)?;
        let setting = words.next().map(|word| word.split_once('=').ok_or_else(unknown)).transpose()?;
        if words.next().is_some() {
            return Err(unknown());
        }
        let after = || match setting {
            None => Ok(0),
            Some(("after", number)) => number.parse().map_err(|_| unknown()),
            Some(_) => Err(unknown()),
        };
        match (name, setting) {
            ("cut", _) => Ok(Self::Cut { after: after()? }),
            ("stall", _) => Ok(Self::Stall { after: after()? }),
            ("wrong-json", None) => Ok(Self::WrongJson),
            ("overflow", None) => Ok(Self::Overflow),
            ("refuse-thinking", None) => Ok(Self::RefuseThinking),
            (status, setting) => {
                let status = status.parse().ok().filter(|status| (400..=599).contains(status)).ok_or_else(unknown)?;
                let retry_after = match setting {
                    None => None,
                    Some(("retry-after", seconds)) => Some(seconds.parse().map_err(|_| unknown())?),
                    Some(_) => return Err(unknown()),
                };
                Ok(Self::Status { status, retry_after })
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, retry_after: None } => write!(f, "{status}"),
            Self::Status { status, retry_after: Some(seconds) } => write!(f, "{status} retry-after={seconds}"),
            Self::Cut { after: 0 } => f.write_str("cut"),
            Self::Cut { after } => write!(f, "cut after={after}"),
            Self::Stall { after: 0 } => f.write_str("stall"),
            Self::Stall { after } => write!(f, "stall after={after}"),
            Self::WrongJson => f.write_str("wrong-json"),
            Self::Overflow => f.write_str("overflow"),
            Self::RefuseThinking => f.write_str("refuse-thinking"),
        }
    }
}
