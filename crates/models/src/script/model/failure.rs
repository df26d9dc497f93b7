//! What a fault looks like to whoever sent the request, and whether it is sent again.

use std::time::Duration;

use crate::{
    ErrorKind, ModelError,
    fault::Fault as Failure,
    retry::{Again, Asked},
    script::Fault,
};

pub(super) fn failure(fault: Fault) -> Failure {
    let (kind, status, again) = match fault {
        Fault::Status { status, retry_after } => {
            let (kind, again) = of_status(status, retry_after);
            (kind, Some(status), again)
        }
        Fault::Cut { .. } => (ErrorKind::CutStream, None, Again::Later),
        Fault::Stall { .. } => (ErrorKind::TimedOut, None, Again::Once),
        Fault::WrongJson => (ErrorKind::Nonsense, None, Again::Never),
        Fault::Overflow => (ErrorKind::PromptTooLong { sent: None, limit: None }, Some(400), Again::Never),
        Fault::RefuseThinking => (ErrorKind::RefusedThinking, Some(400), Again::Never),
    };
    let asked = match fault {
        Fault::Status { retry_after: Some(seconds), .. } => Asked::Wait(Duration::from_secs(seconds.into())),
        _ => Asked::Nothing,
    };
    Failure { error: ModelError::new(kind, status, message(fault)), again, asked }
}

/// A stream that ends after content was shown, whatever ended it.
pub(super) fn broken(fault: Fault) -> ModelError {
    ModelError::new(ErrorKind::CutStream, None, message(fault))
}

fn message(fault: Fault) -> String {
    format!("the script says so: {fault}")
}

fn of_status(status: u16, retry_after: Option<u32>) -> (ErrorKind, Again) {
    match status {
        401 | 403 => (ErrorKind::BadKey, Again::Never),
        404 => (ErrorKind::NoSuchModel, Again::Never),
        429 => {
            let retry_after = retry_after.map(|seconds| Duration::from_secs(seconds.into()));
            (ErrorKind::RateLimited { retry_after }, Again::Later)
        }
        503 | 529 => (ErrorKind::Overloaded, Again::Later),
        500.. => (ErrorKind::ServerError, Again::Later),
        _ => (ErrorKind::BadRequest, Again::Never),
    }
}
