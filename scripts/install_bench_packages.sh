#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs what the benchmarks compare the library with: Debian packages, Rust crates, and abseil
# built from Debian's own source, since the packaged library has debug checks compiled in that make
# its mutex three times slower; and the servers that 'fencepost bench server' runs, none of which is
# started. Only what is missing; what cannot be had is left out with a message, and the benchmarks go
# on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

abseil=build/peers/abseil
note() { echo "fencepost: $*" >&2; }

scripts/install_packages.sh bench || note "what needs the packages above is left out"
command -v dpkg-query >/dev/null || exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

build_abseil() {
  cmake -S "$abseil/abseil" -B "$abseil/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DCMAKE_CXX_STANDARD=17 -DABSL_ENABLE_INSTALL=ON \
    -DCMAKE_INSTALL_PREFIX="$PWD/$abseil/installed" &&
    cmake --build "$abseil/build" &&
    cmake --install "$abseil/build"
}

if [[ ! -f $abseil/complete ]]; then
  echo "== Building abseil without debug checks in $abseil (a minute or two)"
  mkdir -p "$abseil"
  if scripts/fetch_source.sh abseil "$abseil" >"$log" 2>&1 && build_abseil >>"$log" 2>&1; then
    rm -rf "$abseil/build"
    touch "$abseil/complete"
  else
    tail -n 5 "$log" >&2
    note "abseil could not be had in source; its mutex is left out"
  fi
fi

crate=bench/library/rust_peers/Cargo.toml
export PATH=$PATH:$HOME/.cargo/bin
if ! command -v cargo >/dev/null; then
  note "there is no cargo; Rust's peers (parking_lot, crossbeam-epoch and others) are left out"
elif ! cargo fetch --quiet --locked --offline --manifest-path "$crate" >/dev/null 2>&1; then
  echo "== Fetching the crates of $crate"
  cargo fetch --quiet --locked --manifest-path "$crate" ||
    note "the crates cannot be fetched; Rust's peers (parking_lot, crossbeam-epoch and others) are left out"
fi
