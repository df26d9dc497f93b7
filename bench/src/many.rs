//! Many small sessions through the program itself: importing them, and removing them by their age. The generator is here,
//! so that two programs can be given the same files.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    figures::rounded,
    progress,
    table::Table,
    text::{Text, Vocabulary},
};

/// Files in one folder, as agents keep them: by project.
const IN_FOLDER: usize = 1_000;

/// Writes as many sessions of Claude Code, each of two calls: a command is run, and an answer given.
pub(crate) fn generate(folder: &Path, sessions: usize) -> Result<()> {
    progress(&format!("writing {sessions} sessions"));
    let mut text = Text::new(Arc::new(Vocabulary::new()), 7);
    for number in 0..sessions {
        let project = folder.join(format!("project-{}", number / IN_FOLDER));
        if number % IN_FOLDER == 0 {
            fs::create_dir_all(&project)?;
        }
        fs::write(project.join(format!("{number}.jsonl")), session(&mut text, number))?;
    }
    Ok(())
}

fn session(text: &mut Text, number: usize) -> String {
    let name = format!("generated-{number}");
    let run =
        json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": format!("make {}", text.word())}});
    let result = json!({"tool_use_id": "t1", "type": "tool_result", "content": text.output(1_500)});
    let messages = [
        ("user", json!({"role": "user", "content": text.sentence(20)})),
        ("assistant", reply("m1", json!([{"type": "text", "text": text.sentence(12)}, run]), 0)),
        ("user", json!({"role": "user", "content": [result]})),
        ("assistant", reply("m2", json!([{"type": "text", "text": text.sentence(40)}]), 9_000)),
    ];
    let mut lines = String::new();
    for (place, (kind, message)) in messages.into_iter().enumerate() {
        let line = json!({
            "parentUuid": place.checked_sub(1).map(|before| format!("u{before}")), "isSidechain": false, "cwd": "/w",
            "sessionId": name, "version": "2.1.0", "type": kind, "message": message, "uuid": format!("u{place}"),
            "timestamp": format!("2026-05-01T10:{:02}:{place:02}.000Z", number % 60),
        });
        lines.push_str(&format!("{line}\n"));
    }
    lines
}

fn reply(id: &str, content: Value, cached: u64) -> Value {
    json!({
        "id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-6", "content": content,
        "usage": {
            "input_tokens": 4, "cache_creation_input_tokens": 600, "cache_read_input_tokens": cached, "output_tokens": 30,
        },
    })
}

/// Each program imports the files into a store of its own, and then removes them as old ones.
pub(crate) fn measure(directory: &Path, sessions: usize, programs: &[PathBuf]) -> Result<Table> {
    let mut table = Table::new(
        "Many small sessions",
        format!(
            "{sessions} generated sessions of Claude Code with two calls each: `lookback import FOLDER`, and then \
             `lookback sessions rm --older-than 1h` of all of them, by the clock. Target: 50,000 imported in 120 s."
        ),
        &["program", "import s", "ms/session", "MB in the store", "remove s", "MB afterwards"],
    );
    for (number, program) in programs.iter().enumerate() {
        progress(&format!("{} imports", program.display()));
        let home = directory.join(format!("home-{number}"));
        let import = run(program, &home, &["import".as_ref(), directory.join("sessions").as_os_str()])?;
        let stored = size(&home)?;
        // As if they had been imported long ago. Programs that do not know when that was need no telling.
        let _ = Connection::open(home.join("lookback.db"))?.execute("UPDATE sessions SET stored = 0", []);
        progress(&format!("{} removes", program.display()));
        let old = ["sessions", "rm", "--older-than", "1h"].map(AsRef::as_ref);
        let asked = [&old[..], &["--yes".as_ref()]].concat();
        // Programs from before they asked; those that take all locks at once may fail.
        let remove = run(program, &home, &asked).or_else(|_| run(program, &home, &old)).ok();
        table.row([
            program.display().to_string(),
            rounded(import),
            rounded(import * 1e3 / sessions as f64),
            rounded(stored),
            remove.map_or_else(|| "failed".to_owned(), rounded),
            rounded(size(&home)?),
        ]);
    }
    Ok(table)
}

/// Seconds.
fn run(program: &Path, home: &Path, arguments: &[&std::ffi::OsStr]) -> Result<f64> {
    let begun = Instant::now();
    let mut command = Command::new(program);
    command.args(arguments).env("LOOKBACK_HOME", home).stdout(Stdio::null());
    let status = command.status().with_context(|| format!("{} does not run", program.display()))?;
    ensure!(status.success(), "{} ends with {status}", program.display());
    Ok(begun.elapsed().as_secs_f64())
}

/// The database with its log, in megabytes.
fn size(home: &Path) -> Result<f64> {
    let of = |name: &str| fs::metadata(home.join(name)).map_or(0, |file| file.len());
    Ok((of("lookback.db") + of("lookback.db-wal")) as f64 / 1e6)
}
