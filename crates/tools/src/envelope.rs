//! One form for every tool's answer: how it ended, what it did, its text, and what it took.

use std::{fmt, time::Duration};

use lookback_engine::trace::{Output, ResultData, Status, ToolResult};
use serde_json::{Value, json};

/// Why a tool failed, for a model to act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Code {
    NotFound,
    AccessDenied,
    PermissionDenied,
    InvalidParam,
    Timeout,
    Conflict,
    IsDirectory,
    BinaryFile,
    ExecutionError,
    InternalError,
}

impl Code {
    /// As it stands in a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::AccessDenied => "ACCESS_DENIED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::InvalidParam => "INVALID_PARAM",
            Self::Timeout => "TIMEOUT",
            Self::Conflict => "CONFLICT",
            Self::IsDirectory => "IS_DIRECTORY",
            Self::BinaryFile => "BINARY_FILE",
            Self::ExecutionError => "EXECUTION_ERROR",
            Self::InternalError => "INTERNAL_ERROR",
        }
    }
}

/// A tool that could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub code: Code,
    /// What happened, and what to do instead.
    pub message: String,
}

impl Failure {
    /// With its reason in words.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}

impl std::error::Error for Failure {}

/// What a tool did.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// What the model reads.
    pub text: Output,
    /// What the engine works on.
    pub data: ResultData,
    /// The tool gave less than there was; its text says how to see the rest.
    pub is_partial: bool,
    /// The path or folder that it acted on, where there is one.
    pub path: Option<String>,
}

/// The envelope around what a tool did. `arguments` are those that the model wrote.
pub fn envelope(outcome: Result<Done, Failure>, arguments: &Value, cwd: &str, took: Duration) -> ToolResult {
    let path = outcome.as_ref().ok().and_then(|done| done.path.clone());
    let mut result = match outcome {
        Ok(Done { text, data, is_partial, .. }) => ToolResult {
            status: if is_partial { Status::Partial } else { Status::Success },
            ..ToolResult::success(text, data)
        },
        Err(failure) => ToolResult::failure(failure.code.name(), &failure.message, ResultData::Other(Value::Null)),
    };
    result.stats = Some(Box::new(json!({ "time_ms": took.as_millis() as u64 })));
    let mut context = json!({ "cwd": cwd, "params_input": arguments });
    if let Some(path) = path {
        context["path_resolved"] = path.into();
    }
    result.context = Some(Box::new(context));
    result
}
