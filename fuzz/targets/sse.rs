#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lookback_fuzz::sse::events_do_not_depend_on_chunks(input));
