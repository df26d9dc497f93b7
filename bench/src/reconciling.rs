//! What the engine expects a call's input to be billed as, against what it was.
//!
//! No time is measured here: the figures are the same on every machine.

use std::path::Path;

use anyhow::Result;
use lookback_replay::check::input::{InputErrors, check_input, quantile};

use crate::{
    figures::{thousands, verdict},
    replay::{Group, read_groups, read_session},
    table::Table,
};

/// Of the whole input.
const MEDIAN: f64 = 0.02;
const P95: f64 = 0.05;

/// The sample, and what lies in the folder where one is given.
pub(crate) fn measure(folder: Option<&Path>) -> Result<Vec<Table>> {
    let groups = read_groups(1, folder)?;
    let mut rows = Vec::new();
    for group in &groups {
        crate::progress(&format!("reconciling {}", group.name));
        let found = errors(group)?;
        // Some clients write no usage down.
        if !found.errors.is_empty() {
            rows.push((group, found));
        }
    }
    Ok(vec![table(&rows)])
}

fn errors(group: &Group) -> Result<InputErrors> {
    let mut found = InputErrors::default();
    for file in &group.files {
        read_session(file, |conversation| found.extend(check_input(conversation)))?;
    }
    Ok(found)
}

fn table(rows: &[(&Group, InputErrors)]) -> Table {
    let note = format!(
        "Before each call its whole input is estimated as the engine does: last usage + running factor × tokens (o200k) that \
         came since. Error: |estimated − billed| / billed. First calls of a session or a model have no last usage; after a \
         compaction or a rewind no file shows what was sent: both are counted and not in the error. Target: median at most \
         {:.0}%, p95 at most {:.0}%.",
        MEDIAN * 100.0,
        P95 * 100.0,
    );
    let columns = [
        "sessions of",
        "number",
        "calls",
        "median",
        "p95",
        "p99",
        "max",
        "first calls",
        "restarts",
        "their median",
        "target",
    ];
    let mut table = Table::new("The input of a call, expected and billed", note, &columns);
    for (group, found) in rows {
        table.row([
            group.name.clone(),
            group.sessions().to_string(),
            thousands(found.errors.len() as u64),
            percent(found.quantile(0.5)),
            percent(found.quantile(0.95)),
            percent(found.quantile(0.99)),
            percent(found.quantile(1.0)),
            thousands(found.first),
            thousands(found.restarted.len() as u64),
            percent(quantile(&found.restarted, 0.5)),
            verdict(reaches_target(found)),
        ]);
    }
    table
}

fn reaches_target(found: &InputErrors) -> bool {
    found.quantile(0.5).is_some_and(|median| median <= MEDIAN) && found.quantile(0.95).is_some_and(|p95| p95 <= P95)
}

fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |share| format!("{:.2}%", share * 100.0))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Recorded sessions that the repository does not hold.
    fn recorded() -> Option<PathBuf> {
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
        let shared = std::env::var_os("LOOKBACK_SHARED").map_or_else(beside, PathBuf::from);
        Some(shared.join("corpus/claude-code")).filter(|folder| folder.is_dir())
    }

    #[test]
    fn the_input_of_recorded_calls_is_known_before_they_are_billed() {
        let folder = recorded();
        if folder.is_none() {
            crate::progress(
                "no recorded sessions beside this repository (LOOKBACK_SHARED): the sample alone is checked",
            );
        }
        for group in read_groups(1, folder.as_deref()).unwrap() {
            let found = errors(&group).unwrap();
            assert!(found.errors.len() >= 10, "{}: {} calls", group.name, found.errors.len());
            assert!(
                reaches_target(&found),
                "{}: median {}, p95 {}",
                group.name,
                percent(found.quantile(0.5)),
                percent(found.quantile(0.95))
            );
        }
    }
}
