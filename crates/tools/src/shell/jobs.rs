//! Commands in the background, by their numbers.

use std::collections::BTreeMap;

use super::running::Running;
use crate::envelope::{Code, Failure};

pub(super) struct Job {
    pub(super) command: String,
    pub(super) running: Running,
    /// How much of its output was read.
    pub(super) seen: u64,
    /// Its end was taken into the record.
    is_recorded: bool,
}

/// In the order in which they began.
#[derive(Default)]
pub(super) struct Jobs {
    jobs: BTreeMap<u32, Job>,
    /// The last number that was used before.
    pub(super) before: u32,
}

impl Jobs {
    /// Its number; ended at once where there are too many.
    pub(super) fn add(&mut self, command: String, running: Running, most: usize) -> Result<u32, Failure> {
        let alive = self.jobs.values().filter(|job| job.running.over().is_none()).count();
        if alive >= most {
            running.end();
            let why = format!("{alive} background commands run already: end one with Job");
            return Err(Failure::new(Code::Conflict, why));
        }
        let number = self.jobs.last_key_value().map_or(self.before, |(last, _)| *last) + 1;
        self.jobs.insert(number, Job { command, running, seen: 0, is_recorded: false });
        Ok(number)
    }

    pub(super) fn find(&mut self, id: &str) -> Result<&mut Job, Failure> {
        let known: Vec<String> = self.jobs.keys().map(|number| format!("job-{number}")).collect();
        let number = id.strip_prefix("job-").and_then(|number| number.parse().ok());
        number.and_then(|number: u32| self.jobs.get_mut(&number)).ok_or_else(|| {
            let known =
                if known.is_empty() { "there is none".to_owned() } else { format!("there are {}", known.join(", ")) };
            Failure::new(Code::NotFound, format!("no background command {id}: {known}"))
        })
    }

    /// Those that ended and were not recorded yet.
    pub(super) fn take_ended(&mut self) -> impl Iterator<Item = (u32, &mut Job)> {
        self.jobs.iter_mut().filter_map(|(number, job)| {
            let is_new = !job.is_recorded && job.running.over().is_some();
            job.is_recorded |= is_new;
            is_new.then_some((*number, job))
        })
    }

    pub(super) fn end_all(&mut self) {
        for job in self.jobs.values() {
            job.running.end();
        }
        for job in self.jobs.values() {
            job.running.wait(None, &|| false);
        }
    }
}
