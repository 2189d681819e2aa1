#!/bin/sh
# SPDX-License-Identifier: MIT
# emulate.sh: runs an emulator and what it emulates on one processor.
#
#     scripts/emulate.sh qemu-aarch64 -L /usr/aarch64-linux-gnu PROGRAM [ARGUMENT...]
#
# On an x86 host qemu 7.2 puts no barrier between an `stlr` and the `ldar` behind it, which Arm keeps
# in their order. On two processors a thread may then store "free" behind its look for who waits, and
# sleepers sleep for ever that on a processor of Arm's are woken. On one, each thread sees what the
# others have stored.
set -eu
one=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
exec taskset -c "$one" "$@"
