#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs the Debian packages that the build, the tests and the study need: only those that are
# missing, and none is asked for when all are there.
set -euo pipefail

packages=(
  gcc g++ binutils libc6-dev               # the native compiler, and objdump, nm, addr2line
  cmake ninja-build                        # the build
  clang-14 clang-format-14                 # the second compiler, the formatter
  libgtest-dev                             # the C++ tests
  libbenchmark-dev                         # what fencepost bench runs
  dpkg-dev file pkgconf                    # Debian packages, and that programs find the library
  python3 python3-venv                     # the command line and its tests
  gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user  # AArch64: instructions and runs
  chromium                                 # the tests that step through a counterexample's page
  g++-riscv64-linux-gnu g++-powerpc64le-linux-gnu  # the library's other architectures
  musl-tools                               # the atomics runtime with another C library
  libbpf-dev bpftool                       # the daemon of the interrupt clock
  libck-dev libboost-dev libreaderwriterqueue-dev libconcurrentqueue-dev  # headers that are checked
)

if ! command -v dpkg-query >/dev/null; then
  echo "fencepost: this is no Debian system, so nothing is installed for you." >&2
  echo "fencepost: the build needs the equivalents of: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

run=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "fencepost: these Debian packages are missing: ${missing[*]}" >&2
    echo "fencepost: installing them needs root and there is no sudo here. As root, run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  run=(sudo)
fi

apt() { "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null; }

echo "== Installing Debian packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists of a fresh machine are empty or old, so they are read first; an install from
# lists already there is still tried when that fails.
apt update >"$log" 2>&1 || { echo "fencepost: apt-get update failed; using the lists at hand" >&2; }
if ! apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "fencepost: apt-get could not install: ${missing[*]}" >&2
  echo "fencepost: check the network and the permission to install, then run make again." >&2
  exit 1
fi
echo "   installed ${#missing[@]} packages"
