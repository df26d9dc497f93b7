#!/bin/sh
# Instructions that appending 1,000 steps takes: a figure that noise does not touch. Needs valgrind.
# The difference of two runs leaves out start-up and the text generator's vocabulary.
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --release -p lookback-bench
program="${CARGO_TARGET_DIR:-target}/release/lookback-bench"
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" steps --turns "$1" --steps "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}
for turns in 100 10000; do
    with=$(count "$turns" 1000)
    without=$(count "$turns" 0)
    echo "1,000 steps after $turns turns (making their text included): $((with - without)) instructions"
done
