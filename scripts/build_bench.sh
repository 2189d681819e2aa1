#!/bin/bash
# SPDX-License-Identifier: MIT
# build_bench.sh [SUBJECT…]: configures build/bench, with the peers that are installed now, and builds
# the programs of these subjects, or all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
targets=("${@/#/bench_}")
((${#targets[@]})) || targets=(bench_all)

cmake -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DFENCEPOST_BENCH=ON -DFENCEPOST_BARRIERD=ON \
  -DFENCEPOST_EXAMPLES=OFF -DFENCEPOST_TESTS=OFF -DFENCEPOST_TOOLS=OFF --log-level=WARNING
cmake --build build/bench --target "${targets[@]}"
