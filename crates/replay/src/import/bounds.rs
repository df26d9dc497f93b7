//! How much JSON is parsed at once, so that a small file cannot ask for much memory.
//!
//! Bytes bound texts, but not trees: of `{"a":1},` serde makes more than 600 bytes, so a line of 60 MB could ask for
//! 5 GB. Values are counted before a tree is made of them.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

use super::Sink;
use crate::{
    numbers,
    parameters::{HELD_WEIGHT, LINE_WEIGHT, MOST_LINES, MOST_MESSAGES, MOST_OWN_LINES, MOST_VALUES, VALUE_WEIGHT},
    recording::{Item, Skipped},
};
use lookback_engine::{
    NewPart,
    trace::{ResultData, result::EditData},
};
use lookback_wire::count_values;

/// What JSON can come to in memory: its texts, and a tree over them.
pub fn weight(json: &[u8]) -> u64 {
    json.len() as u64 + VALUE_WEIGHT * count_values(json) as u64
}

/// Says no to more values than one tree is made of.
fn check_tree(json: &[u8]) -> Result<(), String> {
    // Most are shorter than the bound, and each value has a byte of its own.
    match json.len() > MOST_VALUES && count_values(json) > MOST_VALUES {
        true => many(MOST_VALUES, "JSON values"),
        false => Ok(()),
    }
}

fn many(most: usize, what: &str) -> Result<(), String> {
    Err(format!("more than {} {what}", numbers::count(most as u64)))
}

/// Says no to more values than one tree is made of, and to more lines of text than are told apart at once.
pub fn check_values(json: &[u8]) -> Result<(), String> {
    check_tree(json)?;
    check_lines(json, MOST_LINES)
}

/// The same for an event of our own traces, whose texts are not taken apart.
pub fn check_event(json: &[u8]) -> Result<(), String> {
    check_tree(json)?;
    check_lines(json, MOST_OWN_LINES)
}

fn check_lines(json: &[u8], most: usize) -> Result<(), String> {
    // A line feed has two bytes.
    match json.len() > 2 * most && count_line_feeds(json) > most {
        true => many(most, "lines of text"),
        false => Ok(()),
    }
}

/// As they are written in JSON, and in JSON within its texts.
fn count_line_feeds(json: &[u8]) -> usize {
    json.windows(2).filter(|pair| pair == b"\\n").count()
        + json.windows(5).filter(|five| five.eq_ignore_ascii_case(b"u000a")).count()
}

/// Adds up what is held at once, and says no beyond the bound.
#[derive(Debug, Default)]
pub struct Held(u64);

impl Held {
    /// So many bytes more.
    pub fn add(&mut self, bytes: u64) -> Result<(), TooMuch> {
        self.0 += bytes;
        if self.0 > HELD_WEIGHT { Err(TooMuch) } else { Ok(()) }
    }
}

/// What an item takes beside its texts.
pub fn frame_of(item: &Item) -> u64 {
    let Item::Call(call) = item else { return VALUE_WEIGHT };
    let data: u64 = call.results.iter().map(|result| frame_of_data(&result.data)).sum();
    VALUE_WEIGHT * (1 + call.parts.len() + 2 * call.results.len()) as u64 + data
}

/// What tools did is held beside what was shown of it: lines, files, a tree.
fn frame_of_data(data: &ResultData) -> u64 {
    let lines = |edit: &EditData| edit.hunks.iter().map(|hunk| 2 + hunk.removed.len() + hunk.added.len()).sum();
    let lines: usize = match data {
        ResultData::Search(search) => 2 * search.matches.len(),
        ResultData::List(list) => list.entries.len(),
        ResultData::Edit(edit) => lines(edit),
        ResultData::Patch(patch) => patch.files.iter().map(|file| 2 + lines(&file.edit)).sum(),
        ResultData::Todo { items } => 2 * items.len(),
        ResultData::Other(tree) => return frame_of_tree(tree),
        ResultData::Read(_) | ResultData::Write(_) | ResultData::Run(_) => 0,
    };
    LINE_WEIGHT * lines as u64
}

fn frame_of_tree(tree: &Value) -> u64 {
    match tree {
        Value::Array(list) => LINE_WEIGHT + list.iter().map(frame_of_tree).sum::<u64>(),
        Value::Object(map) => VALUE_WEIGHT + map.values().map(frame_of_tree).sum::<u64>(),
        _ => LINE_WEIGHT,
    }
}

/// Gives on what a message of a document gives, and weighs it.
pub(super) struct Weighed<'a> {
    pub(super) sink: &'a mut dyn Sink,
    pub(super) frames: u64,
}

impl Sink for Weighed<'_> {
    fn item(&mut self, item: Item) {
        self.frames += frame_of(&item);
        self.sink.item(item);
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.frames += VALUE_WEIGHT;
        self.sink.skipped(skipped);
    }
}

/// More than is held in memory at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("with this the session is more than {} MB, or has too many JSON values, to be held in memory", HELD_WEIGHT >> 20)]
pub struct TooMuch;

/// The JSON that stands in a text, where it is JSON and of bounded size.
pub(super) fn parse_within(text: &str) -> Option<Value> {
    check_values(text.as_bytes()).ok().and_then(|()| serde_json::from_str(text).ok())
}

/// A call whose arguments are more than any reader may make a tree of keeps its place, not its arguments. What was left
/// out, in words.
pub fn leave_out_arguments(item: &mut Item) -> Option<String> {
    let Item::Call(call) = item else { return None };
    let mut left_out = None;
    for part in &mut call.parts {
        if let NewPart::Call { name, arguments, .. } | NewPart::UnfinishedCall { name, arguments, .. } = part
            && let Err(reason) = check_values(arguments.as_bytes())
        {
            left_out = Some(format!("the arguments of a call of {name}: {reason}"));
            *arguments = format!("{{\"left_out\":\"{reason}\"}}");
        }
    }
    left_out
}

/// A field of a document that a tree is made of.
#[derive(Default)]
pub(super) struct Bounded<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        check_values(raw.as_bytes()).map_err(Error::custom)?;
        serde_json::from_str(raw).map(Self).map_err(Error::custom)
    }
}

/// The messages of a document, still raw.
#[derive(Default)]
pub(super) struct Messages<'a>(pub(super) Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Messages<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MessageVisitor(PhantomData))
    }
}

struct MessageVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for MessageVisitor<'a> {
    type Value = Messages<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = list.next_element()? {
            if messages.len() == MOST_MESSAGES {
                return Err(Error::custom(format!("more than {} messages", numbers::count(MOST_MESSAGES as u64))));
            }
            messages.push(message);
        }
        Ok(Messages(messages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        assert_eq!(check_values(format!("[{}1]", "1,".repeat(MOST_VALUES - 1)).as_bytes()), Ok(()));
        assert_eq!(check_values(format!("[\"{}\\\"{}\"]", "{[,".repeat(99_999), "[".repeat(9)).as_bytes()), Ok(()));
        for many in ["{},", "1,", "[[],", "\"\\\"\","] {
            let refused = check_values(format!("[{}1]", many.repeat(MOST_VALUES)).as_bytes());
            assert_eq!(refused, Err("more than 100,000 JSON values".to_owned()), "{many}");
        }
    }

    #[test]
    fn lines_of_texts_are_counted_however_they_are_written() {
        for feed in ["\\n", "\\\\n", "\\u000A"] {
            let text = |count: usize| format!("[\"{}\"]", feed.repeat(count));
            assert_eq!(check_values(text(MOST_LINES).as_bytes()), Ok(()));
            let refused = check_values(text(MOST_LINES + 1).as_bytes());
            assert_eq!(refused, Err("more than 1,000,000 lines of text".to_owned()), "{feed}");
        }
    }

    /// What tools did is weighed by its lines and its values.
    #[test]
    fn what_is_kept_beside_the_text_is_weighed() {
        let weight = |data: &str| frame_of_data(&serde_json::from_str(data).expect("data of a result"));
        let few = [
            r#"{"other":{"a":[1,2]}}"#,
            r#"{"edit":{"path":"a","hunks":[{"first_line":1,"removed":["x"],"added":["y","z"]}]}}"#,
            r#"{"list":{"subject":"a","entry_count":2,"entries":["b","c"]}}"#,
            r#"{"search":{"pattern":"a","match_count":1,"matches":[{"path":"b","line":1,"text":"c"}]}}"#,
        ];
        assert_eq!(
            few.map(weight),
            [VALUE_WEIGHT + 3 * LINE_WEIGHT, 5 * LINE_WEIGHT, 2 * LINE_WEIGHT, 2 * LINE_WEIGHT]
        );
    }

    #[test]
    fn messages_are_counted() {
        let list = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
        let count = |text: &str| serde_json::from_str::<Messages<'_>>(text).map(|messages| messages.0.len());
        assert_eq!(count(&list(MOST_MESSAGES)).ok(), Some(MOST_MESSAGES));
        let refused = count(&list(MOST_MESSAGES + 1)).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.starts_with("more than 1,000,000 messages at line 1 column")));
    }
}
