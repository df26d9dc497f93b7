#![no_main]

use lookback_wire::Provider;

libfuzzer_sys::fuzz_target!(|input: &[u8]| lookback_fuzz::reply::reading_does_not_depend_on_chunks(
    Provider::Responses,
    input
));
