//! Tokens of what a block says, over plain text (docs/design/model.md, "Tokens").

use base64::prelude::{BASE64_STANDARD, Engine as _};
pub use lookback_tokens::count_o200k;
use serde_json::Value;

use super::{Block, Content, Mark, Piece, Segment, Speaker, identity::canonical};

/// Tokens of a text.
pub type Counter = dyn Fn(&[u8]) -> u32 + Send + Sync;

const PER_MESSAGE: u32 = 4;

const FULL_IMAGE: u32 = 1_500;

/// The filler where a text must not be blank. It counts for nothing, because the part that it stands for is empty.
const PLACEHOLDERS: [&str; 2] = ["(empty message)", "(empty result)"];

fn count_content(content: &Content, count: &Counter) -> u32 {
    let json = |value| count(canonical(value).as_bytes());
    match content {
        Content::Tool(_) => 0,
        Content::Piece(piece) => count_piece(piece, count),
        Content::Thinking { text, .. } => count(text.as_bytes()),
        Content::Call { name, arguments, .. } => count(format!("{name}{arguments}").as_bytes()),
        Content::Result { pieces, .. } => pieces.iter().map(|piece| count_piece(piece, count)).sum(),
        Content::Unknown(value) => json(value),
    }
}

fn count_piece(piece: &Piece, count: &Counter) -> u32 {
    match piece {
        Piece::Text(text) if PLACEHOLDERS.contains(&text.as_str()) => 0,
        Piece::Text(text) => count(text.as_bytes()),
        Piece::Image(value) => count_image(value),
        Piece::Other(value) => count(canonical(value).as_bytes()),
    }
}

/// By its pixels, up to the size to which providers scale; what cannot be read here counts as a full one.
fn count_image(value: &Value) -> u32 {
    let url = value["image_url"]["url"].as_str().or(value["image_url"].as_str());
    let base64 = value["source"]["data"].as_str().or(url.and_then(|url| Some(url.split_once(";base64,")?.1)));
    let head = base64.and_then(|base64| BASE64_STANDARD.decode(base64.get(..32)?).ok());
    let side = |head: &[u8], at| Some(u64::from(u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?)));
    let png = head.filter(|head| head.starts_with(b"\x89PNG"));
    let pixels = png.and_then(|head| Some(side(&head, 16)? * side(&head, 20)?));
    pixels.map_or(FULL_IMAGE, |pixels| pixels.div_ceil(750).min(FULL_IMAGE.into()) as u32)
}

impl Block {
    pub(super) fn new(content: Content, mark: Option<Mark>, at: (usize, usize), count: &Counter) -> Self {
        Self { tokens: count_content(&content, count), content, mark, at }
    }
}

/// What the message or item at this place says, each content with its mark.
pub(super) fn blocks(contents: Vec<(Content, Option<Mark>)>, at: usize, count: &Counter) -> Vec<Block> {
    let contents = contents.into_iter().enumerate();
    contents.map(|(place, (content, mark))| Block::new(content, mark, (at, place), count)).collect()
}

/// Adds what one message or item says: as texts of the system, each by itself, until the conversation begins; to the
/// turn before it, if that goes on; or as a turn of its own.
pub(super) fn add_turn(segments: &mut Vec<Segment>, speaker: Speaker, blocks: Vec<Block>, goes_on: bool) {
    let is_head = |segment: &Segment| matches!(segment.speaker, Speaker::Tools | Speaker::System);
    if speaker == Speaker::System && segments.iter().all(is_head) {
        segments.extend(blocks.into_iter().map(|block| Segment { speaker, blocks: vec![block] }));
        return;
    }
    match segments.last_mut() {
        Some(last) if goes_on && last.speaker == speaker => last.blocks.extend(blocks),
        _ => segments.push(message(speaker, blocks)),
    }
}

/// A turn of the conversation. The message's own tokens go to its first block, so that every prefix that ends with a message
/// has all of them.
pub(super) fn message(speaker: Speaker, mut blocks: Vec<Block>) -> Segment {
    if let Some(first) = blocks.first_mut() {
        first.tokens += PER_MESSAGE;
    }
    Segment { speaker, blocks }
}
