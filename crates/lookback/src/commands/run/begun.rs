//! The session that a run works in: a new one, one by its id, or the newest of this folder.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use lookback_engine::{
    Context, Session, SessionSetup,
    trace::{BlobHash, NoBlobs, Origin, SessionId},
};
use lookback_models::driving::Prompts;
use lookback_store::{SessionWriter, Store, new_session_id};
use lookback_tools::{ToolName, schema, schema_in};
use lookback_wire::ToolSpec;
use serde_json::Value;

use super::{
    model::{self, Asked},
    project::{self, Project},
    tools_of,
};
use crate::{
    cli::RunArguments,
    commands::Usage,
    counter::Counter,
    opened::{self, expect_no_recording, now},
    settings::{Compactor, Language, Settings},
};

pub(super) struct Begun {
    pub(super) session: Session,
    pub(super) writer: SessionWriter,
    pub(super) asked: Asked,
    pub(super) is_new: bool,
}

impl Begun {
    /// A new session is stored together with its task: one without would have nothing to go on with.
    pub(super) fn open(
        store: &Store,
        settings: &Settings,
        project: &Project,
        arguments: &RunArguments,
        named: Option<SessionId>,
        task: Option<&str>,
    ) -> Result<Self> {
        let Some(id) = named else {
            let asked = model::find(settings, None)?;
            expect_prices(&asked, settings, arguments)?;
            let session = begin(settings, project, arguments, &asked, task)?;
            let writer = store.create(session.trace())?;
            return Ok(Self { session, writer, asked, is_new: true });
        };
        let writer = store.writer(&id)?;
        let session = opened::replay(&store.snapshot()?, &id, None)?;
        expect_no_recording(&session, &store.short_id(&id)?)?;
        expect_here(&session, project, &store.short_id(&id)?)?;
        // A session goes on with its own model unless another is named.
        let own = session.state().model().name.clone();
        let asked = model::find(settings, Some(arguments.how.model.as_deref().unwrap_or(&own)))?;
        expect_prices(&asked, settings, arguments)?;
        Ok(Self { session, writer, asked, is_new: false })
    }
}

/// What a session has read and changed, and what undoes it, is in its own project, while that is there.
fn expect_here(session: &Session, project: &Project, name: &str) -> Result<()> {
    let root = Path::new(&session.start_of().root);
    ensure!(
        root == project.root || !root.is_dir(),
        "session {name} works in {}: go there to go on with it, or begin one here without --session",
        root.display()
    );
    Ok(())
}

/// Before anything is stored.
fn expect_prices(asked: &Asked, settings: &Settings, arguments: &RunArguments) -> Result<()> {
    let Some(most) = arguments.how.max_cost else { return Ok(()) };
    let refuse = |name: &str| {
        let why = format!("--max-cost {most}: no card has prices of {name}, so nobody knows when they are spent");
        Err(Usage(why).into())
    };
    if asked.card.prices.is_none() {
        return refuse(&asked.name);
    }
    match &settings.compactor.value {
        Compactor::Model(name) if model::find(settings, Some(name))?.card.prices.is_none() => refuse(name),
        _ => Ok(()),
    }
}

/// The session that a person names; none: a new one.
pub(super) fn named(store: &Store, arguments: &RunArguments) -> Result<Option<SessionId>> {
    match (&arguments.session, arguments.continues) {
        (Some(prefix), _) => Ok(Some(store.find(prefix)?)),
        (None, true) => newest_here(store, &project::root()?).map(Some),
        (None, false) => Ok(None),
    }
}

pub(super) fn newest_here(store: &Store, root: &Path) -> Result<SessionId> {
    let root = root.to_string_lossy();
    let sessions = store.sessions()?;
    let here = sessions.into_iter().filter(|session| session.root == root && session.agent == "lookback");
    let newest = here.filter(|session| !session.recording).max_by_key(|session| session.updated);
    let newest = newest.with_context(|| format!("there is no session of {root}: begin one without --continue"))?;
    Ok(newest.id)
}

fn begin(
    settings: &Settings,
    project: &Project,
    arguments: &RunArguments,
    asked: &Asked,
    task: Option<&str>,
) -> Result<Session> {
    let declared = tools_of(&arguments.how.tools)?;
    let tools = ToolName::ALL.into_iter().filter(|tool| declared.contains(tool)).map(|tool| ToolSpec {
        name: tool.name().to_owned(),
        description: description(tool, settings.language.value).trim_end().to_owned(),
        parameters: parameters(tool, settings.language.value).to_string(),
    });
    let setup = SessionSetup {
        system: system_prompt(settings.language.value).trim_end().to_owned(),
        tools: tools.collect(),
        rules: project.rules.text(),
        provider: asked.provider,
        model: asked.name.clone(),
        window: asked.window(settings),
        max_output: Some(asked.card.max_output),
        alternation: asked.card.alternation,
        plain_thinking: asked.card.plain_thinking(),
        pictures: asked.card.pictures(asked.provider),
        root: project.root.to_string_lossy().into_owned(),
        tokenizer: "o200k".to_owned(),
        configuration: settings.context.value.clone(),
        prompts: Some(hash_of_prompts(settings)),
        ..SessionSetup::new(new_session_id()?)
    };
    let count = |bytes: &[u8]| Counter::O200k.count(bytes);
    let context = Context { now: now(), count: &count, blobs: &NoBlobs };
    let mut session = Session::start(setup, &context)?;
    if let Some(task) = task {
        session.user_turn(task, Origin::Person, &context)?;
    }
    Ok(session)
}

fn parameters(tool: ToolName, language: Language) -> Value {
    match language {
        Language::En => schema(tool),
        Language::Zh => schema_in(tool, include_str!("../../../../../prompts/zh/arguments.txt")),
    }
}

/// Of every text of `prompts/` that the model is given, whether it stands in the trace or not.
fn hash_of_prompts(settings: &Settings) -> BlobHash {
    let language = settings.language.value;
    let Prompts { tail_compaction, archive_summary, repair } = model::prompts(settings);
    let mut texts = [system_prompt(language), tail_compaction, archive_summary, repair].map(str::to_owned).to_vec();
    for tool in ToolName::ALL {
        texts.extend([description(tool, language).to_owned(), parameters(tool, language).to_string()]);
    }
    BlobHash::of(texts.join("\0").as_bytes())
}

fn system_prompt(language: Language) -> &'static str {
    match language {
        Language::En => include_str!("../../../../../prompts/en/system.txt"),
        Language::Zh => include_str!("../../../../../prompts/zh/system.txt"),
    }
}

/// What the model is told of each tool, from `prompts/LANGUAGE/tools/`.
macro_rules! descriptions {
    ($language:literal, $tool:expr, $($name:ident => $file:literal),*) => {
        match $tool {
            $(ToolName::$name => include_str!(concat!("../../../../../prompts/", $language, "/tools/", $file, ".txt")),)*
        }
    };
}

fn description(tool: ToolName, language: Language) -> &'static str {
    macro_rules! of {
        ($language:literal) => {
            descriptions!($language, tool, Ls => "LS", Glob => "Glob", Grep => "Grep", Read => "Read", Edit => "Edit",
                MultiEdit => "MultiEdit", Write => "Write", Bash => "Bash", Job => "Job", TodoWrite => "TodoWrite",
                Board => "Board", Recall => "Recall")
        };
    }
    match language {
        Language::En => of!("en"),
        Language::Zh => of!("zh"),
    }
}
