//! From the view's entries to messages and their bytes: where the trace's texts meet `wire`.

use std::borrow::Cow;

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};
use lookback_wire::{
    Call, CallResult, Head, Message, Native, Part, Picture, Provider, Role, Seal, Thinking, render_head,
    render_message, render_messages,
};

use super::{Bench, entries::SEPARATOR};
use crate::{
    card::{Pictures, PlainThinking},
    history::index::{ToolTurn, TurnRecord},
    trace::{
        self, AssistantPart, AssistantTurn, BlobError, Blobs, EventBody, EventNo, Layout, Status, ToolResult, TurnNo,
        UserTurn, event::Shown, turn::NativePart,
    },
    view::{
        Entry, Source,
        result_text::{NOT_SEEN, render_shown},
        visible::visible_parts,
    },
};

impl<'a> Bench<'a> {
    /// The API of the model in use.
    pub fn provider(self) -> Provider {
        match self.state.layout {
            Layout::React => Provider::React,
            Layout::Chat | Layout::Execute => self.state.model.provider,
        }
    }

    /// What an entry of the view says.
    pub fn message(self, entry: &Entry, blobs: &dyn Blobs) -> Result<Message<'a>, BlobError> {
        Ok(match entry.source {
            Source::Turn(turn) => self.turn_message(turn, entry.thoughtless, blobs)?,
            Source::Board => Message::user(self.board_text(entry.revision)),
            Source::Block(number) => Message::user(self.block_text(number, entry.revision)),
            Source::Note | Source::Archived(_) | Source::Dialogue => Message::user(self.machine_text(entry.revision)),
        })
    }

    /// Whether an entry shows its turn whole and as it was recorded: with its thinking, no result cut or settled.
    pub fn shows_raw_turn(self, entry: &Entry) -> bool {
        let Source::Turn(turn) = entry.source else { return false };
        if entry.thoughtless || entry.separated {
            return false;
        }
        let Some(step) = self.history.index().tool_turn(turn) else { return true };
        match step.ended().map(|event| (event, self.history.body_of(event))) {
            // A settle gives the entry a newer revision.
            Some((ended, EventBody::StepEnded { shown, .. })) => {
                entry.revision == ended && shown.iter().all(|result| result.cut.is_none())
            }
            _ => false,
        }
    }

    /// L1 and L2 as they are sent now.
    pub fn head(self) -> Head<'a> {
        let rules = &self.state.view.head().rules.text;
        let (system, tools) = match self.state.head_changed.map(|event| self.history.body_of(event)) {
            Some(EventBody::HeadChanged(head)) => (&head.system.text, &head.tools),
            _ => (&self.history.start().system.text, &self.history.start().tools),
        };
        Head { tools, system, rules }
    }

    pub(crate) fn render_part(
        self,
        provider: Provider,
        entry: Option<&Entry>,
        blobs: &dyn Blobs,
    ) -> Result<Vec<u8>, BlobError> {
        let Some(entry) = entry else { return Ok(render_head(provider, &self.head())) };
        let message = self.message(entry, blobs)?;
        if entry.separated {
            let separator = Message { role: Role::Assistant, parts: vec![Part::Text(SEPARATOR.into())] };
            return Ok(render_messages(provider, &[separator, message]));
        }
        Ok(render_message(provider, &message))
    }

    fn turn_message(self, turn: TurnNo, thoughtless: bool, blobs: &dyn Blobs) -> Result<Message<'a>, BlobError> {
        match self.history.index().turn(turn) {
            Some(TurnRecord::User { event }) => match self.history.body_of(*event) {
                EventBody::UserTurn(user) => user_message(user, self.sees(), blobs),
                _ => Ok(empty(Role::User)),
            },
            Some(TurnRecord::Assistant { event }) => match self.history.body_of(*event) {
                EventBody::AssistantTurn(assistant) => {
                    Ok(assistant_message(assistant, thoughtless, self.state.model.plain_thinking))
                }
                _ => Ok(empty(Role::Assistant)),
            },
            Some(TurnRecord::Tool(step)) => self.tool_message(turn, step, blobs),
            None => Ok(empty(Role::User)),
        }
    }

    fn tool_message(self, turn: TurnNo, step: &'a ToolTurn, blobs: &dyn Blobs) -> Result<Message<'a>, BlobError> {
        let shown: &[Shown] = match step.ended().map(|event| self.history.body_of(event)) {
            Some(EventBody::StepEnded { shown, .. }) => shown,
            _ => &[],
        };
        let results = (0..shown.len()).filter_map(|index| Some((index, self.history.result_of(step, index)?)));
        let parts = results
            .map(|(index, (id, result))| {
                let (text, pictures) = match self.settled_text(turn, index) {
                    Some(text) => (Cow::Borrowed(text), Vec::new()),
                    None => self.live(turn, index, result, &shown[index], blobs)?,
                };
                let is_error = matches!(result.status, Status::Error | Status::Interrupted);
                Ok(Part::Result(CallResult { id: id.into(), text, pictures, is_error }))
            })
            .collect::<Result<Vec<_>, BlobError>>()?;
        Ok(Message { role: Role::Tool, parts })
    }

    fn live(
        self,
        turn: TurnNo,
        index: usize,
        result: &'a ToolResult,
        shown: &Shown,
        blobs: &dyn Blobs,
    ) -> Result<(Cow<'a, str>, Vec<Picture<'a>>), BlobError> {
        let text = render_shown(result, shown, || self.history.result_pointer(turn, index), blobs)?;
        if shown.pictures.is_none_or(|tokens| tokens == 0) {
            return Ok((text, Vec::new()));
        }
        if !self.sees() {
            return Ok((format!("{text}{NOT_SEEN}").into(), Vec::new()));
        }
        let parts = result.as_came.as_ref().map_or(&[][..], |as_came| &as_came.parts).iter();
        let images = parts.filter_map(|part| if let trace::Part::Image(image) = part { Some(image) } else { None });
        Ok((text, images.map(|image| picture(image, blobs)).collect::<Result<_, _>>()?))
    }

    /// One text holds no picture, whoever reads it.
    fn sees(self) -> bool {
        self.state.model.pictures == Pictures::Shown && self.provider() != Provider::React
    }

    fn settled_text(self, turn: TurnNo, index: usize) -> Option<&'a str> {
        let (event, place) = self.state.settled.get(&(turn, index as u32))?;
        match self.history.body_of(*event) {
            EventBody::Settle(settle) => Some(settle.results.get(*place as usize)?.content.text.as_str()),
            _ => None,
        }
    }

    /// What stands in the view for a block, in the user's role; none where it is not there.
    pub fn block(self, number: u32) -> Option<&'a str> {
        let entry = self.state.view.entries().get(self.state.place_of_block(number)?)?;
        Some(self.block_text(number, entry.revision))
    }

    /// Of a block, or of the stub that it became.
    fn block_text(self, number: u32, event: EventNo) -> &'a str {
        match self.history.body_of(event) {
            EventBody::Fold(fold) => &fold.content.text,
            EventBody::Stub(stub) => {
                let stubbed = stub.blocks.iter().find(|stubbed| stubbed.block == number);
                stubbed.map_or("", |stubbed| &stubbed.content.text)
            }
            _ => "",
        }
    }

    fn machine_text(self, event: EventNo) -> &'a str {
        match self.history.body_of(event) {
            EventBody::NoteShown { content, .. } => &content.text,
            EventBody::Archive(archive) => &archive.content.text,
            EventBody::LayoutChanged(change) => change.dialogue.as_ref().map_or("", |dialogue| &dialogue.content.text),
            _ => "",
        }
    }

    fn board_text(self, event: EventNo) -> &'a str {
        let entry = match self.history.body_of(event) {
            EventBody::StateDelta(delta) => delta.entry.as_ref(),
            EventBody::Fold(fold) => fold.board.as_ref().map(|board| &board.content),
            EventBody::Archive(archive) => archive.board.as_ref(),
            EventBody::LayoutChanged(change) => change.board.as_ref(),
            _ => None,
        };
        entry.map_or("", |entry| &entry.text)
    }
}

fn empty(role: Role) -> Message<'static> {
    Message { role, parts: Vec::new() }
}

fn picture<'a>(image: &trace::Image, blobs: &dyn Blobs) -> Result<Picture<'a>, BlobError> {
    let base64 = STANDARD.encode(image.bytes.bytes(blobs)?);
    Ok(Picture { media_type: image.media_type.clone().into(), base64: base64.into() })
}

/// What is no text goes back to the provider that named it.
fn user_message<'a>(user: &'a UserTurn, sees: bool, blobs: &dyn Blobs) -> Result<Message<'a>, BlobError> {
    let Some(parts) = user.as_came.as_ref().map(|as_came| &as_came.parts).filter(|parts| !parts.is_empty()) else {
        return Ok(Message::user(user.text.as_str()));
    };
    let parts = parts.iter().map(|part| {
        Ok(match part {
            trace::Part::Text { start, end } => {
                Part::Text(user.text.get(*start as usize..*end as usize).unwrap_or_default().into())
            }
            trace::Part::Image(image) if sees => Part::Picture(picture(image, blobs)?),
            trace::Part::Image(image) => {
                Part::Text(format!("[{}, {} bytes]", image.media_type, image.bytes.len()).into())
            }
            trace::Part::Named(named) => {
                Part::Native(Native { provider: named.provider, raw: named.raw.as_str().into(), plain: None })
            }
        })
    });
    Ok(Message { role: Role::User, parts: parts.collect::<Result<_, _>>()? })
}

fn assistant_message(turn: &AssistantTurn, thoughtless: bool, plain_thinking: PlainThinking) -> Message<'_> {
    let parts = visible_parts(turn)
        .into_iter()
        .filter(|part| !thoughtless || !matches!(part, AssistantPart::Thinking { .. }))
        .filter_map(|part| match (native_of(turn, part), plain(part)) {
            (_, Some(Part::Thinking(thinking)))
                if plain_thinking == PlainThinking::LeftOut && *thinking.seal == Seal::Plain =>
            {
                Some(Part::Thinking(Thinking { seal: Cow::Owned(Seal::None), ..thinking }))
            }
            (None, plain) => plain,
            (Some(native), plain) => Some(Part::Native(Native {
                provider: native.provider,
                raw: native.raw.as_str().into(),
                plain: plain.map(Box::new),
            })),
        })
        .collect();
    Message { role: Role::Assistant, parts }
}

fn native_of<'a>(turn: &'a AssistantTurn, part: &AssistantPart) -> Option<&'a NativePart> {
    // Nearly all turns have none.
    turn.native.iter().find(|native| turn.parts.get(native.part as usize).is_some_and(|own| std::ptr::eq(own, part)))
}

fn plain(part: &AssistantPart) -> Option<Part<'_>> {
    Some(match part {
        AssistantPart::Text { text, .. } => Part::Text(text.as_str().into()),
        AssistantPart::Thinking { text, seal, .. } => {
            Part::Thinking(Thinking { text: text.as_str().into(), seal: Cow::Borrowed(seal) })
        }
        AssistantPart::Call { id, name, arguments, .. } => Part::Call(Call {
            id: id.as_str().into(),
            name: name.as_str().into(),
            arguments: arguments.as_str().into(),
        }),
        AssistantPart::Unknown { .. } => return None,
    })
}
