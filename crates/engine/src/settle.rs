//! Settle: the short form of a tool result in history (docs/seeds.md A2, A3, C1).
//!
//! One line of JSON, `{status, data, error?}` in this order: `data` shortened by the rule of its kind, `error`
//! complete; `text`, `stats` and `context` go (C1). When a round is settled, where the result stands in a view and what
//! recalls the whole is not known here.
//!
//! **A result that was cut in the view** settles from the trace like any other: sizes are those of the whole output, and
//! lines are taken from its start, also those the cut had left out. They are as true as the rest, and the form of a
//! result depends on the result alone, not on how full the window was when it came. Where the cut is already the shorter
//! of the two, [`plan_settle`] leaves it.
//!
//! What the tool left out is marked by the tool's own flag (`truncated`); what settling left out is counted under
//! `…_left_out`. The two are never mixed: the first cannot be recalled, the second can.

use crate::trace::{BlobError, Blobs, Output, ResultData, Status, ToolResult, result::ToolError};

mod board;
mod change;
mod lookup;
mod object;
mod other;
mod read;
mod run;
mod shorten;
mod todo;

#[cfg(test)]
mod tests;

pub(crate) use crate::configuration::SettleLimits;
use object::Object;

/// What settling makes of a result in the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settled {
    /// The short form takes fewer tokens than what stands there.
    Shorter(String),
    /// It would not: JSON around a short text is longer than the text.
    AsItIs,
}

/// The short form, where it takes fewer tokens than the `live_tokens` that the result has in the view now.
pub(crate) fn plan_settle(
    result: &ToolResult,
    pointer: &str,
    live_tokens: u32,
    limits: &SettleLimits,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> Result<Settled, BlobError> {
    let text = result.text.bytes(blobs)?;
    let settled = match &result.data {
        ResultData::Write(write) if matches!(write.content, Output::Blob { .. }) => {
            let mut write = write.clone();
            write.content = Output::Inline(write.content.bytes(blobs)?);
            settle_result(&ToolResult { data: ResultData::Write(write), ..result.clone() }, pointer, &text, limits)
        }
        _ => settle_result(result, pointer, &text, limits),
    };
    let shorter = count(settled.as_bytes()) < live_tokens;
    Ok(if shorter { Settled::Shorter(settled) } else { Settled::AsItIs })
}

/// The form that a result has in history, under the name by which all of it can be recalled. `text` are the bytes of `result.text`. Written content that lies in a store is
/// summarised by its size: whoever has the bytes puts them inline first, as [`plan_settle`] does.
pub(crate) fn settle_result(result: &ToolResult, pointer: &str, text: &[u8], limits: &SettleLimits) -> String {
    let data = match &result.data {
        ResultData::Read(read) => read::settle_read(read, kept_head(&result.text, text), limits),
        ResultData::Search(search) => lookup::settle_search(search, limits),
        ResultData::List(list) => lookup::settle_list(list, limits),
        ResultData::Edit(edit) => change::settle_edit(edit, limits),
        ResultData::Patch(patch) => change::settle_patch(patch, limits),
        ResultData::Write(write) => change::settle_write(write, limits),
        ResultData::Run(run) => run::settle_run(run, &result.text, text, limits),
        ResultData::Todo { items } => todo::settle_todo(items, limits),
        // An error's text was never shown: the live form of an error is its code and message.
        ResultData::Other(value) if value.is_null() && result.error.is_none() => {
            let text = kept_head(&result.text, text);
            board::settle_delta(text).unwrap_or_else(|| other::settle_text(text, limits))
        }
        ResultData::Other(value) => other::settle_value(value, limits),
    };
    let mut settled = Object::new();
    settled.field("pointer", pointer);
    settled.field("status", status_word(result.status));
    settled.json("data", &data);
    if let Some(ToolError { code, message }) = result.error.as_deref() {
        let mut error = Object::new();
        error.field("code", code.as_str());
        error.field("message", message.as_str());
        settled.json("error", &error.end());
    }
    settled.end()
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Success => "success",
        Status::Partial => "partial",
        Status::Error => "error",
        Status::Interrupted => "interrupted",
    }
}

/// The text as far as it is the tool's own: around the ends of an output beyond the limit stand notices of ours, and what
/// follows its head is no longer at the offset that the tool gave.
fn kept_head<'a>(output: &'a Output, text: &'a [u8]) -> &'a [u8] {
    match output {
        Output::Beyond(ends) => &ends.head,
        Output::Inline(_) | Output::Blob { .. } => text,
    }
}
