//! `lookback import FILES…`: recorded sessions become stored ones, whoever's files they are.

mod foreign;
mod gathered;
mod own;
mod writing;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use lookback_replay::{import::ImportError, recording::Format};
use lookback_store::Store;

use gathered::Gathered;

use crate::{
    cli::ImportArguments,
    home,
    input::{Input, Source, find_files},
    reading, screen,
};

/// What became of a file, in words.
enum Outcome {
    Imported(String),
    StoredAlready(String),
    /// It is a session, and an empty one.
    Nothing(String),
    /// Read, and soon stored together with others.
    Gathered,
}

pub(crate) fn run(arguments: ImportArguments) -> Result<()> {
    let store = home::open_store()?;
    if let [only] = arguments.files.as_slice()
        && !only.is_dir()
    {
        return import_one(&store, only);
    }
    import_many(&store, &arguments.files)
}

/// One file that a person named: whatever keeps it out is an error.
fn import_one(store: &Store, path: &Path) -> Result<()> {
    let mut gathered = Gathered::new(store);
    let first = import(&mut gathered, &Source::new(path))?;
    gathered.flush();
    for outcome in std::iter::once(Ok(first)).chain(gathered.outcomes()) {
        match outcome? {
            Outcome::Imported(text) => screen::say(&text)?,
            Outcome::StoredAlready(reason) | Outcome::Nothing(reason) => bail!(reason),
            Outcome::Gathered => {}
        }
    }
    Ok(())
}

/// File by file: one that cannot be read does not keep the others out.
fn import_many(store: &Store, paths: &[PathBuf]) -> Result<()> {
    let (mut imported, mut stored, mut passed, mut failed) = (0, 0, 0, 0);
    let mut out = screen::screen();
    let mut tell = |outcome: Result<Outcome>, named: Named| -> Result<()> {
        match outcome {
            Ok(Outcome::Gathered) => {}
            Ok(Outcome::Imported(text)) => {
                imported += 1;
                writeln!(out, "{text}")?;
                out.flush()?;
            }
            Ok(Outcome::StoredAlready(reason)) => {
                stored += 1;
                screen::remark(&reason);
            }
            Ok(Outcome::Nothing(reason)) => {
                passed += 1;
                screen::remark(&reason);
            }
            // Folders hold other files, too.
            Err(error) if named == Named::InFolder && is_unknown(&error) => passed += 1,
            Err(error) => {
                failed += 1;
                screen::complain(&error);
            }
        }
        Ok(())
    };
    let mut gathered = Gathered::new(store);
    for (source, named) in sources(paths)? {
        let outcome = import(&mut gathered, &source);
        gathered.outcomes().into_iter().try_for_each(|outcome| tell(outcome, Named::ByItself))?;
        tell(outcome, named)?;
    }
    gathered.flush();
    gathered.outcomes().into_iter().try_for_each(|outcome| tell(outcome, Named::ByItself))?;
    let mut facts = vec![format!("{} imported", screen::counted(imported, "session"))];
    let others = [(stored, "stored already"), (passed, "no sessions"), (failed, "could not be read")];
    facts.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    writeln!(out, "{}", facts.join(" · "))?;
    out.flush()?;
    match failed {
        0 => Ok(()),
        _ => bail!("{} could not be imported", screen::counted(failed, "file")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    ByItself,
    InFolder,
}

fn sources(paths: &[PathBuf]) -> Result<Vec<(Source, Named)>> {
    let mut sources = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = find_files(path).with_context(|| format!("cannot read {}", path.display()))?;
            sources.extend(found.into_iter().map(|file| (Source::File(file.path), Named::InFolder)));
        } else {
            sources.push((Source::new(path), Named::ByItself));
        }
    }
    Ok(sources)
}

fn import(gathered: &mut Gathered<'_>, source: &Source) -> Result<Outcome> {
    let name = source.name();
    let input = Input::open(source)?;
    if input.head.trim_ascii().is_empty() && input.head_is_whole {
        return own::import(gathered, input, &name);
    }
    match reading::format_of(&input) {
        Ok(Format::Lookback) => own::import(gathered, input, &name),
        Ok(format) => foreign::import(gathered, input, format, &name).with_context(|| format!("cannot import {name}")),
        Err(error) => Err(anyhow!(error).context(format!("cannot import {name}"))),
    }
}

fn is_unknown(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(ImportError::Unknown)))
}
