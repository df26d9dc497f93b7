//! Declared tools: one part to count, one block each for marks.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    Block, Content, Counter, Segment, Speaker, Unreadable,
    identity::bare,
    json::{mark, parse},
};

/// Chat wraps the declaration once more.
#[derive(Deserialize)]
struct Tool<'a> {
    #[serde(borrow)]
    function: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Declared<'a> {
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    #[serde(borrow, alias = "input_schema")]
    parameters: Option<&'a RawValue>,
}

/// None where no tool is declared.
pub(super) fn parse_tools(tools: &[&RawValue], count: &Counter) -> Result<Option<Segment>, Unreadable> {
    let mut declared = String::new();
    let mut counted = 0;
    let mut blocks = Vec::with_capacity(tools.len());
    for (place, raw) in tools.iter().enumerate() {
        let value: Value = parse(raw.get())?;
        declared += &declaration(raw)?;
        // Each tool gets what it adds to all of them together: in sum they are exactly one part.
        let all = count(declared.as_bytes());
        let tokens = all.saturating_sub(counted);
        counted = counted.max(all);
        blocks.push(Block { mark: mark(&value), content: Content::Tool(bare(value)), tokens, at: (0, place) });
    }
    Ok((!blocks.is_empty()).then_some(Segment { speaker: Speaker::Tools, blocks }))
}

/// What a model is told of a tool, whatever punctuation stands around it.
fn declaration(raw: &RawValue) -> Result<String, Unreadable> {
    let tool: Tool<'_> = parse(raw.get())?;
    let declared: Declared<'_> = parse(tool.function.unwrap_or(raw).get())?;
    let parameters = declared.parameters.map_or("", RawValue::get);
    Ok(format!("{}\n{}\n{parameters}\n", declared.name, declared.description))
}
