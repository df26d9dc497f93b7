#![no_main]

use lookback_replay::recording::Format;

libfuzzer_sys::fuzz_target!(|input: &[u8]| lookback_fuzz::import::becomes_a_trace(Format::Pi, input));
