//! For the tests of this crate: what `lookback __inside SPEC` is in the program, and nothing else.

fn main() {
    let spec = std::env::args().nth(2).unwrap_or_default();
    let failure = lookback_tools::sandbox::enter_and_exec(&spec);
    std::process::exit(if failure.message.is_empty() { 0 } else { 1 });
}
