#!/bin/sh
# Instructions that parts of the work take: figures that noise does not touch. Needs valgrind.
# The difference of two runs leaves out start-up, the text generators and whatever is prepared.
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --release -p lookback-bench
program="${CARGO_TARGET_DIR:-target}/release/lookback-bench"
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 | sed -n 's/.*Collected : //p'
}
# A part of folding, its size, how often, and what that is called.
folding() {
    with=$(count folding --part "$1" --size "$2" --times "$3")
    without=$(count folding --part "$1" --size "$2" --times 0)
    echo "$4: $(((with - without) / $3)) instructions"
}
for turns in 100 10000; do
    with=$(count steps --turns "$turns" --steps 1000)
    without=$(count steps --turns "$turns" --steps 0)
    echo "1,000 steps after $turns turns (making their text included): $((with - without)) instructions"
done
for tokens in 25000 50000 100000 200000; do
    folding fold "$tokens" 1 "a fold by rules of $tokens tokens"
done
folding evidence 100000 10 "an evidence check of a full block, 100000 tokens"
for cuts in 10 40 200; do
    folding planner "$cuts" 1000 "a question to the planner with $cuts cuts"
done
for steps in 20 100; do
    folding tidy "$steps" 10 "a tidy that holds, $steps steps"
done
for folds in 0 10 50 200; do
    folding step "$folds" 4 "a small step after $folds folds (making its text included)"
done
