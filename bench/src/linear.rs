//! Every reader of foreign text, over hostile texts of a size and of its double: instructions may grow 2.3 times at most.
//!
//! Counted by valgrind, which this program starts on itself: figures that noise does not touch.

mod readers;
mod shapes;

use std::{env, fs, process::Command};

use anyhow::{Context as _, Result, bail};

use self::{
    readers::{is_coarse, many, readers},
    shapes::{FEW, SHAPES},
};
use crate::{
    figures::{ratio, thousands},
    table::Table,
};

/// Bytes of the smaller text. Larger than what only the beginning or the end is looked at of, in most readers.
const SIZE: usize = 16_000;

/// The smaller number of small things.
const COUNT: usize = 300;

/// Linear work doubles; some of it sorts, some grows tables.
const MOST: f64 = 2.3;

/// Below that many instructions the fixed part is larger than the text's.
const LITTLE: u64 = 200_000;

/// Of the shapes that grow most.
const SHOWN: usize = 40;

/// Starts the counting and says what grew too fast.
pub(crate) fn measure(only: Option<&str>) -> Result<Table> {
    let folder = tempfile::tempdir()?;
    crate::progress("counting instructions");
    let measured = "--toggle-collect=lookback_bench::linear::measured";
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--combine-dumps=no", measured, &measured.replace("toggle-collect", "dump-after")])
        .arg(format!("--callgrind-out-file={}/out", folder.path().display()))
        .arg(env::current_exe()?)
        .arg("linear")
        .args(only)
        .arg("--uncounted")
        .output()
        .context("instructions are counted by valgrind")?;
    if !output.status.success() {
        bail!("the counted process failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let names = String::from_utf8(output.stdout)?;
    let mut rows = Vec::new();
    for (number, name) in names.lines().enumerate() {
        let [small, large] = [2 * number + 1, 2 * number + 2].map(|dump| {
            let text = fs::read_to_string(folder.path().join(format!("out.{dump}")))?;
            let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
            total.and_then(|total| total.trim().parse::<u64>().ok()).context("valgrind wrote no total")
        });
        rows.push((name.to_owned(), small?, large?));
    }
    let growth = |row: &(String, u64, u64)| if row.2 < LITTLE { 0.0 } else { row.2 as f64 / row.1 as f64 };
    rows.sort_by(|one, other| growth(other).total_cmp(&growth(one)));
    let too_fast: Vec<&str> = rows.iter().filter(|row| growth(row) > MOST).map(|row| row.0.as_str()).collect();
    let note = format!(
        "{} pairs of a reader and a hostile text, {} bytes and twice that; the {SHOWN} that grew most. At most {MOST} times.",
        rows.len(),
        thousands(SIZE as u32)
    );
    let mut table =
        Table::new("Readers of foreign text", note, &["reader and text", "instructions", "twice the text", "growth"]);
    for row in rows.iter().take(SHOWN) {
        table.row([row.0.clone(), row.1.to_string(), row.2.to_string(), ratio(growth(row))]);
    }
    if !too_fast.is_empty() {
        bail!("{table}\nnot linear: {}", too_fast.join("; "));
    }
    Ok(table)
}

/// What valgrind looks at: each pair at both sizes, its name on standard output.
pub(crate) fn run(only: Option<&str>) {
    for (name, read) in many() {
        if only.is_none_or(|only| name.contains(only)) {
            [COUNT, 2 * COUNT].iter().for_each(|count| measured(&|_| read(*count), ""));
            println!("{name}");
        }
    }
    for (reader, read) in readers() {
        for (shape, piece) in &SHAPES[..if is_coarse(&reader) { FEW } else { SHAPES.len() }] {
            let name = format!("{reader}, {shape}");
            if only.is_some_and(|only| !name.contains(only)) {
                continue;
            }
            for size in [SIZE, 2 * SIZE] {
                let text: String = piece.chars().cycle().take(size / piece.len() * piece.chars().count()).collect();
                measured(&*read, &text);
            }
            println!("{name}");
        }
    }
}

#[inline(never)]
fn measured(read: &dyn Fn(&str), text: &str) {
    read(std::hint::black_box(text));
}
