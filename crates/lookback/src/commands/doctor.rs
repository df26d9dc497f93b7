//! `lookback doctor`: which settings hold, where they come from, and whether the model answers.
//!
//! It looks at settings only; what they are used for is not known here. Nothing is sent unless `--send` asks for it.

mod card;
mod probe;
mod reach;

use std::env;

use anyhow::{Result, bail};
use lookback_engine::Configuration;
use lookback_models::{Client, hide_key_shapes};
use serde_json::Value;

use crate::{
    cli::DoctorArguments,
    commands::runtime,
    decided::Decided,
    home, screen,
    settings::{self, Chosen, Compactor, Flags, KeyFound, Settings},
};

pub(crate) fn run(arguments: DoctorArguments) -> Result<()> {
    let DoctorArguments { model, base_url, proxy, ca_file, send } = arguments;
    let root = env::current_dir().ok().and_then(|here| here.canonicalize().ok()).map(|here| home::project_root(&here));
    let project = root.as_ref().map(|root| settings::ProjectFile::find(root)).transpose()?.flatten();
    let project = match (project, &root) {
        (Some(file), Some(root)) => Some(file.trusted_as(&Decided::of(root, &[])?)),
        _ => None,
    };
    let settings = settings::read_with(Flags { model, base_url, proxy, ca_file }, project)?;
    let mut problems = settings.warnings.clone();
    let chosen = match settings.model.as_ref().map(|given| settings.model(&given.value)) {
        Some(Ok(chosen)) => Some(chosen),
        Some(Err(error)) => {
            problems.push(error.to_string());
            None
        }
        None => {
            problems.push("no model is chosen: set `model` in the configuration, LOOKBACK_MODEL, or --model".into());
            None
        }
    };

    let mut rows = chosen_rows(&settings);
    if let Some(chosen) = &chosen {
        rows.push(blank());
        rows.extend(reach::rows(chosen, &settings));
        rows.push(blank());
        rows.extend(card::rows(chosen, &settings));
        problems.extend(problems_of(chosen, &settings)?);
    }
    if let Compactor::Model(name) = &settings.compactor.value {
        let compactor = settings.model(name).map_err(anyhow::Error::from).and_then(|it| problems_of(&it, &settings));
        let found = compactor.unwrap_or_else(|error| vec![error.to_string()]);
        problems.extend(found.into_iter().map(|problem| format!("the compactor {name}: {problem}")));
    }
    let mut out = screen::screen();
    writeln!(out, "configuration: {}\n", hide_key_shapes(&place(&settings)))?;
    screen::write_wrapped_table(&mut out, &rows, &[], screen::columns())?;
    writeln!(out)?;
    let mut closing = "nothing was sent: --send makes one small request".to_owned();
    if let (Some(chosen), true, true) = (&chosen, send, problems.is_empty()) {
        // What is known already need not wait for the network.
        out.flush()?;
        match probe::ask(chosen)? {
            Ok(answer) => closing = answer,
            Err(probe::Failure::Key(error)) => {
                NOT_SENT.clone_into(&mut closing);
                problems.push(error.to_string());
            }
            Err(probe::Failure::Model(error)) => {
                closing = "one request was sent, and failed".to_owned();
                problems.push(error.to_string());
            }
        }
    } else if send {
        NOT_SENT.clone_into(&mut closing);
    }
    for note in &settings.not_taken {
        writeln!(out, "note: {}", hide_key_shapes(note))?;
    }
    for problem in &problems {
        writeln!(out, "wrong: {}", hide_key_shapes(problem))?;
    }
    writeln!(out, "{closing}")?;
    out.flush()?;
    match problems.len() {
        0 => Ok(()),
        many => bail!("{} must be put right", screen::counted(many as u64, "thing")),
    }
}

fn place(settings: &Settings) -> String {
    match (&settings.file, settings.file_exists) {
        (Some(path), true) => path.display().to_string(),
        (Some(path), false) => format!("{} (there is none: built-in settings)", path.display()),
        (None, _) => "none: HOME is not set, and neither is LOOKBACK_CONFIG".to_owned(),
    }
}

const NOT_SENT: &str = "nothing was sent: put this right first";

/// What it is, where it comes from, its value.
type Row = Vec<String>;

/// Without what looks like a key, whatever setting it was pasted into.
fn row(what: &str, origin: impl ToString, value: impl ToString) -> Row {
    vec![what.to_owned(), origin.to_string(), hide_key_shapes(&value.to_string())]
}

fn blank() -> Row {
    row("", "", "")
}

fn chosen_rows(settings: &Settings) -> Vec<Row> {
    let Settings { model, language, compactor, context, .. } = settings;
    let mut rows = Vec::new();
    match model {
        Some(given) => rows.push(row("model", &given.origin, &given.value)),
        None => rows.push(row("model", "", "none")),
    }
    rows.push(row("language", &language.origin, language.value));
    rows.push(row("compactor", &compactor.origin, &compactor.value));
    if !settings.ignore.is_empty() {
        rows.push(row("ignore", ".lookback.toml", settings.ignore.join(", ")));
    }
    let changes = changes(&context.value);
    if changes.is_empty() {
        rows.push(row("context", "built in", "every number at its default"));
    }
    for (place, change) in changes.into_iter().enumerate() {
        match place {
            0 => rows.push(row("context", &context.origin, change)),
            _ => rows.push(row("", "", change)),
        }
    }
    rows
}

/// The numbers of the engine that are not at their default, with it.
fn changes(configuration: &Configuration) -> Vec<String> {
    let leaves = |configuration: &Configuration| {
        let mut leaves = Vec::new();
        collect("", &serde_json::to_value(configuration).unwrap_or_default(), &mut leaves);
        leaves
    };
    let usual = leaves(&Configuration::default());
    let changed = leaves(configuration).into_iter().filter(|leaf| !usual.contains(leaf));
    changed
        .map(|(name, value)| match usual.iter().find(|(usual, _)| *usual == name) {
            Some((_, usual)) => format!("{name} = {value} [default: {usual}]"),
            None => format!("{name} = {value}"),
        })
        .collect()
}

fn collect(name: &str, value: &Value, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                let name = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
                collect(&name, value, leaves);
            }
        }
        value => leaves.push((name.to_owned(), value.to_string())),
    }
}

/// What stands in the way of a call, as far as it can be told without sending anything.
fn problems_of(chosen: &Chosen, settings: &Settings) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    match &chosen.key {
        KeyFound::Missing { variables } => {
            let file = settings.file.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
            let docs = chosen.docs.as_ref().map(|docs| format!(" ({docs})")).unwrap_or_default();
            let provider = &chosen.provider;
            problems.push(format!(
                "there is no key for {provider}: set {}, or key_command under [providers.{provider}]{file}{docs}",
                variables.join(" or ")
            ));
        }
        // Looking one up is checking it. A command is not run for that: it may ask for a password.
        KeyFound::Found(_) => {
            if let Some(key) = &chosen.endpoint.key {
                problems.extend(runtime()?.block_on(key.resolve()).err().map(|error| error.to_string()));
            }
        }
        KeyFound::ByCommand(_) | KeyFound::NotNeeded => {}
    }
    problems.extend(Client::new(chosen.endpoint.clone()).err().map(|error| error.to_string()));
    Ok(problems)
}
