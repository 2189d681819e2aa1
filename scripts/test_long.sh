#!/bin/bash
# SPDX-License-Identifier: MIT
# test_long.sh JOBS [FLAGS OF PYTEST…]: what does not fit into `make test`, which takes a sample of it:
# slow proofs, tens of thousands of random programs, a third of the programs with each other compiler,
# every order of the library a step weaker, and ten minutes of all locks. Hours; what it has found is
# said as it is found. FENCEPOST_PART=2/6 is the second of six parts, for another day or machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:?test_long.sh JOBS [FLAGS OF PYTEST…]}
scripts/build.sh release
FENCEPOST_SLOW=1 FENCEPOST_BUILD_DIR=build/release .venv/bin/python -m pytest -n "$jobs" \
  --dist worksteal -m "slow or sampled or matrix or lot" --durations 0 "${@:2}" </dev/null
