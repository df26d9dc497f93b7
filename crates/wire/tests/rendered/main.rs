//! Properties of the whole crate, over conversations as they may come.

mod accepted;
mod conversations;
mod read_back;
