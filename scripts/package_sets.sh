# SPDX-License-Identifier: MIT
# Sourced: which Debian packages each command needs, and what for. `packages_of SET…` prints them, one
# a line. No command of the Makefile installs anything that is not in its sets here.

#: Every set, in the order in which they build on one another.
package_sets=(build install docs fuzz test long servers bench fresh)

packages_of() {
  local name
  for name in "$@"; do
    declare -F "packages_of_$name" >/dev/null || {
      echo "fencepost: there is no package set '$name'; there are: ${package_sets[*]}" >&2
      return 1
    }
    "packages_of_$name"
  done | sed 's/ *#.*//' | tr -s ' ' '\n' | sed '/^$/d' | awk '!seen[$0]++'
}

# make build, make demo, make wheel: everything that is built from this tree.
packages_of_build() {
  cat <<'PACKAGES'
gcc g++ binutils libc6-dev    # the native compiler, and objdump, nm, addr2line
gcc-12-plugin-dev             # by which gcc tells the checker of every access
cmake ninja-build             # the build
libgtest-dev                  # the C++ tests, which are built with the rest
clang-14                      # the second compiler, and the one that compiles BPF
libbpf-dev bpftool            # the daemon of the interrupt clock
python3 python3-venv          # the command line and its tests
PACKAGES
}

# make install, make package: what the preset `package` builds, and what the installed command needs.
packages_of_install() {
  cat <<'PACKAGES'
gcc g++ binutils libc6-dev    # the compiler, which fencepost check runs, too
gcc-12-plugin-dev             # by which gcc tells the checker of every access
cmake ninja-build             # the build
clang-14 libbpf-dev bpftool   # the daemon of the interrupt clock
dpkg-dev file                 # Debian packages
python3 python3-pyelftools    # the installed command line
PACKAGES
}

# make docs: the reference of the headers; the rest comes from PyPI.
packages_of_docs() {
  echo doxygen python3 python3-venv
}

# make fuzz: clang's fuzzer and sanitizers.
packages_of_fuzz() {
  packages_of_build
  echo libclang-rt-14-dev
}

# make test: all that a test runs.
packages_of_test() {
  packages_of_fuzz
  packages_of_servers
  cat <<'PACKAGES'
clang-format-14               # the formatter
clang-19                      # the newest that the checker takes
libbenchmark-dev              # what fencepost bench runs
dpkg-dev file pkgconf         # Debian packages, and that programs find the library
doxygen                       # the site of the documentation
lintian systemd               # what judges the packages, and the daemon's units
python3-pyelftools            # the command line, installed
gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user    # AArch64: instructions and runs
gcc-12-plugin-dev-aarch64-linux-gnu                      # the checker there
g++-riscv64-linux-gnu g++-powerpc64le-linux-gnu          # the library's other architectures
zsh                           # the tests of its completion
chromium                      # the tests that step through a counterexample's page
musl-tools                    # the atomics runtime with another C library
libck-dev libboost-dev libreaderwriterqueue-dev libconcurrentqueue-dev  # headers that are checked
liburcu-dev libatomic-ops-dev                            # their inline assembly
PACKAGES
}

# make test-long: the other compilers that the checker takes, and what programs of others need.
packages_of_long() {
  packages_of_test
  cat <<'PACKAGES'
clang-15 clang-16             # the other compilers
make perl tcl8.6-dev tcl8.6   # builds and runs the tests of SQLite, Redis, memcached, Perl
libevent-dev                  # memcached
nettle-dev libtasn1-6-dev libunistring-dev libidn2-dev    # GnuTLS
autoconf automake autopoint bison gettext libtool pkgconf # its configure, which Debian makes anew
podman crun mmdebstrap        # the image of the Containerfile
PACKAGES
}

# The servers and programs that `fencepost bench server` measures. MariaDB's packages are those that
# have the programs and no service.
packages_of_servers() {
  cat <<'PACKAGES'
mariadb-server-core mariadb-client-core sysbench    # MariaDB and its load
redis-server redis-tools                            # Redis with redis-benchmark
memcached libmemcached-tools                        # memcached with memaslap
stress-ng libjemalloc2                              # what allocates
PACKAGES
}

# make bench: the peers that the library is measured beside.
packages_of_bench() {
  packages_of_build
  packages_of_servers
  cat <<'PACKAGES'
libbenchmark-dev                                    # Google Benchmark
libnsync-dev libck-dev liburcu-dev                  # nsync, Concurrency Kit, liburcu
libboost-dev libreaderwriterqueue-dev libatomic-queue-dev  # rings
dpkg-dev patch                                      # to unpack abseil
PACKAGES
}

# make fresh: what makes the root of a bare Debian.
packages_of_fresh() {
  cat <<'PACKAGES'
mmdebstrap git                # the root, and the clone that is put into it
util-linux mount              # unshare, and what is mounted there
PACKAGES
}
