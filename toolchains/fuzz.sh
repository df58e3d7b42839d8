#!/usr/bin/env bash
# fuzz.sh - `make fuzz`: random iterators against the model of the specification, random ops against naive loops, and bytes
# chosen by coverage under sanitizers. Prints seeds and, where something differs, a line that can be replayed:
#
#     build/native/stria_tests fuzz_iter FILE     a file with the lines "replay: .."
#     build/fuzz/fuzz_iter_bytes FILE             a file that libFuzzer wrote to build/fuzz/found
#
# In the environment: COUNT iterators (10000000), SEED (1), VALUES ops and as many that overlap (2000000),
# TIME seconds for each byte target (600).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

count="${COUNT:-10000000}" seed="${SEED:-1}" values="${VALUES:-2000000}" seconds="${TIME:-600}"
jobs="$(nproc 2> /dev/null || echo 2)"
status=0

echo "fuzz: $count iterators, $values ops, seed $seed; $seconds s for each byte target"
STRIA_FUZZ_COUNT="$count" STRIA_FUZZ_SEED="$seed" STRIA_FUZZ_JOBS="$jobs" build/native/stria_tests fuzz_iter model || status=1
STRIA_FUZZ_VALUES="$values" STRIA_FUZZ_SEED="$seed" build/native/stria_tests fuzz_values || status=1
STRIA_FUZZ_OVERLAP="$values" STRIA_FUZZ_SEED="$seed" build/native/stria_tests fuzz_overlap || status=1

mkdir -p build/fuzz/found
for target in iter_bytes npy_bytes safetensors_bytes; do
    corpus="build/fuzz/corpus_$target"
    mkdir -p "$corpus"
    number=0
    while read -r line; do
        printf "$(sed 's/../\\x&/g' <<< "$line")" > "$corpus/committed_$number"
        number=$((number + 1))
    done < "tests/fuzz/$target.corpus"
    UBSAN_OPTIONS=print_stacktrace=1 "build/fuzz/fuzz_$target" -seed="$seed" -max_len=600 -max_total_time="$seconds" \
        -timeout=20 -artifact_prefix=build/fuzz/found/ -print_final_stats=1 -verbosity=0 "$corpus" || status=1
done
[ $status = 0 ] && echo "fuzz: nothing found"
exit $status
