//! Anthropic's stream: blocks that start, grow and stop. Blocks of kinds that we do not know are put together by the form
//! of their pieces.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    Heard, StreamError,
    assembly::Assembly,
    places::Places,
    usage::{Bill, parse_anthropic},
};
use crate::{Delta, Reply, ReplyContent, ReplyPart, ReplyStop, Seal, members::Members, parse::anthropic::parse_block};

#[derive(Debug, Default)]
pub(super) struct Reading {
    id: Option<String>,
    model: Option<String>,
    bill: Bill,
    stop: Option<ReplyStop>,
    blocks: Vec<Block>,
    places: Places<u64>,
    is_complete: bool,
}

#[derive(Debug, Default)]
struct Block {
    kind: String,
    /// What grows, under the name that the block has for it.
    text: String,
    signature: String,
    /// A call's input as far as the model wrote it.
    input: String,
    rest: Assembly,
    has_stopped: bool,
}

impl super::Reading for Reading {
    fn event(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> Result<Heard, StreamError> {
        match event.text("type").as_deref() {
            Some("message_start") => {
                let message = event.object("message").unwrap_or_default();
                self.id = message.text("id").map(Cow::into_owned);
                self.model = message.text("model").map(Cow::into_owned);
                self.read_usage(&message);
            }
            Some("content_block_start") => return Ok(self.start_block(event, deltas)),
            Some("content_block_delta") => return Ok(self.grow_block(event, deltas)),
            Some("content_block_stop") => {
                if let Some(block) = self.block(event) {
                    block.has_stopped = true;
                }
            }
            Some("message_delta") => {
                let delta = event.object("delta").unwrap_or_default();
                self.stop = parse_stop(&delta).or(self.stop.take());
                self.read_usage(event);
            }
            Some("message_stop") => self.is_complete = true,
            _ => {}
        }
        Ok(Heard::Nothing)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn has_stopped(&self) -> bool {
        self.is_complete || self.stop.is_some()
    }

    fn finish(self: Box<Self>) -> Reply {
        let stop = self.stop.unwrap_or_default();
        Reply {
            parts: self.blocks.into_iter().filter_map(|block| block.into_part(&stop)).collect(),
            stop,
            usage: self.bill.total(),
            id: self.id,
            model: self.model,
        }
    }
}

impl Reading {
    fn read_usage(&mut self, holder: &Members<'_>) {
        if let Some(usage) = holder.object("usage") {
            self.bill.read(parse_anthropic(&usage));
        }
    }

    fn start_block(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> Heard {
        let Some(said) = event.object("content_block") else { return Heard::Nothing };
        let mut block = Block { kind: said.text("type").unwrap_or_default().into_owned(), ..Block::default() };
        block.rest.add_all(&said, &[]);
        let has_text = match block.kind.as_str() {
            "text" => block.grow("text", said.text("text").unwrap_or_default().as_ref(), deltas),
            "thinking" => {
                block.signature += said.text("signature").unwrap_or_default().as_ref();
                block.grow("thinking", said.text("thinking").unwrap_or_default().as_ref(), deltas)
            }
            "tool_use" => {
                deltas.push(Delta::Call { name: said.text("name").unwrap_or_default().into_owned() });
                false
            }
            _ => false,
        };
        let index = event.number("index");
        // One that says where it stands is a part, if none stood there before.
        let is_part = index.is_some_and(|index| self.places.of(&index).is_none());
        if let Some(index) = index {
            self.places.note(index, self.blocks.len());
        }
        self.blocks.push(block);
        Heard::content_if(is_part || has_text)
    }

    fn grow_block(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> Heard {
        let Some(delta) = event.object("delta") else { return Heard::Nothing };
        let Some(block) = self.block(event) else { return Heard::Nothing };
        let text = |name| delta.text(name).unwrap_or_default();
        let grow = |known: &mut String, piece: Cow<'_, str>| {
            known.push_str(&piece);
            !piece.is_empty()
        };
        let is_content = match delta.text("type").as_deref() {
            Some("text_delta") if block.kind == "text" => block.grow("text", &text("text"), deltas),
            Some("thinking_delta") if block.kind == "thinking" => block.grow("thinking", &text("thinking"), deltas),
            Some("signature_delta") if block.kind == "thinking" => grow(&mut block.signature, text("signature")),
            Some("input_json_delta") => grow(&mut block.input, text("partial_json")),
            Some("citations_delta") => {
                let citation = delta.get("citation");
                citation.into_iter().for_each(|citation| block.rest.append("citations", citation));
                citation.is_some()
            }
            _ => block.rest.add_all(&delta, &["type"]),
        };
        Heard::content_if(is_content)
    }

    /// The newest of that index: servers that leave indexes out stream one block after the other.
    fn block(&mut self, event: &Members<'_>) -> Option<&mut Block> {
        match event.number("index") {
            Some(index) => self.places.of(&index).map(|place| &mut self.blocks[place]),
            None => self.blocks.last_mut(),
        }
    }
}

impl Block {
    /// Whether there is anything in it.
    fn grow(&mut self, name: &str, piece: &str, deltas: &mut Vec<Delta>) -> bool {
        if piece.is_empty() {
            return false;
        }
        self.text += piece;
        let shown = if name == "thinking" { Delta::Thinking } else { Delta::Text };
        deltas.push(shown(piece.to_owned()));
        true
    }

    /// None for what must not go back and cannot be shown: an unfinished block of a kind that we do not know.
    fn into_part(mut self, stop: &ReplyStop) -> Option<ReplyPart> {
        match self.kind.as_str() {
            // A block that never said anything.
            "text" if self.text.is_empty() => return None,
            "text" => self.rest.set_text("text", &self.text),
            "thinking" if !self.has_stopped => {
                let content = ReplyContent::Thinking { text: self.text, seal: Seal::None };
                return Some(ReplyPart { content, native: None });
            }
            "thinking" => {
                self.rest.set_text("thinking", &self.text);
                self.rest.set_text("signature", &self.signature);
            }
            "tool_use" => return Some(self.into_call(stop)),
            _ if !self.has_stopped => return None,
            _ if !self.input.is_empty() => self.rest.set("input", self.input),
            _ => {}
        }
        parse_part(&self.rest.to_json())
    }

    fn into_call(mut self, stop: &ReplyStop) -> ReplyPart {
        let json = self.rest.to_json();
        let said = Members::parse(&json).unwrap_or_default();
        let text = |name| said.text(name).unwrap_or_default().into_owned();
        let (id, name) = (text("id"), text("name"));
        let given = said.get("input").map_or("", RawValue::get);
        let arguments = if self.input.is_empty() { given.to_owned() } else { self.input };
        let is_object = Members::parse(&arguments).is_some();
        if !self.has_stopped || (!is_object && *stop != ReplyStop::End) {
            return ReplyPart { content: ReplyContent::UnfinishedCall { id, name, arguments }, native: None };
        }
        if is_object {
            self.rest.set("input", arguments.as_str());
            if let Some(part) = parse_part(&self.rest.to_json()) {
                return part;
            }
        }
        ReplyPart { content: ReplyContent::Call { id, name, arguments }, native: None }
    }
}

fn parse_part(json: &str) -> Option<ReplyPart> {
    let raw: &RawValue = serde_json::from_str(json).ok()?;
    Some(ReplyPart::from(parse_block(raw)))
}

fn parse_stop(delta: &Members<'_>) -> Option<ReplyStop> {
    Some(match delta.text("stop_reason")?.as_ref() {
        "max_tokens" => ReplyStop::Limit,
        "model_context_window_exceeded" => ReplyStop::WindowFull,
        "refusal" => {
            let words = delta.object("stop_details").and_then(|details| details.text("explanation"));
            ReplyStop::Refused(words.unwrap_or_default().into_owned())
        }
        // Whatever else it says, it came to an end: `pause_turn` goes on when the answer is sent back.
        _ => ReplyStop::End,
    })
}

pub(super) fn parse_body(body: &Members<'_>) -> Option<Reply> {
    let mut bill = Bill::default();
    if let Some(usage) = body.object("usage") {
        bill.read(parse_anthropic(&usage));
    }
    let stop = parse_stop(body).unwrap_or_default();
    let mut parts: Vec<_> = body.list("content")?.into_iter().map(|raw| ReplyPart::from(parse_block(raw))).collect();
    if let (ReplyStop::Limit | ReplyStop::WindowFull, Some(last)) = (&stop, parts.last_mut()) {
        // Its input reads as an object whether or not the model had written all of it.
        last.leave_unfinished();
    }
    Some(Reply {
        parts,
        stop,
        usage: bill.total(),
        id: body.text("id").map(Cow::into_owned),
        model: body.text("model").map(Cow::into_owned),
    })
}
