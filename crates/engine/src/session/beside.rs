//! What goes on beside the conversation, recorded: snapshots of files, jobs in the background, questions whether a call may
//! run. None of it changes the view.

use super::Session;
use crate::{
    context::Context,
    error::{SessionError, expect_idle},
    recorder::Book,
    trace::{
        EventBody, Output, TurnNo,
        event::{
            DecidedBy, JobEnded, JobStarted, Permission, PermissionAsked, PermissionDecided, SnapshotTaken,
            SnapshotUndone,
        },
    },
};

impl Session {
    /// The files as they are now, by the name that the shadow store knows them by.
    pub fn snapshot_taken(
        &mut self,
        turn: TurnNo,
        id: String,
        left_out: Vec<String>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let number = self.how_many(|event| matches!(event, EventBody::SnapshotTaken(_))) + 1;
        self.record(EventBody::SnapshotTaken(Box::new(SnapshotTaken { number, turn, id, left_out })), context)
    }

    /// The files are again as a snapshot has them.
    pub fn snapshot_undone(&mut self, undone: SnapshotUndone, context: &Context<'_>) -> Result<(), SessionError> {
        expect_idle(&self.history)?;
        self.record(EventBody::SnapshotUndone(Box::new(undone)), context)
    }

    /// A call waits for leave to run. Gives the number of the question.
    pub fn ask_permission(
        &mut self,
        id: &str,
        what: String,
        reason: String,
        context: &Context<'_>,
    ) -> Result<u32, SessionError> {
        let (turn, index) = self.place_of(id)?;
        let number = self.how_many(|event| matches!(event, EventBody::PermissionAsked(_))) + 1;
        let asked = PermissionAsked { number, turn, index, what, reason };
        self.record(EventBody::PermissionAsked(Box::new(asked)), context)?;
        Ok(number)
    }

    /// Whether it may, by the number of the question.
    pub fn decide_permission(
        &mut self,
        number: u32,
        decision: Permission,
        by: DecidedBy,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let decided = PermissionDecided { number, decision, by };
        self.record(EventBody::PermissionDecided(Box::new(decided)), context)
    }

    /// The last number that a job has.
    pub fn last_job(&self) -> u32 {
        let numbers = self.trace().iter().filter_map(|event| match &event.event {
            EventBody::JobStarted(job) => Some(job.number),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }

    /// The command of a call goes on in the background.
    pub fn job_started(
        &mut self,
        id: &str,
        number: u32,
        command: String,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let (turn, index) = self.place_of(id)?;
        let started = JobStarted { number, turn, index, command };
        self.record(EventBody::JobStarted(Box::new(started)), context)
    }

    /// It is over.
    pub fn job_ended(&mut self, ended: JobEnded, context: &Context<'_>) -> Result<(), SessionError> {
        self.record(EventBody::JobEnded(Box::new(ended)), context)
    }

    /// No job outlives the process that started it.
    pub(super) fn end_lost_jobs(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let mut open = Vec::new();
        for event in self.trace() {
            match &event.event {
                EventBody::JobStarted(job) => open.push(job.number),
                EventBody::JobEnded(job) => open.retain(|number| *number != job.number),
                _ => {}
            }
        }
        open.into_iter().try_for_each(|number| {
            self.job_ended(JobEnded { number, exit_code: None, output: Output::from("") }, context)
        })
    }

    /// The tool turn of a call, and its place in it.
    fn place_of(&self, id: &str) -> Result<(TurnNo, u32), SessionError> {
        self.history.index().call(id).ok_or_else(|| SessionError::NoSuchCall(id.to_owned()))
    }

    fn how_many(&self, is_one: impl Fn(&EventBody) -> bool) -> u32 {
        self.trace().iter().filter(|event| is_one(&event.event)).count() as u32
    }
}
