//! `Write`: a whole file, new or over one that was read.

use lookback_engine::{
    evidence::split_lines,
    trace::{ResultData, result::WriteData},
};
use serde::Deserialize;

use super::{
    Outcome,
    change::{Current, store},
    replace::Before,
    text::{Ending, Form},
};
use crate::{
    envelope::{Done, Failure},
    project::Project,
    seen::Seen,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    #[serde(alias = "file_path")]
    path: String,
    content: String,
}

pub(super) fn write(project: &Project, seen: &Seen, arguments: &Arguments) -> Result<Outcome, Failure> {
    let place = project.place(&arguments.path)?;
    let (content, file) = if place.exists() {
        let current = Current::load(&place, seen)?;
        // A reader is shown neither the endings nor the mark, so a rewritten file keeps them.
        let content = match Ending::of(&current.text) {
            Ending::CrLf => Ending::CrLf.put(&arguments.content),
            Ending::Lf => arguments.content.clone(),
        };
        let file = store(&place, seen, current.form, content.as_bytes(), Before::File(&current.about))?;
        (content, file)
    } else {
        let content = arguments.content.clone();
        let file = store(&place, seen, Form::PLAIN, content.as_bytes(), Before::Nothing)?;
        (content, file)
    };
    let created = !place.exists();
    let verb = if created { "created" } else { "overwrote" };
    let text = format!("{verb} {}: {} lines", place.name, split_lines(content.as_bytes()).count());
    let data = ResultData::Write(WriteData { path: place.name.clone(), created, content: content.into() });
    let done = Done { text: text.into(), data, is_partial: false, path: Some(place.name) };
    Ok(Outcome { done, file: Some(file), as_came: None })
}
