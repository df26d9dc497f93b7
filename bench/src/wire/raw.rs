//! A body down to its blocks by serde_json's raw values: the way that `Body` would have gone without a scanner of its own.

use std::borrow::Cow;

use anyhow::{Context, Result};
use lookback_wire::Provider;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Top<'a> {
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    input: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, alias = "output")]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cache_control: Option<&'a RawValue>,
}

/// How many tools, roles, block types and marks there are, so that all of them are read.
pub(super) fn blocks(provider: Provider, bytes: &[u8]) -> Result<usize> {
    let top: Top<'_> = serde_json::from_str(std::str::from_utf8(bytes)?)?;
    let messages = if provider == Provider::Responses { top.input } else { top.messages };
    let mut count = top.tools.map_or(0, |tools| tools.len());
    for message in messages.context("a body has messages")? {
        let entry: Entry<'_> = serde_json::from_str(message.get())?;
        count += usize::from(entry.role.is_some());
        let Some(list) = entry.content.filter(|content| content.get().starts_with('[')) else { continue };
        for block in serde_json::from_str::<Vec<&RawValue>>(list.get())? {
            let block: Block<'_> = serde_json::from_str(block.get())?;
            count += usize::from(block.r#type.is_some()) + usize::from(block.cache_control.is_some());
        }
    }
    Ok(count)
}
