//! Counting tokens: the counter of the program beside tiktoken, and whether they say the same.

use std::{env, process::Command, sync::Arc};

use anyhow::{Result, ensure};
use lookback_wire::Provider;

use super::{Way, conversation, in_turn};
use crate::{
    figures::{Samples, milliseconds, ratio, rounded, thousands, timed},
    scale::Scale,
    table::Table,
    text::{Text, Vocabulary},
    tokens::Counter,
};

/// Real texts: English, code, paths. The others are made of invented words, which are more tokens than usual ones.
const SAMPLE: &str = include_str!("../../../fixtures/sample-session.jsonl");

pub(super) fn measure(scale: &Scale, vocabulary: &Arc<Vocabulary>) -> Result<Table> {
    crate::progress("counting tokens");
    let [nothing, line] = processes(scale)?;
    let note = format!(
        "o200k as sessions are counted, beside `tiktoken-rs` (`encode_ordinary`), the same texts one by one. Medians of {} \
         passes, in turn. \"Equal\" says of how many texts both give the same count. A process that counts one line runs for \
         {line} ms from its start to its end, one that counts nothing for {nothing} ms (medians of {}).",
        scale.counting_passes, scale.first_bytes
    );
    let columns = ["texts", "number", "MB", "tokens", "ours MB/s", "tiktoken MB/s", "times as fast", "equal"];
    let mut table = Table::new("Counting tokens", note, &columns);
    for (name, texts) in texts(scale, vocabulary) {
        row(&mut table, scale, name, &texts)?;
    }
    Ok(table)
}

/// How long processes run that count nothing, and one line.
fn processes(scale: &Scale) -> Result<[String; 2]> {
    let program = env::current_exe()?;
    let mut samples = [("", Samples::default()), ("fn main() { println!(\"hello, wörld\"); }", Samples::default())];
    for _ in 0..scale.first_bytes {
        for (text, samples) in &mut samples {
            let (output, took) = timed(|| Command::new(&program).args(["count", *text]).output());
            ensure!(output?.status.success(), "the counting process failed");
            samples.push(took);
        }
    }
    Ok(samples.map(|(_, samples)| milliseconds(samples.median())))
}

fn texts(scale: &Scale, vocabulary: &Arc<Vocabulary>) -> [(&'static str, Vec<String>); 5] {
    let mut text = Text::new(Arc::clone(vocabulary), 5);
    let number = scale.counted_texts;
    let results = (0..number).map(|_| text.output(2_000)).collect();
    let long = (0..number.div_ceil(100)).map(|_| text.output(200_000)).collect();
    let chinese = (0..number).map(|_| text.chinese(300)).collect();
    let body = conversation::body(Provider::Anthropic, number * 1_000, vocabulary);
    [
        ("lines of the sample session", SAMPLE.lines().map(str::to_owned).collect()),
        ("tool results of 2 kB", results),
        ("tool results of 200 kB", long),
        ("Chinese", chinese),
        ("a body of JSON", vec![String::from_utf8_lossy(&body).into_owned()]),
    ]
}

fn row(table: &mut Table, scale: &Scale, name: &str, texts: &[String]) -> Result<()> {
    let ours = |text: &String| Counter::O200k.count()(text.as_bytes()) as usize;
    let theirs = |text: &String| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    let equal = texts.iter().filter(|text| ours(text) == theirs(text)).count();
    let mut ways = [Way::new(|| Ok(texts.iter().map(ours).sum())), Way::new(|| Ok(texts.iter().map(theirs).sum()))];
    in_turn(&mut ways, scale.counting_passes)?;
    let [own, tiktoken] = &ways;
    let bytes = texts.iter().map(String::len).sum();
    let tokens: usize = texts.iter().map(ours).sum();
    table.row([
        name.to_owned(),
        thousands(texts.len() as u64),
        rounded(bytes as f64 / 1e6),
        thousands(tokens as u64),
        own.megabytes_per_second(bytes),
        tiktoken.megabytes_per_second(bytes),
        ratio(tiktoken.seconds() / own.seconds()),
        format!("{equal} of {}", texts.len()),
    ]);
    Ok(())
}
