#!/bin/bash
# SPDX-License-Identifier: MIT
# test.sh PRESET JOBS [FLAGS OF PYTEST…]: builds, lints, runs the C++ and the Python tests, and says in
# the end which tests were skipped and why, and how long each stage took, also where one of them failed.
# Where nothing has changed since all of them passed, it says what came of them then (AGAIN=1: runs them).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset FENCEPOST_PART  # of a long run
preset=${1:?test.sh PRESET JOBS [FLAGS OF PYTEST…]} jobs=${2:?}
pytest_flags=("${@:3}")
reports=build/$preset/reports
passed=$reports/passed  # what the tests depend on, when they did, and after that what was said of them
stages=()

# A number for all that decides how the tests end: the tree, what is installed, the machine, the words.
state() {
  git rev-parse --verify --quiet HEAD >/dev/null || return
  {
    git rev-parse HEAD
    git diff HEAD --binary
    git ls-files -z --others --exclude-standard | xargs -0 -r sha256sum
    dpkg-query -W
    uname -a
    grep -m 1 -e "^model name" -e "^CPU part" /proc/cpuinfo || true
    nproc
    env | grep -E "^(FENCEPOST_|LANG=|LC_|PATH=|CC=|CXX=|CFLAGS=|CXXFLAGS=)" | sort
    printf '%s\n' "$preset" "$jobs" "${pytest_flags[@]:+${pytest_flags[@]}}"
  } | sha256sum
}
# Without git, or in a tree that is no repository, nothing is known.
now=$(state 2>/dev/null) || now=
if [[ -n $now && -z ${AGAIN:-} && -s $passed && $(head -n 1 "$passed") == "$now" ]]; then
  echo "== Nothing has changed since all tests passed ($(date -r "$passed" '+%F %R')); AGAIN=1 runs them again"
  tail -n +2 "$passed"
  exit 0
fi
rm -f "$passed"

stage() {
  local name=$1 start=$SECONDS status=0
  shift
  # Not as a condition, in which bash would go on after what fails inside.
  set +e
  (set -e; "$@" </dev/null)
  status=$?
  set -e
  stages+=("$(printf '%s %d:%02d' "$name" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60)))")
  ((status == 0)) || exit "$status"
}

tell() {
  local status=$? all
  ((${#stages[@]})) || return "$status"
  printf -v all ', %s' "${stages[@]}"
  echo "== Minutes:${all:1}$( ((status)) && echo ", which failed")"
}
trap tell EXIT

stage build scripts/build.sh "$preset"
# What tests build themselves where they are run alone; here with all processors, and before them.
stage benchmarks scripts/build_bench.sh
stage elsewhere scripts/build_elsewhere.sh
stage lint scripts/lint.sh
mkdir -p "$reports"
echo "== C++ tests (ctest, $preset)"
stage ctest ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$reports/ctest.xml"
echo "== Python and end-to-end tests (pytest)"
# One more than there are processors: some tests wait for others, or for time to pass.
FENCEPOST_BUILD_DIR=build/$preset stage pytest .venv/bin/python -m pytest -n "$((jobs + 1))" \
  --dist worksteal --durations 25 --junitxml "$reports/pytest.xml" \
  ${pytest_flags[@]:+"${pytest_flags[@]}"}
echo "== All tests"
stage skips .venv/bin/python scripts/skips.py "$reports/ctest.xml" "$reports/pytest.xml" \
  | tee "$reports/skips.txt"
# What has been changed meanwhile was not tested.
if [[ -n $now && $(state) == "$now" ]]; then
  { echo "$now"; cat "$reports/skips.txt"; } >"$passed"
fi
