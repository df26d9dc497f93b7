//! Server-sent events in chunks of many sizes, beside reading the JSON that they carry.

use std::sync::Arc;

use anyhow::{Result, ensure};
use lookback_wire::{Provider, ReplyReader, SseParser};
use serde_json::{Value, json};

use super::{Way, in_turn};
use crate::{
    figures::{ratio, rounded, thousands},
    scale::Scale,
    table::Table,
    text::{Text, Vocabulary},
};

const CHUNKS: [usize; 4] = [1, 64, 1_500, 64 << 10];
/// What made other parsers quadratic: one line that comes in many pieces.
const LINE_CHUNKS: usize = 1_024;

pub(super) fn measure(scale: &Scale, vocabulary: &Arc<Vocabulary>) -> Result<Table> {
    crate::progress("reading streams");
    let note = format!(
        "`SseParser::push` for each chunk, then `finish`. The stream is an answer in pieces of some words, one event each; the \
         long line is one event. \"Reply\" is `ReplyReader` over the same chunks, up to the whole answer. \"Round trip\" reads \
         the data of every event into a `serde_json::Value` and writes it again, from memory and without chunks. Medians of \
         {} passes, ways in turn; the last column is the round trip's time to the parser's.",
        scale.passes
    );
    let columns = [
        "stream",
        "MB",
        "chunk bytes",
        "chunks",
        "events",
        "events MB/s",
        "reply MB/s",
        "round trip MB/s",
        "round trip / events",
    ];
    let mut table = Table::new("Server-sent events", note, &columns);
    let answer = answer(scale.stream_bytes, vocabulary);
    for size in CHUNKS {
        row(&mut table, scale, "an answer", &answer, size)?;
    }
    let text = Text::new(Arc::clone(vocabulary), 4).output(4 * scale.stream_bytes);
    let line = [opening(), event(&text)].concat();
    row(&mut table, scale, "one long line", &line, line.len().div_ceil(LINE_CHUNKS))?;
    Ok(table)
}

fn row(table: &mut Table, scale: &Scale, name: &str, stream: &[u8], size: usize) -> Result<()> {
    let events = {
        let mut parser = SseParser::default();
        let mut events = parser.push(stream)?;
        events.extend(parser.finish());
        events
    };
    let mut ways = [
        Way::new(|| {
            let mut parser = SseParser::default();
            let mut count = 0;
            for chunk in stream.chunks(size) {
                count += parser.push(chunk)?.len();
            }
            count += usize::from(parser.finish().is_some());
            ensure!(count == events.len(), "{count} events in chunks of {size} bytes, {} in one", events.len());
            Ok(count)
        }),
        Way::new(|| {
            let mut reader = ReplyReader::new(Provider::Anthropic);
            for chunk in stream.chunks(size) {
                reader.push(chunk)?;
            }
            Ok(reader.finish().parts.len())
        }),
        Way::new(|| {
            events.iter().try_fold(0, |bytes, event| {
                Ok(bytes + serde_json::to_vec(&serde_json::from_slice::<Value>(&event.data)?)?.len())
            })
        }),
    ];
    in_turn(&mut ways, scale.passes)?;
    let [parse, reply, round_trip] = &ways;
    table.row([
        name.to_owned(),
        rounded(stream.len() as f64 / 1e6),
        thousands(size as u64),
        thousands(stream.len().div_ceil(size) as u64),
        thousands(events.len() as u64),
        parse.megabytes_per_second(stream.len()),
        reply.megabytes_per_second(stream.len()),
        round_trip.megabytes_per_second(stream.len()),
        ratio(round_trip.seconds() / parse.seconds()),
    ]);
    Ok(())
}

fn answer(bytes: usize, vocabulary: &Arc<Vocabulary>) -> Vec<u8> {
    let mut text = Text::new(Arc::clone(vocabulary), 3);
    let mut stream = opening();
    while stream.len() < bytes {
        let words = text.random.between(1, 6);
        let piece = if text.random.below(8) == 0 { text.line() + "\n" } else { text.sentence(words) };
        stream.extend(event(&piece));
    }
    stream
}

fn opening() -> Vec<u8> {
    let message = json!({"type": "message_start", "message": {"id": "msg_1", "model": "a-model", "content": []}});
    let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    format!("event: message_start\ndata: {message}\n\nevent: content_block_start\ndata: {block}\n\n").into_bytes()
}

fn event(text: &str) -> Vec<u8> {
    let data = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    format!("event: content_block_delta\ndata: {data}\n\n").into_bytes()
}
