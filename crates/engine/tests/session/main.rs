//! What a session does, told as small stories.

mod aftermath;
mod boards;
mod edits;
mod evidence;
mod folds;
mod guests;
mod history;
mod layers;
mod layouts;
mod lies;
mod pictures;
mod planted;
mod requests;
mod restarts;
mod steps;
mod story;
mod tidying;
mod transcripts;
mod upgraded;
mod verdicts;
mod workday;
