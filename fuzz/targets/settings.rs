#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lookback_fuzz::settings::are_read_or_refused(input));
