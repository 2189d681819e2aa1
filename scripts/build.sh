#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh PRESET [TARGET…]: configures build/PRESET, once and when Debian packages have come or gone
# since, then builds it, all or the named targets. CMake itself reconfigures when one of its files has
# changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:?build.sh PRESET [TARGET…]}
targets=("${@:2}")

# One at a time: two that build here at once, as tests may, spoil each other's objects.
mkdir -p "build/$preset"
exec {turn}>"build/$preset/lock"
if ! flock --nonblock "$turn"; then
  echo "== Waiting, for somebody is building build/$preset"
  flock "$turn"
fi

configured=build/$preset/configured
if [[ ! -f build/$preset/build.ninja || ! -f $configured || /var/lib/dpkg/status -nt $configured ]]; then
  echo "== Configuring build/$preset"
  cmake --preset "$preset" --log-level=WARNING
  touch "$configured"
fi
echo "== Building build/$preset"
cmake --build --preset "$preset" ${targets[@]:+--target "${targets[@]}"}
