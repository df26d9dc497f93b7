//! Who answers, and who writes blocks: from settings to models that can be asked.

use std::{fs::File, io::Read as _, sync::Arc};

use anyhow::{Context, Result, bail, ensure};
use lookback_engine::{
    ModelChoice, Session,
    card::{Card, Lifetime},
    planner,
    trace::event::Ride,
};
use lookback_models::{
    Client, Model,
    driving::Prompts,
    hide_key_shapes,
    script::{Player, Script, ScriptModel},
};
use lookback_upstream::CardBilling;
use lookback_wire::Provider;

use crate::{
    cards,
    opened::now,
    settings::{Compactor, KeyFound, Language, Settings},
};

/// A model that a session is driven by.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) model: Model,
    /// As the session calls it: `script:FILE` where a file is played.
    pub(super) name: String,
    pub(super) provider: Provider,
    pub(super) card: Card,
}

impl Asked {
    /// In tokens: what the person set, else what the card says.
    pub(super) fn window(&self, settings: &Settings) -> u32 {
        settings.context.value.window.window(Some(self.card.window))
    }

    /// As a session records another model.
    pub(super) fn choice(&self, settings: &Settings) -> ModelChoice {
        ModelChoice {
            max_output: Some(self.card.max_output),
            alternation: self.card.alternation,
            plain_thinking: self.card.plain_thinking(),
            pictures: self.card.pictures(self.provider),
            ..ModelChoice::new(&self.name, self.provider, self.window(settings))
        }
    }
}

const SCRIPT: &str = "script:";

/// The prices by which a script is billed: what most sessions are made with.
const SCRIPTED_CARD: &str = "claude-sonnet-4-6";

/// Whose prices a model is billed at that is a script.
pub(in crate::commands) fn scripted_card(model: &str) -> Option<&'static str> {
    model.starts_with(SCRIPT).then_some(SCRIPTED_CARD)
}

/// In bytes: the whole file is held in memory.
const LARGEST_SCRIPT: u64 = 64 << 20;

/// What a person reads who has set nothing yet.
const FIRST_WORDS: &str = "no model is chosen, so there is nobody to ask
       a provider's key:   export ANTHROPIC_API_KEY=…  (or OPENAI_API_KEY, DEEPSEEK_API_KEY, …)
       and its model:      lookback run --model anthropic/claude-sonnet-5 \"…\", or LOOKBACK_MODEL
       your own server:    --base-url http://127.0.0.1:8080/v1 --model NAME
       without any model:  --model script:FILE plays a recording; `lookback doctor` says what is set";

/// The model of this name, else the one that is set.
pub(super) fn find(settings: &Settings, name: Option<&str>) -> Result<Asked> {
    let name = name.or(settings.model.as_ref().map(|given| given.value.as_str()));
    let Some(name) = name else { bail!(FIRST_WORDS) };
    if let Some(file) = name.strip_prefix(SCRIPT) {
        return scripted(settings, name, file);
    }
    let chosen = settings.chosen(name)?;
    if let KeyFound::Missing { variables } = &chosen.key {
        bail!(
            "{} needs a key\n       \
             in the environment:  {}\n       \
             or in the settings:  key_command of the provider (docs/configuration.md)\n       \
             your own server:     --base-url http://127.0.0.1:8080/v1 --model NAME\n       \
             without any model:   --model script:FILE plays a recording; `lookback doctor --model {}` says what is set",
            chosen.provider,
            variables.join(" or "),
            hide_key_shapes(name)
        );
    }
    let client = Client::new(chosen.endpoint.clone())?;
    Ok(Asked { model: Model::Http(client), name: chosen.model, provider: chosen.endpoint.api, card: chosen.card })
}

fn scripted(settings: &Settings, name: &str, file: &str) -> Result<Asked> {
    let mut text = String::new();
    let opened = File::open(file).with_context(|| format!("cannot read {file}"))?;
    opened.take(LARGEST_SCRIPT + 1).read_to_string(&mut text).with_context(|| format!("cannot read {file}"))?;
    ensure!(text.len() as u64 <= LARGEST_SCRIPT, "{file} is no script: it has more than {} MiB", LARGEST_SCRIPT >> 20);
    let script = Script::parse(&text).with_context(|| format!("{file} is no script"))?;
    let card = match own_card(settings, script.model.as_deref())? {
        Some(card) => card,
        None => settings.card(SCRIPTED_CARD).cloned().with_context(|| format!("no card of {SCRIPTED_CARD}"))?,
    };
    let billing = CardBilling::new(card.clone(), Arc::new(|| now().0));
    let model = ScriptModel::new(Player::new(file, script), Some(Box::new(billing)));
    Ok(Asked { model: Model::Script(model), name: name.to_owned(), provider: card.api, card })
}

/// The card that the person brings for the model that a script was made with. Of those that come with the program one is
/// as good as another.
fn own_card(settings: &Settings, model: Option<&str>) -> Result<Option<Card>> {
    let Some(model) = model else { return Ok(None) };
    let built_in = cards::find(model)?;
    Ok(settings.card(model).filter(|card| Some(*card) != built_in.as_ref()).cloned())
}

/// A model that writes blocks and summaries.
pub(super) struct Writer {
    /// None: the session's own.
    pub(super) model: Option<Model>,
    pub(super) name: String,
    pub(super) api: Provider,
    pub(super) card: Option<Card>,
    pub(super) ride: Ride,
}

/// None: the rules write.
pub(super) fn compactor(settings: &Settings, session: &mut Session) -> Result<Option<Writer>> {
    match &settings.compactor.value {
        Compactor::Rules => Ok(None),
        Compactor::Same => {
            session.use_compactor(planner::Compactor::Riding { thinking: 0 });
            let (name, api) = (session.state().model().name.clone(), session.prompt_provider());
            Ok(Some(Writer { model: None, name, api, card: session.card().cloned(), ride: Ride::Live }))
        }
        Compactor::Model(name) => {
            let other = find(settings, Some(name)).with_context(|| format!("the compactor {name}"))?;
            // Of a model without prices the rules' price is taken: nobody can weigh it otherwise.
            let rates = other.card.rates(Lifetime::Usual);
            let alone = rates.map(|rates| planner::Compactor::Alone { thinking: 0, rates });
            session.use_compactor(alone.unwrap_or_default());
            let Asked { model, name, provider, card } = other;
            Ok(Some(Writer { model: Some(model), name, api: provider, card: Some(card), ride: Ride::Alone }))
        }
    }
}

/// The texts of `prompts/` in the language that is set.
pub(super) fn prompts(settings: &Settings) -> Prompts<'static> {
    match settings.language.value {
        Language::En => Prompts {
            tail_compaction: include_str!("../../../../../prompts/en/tail_compaction.txt"),
            archive_summary: include_str!("../../../../../prompts/en/archive_summary.txt"),
            repair: include_str!("../../../../../prompts/en/repair.txt"),
        },
        Language::Zh => Prompts {
            tail_compaction: include_str!("../../../../../prompts/zh/tail_compaction.txt"),
            archive_summary: include_str!("../../../../../prompts/zh/archive_summary.txt"),
            repair: include_str!("../../../../../prompts/zh/repair.txt"),
        },
    }
}
