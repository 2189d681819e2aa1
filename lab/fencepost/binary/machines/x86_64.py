# SPDX-License-Identifier: MIT
"""x86-64."""

from __future__ import annotations

import re

from fencepost.binary.machines.machine import Machine
from fencepost.binary.machines.x86_64_assembly import translate
from fencepost.binary.machines.x86_64_registers import live_registers

X86_64 = Machine(
    title="x86-64",
    names=frozenset({"x86_64", "amd64", "AMD64"}),
    elf_number=62,
    triplet="x86_64-linux-gnu",
    emulator="qemu-x86_64",
    comment="#",
    translate=translate,
    require_modelled=lambda statement: None,
    live_registers=live_registers,
    prefixes=frozenset({"lock", "rep"}),
    below_stack=re.compile(r"-\w+\([^()]*%r[bs]p"),
    not_kept=re.compile(
        r"%(?:mm|ymm|zmm)\d+|%k[0-7]\b|%xmm(?:1[6-9]|2\d|3[01])\b|%st\b|(?m:^\s+f\w+(?=\s|$))"
    ),
    fences=frozenset({"mfence", "lfence", "sfence"}),
    unseen=re.compile(
        r"^(?:lock\b|[mls]fence\b|xchg[bwlq]?\s.*\(|cmpxchg(?:8b|16b)|rdtscp?\b|rdrand"
        r"|rdseed|rdpid|rdpmc|cpuid"
        r"|xbegin|v?movnt|clflush|clwb|syscall\b|int\s+\$0x80|umwait|tpause|monitor|xgetbv|serialize)"
    ),
    asks_outside=re.compile(
        r"^(?:rdtscp?\b|rdrand|rdseed|rdpid|rdpmc|cpuid|xbegin|syscall\b|sysenter\b|int\s+\$0x80"
        r"|umwait|monitor)"
    ),
    calls=("call", "callq"),
    # r10 and r11 belong to nobody at a call.
    counted_call="movl COUNT(%rip), %r11d\n"
    "addl $1, COUNT(%rip)\n"
    "andl $15, %r11d\n"
    "shll $4, %r11d\n"
    "leaq CALLS(%rip), %r10\n"
    "addq %r11, %r10\n"
    "KEEP"
    "movq (%rsp), %r11\n"
    "movq %r11, 8(%r10)\n"
    "jmp NAME\n",
    keeps_object="leaq PLUS(OBJECT), %r11\nmovq %r11, (%r10)\n",
    first_argument="%rdi",
    object_behind_result="%rsi",
    call_with_text="leaq TEXT(%rip), %rdi\njmp NAME\n",
    ends_at=("andq $-16, %rsp", "call LABEL"),
    keeps_nothing="movq $0, (%r10)\n",
)
