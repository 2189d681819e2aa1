# SPDX-License-Identifier: MIT
"""x86-64."""

from __future__ import annotations

import re

from fencepost.machines.machine import Machine

X86_64 = Machine(
    title="x86-64",
    names=frozenset({"x86_64", "amd64", "AMD64"}),
    elf_number=62,
    triplet="x86_64-linux-gnu",
    emulator="qemu-x86_64",
    comment="#",
    harmless=frozenset({"", "pause", "nop", "rep nop", "rep; nop", "rep ; nop", "rep;nop"}),
    unseen=re.compile(
        r"^(?:lock\b|[mls]fence\b|xchg[bwlq]?\s.*\(|cmpxchg(?:8b|16b)|rdtscp?\b|rdrand|rdseed"
        r"|xbegin|movnt|clflush|clwb|syscall\b|int\s+\$0x80|umwait|monitor)"
    ),
)
