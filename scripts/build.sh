#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh PRESET: configures build/PRESET once, then builds it. CMake itself reconfigures when one
# of its files has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:?build.sh PRESET}

if [[ ! -f build/$preset/build.ninja ]]; then
  echo "== Configuring build/$preset"
  cmake --preset "$preset" --log-level=WARNING
fi
echo "== Building build/$preset"
cmake --build --preset "$preset"
