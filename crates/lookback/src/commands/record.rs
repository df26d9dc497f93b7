//! `lookback record ID`: what a session's model said, as a script.

use std::io::Write;

use anyhow::{Result, bail};
use lookback_models::script::{NOT_RECORDED, Recorder, comment};

use crate::{cli::RecordArguments, home, interruption, screen};

pub(crate) fn run(arguments: RecordArguments) -> Result<()> {
    let snapshot = home::open_store()?.snapshot()?;
    let id = snapshot.find(&arguments.id)?;
    let mut recorder = Recorder::default();
    snapshot.for_each_event(&id, |event| {
        recorder.push(&event);
        anyhow::Ok(())
    })?;
    if recorder.is_empty() {
        bail!("session {id} has no reply of a model: there is nothing to play");
    }
    let head = [format!("what the model of session {id} said, step by step"), NOT_RECORDED.to_owned()];
    let text = head.iter().map(|line| comment(line)).collect::<String>() + &recorder.finish();
    match &arguments.out {
        Some(path) => {
            if path.is_file() {
                bail!("{} is there already: name another file, or remove it first", path.display());
            }
            interruption::write_whole(path, &text)?;
            screen::remark(&format!("written; play it with `lookback upstream --script {}`", path.display()));
        }
        None => {
            let mut out = screen::bytes();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    screen::remark("the script holds what the session held, secrets included: read it before you pass it on");
    Ok(())
}
