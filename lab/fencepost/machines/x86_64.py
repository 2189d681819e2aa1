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
        r"^(?:lock\b|[mls]fence\b|xchg[bwlq]?\s.*\(|cmpxchg(?:8b|16b)|rdtscp?\b|rdrand"
        r"|rdseed|rdpid|rdpmc|cpuid"
        r"|xbegin|movnt|clflush|clwb|syscall\b|int\s+\$0x80|umwait|monitor)"
    ),
    asks_outside=re.compile(
        r"^(?:rdtscp?\b|rdrand|rdseed|rdpid|rdpmc|cpuid|xbegin|syscall\b|sysenter\b|int\s+\$0x80"
        r"|umwait|monitor)"
    ),
    calls=("call", "callq"),
    always_jumps=("jmp",),
    sometimes_jumps=re.compile(r"j(?:n?[abcegloszp]|n?[abgl]e|n?p|p[eo])"),
    plain=re.compile(
        r"(?:mov(?:[bwlq]|abs|abs[q]|[sz][bwl][wlq])?|lea[lq]?|(?:add|sub|and|or|xor|cmp|test)[bwlq]?"
        r"|(?:inc|dec|neg|not)[bwlq]?|(?:sh|sa)[lr][lq]?|push[q]?|pop[q]?|nop[wlq]?|endbr64)"
    ),
    result=re.compile(r"%(?:[er]?ax|a[lh])\b"),
    result_is_argument=False,
    sets_result=re.compile(
        r"(?:mov[lq]|lea[lq]|movabsq|movz[bw]l|movslq) (.*), ?%[er]ax"
        r"|xorl %eax, ?%eax()"
    ),
    counted_call="addl $1, COUNT(%rip)\njmp NAME\n",
)
