//! Reading a request body and replacing some of its messages, beside reading it into values and writing it again.

use std::sync::Arc;

use anyhow::Result;
use lookback_wire::{Body, Provider, body::Edit};
use serde_json::Value;

use super::{Way, conversation, in_turn, raw};
use crate::{
    figures::{ratio, rounded, thousands},
    scale::Scale,
    table::Table,
    text::Vocabulary,
};

const PROVIDERS: [Provider; 3] = [Provider::Anthropic, Provider::Chat, Provider::Responses];
/// Standing folds of a conversation, and bytes of each block.
const FOLDS: usize = 20;
const BLOCK: usize = 2_000;

pub(super) fn measure(scale: &Scale, vocabulary: &Arc<Vocabulary>) -> Result<Table> {
    crate::progress("reading and splicing bodies");
    let note = format!(
        "Generated conversations, compact as clients send them. \"Parse\" is `Body::parse`, \"splice\" `Body::splice` with at \
         most {FOLDS} ranges that cover half of the messages, each replaced by {} kB; \"raw values\" the same levels read with \
         serde_json's `RawValue`; the round trip `serde_json::Value` from the bytes and back to bytes. MB of the original body \
         per second, medians of {} passes, ways in turn; the last column is the round trip's time to that of parse and \
         splice.",
        rounded(BLOCK as f64 / 1e3),
        scale.passes,
    );
    let columns = [
        "body",
        "kB",
        "messages",
        "parse MB/s",
        "splice MB/s",
        "both MB/s",
        "both µs",
        "raw values MB/s",
        "round trip MB/s",
        "round trip / both",
    ];
    let mut table = Table::new("Bodies from outside", note, &columns);
    for size in scale.body_bytes {
        for provider in PROVIDERS {
            row(&mut table, scale, provider, &conversation::body(provider, *size, vocabulary))?;
        }
    }
    Ok(table)
}

fn row(table: &mut Table, scale: &Scale, provider: Provider, bytes: &[u8]) -> Result<()> {
    let body = Body::parse(provider, bytes.to_vec())?;
    let shared = body.bytes().clone();
    let block = format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(BLOCK));
    let messages = body.messages().len();
    let stride = (messages / FOLDS).max(2);
    let edits: Vec<Edit<'_>> = (0..messages / stride)
        .map(|fold| fold * stride)
        .map(|start| Edit::Messages { range: start..start + stride / 2, with: block.as_bytes().into() })
        .collect();
    let mut ways = [
        Way::new(|| Ok(Body::parse(provider, shared.clone())?.messages().len())),
        Way::new(|| Ok(body.splice(&edits)?.len())),
        Way::new(|| raw::blocks(provider, bytes)),
        Way::new(|| Ok(serde_json::to_vec(&serde_json::from_slice::<Value>(bytes)?)?.len())),
    ];
    in_turn(&mut ways, scale.passes)?;
    let [parse, splice, raw_values, round_trip] = &ways;
    let both = parse.seconds() + splice.seconds();
    table.row([
        provider.to_string(),
        rounded(bytes.len() as f64 / 1e3),
        thousands(messages as u64),
        parse.megabytes_per_second(bytes.len()),
        splice.megabytes_per_second(bytes.len()),
        rounded(bytes.len() as f64 / 1e6 / both),
        rounded(both * 1e6),
        raw_values.megabytes_per_second(bytes.len()),
        round_trip.megabytes_per_second(bytes.len()),
        ratio(round_trip.seconds() / both),
    ]);
    Ok(())
}
