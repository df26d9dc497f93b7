//! Whole sessions over real HTTP against the test upstream: what the ledger expects is what it bills, and nothing that we
//! send is refused.

mod compactors;
mod faults;
mod harness;
mod ledger;
mod spawned;
mod thinking;
