#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs what the benchmarks compare the library with: Debian packages, Rust crates, and abseil
# built from Debian's own source, since the packaged library has debug checks compiled in that make
# its mutex three times slower; and the servers that 'fencepost bench server' runs, none of which is
# started or set up as a service of the system. Only what is missing; what cannot be had is left out
# with a message, and the benchmarks go on without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  libbenchmark-dev                                    # Google Benchmark
  libnsync-dev libck-dev liburcu-dev                  # nsync, Concurrency Kit, liburcu
  libboost-dev libreaderwriterqueue-dev libatomic-queue-dev  # rings
  dpkg-dev patch                                      # to unpack abseil
)
# Packages of MariaDB that have the programs and no service; Redis and memcached bring one.
servers=(
  mariadb-server-core mariadb-client-core sysbench    # MariaDB and its load
  redis-server redis-tools                            # Redis with redis-benchmark
  memcached libmemcached-tools                        # memcached with memaslap
  stress-ng libjemalloc2                              # what allocates
)
services=(redis-server memcached)
abseil=build/peers/abseil

note() { echo "fencepost: $*" >&2; }

if ! command -v dpkg-query >/dev/null; then
  note "this is no Debian system, so nothing is installed for you."
  note "the benchmarks need the equivalent of libbenchmark-dev; peers: ${packages[*]:1}"
  exit 0
fi

run=()
if ((EUID != 0)); then
  command -v sudo >/dev/null && run=(sudo)
fi
apt() { "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true) == installed ]]
}

missing=()
for package in "${packages[@]}" "${servers[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]})); then
  # As Debian asks its packages not to start what they bring; theirs to say where it is there already.
  policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    trap 'rm -f "$log"; "${run[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${run[@]}" tee "$policy" >/dev/null &&
      "${run[@]}" chmod 755 "$policy"
  fi
  unwanted=()
  for service in "${services[@]}"; do
    is_installed "$service" || unwanted+=("$service")
  done
  echo "== Installing Debian packages: ${missing[*]}"
  apt update >"$log" 2>&1 || note "apt-get update failed; using the lists at hand"
  if ! apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    # One that is not to be had must not keep the others away.
    for package in "${missing[@]}"; do
      apt install -y --no-install-recommends "$package" >>"$log" 2>&1 ||
        note "cannot install $package; what needs it is left out"
    done
  fi
  # Nor with the next start of the machine, unless somebody had them before.
  if ((${#unwanted[@]})) && command -v systemctl >/dev/null; then
    "${run[@]}" systemctl disable "${unwanted[@]}" >>"$log" 2>&1 || true
  fi
fi

# Debian's source of abseil, by a list of sources of its own, so that those of the system stay as
# they are. Where packages come from is asked of apt.
fetch_abseil() {
  local origin uri suite lists=$abseil/lists
  origin=$(apt-cache policy libabsl-dev |
    awk '$2 ~ /^(https?|file):/ && $3 ~ "/main$" { print $2, $3; exit }')
  read -r uri suite <<<"$origin"
  [[ -n $suite ]] || return 1
  mkdir -p "$lists/partial"
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg options=""
  [[ -f $keyring ]] && options="[signed-by=$keyring] "
  echo "deb-src $options$uri ${suite%/main} main" >"$abseil/sources.list"
  local own=(-q -o "Dir::Etc::SourceList=$PWD/$abseil/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$PWD/$lists" -o APT::Sandbox::User=)
  apt-get "${own[@]}" update </dev/null || return 1
  (cd "$abseil" && rm -rf abseil-*/ && apt-get "${own[@]}" source abseil </dev/null) || return 1
}

build_abseil() {
  local source
  source=$(find "$abseil" -maxdepth 1 -type d -name 'abseil-*' -print -quit)
  [[ -n $source ]] || return 1
  cmake -S "$source" -B "$abseil/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DCMAKE_CXX_STANDARD=17 -DABSL_ENABLE_INSTALL=ON \
    -DCMAKE_INSTALL_PREFIX="$PWD/$abseil/installed" &&
    cmake --build "$abseil/build" &&
    cmake --install "$abseil/build"
}

if [[ ! -f $abseil/complete ]]; then
  echo "== Building abseil without debug checks in $abseil (a minute or two)"
  mkdir -p "$abseil"
  if fetch_abseil >"$log" 2>&1 && build_abseil >>"$log" 2>&1; then
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
