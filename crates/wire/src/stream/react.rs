//! A model without tool calling: its answer is one text in a stream of Chat Completions, read for thoughts and actions.

use super::{Heard, StreamError, chat};
use crate::{
    Delta, Reply, ReplyContent, ReplyPart, ReplyStop, Seal,
    members::Members,
    parse::react::{End, Written, parse_written},
};

mod showing;

use showing::Showing;

#[derive(Debug, Default)]
pub(super) struct Reading {
    chat: Box<chat::Reading>,
    showing: Showing,
}

impl super::Reading for Reading {
    fn event(&mut self, chunk: &Members<'_>, deltas: &mut Vec<Delta>) -> Result<Heard, StreamError> {
        let mut said = Vec::new();
        let heard = self.chat.event(chunk, &mut said)?;
        for delta in said {
            match delta {
                Delta::Text(text) => self.showing.push(&text, deltas),
                delta => deltas.push(delta),
            }
        }
        Ok(heard)
    }

    fn done(&mut self) {
        self.chat.done();
    }

    fn is_complete(&self) -> bool {
        self.chat.is_complete()
    }

    fn has_stopped(&self) -> bool {
        self.chat.has_stopped()
    }

    fn finish(self: Box<Self>) -> Reply {
        understand(self.chat.finish())
    }
}

pub(super) fn parse_body(body: &Members<'_>) -> Option<Reply> {
    chat::parse_body(body).map(understand)
}

/// Thinking that came beside the text stays; the text is taken apart.
fn understand(reply: Reply) -> Reply {
    let Reply { parts, stop, usage, id, model } = reply;
    let mut text = String::new();
    let mut kept = Vec::new();
    for part in parts {
        match part.content {
            ReplyContent::Text(said) => text += &said,
            ReplyContent::Thinking { .. } => kept.push(ReplyPart { native: None, ..part }),
            ReplyContent::Call { .. } | ReplyContent::UnfinishedCall { .. } | ReplyContent::Unknown => {}
        }
    }
    kept.extend(understand_text(&text, &stop, id.as_deref()));
    Reply { parts: kept, stop, usage, id, model }
}

fn understand_text(text: &str, stop: &ReplyStop, reply: Option<&str>) -> Vec<ReplyPart> {
    let Written { thought, actions, answer, end } = parse_written(text);
    let thought = thought.map(|thought| thought.trim().to_owned());
    let answer = answer.filter(|answer| !crate::is_blank(answer));
    let mut contents = Vec::new();
    match (&answer, thought) {
        (Some(_), Some(text)) => contents.push(ReplyContent::Thinking { text, seal: Seal::None }),
        (None, Some(text)) => contents.push(ReplyContent::Text(text)),
        (_, None) => {}
    }
    contents.extend(answer.map(ReplyContent::Text));
    let count = actions.len();
    // Ids travel when a session goes on with another provider, so they differ from answer to answer where they can.
    let reply = reply.unwrap_or("action");
    contents.extend(actions.into_iter().enumerate().map(|(place, (name, arguments))| {
        let id = format!("{reply}-{}", place + 1);
        if end == End::Open && place + 1 == count && *stop != ReplyStop::End {
            ReplyContent::UnfinishedCall { id, name, arguments }
        } else {
            ReplyContent::Call { id, name, arguments }
        }
    }));
    contents.into_iter().map(|content| ReplyPart { content, native: None }).collect()
}
