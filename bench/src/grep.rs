//! `Grep` beside `rg` over the same tree, in turn. Both walk, search and count all of it; `rg` prints every line into a
//! pipe, `Grep` shows the first 200 and is called in this process.

use std::{fs, path::Path, process::Command, sync::Arc, time::Instant};

use anyhow::{Context as _, Result, ensure};
use lookback_engine::trace::{ResultData, Status};
use lookback_tools::{FileTools, Project, ToolName};
use serde_json::json;

use crate::{
    figures::{Samples, rounded, thousands, verdict},
    scale::Scale,
    table::Table,
    text::{COMMON, Text, Vocabulary},
};

const IN_FOLDER: usize = 100;
/// What `Grep` may take of `rg`'s time.
const TARGET: f64 = 1.2;

pub(crate) fn measure(scale: &Scale, directory: &Path, vocabulary: &Arc<Vocabulary>) -> Result<Vec<Table>> {
    if Command::new("rg").arg("--version").output().is_err() {
        eprintln!("SKIPPED Grep beside rg: there is no rg here (install ripgrep)");
        return Ok(Vec::new());
    }
    let root = directory.join("tree");
    make_tree(&root, scale.grep_files, vocabulary)?;
    let project = Project::new(&root, &[])?;
    let tools = FileTools::new(Arc::new(project));
    let queries = [
        ("a word that is not there", "zzyzx_nowhere".to_owned()),
        ("a rare word", "needle_4711".to_owned()),
        ("a frequent word", COMMON[0].to_owned()),
        ("an expression", r"fn \w+_\w+\(.*\) ->".to_owned()),
        ("either of three, any case", "(?i)needle|timeout|zzyzx".to_owned()),
    ];
    let note = format!(
        "{} files of some kB in folders of {IN_FOLDER}, in the page cache; {} times each, in turn, medians, ms, `rg`'s with \
         the start of its process. Target: {TARGET}× of `rg`.",
        thousands(scale.grep_files as u64),
        scale.greps
    );
    let mut table = Table::new("Grep beside rg", note, &["query", "lines", "Grep ms", "rg ms", "Grep / rg", "target"]);
    for (name, pattern) in queries {
        crate::progress(&format!("searching for {name}"));
        let (mut ours, mut theirs, mut lines) = (Samples::default(), Samples::default(), 0);
        for round in 0..=scale.greps {
            let began = Instant::now();
            let result = tools.run(ToolName::Grep, &json!({ "pattern": pattern }), &|| false);
            let own = began.elapsed();
            let ResultData::Search(found) = &result.data else { anyhow::bail!("Grep says {:?}", result.error) };
            ensure!(result.status != Status::Error);
            let began = Instant::now();
            let rg = Command::new("rg").args(["--no-config", "-n", "-e", &pattern, "."]).current_dir(&root).output()?;
            let other = began.elapsed();
            lines = memchr::memchr_iter(b'\n', &rg.stdout).count();
            ensure!(lines == found.match_count as usize, "{pattern}: Grep {} lines, rg {lines}", found.match_count);
            // The first round only warms up.
            if round > 0 {
                ours.push(own);
                theirs.push(other);
            }
        }
        let times = ours.median() / theirs.median();
        table.row([
            name.to_owned(),
            thousands(lines as u64),
            rounded(ours.median() * 1e3),
            rounded(theirs.median() * 1e3),
            format!("{times:.2}×"),
            verdict(times <= TARGET),
        ]);
    }
    fs::remove_dir_all(&root).context("the tree cannot be removed")?;
    Ok(vec![table])
}

fn make_tree(root: &Path, files: usize, vocabulary: &Arc<Vocabulary>) -> Result<()> {
    crate::progress(&format!("writing {files} files"));
    let mut text = Text::new(Arc::clone(vocabulary), 17);
    for number in 0..files {
        let folder = root.join(format!("part-{}/group-{}", number / IN_FOLDER / 10, number / IN_FOLDER));
        if number % IN_FOLDER == 0 {
            fs::create_dir_all(&folder)?;
        }
        let mut content = text.output(1_000 + number * 37 % 4_000);
        content.push_str(&format!("\nfn {}_{number}(x: u32) -> u32 {{\n", text.word()));
        if number % 5_000 == 11 {
            content.push_str("let needle_4711 = x;\n");
        }
        fs::write(folder.join(format!("file-{number}.rs")), content)?;
    }
    Ok(())
}
