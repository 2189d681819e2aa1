# SPDX-License-Identifier: MIT
"""without_call.py CALL ERROR PROGRAM [WORD…]: runs the program in a sandbox where that system call,
bpf, capset or membarrier, fails with that error number, as in containers; with 0, whoever makes it
is killed."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

CALLS = {
    "bpf": {"x86_64": 321, "aarch64": 280, "riscv64": 280, "ppc64le": 361},
    "capset": {"x86_64": 126, "aarch64": 91, "riscv64": 91, "ppc64le": 184},
    "membarrier": {"x86_64": 324, "aarch64": 283, "riscv64": 283, "ppc64le": 365},
}
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
KILL, ERROR, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2


def main() -> None:
    call = CALLS[sys.argv[1]][platform.machine()]
    error = int(sys.argv[2])
    instructions = [
        (LOAD, 0, 0, 0),  # the number of the call
        (JUMP_IF_EQUAL, 0, 1, call),
        (RETURN, 0, 0, ERROR | error if error else KILL),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in instructions))
    program = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0
    ):
        sys.exit(os.strerror(ctypes.get_errno()))
    os.execv(sys.argv[3], sys.argv[3:])


main()
