#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lookback_fuzz::trace::is_refused_or_replays(input));
