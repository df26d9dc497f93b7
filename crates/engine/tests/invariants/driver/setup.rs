//! A session as a setting wants it: its start, and what is chosen anew for every session that a person opens.

use lookback_engine::{
    Configuration, Session, SessionSetup,
    card::{Alternation, Card, Cards, Lifetime},
    planner::Compactor,
    trace::{BlobHash, Layout, SessionId, start::RecordedBy},
};
use lookback_wire::{Provider, ToolSpec};

use crate::operations::{CardChoice, Setting};

const ANTHROPIC: &str = include_str!("../../../../../prices/anthropic.toml");
const DEEPSEEK: &str = include_str!("../../../../../prices/deepseek.toml");

pub(super) fn setup(setting: &Setting) -> SessionSetup {
    let tool = |name: &str, description: &str| ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters: r#"{"type":"object"}"#.into(),
    };
    let mut tools = vec![tool("Read", "Reads a file.")];
    if setting.board_tool {
        tools.push(tool("Board", "Writes down where the work stands."));
    }
    SessionSetup {
        system: "You are a careful engineer.".into(),
        tools,
        rules: if setting.guest.is_some() { String::new() } else { "Tabs, never spaces.".into() },
        recorded_by: match setting.guest {
            None => RecordedBy::Agent,
            Some(_) => RecordedBy::Gateway {
                client: "codex".into(),
                upstream: "https://api.openai.com".into(),
                credential: BlobHash::of(b"key"),
            },
        },
        model: "test".into(),
        window: setting.window,
        provider: Provider::ALL[setting.provider],
        layout: if setting.layout == 0 { Layout::React } else { Layout::Chat },
        alternation: alternation(setting.strict),
        tokenizer: "bytes/4".into(),
        configuration: configuration(setting),
        ..SessionSetup::new(SessionId("property0000".into()))
    }
}

fn configuration(setting: &Setting) -> Configuration {
    let mut configuration = Configuration::default();
    configuration.fold.keep_steps = setting.keep_steps;
    configuration.archive.keep_rounds = setting.keep_rounds;
    // Few sessions have a third block.
    configuration.fold.whole_blocks = setting.keep_steps - 1;
    configuration.triggers.tool_calls = 6;
    configuration.triggers.delta_steps = 2;
    if setting.small_folds {
        configuration.fold.block_least = 200;
        configuration.fold.gone_least = 100;
        configuration.archive.summary_tokens = 400;
    }
    configuration
}

/// What is no part of a trace.
pub(super) fn choose(session: &mut Session, setting: &Setting) {
    session.configure(configuration(setting));
    if let Some(card) = card(setting.card) {
        session.use_card(card, Lifetime::Usual);
    }
    if setting.model_writes {
        session.use_compactor(Compactor::Riding { thinking: 0 });
    }
}

pub(super) fn alternation(strict: bool) -> Alternation {
    if strict { Alternation::Strict } else { Alternation::Free }
}

fn card(choice: CardChoice) -> Option<Card> {
    let (file, model) = match choice {
        CardChoice::None => return None,
        CardChoice::KeepsThinking => (ANTHROPIC, "claude-opus-4-5"),
        CardChoice::DropsThinking => (ANTHROPIC, "claude-opus-5-5"),
        CardChoice::NeverCold => (DEEPSEEK, "deepseek-chat"),
    };
    let cards = Cards::parse(file).expect("the cards of the repository can be read");
    Some(cards.find(model).expect("the model has a card").clone())
}
