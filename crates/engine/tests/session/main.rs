//! What a session does, told as small stories.

mod evidence;
mod history;
mod layers;
mod steps;
mod story;
