//! Calls to a model: what each was for, what it cost, and why it ended without an answer.

use lookback_wire::TokenUsage;
use serde::{Deserialize, Serialize};

use super::ids::{BlobHash, CallNo, SessionId};

/// What is to be said of a call beyond its size. A call of the conversation itself has none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDetails {
    /// What it was for.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub kind: CallKind,
    /// The hash chain over the messages of a client's request: what tells conversations apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<BlobHash>,
    /// Where it goes on from, if that is not the call before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// What came of it, where one event tells the whole call: it was over when it was recorded. Else events of their own
    /// follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<CallOver>,
}

/// What a call was for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// The next turn of the conversation.
    #[default]
    Main,
    /// A client's call beside the conversation: a title, a commit message, a count.
    Side,
    /// A client's own compaction.
    ClientCompaction,
    /// The same request again.
    RetryOf(CallNo),
    /// A block or a summary, asked for by the engine. It leaves no turn.
    Compactor(Box<CompactorAsked>),
}

impl CallKind {
    /// Whether its answer is a turn.
    pub(crate) fn leaves_turn(&self) -> bool {
        matches!(self, Self::Main | Self::RetryOf(_))
    }
}

/// What a compactor was asked for, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactorAsked {
    /// What it was to write.
    pub purpose: CompactorPurpose,
    /// Which model was asked.
    pub model: String,
    /// How the question was sent.
    pub ride: Ride,
    /// The question itself: what rode behind the live prompt, or the whole prompt. None where nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// A text that was sent and is not kept: enough to know it again, and what it weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Of its bytes.
    pub hash: BlobHash,
    /// How many there are.
    pub bytes: u64,
    /// Its count.
    pub tokens: u32,
}

/// What a compactor writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactorPurpose {
    /// The block of a fold.
    Block,
    /// The summary of an archive.
    Summary,
}

/// How a compactor's call was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ride {
    /// Behind the live prompt.
    Live,
    /// As a prompt of its own.
    Alone,
}

/// The call that another one goes on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// In which session; none: in this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Its number there.
    pub call: CallNo,
    /// The hash chain up to where they part.
    pub chain: BlobHash,
}

/// The end of a call that one event tells whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallOver {
    /// None where the call failed or nothing was said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// What kept its answer from being used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A client made its own prompt shorter: from here on it sends other than the turns before add up to. What it did with its
/// own view is its own affair; what was billed before and behind is not of one growing prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientCompacted {
    /// How.
    pub kind: CompactionKind,
    /// The bill of the call that wrote the summary, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billed: Option<TokenUsage>,
}

/// How a client made its prompt shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionKind {
    /// Everything before became a summary.
    Head,
    /// Some results were cleared in place.
    Results,
}

/// What a provider billed for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Which call.
    pub call: CallNo,
    /// Its tokens.
    #[serde(flatten)]
    pub billed: TokenUsage,
}

/// What a call costs because nothing was folded, settled or archived before it. In thousandths of an uncached input token,
/// so that sums are the same on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rents {
    /// For not folding.
    pub fold: u64,
    /// For not settling.
    pub settle: u64,
    /// For not archiving.
    pub archive: u64,
}

/// The provider's cache had nothing of this session any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cold {
    /// Since the call before.
    pub idle_ms: i64,
    /// How long entries live.
    pub lifetime_ms: i64,
    /// Whether the base was asked to be held for an hour, and is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub base_held: bool,
}

/// Why a call to a model ended without an answer, or a step without all its results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The person stopped it. Ends the round.
    Cancelled,
    /// The provider or the connection failed.
    Failed(String),
    /// The program died; said when the session is resumed.
    Killed,
}
