#!/bin/bash
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS [TARGET…]: builds the fuzz targets of tests/fuzz and has each look for inputs that end
# it, for so many seconds, as many at a time as there are processors. What it learns stays in
# build/fuzz/corpora, what ended a target in build/fuzz/findings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:?fuzz.sh SECONDS [TARGET…]} targets=("${@:2}")
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  echo "fuzz.sh: SECONDS is a whole number above 0, not '$seconds'" >&2
  exit 2
}
programs=build/fuzz/tests/fuzz
findings=build/fuzz/findings
((${#targets[@]})) || targets=($(cd tests/fuzz/corpora && ls))

scripts/build.sh fuzz fuzz
mkdir -p "$findings" build/fuzz/logs

fuzz_one() {
  local seconds=$1 target=$2 log=build/fuzz/logs/$2.txt
  mkdir -p "build/fuzz/corpora/$target"
  if ! nice -n 5 "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=60 \
    -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$target-" \
    "build/fuzz/corpora/$target" "tests/fuzz/corpora/$target" >"$log" 2>&1; then
    grep -E "ERROR|runtime error|does not hold|artifact_prefix" "$log" | sed "s/^/   $target: /" >&2
    return 1
  fi
  echo "   $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
}
export -f fuzz_one

echo "== Fuzzing ${#targets[@]} targets for $seconds s each"
if ! printf '%s\0' "${targets[@]}" |
  xargs -0 -n 1 -P "${JOBS:-$(nproc)}" bash -c 'fuzz_one "$@"' fuzz_one "$seconds"; then
  echo "   what ended a target is in $findings: run $programs/fuzz_TARGET with it. Mend what it shows," >&2
  echo "   and keep it in tests/fuzz/corpora/TARGET. All that was said is in build/fuzz/logs." >&2
  exit 1
fi
