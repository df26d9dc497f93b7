//! The lines of a Claude Code session as they stand in the file.
//!
//! Every field may be missing: clients of different versions write different ones. Parts that are needed seldom, or must
//! stay as the model wrote them, are kept as raw JSON.

use lookback_engine::{
    NewPart,
    trace::{Origin, Timestamp},
};
use lookback_wire::Seal;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

use crate::{
    import::{
        fields::{count, describe_base64},
        time::time_of,
    },
    recording::{Billed, Unpriced},
};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Line<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) uuid: Option<String>,
    pub(super) parent_uuid: Option<String>,
    pub(super) session_id: Option<String>,
    /// Of a sub-agent.
    pub(super) agent_id: Option<String>,
    /// Whatever stands there: one that is odd costs its time, not its turn.
    pub(super) timestamp: Value,
    pub(super) cwd: Option<String>,
    pub(super) is_sidechain: Option<bool>,
    pub(super) is_meta: Option<bool>,
    pub(super) is_compact_summary: Option<bool>,
    pub(super) is_api_error_message: Option<bool>,
    pub(super) subtype: Option<String>,
    pub(super) operation: Option<String>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) message: Option<&'a RawValue>,
    pub(super) tool_use_result: Option<&'a RawValue>,
    pub(super) attachment: Option<&'a RawValue>,
}

/// What the client writes into the user's role: slash commands and what they printed, shell lines of the person, notes
/// about tasks and interruptions.
const MACHINE: [&str; 13] = [
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<command-contents>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "<user-prompt-submit-hook>",
    "<session-start-hook>",
    INTERRUPTION,
];

const INTERRUPTION: &str = "[Request interrupted by user";

impl Line<'_> {
    pub(super) fn is_sidechain(&self) -> bool {
        self.is_sidechain == Some(true)
    }

    pub(super) fn time(&self) -> Option<Timestamp> {
        time_of(&self.timestamp)
    }

    /// Who speaks in a line of the user's role: a person, or the client in a person's place.
    pub(super) fn origin(&self, text: &str) -> Origin {
        if self.is_meta == Some(true) || self.is_compact_summary == Some(true) || is_machine(text) {
            Origin::Machine
        } else {
            Origin::Person
        }
    }
}

/// Whether the client wrote it, by its first words.
pub(in crate::import) fn is_machine(text: &str) -> bool {
    let start = text.trim_start();
    MACHINE.iter().any(|mark| start.starts_with(mark)) && !has_arguments(start)
}

/// Elements that the client puts beside what a person typed.
const BESIDE: [&str; 4] = ["system-reminder", "ide_selection", "ide_opened_file", "ide_diagnostics"];

/// A person's words, and what the client put before and behind them; None where it is all of one.
pub(in crate::import) fn beside(text: &str) -> Option<(String, String)> {
    let (mut words, mut elements) = (text.trim(), Vec::new());
    while let Some((element, rest)) = BESIDE.iter().find_map(|name| leading(words, name)) {
        elements.push(element);
        words = rest;
    }
    while let Some((element, rest)) = BESIDE.iter().find_map(|name| trailing(words, name)) {
        elements.push(element);
        words = rest;
    }
    (!words.is_empty() && !elements.is_empty()).then(|| (words.to_owned(), elements.join("\n")))
}

fn leading<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(&format!("<{name}>"))?;
    let end = text.find(&format!("</{name}>"))? + name.len() + 3;
    Some((&text[..end], text[end..].trim_start()))
}

fn trailing<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    text.strip_suffix(&format!("</{name}>"))?;
    let start = text.rfind(&format!("<{name}>"))?;
    Some((&text[start..], text[..start].trim_end()))
}

/// What a person typed behind a slash command is that person's request.
fn has_arguments(text: &str) -> bool {
    let arguments = text.split_once("<command-args>").and_then(|(_, rest)| rest.split("</command-args>").next());
    text.starts_with("<command-") && arguments.is_some_and(|arguments| arguments.split_whitespace().nth(2).is_some())
}

pub(super) fn is_interruption(text: &str) -> bool {
    text.trim_start().starts_with(INTERRUPTION)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) stop_reason: Option<String>,
    usage: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) data: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<String>,
    pub(super) content: Option<&'a RawValue>,
    pub(super) is_error: Option<bool>,
    pub(super) source: Option<Source>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Source {
    media_type: Option<String>,
    data: Option<String>,
    url: Option<String>,
}

impl Message<'_> {
    /// Or written by the client itself: an error, or a turn that was not to be answered.
    pub(super) fn is_of_a_model(&self, line: &Line<'_>) -> bool {
        self.model.as_deref() != Some("<synthetic>") && line.is_api_error_message != Some(true)
    }

    /// What the line says of its bill; none where that is no usage at all. A number that cannot be one counts as nothing.
    pub(super) fn billed(&self) -> Option<Billed> {
        let of = |key: &str| count(&self.usage, key).unwrap_or(0);
        self.usage.is_object().then(|| Billed {
            uncached: of("input_tokens"),
            read: of("cache_read_input_tokens"),
            written: of("cache_creation_input_tokens"),
            output: of("output_tokens"),
            written_1h: count(&self.usage["cache_creation"], "ephemeral_1h_input_tokens").unwrap_or(0),
        })
    }

    /// What is not in the bill.
    pub(super) fn unpriced(&self) -> Unpriced {
        Unpriced::of(&self.usage)
    }
}

/// The content of a message: a string stands for one block of text.
pub(super) fn parse_blocks(content: Option<&RawValue>) -> Result<Vec<Block<'_>>, serde_json::Error> {
    match content.map(RawValue::get) {
        None | Some("null") => Ok(Vec::new()),
        Some(raw) if raw.starts_with('"') => {
            Ok(vec![Block { kind: "text".to_owned(), text: Some(serde_json::from_str(raw)?), ..Block::default() }])
        }
        Some(raw) => serde_json::from_str(raw),
    }
}

/// The text of blocks, with a note for each that is none.
pub(super) fn text_of(blocks: &[Block<'_>]) -> String {
    let texts: Vec<String> = blocks.iter().filter_map(Block::as_text).collect();
    texts.join("\n")
}

impl Block<'_> {
    pub(super) fn is_result(&self) -> bool {
        self.kind == "tool_result"
    }

    fn as_text(&self) -> Option<String> {
        match self.kind.as_str() {
            "text" => self.text.clone(),
            what @ ("image" | "document") => {
                let source = self.source.as_ref()?;
                let media_type = source.media_type.as_deref().unwrap_or("unknown kind");
                Some(match (&source.data, &source.url) {
                    (Some(data), _) => describe_base64(what, media_type, data),
                    (None, Some(url)) => format!("[{what}: {url}]"),
                    (None, None) => format!("[{what}: {media_type}]"),
                })
            }
            "tool_reference" => Some(format!("[tool: {}]", self.name.as_deref().unwrap_or("unnamed"))),
            _ => None,
        }
    }

    /// What a block of an answer becomes.
    pub(super) fn part(self) -> Option<NewPart> {
        Some(match self.kind.as_str() {
            "text" => NewPart::Text(self.text.filter(|text| !text.is_empty())?),
            "thinking" => {
                let seal = self.signature.filter(|seal| !seal.is_empty()).map_or(Seal::None, Seal::Signature);
                NewPart::Thinking { text: self.thinking.unwrap_or_default(), seal }
            }
            "redacted_thinking" => {
                NewPart::Thinking { text: String::new(), seal: Seal::Redacted(self.data.unwrap_or_default()) }
            }
            "tool_use" => NewPart::Call {
                id: self.id.unwrap_or_default(),
                name: self.name.unwrap_or_default(),
                arguments: self.input.map_or("{}", |input| input.get()).to_owned(),
            },
            // What the provider's own tools asked and found stands inside the answer.
            kind => {
                let text: Vec<&str> = [self.input, self.content].into_iter().flatten().map(RawValue::get).collect();
                NewPart::Text(format!("[{kind}] {}", text.join("\n")))
            }
        })
    }

    /// What the model was shown as the result of its call.
    pub(super) fn result_text(&self) -> Result<String, serde_json::Error> {
        Ok(text_of(&parse_blocks(self.content)?))
    }
}

/// Raw JSON of which only some fields matter; none where it reads otherwise.
pub(super) fn parse_some<T: DeserializeOwned>(raw: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}
