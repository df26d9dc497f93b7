//! Bytes from outside: request bodies, streams and token counts, each beside what one would take instead.

mod bodies;
mod conversation;
mod counting;
mod raw;
mod streams;

use std::{hint::black_box, sync::Arc};

use anyhow::Result;

use crate::{
    figures::{Samples, rounded, timed},
    scale::Scale,
    table::Table,
    text::Vocabulary,
};

pub(crate) fn measure(scale: &Scale) -> Result<Vec<Table>> {
    let vocabulary = Arc::new(Vocabulary::new());
    Ok(vec![
        bodies::measure(scale, &vocabulary)?,
        streams::measure(scale, &vocabulary)?,
        counting::measure(scale, &vocabulary)?,
    ])
}

/// One way to work through some bytes, and how long it took each time.
struct Way<'a> {
    work: Box<dyn FnMut() -> Result<usize> + 'a>,
    samples: Samples,
}

impl<'a> Way<'a> {
    fn new(work: impl FnMut() -> Result<usize> + 'a) -> Self {
        Self { work: Box::new(work), samples: Samples::default() }
    }

    fn seconds(&self) -> f64 {
        self.samples.median()
    }

    fn megabytes_per_second(&self, bytes: usize) -> String {
        rounded(bytes as f64 / 1e6 / self.seconds())
    }
}

/// The ways in turn, so that whatever else the machine does meets all of them.
fn in_turn(ways: &mut [Way<'_>], passes: usize) -> Result<()> {
    for _ in 0..passes {
        for way in &mut *ways {
            let (outcome, took) = timed(|| (way.work)());
            black_box(outcome?);
            way.samples.push(took);
        }
    }
    Ok(())
}
