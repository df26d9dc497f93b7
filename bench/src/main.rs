//! Measures engine, store, replay and wire in one run and prints a table for each group: `cargo run --release -p lookback-bench`.
//!
//! Machines are noisy: compare figures of one run, and ratios rather than times. Progress goes to standard error.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing figures is this program's job")]

mod agent;
mod append;
mod disk;
mod figures;
mod first_byte;
mod folding;
mod grep;
mod linear;
mod many;
mod memory;
mod random;
mod recall;
mod reconciling;
mod reopen;
mod replay;
mod scale;
mod sized;
mod table;
mod text;
mod tokens;
mod wire;
mod workload;

use std::{path::PathBuf, sync::Arc};

use anyhow::Result;
use clap::{Parser, Subcommand};
use tempfile::TempDir;

use crate::{
    folding::Part,
    memory::Way,
    scale::Scale,
    table::Table,
    text::Vocabulary,
    tokens::Counter,
    workload::{Sizes, Workload},
};

#[derive(Debug, Parser)]
#[command(about = "Measures Lookback's engine, store, replay and wire side by side and prints markdown tables")]
struct Arguments {
    /// Small sizes, some seconds: shows that everything runs; the figures mean nothing
    #[arg(long)]
    quick: bool,
    /// Where the stores are made and removed again: a directory on a real disk with 3 GB of room
    #[arg(long, value_name = "PATH")]
    directory: Option<PathBuf>,
    #[command(subcommand)]
    job: Option<Job>,
}

#[derive(Debug, Subcommand)]
enum Job {
    /// Builds one session and prints what memory it takes (what the memory group starts)
    #[command(hide = true)]
    Memory {
        #[arg(long)]
        way: Way,
        #[arg(long)]
        turns: u32,
        #[arg(long)]
        home: PathBuf,
    },
    /// Counts the tokens of one text (what the group of token counts starts)
    #[command(hide = true)]
    Count { text: String },
    /// Appends steps to a session and prints nothing: for profilers and instruction counters
    Steps {
        #[arg(long, default_value_t = 100)]
        turns: u32,
        #[arg(long, default_value_t = 1_000)]
        steps: usize,
    },
    /// Does one part of folding so many times and prints nothing: for the same
    Folding {
        #[arg(long)]
        part: Part,
        /// Tokens, cuts, steps or folds, by the part
        #[arg(long)]
        size: u64,
        #[arg(long, default_value_t = 1)]
        times: usize,
    },
    /// Prints the tables of folding alone
    Folds,
    /// Prints the tables of replay alone, over the shipped sample and recorded sessions of your own
    Replay {
        /// A folder of recorded sessions, plain or .zst
        folder: Option<PathBuf>,
    },
    /// Prints the tables of bodies, streams and token counts alone
    Wire,
    /// Prints the table of our client beside curl alone
    FirstByte,
    /// Starts programs as agents and prints how long until their first request, and what memory 1,000 steps take
    Agent {
        /// `lookback` programs, one after the other
        #[arg(required = true)]
        programs: Vec<PathBuf>,
    },
    /// Prints the table of Grep beside rg alone
    Grep,
    /// Has programs import many generated sessions and remove them again, and prints how long that takes
    Many {
        /// `lookback` programs, one after the other [default: only the files are written, into --directory]
        programs: Vec<PathBuf>,
        #[arg(long, default_value_t = 50_000)]
        sessions: usize,
    },
    /// Counts the instructions of every reader of foreign text at a size and at its double; fails where they more than double
    Linear {
        /// Only readers and texts whose names hold this
        only: Option<String>,
        /// What is started under valgrind
        #[arg(long, hide = true)]
        uncounted: bool,
    },
    /// Prints how well the input of a call is known before it is billed, over the same
    Tokens {
        /// A folder of recorded sessions, plain or .zst
        folder: Option<PathBuf>,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let scale = if arguments.quick { Scale::QUICK } else { Scale::FULL };
    match arguments.job {
        Some(Job::Memory { way, turns, home }) => {
            let [resident, peak, body] = memory::report(way, turns, &home)?;
            println!("{resident} {peak} {body}");
            Ok(())
        }
        Some(Job::Count { text }) => {
            println!("{}", Counter::O200k.count()(text.as_bytes()));
            Ok(())
        }
        Some(Job::Steps { turns, steps }) => append_steps(turns, steps),
        Some(Job::Folding { part, size, times }) => folding::run(part, size, times),
        Some(Job::Folds) => print(folding::measure(&scale)?),
        Some(Job::FirstByte) => print(first_byte::measure(&scale)?),
        Some(Job::Wire) => print(wire::measure(&scale)?),
        Some(Job::Replay { folder }) => print(replay::measure(&scale, folder.as_deref())?),
        Some(Job::Agent { programs }) => print(agent::measure(&scale, &programs)?),
        Some(Job::Grep) => {
            let directory = place(arguments.directory)?;
            print(grep::measure(&scale, directory.path(), &Arc::new(Vocabulary::new()))?)
        }
        Some(Job::Many { programs, sessions }) => many(arguments.directory, sessions, &programs),
        Some(Job::Linear { only, uncounted: true }) => {
            linear::run(only.as_deref());
            Ok(())
        }
        Some(Job::Linear { only, uncounted: false }) => print(vec![linear::measure(only.as_deref())?]),
        Some(Job::Tokens { folder }) => print(reconciling::measure(folder.as_deref())?),
        None => measure(&scale, arguments.directory),
    }
}

fn measure(scale: &Scale, directory: Option<PathBuf>) -> Result<()> {
    let directory = place(directory)?;
    disk::expect_room(directory.path(), scale.store_bytes * 3)?;
    let vocabulary = Arc::new(Vocabulary::new());
    let sized = directory.path().join("sized");
    println!("{}", append::measure(scale, &sized, &vocabulary)?);
    println!("{}", reopen::measure(scale, &sized)?);
    print(recall::measure(scale, &directory.path().join("large"), &vocabulary)?)?;
    print(folding::measure(scale)?)?;
    print(replay::measure(scale, None)?)?;
    print(wire::measure(scale)?)?;
    print(first_byte::measure(scale)?)?;
    print(reconciling::measure(None)?)?;
    println!("{}", memory::measure(scale, &sized)?);
    Ok(())
}

fn many(directory: Option<PathBuf>, sessions: usize, programs: &[PathBuf]) -> Result<()> {
    if let (Some(directory), []) = (&directory, programs) {
        return many::generate(directory, sessions);
    }
    let directory = place(directory)?;
    many::generate(&directory.path().join("sessions"), sessions)?;
    print(vec![many::measure(directory.path(), sessions, programs)?])
}

fn place(directory: Option<PathBuf>) -> Result<TempDir> {
    Ok(match directory {
        Some(directory) => tempfile::tempdir_in(directory)?,
        None => tempfile::tempdir()?,
    })
}

fn print(tables: Vec<Table>) -> Result<()> {
    tables.iter().for_each(|table| println!("{table}"));
    Ok(())
}

fn append_steps(turns: u32, steps: usize) -> Result<()> {
    let mut workload = Workload::new(&Arc::new(Vocabulary::new()), Sizes::Small, 1);
    let mut session = workload.start("steps")?;
    workload.grow(&mut session, turns)?;
    for _ in 0..steps {
        let step = workload.next_step();
        workload.record(&mut session, step)?;
    }
    Ok(())
}

pub(crate) fn progress(what: &str) {
    eprintln!("· {what}");
}
