#![no_main]

use lookback_wire::Provider;

libfuzzer_sys::fuzz_target!(|input: &[u8]| lookback_fuzz::body::bytes_survive(Provider::Anthropic, input));
