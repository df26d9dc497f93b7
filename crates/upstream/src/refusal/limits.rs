//! Limits and abilities of a model, as its card has them.

use lookback_engine::{
    cache::CacheRule,
    card::{Alternation, Card, Lifetime, Support},
};
use lookback_wire::Provider;

use super::{RefusalKind, Refused};
use crate::prompt::{Block, Content, Mark, Piece, Prompt, Speaker};

/// A server of one's own takes what it is given here.
fn is_local(card: &Card) -> bool {
    card.provider == "local"
}

pub(super) fn check_output(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    let most = u64::from(card.max_output);
    match (prompt.api, prompt.output_limit) {
        (Provider::Anthropic, None) => Err(Refused::invalid("max_tokens: Field required")),
        (Provider::Anthropic, Some(limit)) if limit > most => Err(Refused::invalid(format!(
            "max_tokens: {limit} > {most}, which is the maximum allowed number of output tokens for {}",
            prompt.model
        ))),
        (_, Some(limit)) if limit > most && !is_local(card) => Err(Refused::invalid(format!(
            "max_tokens is too large: {limit}. This model supports at most {most} completion tokens, whereas you \
             provided {limit}."
        ))),
        _ => Ok(()),
    }
}

pub(super) fn check_abilities(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    let declares_tools = prompt.segments.iter().any(|segment| segment.speaker == Speaker::Tools);
    if card.tool_calling == Support::No && declares_tools {
        return Err(Refused::invalid(format!("{} does not support tools", prompt.model)));
    }
    if card.images == Support::No && blocks(prompt).any(shows_image) {
        return Err(Refused::invalid("Invalid content type. image_url is only supported by certain models."));
    }
    Ok(())
}

pub(super) fn check_marks(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    if let CacheRule::Marks { marks, .. } = card.cache {
        let found = blocks(prompt).filter(|block| matches!(block.mark, Some(Mark::CacheControl(_)))).count();
        if found > marks as usize {
            let message = format!("A maximum of {marks} blocks with cache_control may be provided. Found {found}.");
            return Err(Refused::invalid(message));
        }
        let lifetimes = blocks(prompt).filter_map(|block| match block.mark {
            Some(Mark::CacheControl(lifetime)) => Some(lifetime),
            _ => None,
        });
        if lifetimes.skip_while(|lifetime| *lifetime == Lifetime::OneHour).any(|it| it == Lifetime::OneHour) {
            return Err(Refused::invalid(
                "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
            ));
        }
    }
    for segment in prompt.segments.iter().filter(|segment| segment.speaker == Speaker::Assistant) {
        for Block { content, mark, at: (at, place), .. } in &segment.blocks {
            match (content, mark) {
                (Content::Thinking { .. }, Some(Mark::CacheControl(_))) => {
                    let message =
                        format!("messages.{at}.content.{place}.thinking.cache_control: Extra inputs are not permitted");
                    return Err(Refused::invalid(message));
                }
                // What the model wrote itself takes no breakpoint.
                (_, Some(Mark::Breakpoint)) => {
                    let list = if prompt.api == Provider::Responses { "input" } else { "messages" };
                    let message =
                        format!("Unknown parameter: '{list}[{at}].content[{place}].prompt_cache_breakpoint'.");
                    return Err(Refused::invalid(message));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

pub(super) fn check_alternation(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    // A one-text prompt is one message, whoever speaks in it.
    if prompt.api == Provider::React {
        return Ok(());
    }
    let said = prompt.segments.iter().map(|segment| segment.speaker);
    let turns: Vec<Speaker> = said.filter(|speaker| !matches!(speaker, Speaker::Tools | Speaker::System)).collect();
    let repeats = turns.windows(2).any(|pair| pair == [Speaker::User, Speaker::User]);
    if card.alternation == Alternation::Strict && repeats {
        return Err(Refused::invalid("Conversation roles must alternate user/assistant/user/assistant/..."));
    }
    Ok(())
}

pub(super) fn check_window(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    let tokens = prompt.tokens();
    if tokens <= u64::from(card.window) { Ok(()) } else { Err(too_long(card, prompt.api, tokens)) }
}

/// The words for a prompt of so many tokens.
pub(super) fn too_long(card: &Card, api: Provider, tokens: u64) -> Refused {
    let window = u64::from(card.window);
    let too_long = |message| Refused::new(RefusalKind::PromptTooLong, message);
    if is_local(card) {
        let message = format!(
            "request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
        );
        return Refused::new(RefusalKind::ContextSize { prompt: tokens, window }, message);
    }
    match api {
        Provider::Anthropic => too_long(format!("prompt is too long: {tokens} tokens > {window} maximum")),
        Provider::Chat | Provider::React => too_long(format!(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. \
             Please reduce the length of the messages."
        )),
        Provider::Responses => too_long(
            "Your input exceeds the context window of this model. Please adjust your input and try again.".to_owned(),
        ),
    }
}

fn blocks(prompt: &Prompt) -> impl Iterator<Item = &Block> {
    prompt.segments.iter().flat_map(|segment| &segment.blocks)
}

fn shows_image(block: &Block) -> bool {
    match &block.content {
        Content::Piece(piece) => matches!(piece, Piece::Image(_)),
        Content::Result { pieces, .. } => pieces.iter().any(|piece| matches!(piece, Piece::Image(_))),
        _ => false,
    }
}
