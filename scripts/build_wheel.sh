#!/bin/bash
# SPDX-License-Identifier: MIT
# build_wheel.sh [MACHINE]: writes the Python wheel into build/wheel: the command fencepost with all that
# it needs but a compiler, for this processor or, by a cross compiler, for another (aarch64). The name
# that it ends up with says which glibc it needs: Debian 12's, with which it is tested.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
machine=${1:-$(uname -m)}
platform=manylinux_2_36_$machine
made=build/wheel/made-$machine

# One at a time, as in build.sh.
mkdir -p build/wheel
exec {turn}>build/wheel/lock
flock "$turn"

options=(--no-build-isolation --no-deps --quiet --disable-pip-version-check --wheel-dir "$made")
if [[ $machine != "$(uname -m)" ]]; then
  prefix=$machine-linux-gnu
  command -v "$prefix-g++" >/dev/null || {
    echo "fencepost: no compiler for $machine here (Debian: g++-${prefix//_/-})" >&2
    exit 1
  }
  export _PYTHON_HOST_PLATFORM=linux-$machine
  for define in SYSTEM_NAME=Linux "SYSTEM_PROCESSOR=$machine" "C_COMPILER=$prefix-gcc" \
    "CXX_COMPILER=$prefix-g++"; do
    options+=(--config-settings "cmake.define.CMAKE_$define")
  done
fi
rm -rf "$made"
.venv/bin/python -m pip wheel "${options[@]}" .
# What auditwheel does not find true of the libraries in it, it refuses; it prints much else. It knows
# the platforms of the machine that it is on alone, and so is told of the wheel's.
audit="import platform; platform.machine = lambda: '$machine'; from auditwheel.main import main; main()"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
PATH=$PWD/.venv/bin:$PATH .venv/bin/python -c "$audit" repair --only-plat --plat "$platform" --wheel-dir "$made/repaired" "$made"/*.whl >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  exit 1
}
# At once: somebody may be installing the one that is there.
mv "$made"/repaired/*.whl build/wheel
rm -rf "$made"
ls build/wheel/*"$platform".whl
