//! When two prompts begin alike: by what their parsed values say, without marks and ids.

use lookback_wire::Seal;
use serde_json::Value;

use super::{Content, Piece, Segment, Speaker};

/// Stands for everything up to a place in a prompt.
pub(crate) type Digest = [u8; 32];

/// A digest that grows with a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    hasher: blake3::Hasher,
}

impl Chain {
    /// No model reads what another one left in the cache.
    pub(crate) fn new(model: &str) -> Self {
        let mut chain = Self { hasher: blake3::Hasher::new() };
        chain.field(model);
        chain
    }

    pub(crate) fn of<'s>(model: &str, segments: impl Iterator<Item = &'s Segment>) -> Self {
        let mut chain = Self::new(model);
        for segment in segments {
            chain.begin(segment.speaker);
            segment.blocks.iter().for_each(|block| chain.push(&block.content));
        }
        chain
    }

    pub(crate) fn begin(&mut self, speaker: Speaker) {
        self.field(match speaker {
            Speaker::Tools => "<tools>",
            Speaker::System => "<system>",
            Speaker::User => "<user>",
            Speaker::Assistant => "<assistant>",
            Speaker::Tool => "<tool>",
        });
    }

    pub(crate) fn push(&mut self, content: &Content) {
        match content {
            Content::Tool(value) | Content::Unknown(value) => self.fields("value", &[&canonical(value)]),
            Content::Piece(piece) => self.piece(piece),
            Content::Thinking { text, seal } => {
                let seal = match seal {
                    Seal::Signature(seal) | Seal::Redacted(seal) | Seal::Encrypted { content: seal, .. } => {
                        seal.as_str()
                    }
                    Seal::Plain | Seal::None => "",
                };
                self.fields("thinking", &[text, seal]);
            }
            Content::Call { name, meaning, .. } => self.fields("call", &[name, meaning]),
            Content::Result { pieces, is_error, .. } => {
                self.fields("result", &[if *is_error { "error" } else { "" }, &pieces.len().to_string()]);
                pieces.iter().for_each(|piece| self.piece(piece));
            }
        }
    }

    pub(crate) fn digest(&self) -> Digest {
        *self.hasher.finalize().as_bytes()
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(text) => self.fields("text", &[text]),
            Piece::Image(value) | Piece::Other(value) => self.fields("value", &[&canonical(value)]),
        }
    }

    fn fields(&mut self, kind: &str, fields: &[&str]) {
        self.field(kind);
        fields.iter().for_each(|field| self.field(field));
    }

    /// With its length, so that no two lists of fields run into the same bytes.
    fn field(&mut self, field: &str) {
        self.hasher.update(&(field.len() as u64).to_le_bytes()).update(field.as_bytes());
    }
}

/// One block by itself.
pub(crate) fn content_digest(content: &Content) -> Digest {
    let mut chain = Chain::new("");
    chain.push(content);
    chain.digest()
}

/// Fields that say nothing to the model.
const NOT_SAID: [&str; 4] = ["cache_control", "prompt_cache_breakpoint", "id", "status"];

/// A value as text, the same for equal values whatever the order of their keys.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| *key);
            let fields =
                fields.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        plain => plain.to_string(),
    }
}

/// The value without anything that does not belong to the prompt.
pub(super) fn bare(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let said = fields.into_iter().filter(|(key, _)| !NOT_SAID.contains(&key.as_str()));
            Value::Object(said.map(|(key, value)| (key, bare(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(bare).collect()),
        plain => plain,
    }
}
