#!/bin/bash
# SPDX-License-Identifier: MIT
# quick.sh PRESET JOBS: what shows most mistakes of a change, soon, from a built tree: lint, the
# C++ tests but those of real threads, and of the Python tests those that are short and look far: the
# checker's verdicts on small programs, its engine beside the enumerator, the command line's own parts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset FENCEPOST_PART  # of a long run
preset=${1:?quick.sh PRESET JOBS} jobs=${2:?}

scripts/build.sh "$preset"
scripts/lint.sh
ctest --preset "$preset" -j "$jobs" --label-exclude real --progress </dev/null
mapfile -t short <tests/quick.txt
FENCEPOST_BUILD_DIR=build/$preset .venv/bin/python -m pytest -n "$jobs" --dist worksteal \
  "${short[@]}" </dev/null
