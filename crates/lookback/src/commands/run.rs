//! `lookback run "…"`: a coding task from the first word to the finished change.
//!
//! Here the pieces come together: settings, model, session, tools, terminal. The loop itself is `lookback-agent`.

mod begun;
mod ending;
mod model;
mod own;
mod project;
mod question;
mod remembered;
mod room;
mod rules;
mod shown;
mod steps;
mod workshop;

use std::{
    io::{self, IsTerminal, Read},
    path::Path,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, Result};
use lookback_agent::{
    Agent, AgentError, Compactor, Ended, Limits, Spent, mentions,
    permission::{Mode, Rules},
    work,
};
use lookback_engine::{card::Lifetime, trace::Origin};
use lookback_models::driving::{Cancel, Canceller, CompactorModel};
use lookback_tools::ToolName;

use crate::{
    cli::{ResumeArguments, RunArguments},
    commands::{Usage, runtime},
    decided::{Decided, Walls},
    home, screen,
    settings::{self, Flags},
};
use begun::Begun;
use ending::close;
use room::{Person, Room};
use workshop::{Bench, Unwalled};

/// The newest run here, or the one that is named, goes on.
pub(crate) fn resume(arguments: ResumeArguments) -> Result<()> {
    let ResumeArguments { id: session, how } = arguments;
    run(RunArguments { task: None, continues: session.is_none(), session, how })
}

pub(crate) fn run(mut arguments: RunArguments) -> Result<()> {
    let task = task_of(&arguments)?;
    let store = home::open_store()?;
    let named = begun::named(&store, &arguments)?;
    if let Some(id) = &named {
        remembered::recall(id, &mut arguments.how)?;
    }
    let flags =
        Flags { model: arguments.how.model.clone(), base_url: arguments.how.base_url.clone(), ..Flags::default() };
    let root = project::root()?;
    let mut decided = Decided::of(&root, &arguments.how.add_dir)?;
    let settings = settings::load_in(&root, flags, &mut decided)?;
    let own = settings.file.as_deref().and_then(Path::parent);
    let project = project::find(&arguments.how.add_dir, own)?;
    let begun = Begun::open(&store, &settings, &project, &arguments, named, task.as_deref())?;
    let Begun { mut session, writer, asked, is_new } = begun;
    let mut configuration = settings.context.value.clone();
    if let Some(cache) = arguments.how.cache {
        configuration.cache = cache;
    }
    session.configure(configuration);
    session.use_card(asked.card.clone(), Lifetime::Usual);
    remembered::remember(session.id(), &arguments.how)?;
    // What the model was told of at the beginning is what there is.
    let tools = session.start_of().tools.iter().filter_map(|tool| ToolName::find(&tool.name)).collect();
    let mode = arguments.how.permission.unwrap_or_default();
    // Where somebody is asked about every command, the missing walls are part of the question.
    let asks = mode != Mode::Full && screen::can_ask();
    let unwalled = if arguments.how.without_sandbox || asks { Unwalled::Run } else { Unwalled::Refused };
    let pictures = match session.state().model() {
        model if model.name == asked.name => model.pictures,
        _ => asked.card.pictures(asked.provider),
    };
    let keep = room::keeper(&store, session.id());
    let bench = Bench::new(&project, &settings, &arguments.how, unwalled, pictures, keep)?;
    bench.restore(&session);
    let walls = if bench.sandbox_is_whole() { Walls::Whole } else { Walls::NotWhole };
    let is_accepted = walls == Walls::Whole || arguments.how.without_sandbox;
    let allowed = arguments.how.allow.iter().map(|words| words.split_whitespace().map(str::to_owned).collect());
    let rules = Rules {
        mode,
        sandbox_is_whole: is_accepted,
        // What was named for this run was named for a run inside of walls.
        allowed: if is_accepted { allowed.collect() } else { Vec::new() },
        tools,
    };
    let compactor = model::compactor(&settings, &mut session)?;
    let mut cancel = cancelled_by_interruption()?;
    let person = Person { root: project.root.clone(), decided, walls, cancel: cancel.clone() };
    let mut room = Room::new(&store, writer, &session, arguments.how.json, person)?;
    room.begin(&asked, &bench, &project, is_new);

    let first = session.trace().len();
    if !is_new {
        room.resume(&mut session, project.rules.text())?;
        if session.state().model().name != asked.name {
            room.record(|context| session.model_changed(asked.choice(&settings), context))?;
        }
    }
    if let Some(task) = task {
        let paths = project.known(&mentions::mentioned(&task));
        if !is_new {
            room.record(|context| session.user_turn(task, Origin::Person, context))?;
        }
        let most = session.configuration().notes.mentioned_files;
        if let Some(text) = mentions::reminder(&paths, most) {
            session.remind("files", &text);
        }
    }
    let agent = Agent {
        model: &asked.model,
        compactor: compactor.as_ref().map(|compactor| Compactor {
            model: CompactorModel {
                model: compactor.model.as_ref().unwrap_or(&asked.model),
                name: &compactor.name,
                api: compactor.api,
                card: compactor.card.as_ref(),
                ride: compactor.ride,
            },
            prompts: model::prompts(&settings),
        }),
        workshop: Arc::new(bench),
        rules,
        limits: Limits { steps: arguments.how.max_steps, cost: arguments.how.max_cost },
    };
    let ended = runtime()?.block_on(work(&agent, &mut session, &mut cancel, &mut room));
    let spent = Spent::since(&session, first, compactor.as_ref().and_then(|compactor| compactor.card.as_ref()));
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            room.close_broken(&mut session)?;
            if room.is_closed() {
                return Ok(());
            }
            ending::tell("error", None, &session, first, &spent, &room)?;
            return Err(explain(error, &room));
        }
    };
    close(&ended, &session, first, &spent, &mut room)
}

/// Ctrl-C once stops the step and keeps the session, twice leaves.
fn cancelled_by_interruption() -> Result<Cancel> {
    let (canceller, cancel) = Canceller::new();
    let second = AtomicBool::new(false);
    let heard = move || {
        if second.swap(true, Ordering::SeqCst) {
            process::exit(130);
        }
        canceller.cancel();
    };
    ctrlc::set_handler(heard).context("cannot listen for Ctrl-C")?;
    Ok(cancel)
}

/// What the person wants: the argument, standard input, or nothing where a session is taken up again.
fn task_of(arguments: &RunArguments) -> Result<Option<String>> {
    let given = match arguments.task.as_deref() {
        Some("-") | None if !io::stdin().is_terminal() && !arguments.resumes() => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).context("cannot read the task from standard input")?;
            Some(text)
        }
        given => given.map(str::to_owned),
    };
    let given = given.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    if given.is_none() && !arguments.resumes() {
        return Err(Usage("no task: lookback run \"what is to be done\", or write it to standard input".into()).into());
    }
    Ok(given)
}

fn tools_of(named: &[String]) -> Result<std::collections::BTreeSet<ToolName>> {
    if named.is_empty() {
        return Ok(ToolName::ALL.into_iter().collect());
    }
    let known: Vec<&str> = ToolName::ALL.iter().map(|tool| tool.name()).collect();
    named
        .iter()
        .map(|name| {
            let unknown = || Usage(format!("there is no tool {name}: the tools are {}", known.join(", ")));
            Ok(ToolName::find(name).ok_or_else(unknown)?)
        })
        .collect()
}

fn explain(error: AgentError, room: &Room<'_>) -> anyhow::Error {
    let session = room.name().to_owned();
    anyhow::Error::from(error).context(format!("the work stopped; go on with `lookback resume {session}`"))
}

/// The newest session of an agent in the project of this folder, by its id.
pub(crate) fn newest_here() -> Result<String> {
    Ok(begun::newest_here(&home::open_store()?, &project::root()?)?.0)
}

pub(super) use model::scripted_card;
pub(crate) use remembered::forget;
pub(crate) use steps::{Pair, pairs};
pub(crate) use workshop::shadow_of;

/// The inside of the sandbox. It comes back only if the command could not be started.
pub(crate) fn inside(spec: &str) -> Result<()> {
    Err(lookback_tools::sandbox::enter_and_exec(spec).into())
}

/// How a run ends for a shell.
pub(crate) fn code_of(ended: &Ended) -> u8 {
    match ended {
        Ended::Done(_) => 0,
        Ended::Refused(_) | Ended::Circle(_) | Ended::TooLarge(_) => 1,
        Ended::Steps(_) | Ended::Cost { .. } => 3,
        Ended::NotPermitted { .. } => 4,
        Ended::Cancelled => 130,
    }
}
